"""Numbers of a message that no sum used, to be named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from bot.answers.sums.choose import Chosen
from bot.read.measured_units import Measure
from bot.read.placed import Amounts, Placed

_MONEY: Final = "money"
_TIMES: Final = frozenset({"time", "day", "week", "month"})
_SEVERAL: Final = 2
_BESIDE: Final = frozenset({"", "data", "gib", "parameter", "bit", "byte", "layer", "head", "lane", "date"})
"""Kinds of what is often said of a card or a model beside a sum; any other number changes the sum it is left out of."""
_FACTORS: Final = frozenset({"share", "fold", "times"})
_WHOLE: Final = frozenset({"rent_machine_hour", "wall_w", "kwh_metered"})
"""Figures of a whole machine, its cards included."""


_EACH: Final = frozenset({"card", "item"})
_AT_A_LOAD: Final = frozenset({"tokens_per_s", "items_per_s"})
_WORK: Final = frozenset({"tokens", "tokens_total", "items", "dataset_tokens"})
_LOADS: Final = frozenset({"requests", "people", "users"})
"""A rate is said of all that are served at once, and work is done at it: how many they are changes nothing."""


def left_out(chosen: Chosen, amounts: Amounts, told: frozenset[str], instead: Iterable[Placed]) -> list[Measure]:
    """Numbers of the message that no sum used, in their order.

    Args:
        chosen: the sums.
        amounts: what the message gives.
        told: quantities that are spoken of elsewhere.
        instead: other values of a quantity that a sum was worked out for as well.
    """
    used = told.union(*(one.node.said for one in chosen.solutions), _of_sides(chosen))
    used |= _implied(used, amounts)
    worth = frozenset(one.value for one in chosen.given if one.name in used)
    counted = [*(one.measure for one in instead), *_compared(chosen, amounts), *chosen.counted]
    unused = [*_unused(amounts, used, worth), *_unplaced(amounts, counted, worth), *_second(amounts, used, worth)]
    told_of = {one.start: one for one in unused if one not in counted}
    return [told_of[start] for start in sorted(told_of) if _matters(told_of[start])]


def _implied(used: frozenset[str], amounts: Amounts) -> frozenset[str]:
    """Quantities that a sum of these holds as well."""
    each = frozenset(one.quantity for one in amounts.placed if _EACH.intersection(one.measure.per))
    cards = {"cards"} if (used & _WHOLE) - each else set()
    return frozenset(cards) | (_LOADS if used & _AT_A_LOAD and used & _WORK else frozenset())


def weighs(left: Sequence[Measure], chosen: Chosen) -> bool:
    """Whether a sum is of a part of the question: an amount that changes it, or several of any kind, were left out.

    Beside a sum that no formula names any number is one of it.
    """
    if chosen.open is not None:
        return bool(left)
    changing = any(one.kind not in _BESIDE or (not one.kind and one.per) for one in left)
    return changing or sum(bool(one.kind) for one in left) >= _SEVERAL


def _unused(amounts: Amounts, used: frozenset[str], worth: frozenset[float]) -> list[Measure]:
    """Values of quantities that no sum rests on, under no other name either."""
    return [one.measure for one in amounts.placed if one.quantity not in used and one.value not in worth]


def _unplaced(amounts: Amounts, counted: list[Measure], worth: frozenset[float]) -> list[Measure]:
    """What is no quantity and was not counted with either."""
    return [one for one in amounts.unplaced if one not in counted and one.value not in worth]


def _second(amounts: Amounts, used: frozenset[str], worth: frozenset[float]) -> list[Measure]:
    """Second values of times that a sum rests on: hours of two kinds of work."""
    others = [one for one in amounts.others if one.quantity in used and one.value not in worth]
    return [one.measure for one in others if one.measure.kind in _TIMES and not one.measure.per]


def _of_sides(chosen: Chosen) -> frozenset[str]:
    """Quantities that both of two compared sides rest on."""
    sides = chosen.versus.sides if chosen.versus is not None else ()
    said = [side.total.node.said for side in sides if side.total is not None]
    return frozenset().union(*said, (side.first.quantity for side in sides))


def _compared(chosen: Chosen, amounts: Amounts) -> list[Measure]:
    """The second values of what two sides differ in."""
    used = _of_sides(chosen)
    sides = chosen.versus.sides if chosen.versus is not None else ()
    used |= frozenset().union(*(one.node.said for one in chosen.added))
    return [one.measure for one in amounts.others if one.quantity in used] + [one.first.measure for one in sides]


def _matters(measure: Measure) -> bool:
    """A bare one or an article says nothing that was left out; one tenth does."""
    return bool(measure.text) and not (measure.words and measure.number <= 1 and measure.kind not in _FACTORS)
