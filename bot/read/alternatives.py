"""Everything that each number of a message may be: its unit decides, words near it only say how likely.

`quantities.py` gives each number the one quantity that its words speak for. Where that makes no sum, all numbers are
read together, and the sum decides (`bot/answers/sums/fitted.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, Protocol

from advisor.calculators import QUANTITIES
from bot.read.measured_units import Measure
from bot.read.nearness import parts
from bot.read.placed import Placed, Readings
from bot.read.quantities import CARD_NAME
from bot.read.spotting import Spotted
from bot.read.units import in_unit_of

_UNSAID: Final = 0.1
"""What a quantity is worth whose words do not stand near, by the unit alone."""
_OTHERWISE: Final = 0.1
"""What it costs to take one counted thing for another that is counted by the same word."""
_THOSE: Final = "those"
_COUNTED_AS: Final[Mapping[str, tuple[str, ...]]] = {
    "sheet": ("item",),
    "those": ("process", "card", "machine", "request", "person"),
    "person": ("request",),
    "request": ("person",),
}
"""Units that count several kinds of things, and the kinds beside their own."""


class Rows(Protocol):
    """The rows of the lexicon."""

    def likely(self, spotted: Spotted, cut: list[tuple[int, int]], measure: Measure) -> Iterable[tuple[float, str]]:
        """Every quantity that a measure may be by its unit, with what its words are worth; 0 where they are unsaid."""
        ...


def alternatives(rows: Rows, spotted: Spotted, measures: Sequence[Measure]) -> Readings:
    """For each measure everything that it may be, likeliest first; what is said twice counts once."""
    cut = parts(spotted.text)
    told = {kind for one in measures for kind in (one.kind, *one.per)} | (
        {"card"} if spotted.holds(CARD_NAME) else set()
    )
    once = [one for at, one in enumerate(measures) if not any(_same(one, other) for other in measures[:at])]
    return tuple(map(partial(_of, rows, spotted, cut, told), once))


def _same(one: Measure, other: Measure) -> bool:
    return one.kind == other.kind and one.value == other.value and one.per == other.per


def _of(
    rows: Rows, spotted: Spotted, cut: list[tuple[int, int]], told: Collection[str], measure: Measure
) -> Sequence[Placed]:
    """All that one measure may be; "of them" counts cards, machines or people only where the message speaks of such."""
    best: dict[str, Placed] = {}
    for variant, less in _variants(measure):
        if measure.unit == _THOSE and variant is not measure and variant.kind not in told:
            continue
        for score, quantity in rows.likely(spotted, cut, variant):
            worth = (score or _UNSAID) - less
            value = in_unit_of(variant, quantity)
            known = best.get(quantity)
            if _is_sound(quantity, value) and (known is None or worth > known.score):
                best[quantity] = Placed(measure, quantity, value, worth)
    return sorted(best.values(), key=lambda one: (-one.score, one.quantity))


def _is_sound(quantity: str, value: float) -> bool:
    kind = QUANTITIES[quantity]
    return kind.low <= value <= kind.high and not (kind.positive and value == 0)


def _variants(measure: Measure) -> Iterator[tuple[Measure, float]]:
    """A measure as it was read, and as the other things that its words count."""
    yield measure, 0.0
    for kind in _COUNTED_AS.get(measure.unit, ()):
        yield replace(measure, kind=kind, unit=kind), _OTHERWISE
    for at, unit in enumerate(measure.per_units[: len(measure.per)]):
        for kind in _COUNTED_AS.get(unit, ()):
            per = (*measure.per[:at], kind, *measure.per[at + 1 :])
            yield replace(measure, per=per), _OTHERWISE


__all__ = ["alternatives"]
