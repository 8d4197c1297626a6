"""The one value that a sum lacks, found in the one number of a message that nothing names.

A number without a word of its own is what makes the sum whole: where all else that was said goes into it and only one
reading of the number does that, that reading is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from advisor.calculators import QUANTITIES, Given, Solution, solve
from advisor.calculators.reckon import KNOWN, MEASURED
from advisor.calculators.registry import BY_RESULT
from bot.read.measured_units import Measure
from bot.read.placed import Amounts, Asked
from bot.read.units import in_unit_of

_BARE: Final = frozenset({"yes", "", "share", "bit", "byte", "head", "lane", "kg/kWh", "V"})
"""Units of values that are called by their name when they are meant."""
_SAYABLE: Final = frozenset({"purchase", "days", "hours_total", "rent_month", "tokens_total", "tokens_month", "months"})
"""Quantities that formulas give and that people say as well."""
_BY: Final = {"month": "_month", "day": "_day", "week": "_week"}
"""What a number is counted for, and how quantities by that time are called."""
_KINDS: Final = {"money": "money", "time": "hour", "card": "card", "machine": "machine", "token": "token"}
_MONEY, _BOUGHT = "money", "purchase"
_OF_NAMES: Final = frozenset({"params", "card_gb"})
"""What only says which model or card is meant."""
_BY_THE_HOUR: Final = "money/hour"
_DEAREST: Final = 500.0
"""Money for an hour that nobody said is for one is no more than this."""
_CARDS, _BEFORE = "cards", "cards_before"
_COUNTED: Final = frozenset({"", "card"})
_PIECES: Final = frozenset({"item", "run", "request", "person", "step", "round", "token"})
"""Units of what has a noun of its own."""
_TIMES: Final = frozenset({"time", "day", "week", "month"})


_Reading: TypeAlias = tuple[tuple[Given, ...], Solution]
"""What a sum rests on, and the sum."""
_Loose: TypeAlias = tuple[Measure, Sequence[Given]]


class _Sayable(NamedTuple):
    """A quantity that people say without its name, and its range."""

    quantity: str
    low: float
    high: float
    bare: float
    """The largest that a bare number of it can be: none is a dear hour."""


def completed(
    asked: Iterable[Asked], amounts: Amounts, given: Sequence[Given], *, paid: bool = False
) -> tuple[Given, ...]:
    """What was said and the nameless number as what the sum lacks; () where there is none or several would do.

    Args:
        asked: what the message surely asks for, likeliest first.
        amounts: what it gives.
        given: the values that have a name.
        paid: take a sum of money for what is lacking that was taken for the price of a thing.
    """
    numbers = _paid(amounts, given) if paid else _nameless(amounts, given)
    for one in asked if numbers else ():
        if solve(one.name, given) is not None:
            continue
        for loose, others in numbers:
            readings = _readings(one.name, loose, amounts, others)
            if len({round(found.value, 9) for _, found in readings}) == 1:
                return readings[0][0]
    return ()


def _nameless(amounts: Amounts, given: Sequence[Given]) -> list[_Loose]:
    """The only number without a name, with the values that have one."""
    known = {one.value for one in given}
    loose = [one for one in amounts.unplaced if one.text and not one.words and one.value not in known]
    return [(loose[0], given)] if len(loose) == 1 and not loose[0].instead else []


def _paid(amounts: Amounts, given: Sequence[Given]) -> list[_Loose]:
    """An amount of money that was taken for the price of a thing, and all other values."""
    bought = [one.measure for one in amounts.placed if one.quantity == _BOUGHT and one.measure.kind == _MONEY]
    return [(one, [each for each in given if each.name != _BOUGHT]) for one in bought]


def _readings(name: str, loose: Measure, amounts: Amounts, given: Sequence[Given]) -> list[_Reading]:
    """Every reading of a number with which a sum uses all that was said."""
    said = {one.quantity for one in amounts.placed if one.measure is not loose} - _OF_NAMES
    if _CARDS in said and loose.kind in _COUNTED:
        return _of_other_cards(name, loose, amounts, given)
    found: list[_Reading] = []
    for quantity in _that_it_may_be(name, loose, amounts, given) if said <= _all_below(name) else ():
        whole = (*given, Given(quantity, in_unit_of(loose, quantity)))
        solution = solve(name, whole)
        if solution is not None and solution.node.said >= said | {quantity}:
            found.append((whole, solution))
    return found


def _that_it_may_be(name: str, loose: Measure, amounts: Amounts, given: Sequence[Given]) -> list[str]:
    """The quantities below one that a number can be and that were not said; one of pieces where a noun says so."""
    known = {one.name for one in given}
    listed = [one for one in _of_number(name, loose) if one not in known]
    if listed and _counts_pieces(loose, amounts):
        return [one for one in listed if QUANTITIES[one].unit in _PIECES]
    return listed


def _counts_pieces(loose: Measure, amounts: Amounts) -> bool:
    """Whether a noun behind a number says what it counts: pages are no hours."""
    things = (one for one in amounts.things()[0] if loose in one.measures)
    return any(power > 0 and name not in KNOWN | MEASURED for one in things for name, power in one.stated.unit.items())


def _of_other_cards(name: str, loose: Measure, amounts: Amounts, given: Sequence[Given]) -> list[_Reading]:
    """A second number of cards: one of the two was timed, the other is asked about."""
    first = next(one.measure for one in amounts.placed if one.quantity == _CARDS)
    times = [one.measure.start for one in amounts.placed if one.measure.kind in _TIMES]
    if not times or _BEFORE not in _all_below(name):
        return []
    timed, asked = sorted((first, loose), key=lambda one: _after(one.start, times[0]))
    others = (one for one in given if one.name != _CARDS)
    whole = (*others, Given(_CARDS, asked.value), Given(_BEFORE, timed.value))
    solution = solve(name, whole)
    return [(whole, solution)] if solution is not None and {_CARDS, _BEFORE} <= solution.node.said else []


def _after(start: int, time: int) -> tuple[bool, int]:
    """How likely a number of cards is the one that a time was said of: the last before it, else the first behind it."""
    return start > time, abs(start - time)


def _of_number(name: str, loose: Measure) -> list[str]:
    """The quantities below one that a number can be by its unit, by what it is counted for and by its size."""
    times = next((end for per, end in _BY.items() if per in loose.per), "")
    value, per = loose.value, loose.per
    return [
        one.quantity
        for one in _sayable(name, _KINDS.get(loose.kind) if loose.kind else "")
        if one.low <= value <= (one.high if per else one.bare) and one.quantity.endswith(times)
    ]


@cache
def _sayable(name: str, base: str | None) -> tuple[_Sayable, ...]:
    """The quantities of a unit (any: "") below one that nobody need call by their name; none of an unknown unit."""
    kinds = {quantity: QUANTITIES[quantity] for quantity in sorted(_below(name) - {_BEFORE})}
    listed = [
        _Sayable(quantity, kind.low, kind.high, _DEAREST if kind.unit == _BY_THE_HOUR else kind.high)
        for quantity, kind in kinds.items()
        if kind.unit not in _BARE and base in {"", kind.unit.partition("/")[0]}
    ]
    return tuple(listed)


def _below(name: str) -> frozenset[str]:
    """The quantities that people say among those which a sum may be made of."""
    return frozenset(one for one in _all_below(name) if one not in BY_RESULT or one in _SAYABLE)


@cache
def _all_below(name: str) -> frozenset[str]:
    """The quantities that a sum may be made of: with one beside them not all that was said goes into it."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for formula in BY_RESULT.get(waiting.pop(), ()):
            new = {*formula.needs, *formula.optional} - found
            found |= new
            waiting += new
    return frozenset(found)
