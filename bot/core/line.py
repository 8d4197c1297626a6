"""What an answer says before it is worded: lines of a code and its values, and blocks of them.

Values are numbers with units, names, dates and codes of terms, never words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum

from advisor.models import Estimate, Money, Note
from bot.core.claims import Claim


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its unit; money with its currency."""

    value: float
    unit: str = ""
    """As in advisor.calculators.quantities: hour, day, money, money/hour, W, GB, card, share ..."""
    currency: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Sum:
    """A line of arithmetic: a pattern with a place for each value, and what comes out."""

    pattern: str
    values: Mapping[str, Figure]
    result: Figure | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """A term that each language words: a method, a format, a kind of price. `templates/_shared/words` hold them."""

    code: str
    slot: str = ""
    """Where terms of several slots share a code: the label is that of `slot.code`."""


@dataclass(frozen=True, slots=True)
class Line:
    """What is said, worded last by `bot.words`. A value may be a line itself: a phrase that comes again."""

    say: str
    values: Mapping[str, Worded] = field(default_factory=dict)
    claim: Claim | None = None
    """What it claims of its figures; where that does not hold the line is not said."""


def is_true(said: object) -> bool:
    """Whether what is said claims nothing, or what its figures bear out."""
    return not isinstance(said, Line) or said.claim is None or said.claim.holds


@dataclass(frozen=True, slots=True)
class Prose:
    """Text of the knowledge base in the reader's language, with its own markup."""

    text: str


Single = Figure | Sum | Label | Line | Note | Prose | str | int | date | None
"""None is a value that is not known: the part of a sentence in [[ ]] that needs it is left out."""
Worded = Single | tuple[Single, ...]


class Depth(StrEnum):
    """From which form on something is shown: a group's answer, a private chat's, or what stands behind a button."""

    GROUP = "group"
    PRIVATE = "private"
    DETAILS = "details"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under labelled columns. Too wide for a chat it is told row by row."""

    columns: tuple[Single, ...]
    rows: tuple[tuple[Single, ...], ...]
    title: Line | None = None
    depth: Depth = Depth.PRIVATE
    last: Depth = Depth.DETAILS
    """The last form that shows it: a group's selection gives way to the whole."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Lines of equal rank, each an item."""

    lines: tuple[Line | Note, ...]
    title: Line | None = None
    depth: Depth = Depth.PRIVATE
    last: Depth = Depth.DETAILS
    indents: tuple[int, ...] = ()
    """How deep each item stands below the one before; empty: all alike."""


Block = Table | Listing


def gib(value: Estimate | float) -> Figure:
    """Memory in GiB, with its band where it is an estimate."""
    return measured(value, "GiB")


def measured(value: Estimate | float, unit: str) -> Figure:
    """A number in a unit of `units.yaml`, with its band where it is an estimate."""
    if isinstance(value, Estimate):
        return Figure(float(value.value), unit, low=float(value.low), high=float(value.high))
    return Figure(float(value), unit)


def amount(value: Money, per: str = "") -> Figure:
    """Money, for each `per` (hour, kwh) where it is a rate."""
    return Figure(float(value.amount), f"money/{per}" if per else "money", currency=value.currency)


def amounts(low: Money, high: Money, per: str = "") -> Figure:
    """Money from low to high; `{price:range}` shows both ends, one where they are the same."""
    figure = amount(low, per)
    return replace(figure, low=float(low.amount), high=float(high.amount))
