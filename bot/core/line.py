"""One sentence of an answer before it is worded: a code and its values.

Values are numbers with units, names and dates, never words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date


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


Single = Figure | Sum | str | int | date
Worded = Single | tuple[Single, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """What is said, worded last by `bot.words`."""

    say: str
    values: Mapping[str, Worded] = field(default_factory=dict)
