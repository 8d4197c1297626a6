"""A sum of open nouns once more from other values: on two nodes, of other minutes, of twice the steps.

A value that is said takes the place of the one in its unit, the nearest where several are; what is added comes on top;
what works side by side and was not counted before shares the time among it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf, log
from typing import Final

from advisor.calculators import QUANTITIES, Given, solve
from advisor.calculators.reckon import HOUR, MEASURED, SIDE_BY_SIDE, SPANS, Wanted
from bot.answers.sums.choose import Chosen
from bot.answers.sums.opened import key_of, keyed, stated_of, value_of
from bot.answers.sums.reckoned import of_values
from bot.answers.sums.termed import of_terms
from bot.core.sums import OpenSum, OpenValue, SumFrame
from bot.read.placed import Amounts
from bot.read.things import Thing
from bot.read.wants import Want

_DAY: Final = "day"
_PLUS: Final = "+"
_PRODUCT, _TOTAL = "product", "total"
_HOUR_UNIT: Final[Mapping[str, int]] = {HOUR: 1}
_FAR: Final = log(50.0)
"""A value changes one before by less than so much."""
_TIMES_OF: Final = frozenset({"hour"})
_COUNTS: Final = frozenset({"cards", "machines", "workers", "host_cards", "cards_before"})
"""What already shares a time that was worked out."""
_UNITS: Final[Mapping[str, str]] = {HOUR: " h", "day": " d", "gigabyte": " GB", "kwh": " kWh"}


def reopened(before: OpenSum, amounts: Amounts) -> Chosen | None:
    """The sum of before with what is said now; None where something that is said has no place in it.

    Args:
        before: what the sum was made of.
        amounts: the message after it.
    """
    things, wants = amounts.things()
    said = [one for one in things if one.measures and not one.stated.share]
    if not _asks_the_same(wants, before, said) or len(said) >= len([one for one in before.values if not one.free]):
        return None
    values = _changed(before, said, amounts) if said else _scaled(before, amounts)
    if values is None or values == list(before.values):
        return None
    return _with(_made(before, values), things)


def spread(before: SumFrame, amounts: Amounts) -> Chosen | None:
    """The time of the sum before, shared among what works side by side; None where nothing else is said.

    Args:
        before: the sum before.
        amounts: the message after it.
    """
    things, wants = amounts.things()
    said = [one for one in things if one.measures]
    name = next(iter(before.values), "")
    timed = bool(name) and QUANTITIES[name].unit in _TIMES_OF and _COUNTS.isdisjoint(before.given)
    if not said or not timed or not all(map(_is_side_by_side, said)):
        return None
    if not _asks_the_same(wants, OpenSum(kind=_PRODUCT, unit=dict(_HOUR_UNIT)), said):
        return None
    whole = OpenValue(value=before.values[name], unit=dict(_HOUR_UNIT))
    kept = OpenSum(kind=_PRODUCT, unit=dict(_HOUR_UNIT), values=(whole,), of=name)
    given = tuple(Given(*one) for one in before.given.items())
    return _with(_made(kept, [whole, *map(value_of, said)]), things, given)


def named_before(before: SumFrame) -> SumFrame | None:
    """The sum by name whose time was shared out; None where the sum before was none."""
    if before.open is None or not before.open.of:
        return None
    name, whole = before.open.of, before.open.values[0].value
    return before.model_copy(update={"asked": (name,), "values": {name: whole}, "open": None})


def scaled(before: SumFrame, amounts: Amounts) -> Chosen | None:
    """A sum by name with so many times as much of the one thing that the message names; None where it names none.

    Args:
        before: the sum by name.
        amounts: the message after it.
    """
    change = amounts.change()
    named = [name for name in before.given if change is not None and QUANTITIES[name].unit in change.words]
    if change is None or len(named) != 1:
        return None
    given = {**before.given, named[0]: before.given[named[0]] * change.times}
    said = tuple(Given(*one) for one in given.items())
    found = solve(before.asked[0], said)
    return Chosen((found,), said, follows=True) if found is not None else None


def shared_again(before: OpenSum, found: Chosen, amounts: Amounts) -> Chosen | None:
    """A sum by name that comes out otherwise, shared as the one before was.

    Args:
        before: how the time was shared.
        found: the sum by name.
        amounts: the message that changed it.
    """
    if found.solutions[0].name != before.of or not found.follows:
        return None
    whole = before.values[0].model_copy(update={"value": found.solutions[0].value})
    return _with(_made(before, [whole, *before.values[1:]]), amounts.things()[0], found.given)


def _asks_the_same(wants: Iterable[Want], before: OpenSum, said: Sequence[Thing]) -> bool:
    """Whether nothing is asked for in another unit, that of a value which is said aside."""
    units = [want.wanted.unit for want in wants if want.named and want.wanted.unit]
    told = [before.unit, *(one.stated.unit for one in said)]
    return all(keyed(unit) in told for unit in units)


def _is_side_by_side(one: Thing) -> bool:
    unit = one.stated.unit
    return len(unit) == 1 and all(name in SIDE_BY_SIDE and power == 1 for name, power in unit.items())


def _changed(before: OpenSum, said: Sequence[Thing], amounts: Amounts) -> list[OpenValue] | None:
    """The values with those of a message in their places; None where one has none."""
    values = list(before.values)
    taken: set[int] = set()
    for thing in said:
        new = value_of(thing)
        at = _seat(values, new, taken)
        if at is not None:
            taken.add(at)
            adds = new.mark == _PLUS and "replaced" not in amounts.flags
            values[at] = _in_place_of(values[at], new, adds=adds)
        elif before.unit.get(HOUR) == 1 and before.kind == _PRODUCT and _is_side_by_side(thing):
            values.append(new.model_copy(update={"mark": ""}))
        else:
            return None
    return values


def _seat(values: Sequence[OpenValue], new: OpenValue, taken: set[int]) -> int | None:
    """The place of the value that a new one takes: in its unit, the nearest of several."""
    apart = [(_apart(one, new), at) for at, one in enumerate(values) if at not in taken and not one.share]
    best = min(apart, default=(inf, -1))
    return best[1] if best[0] < _FAR else None


def _apart(old: OpenValue, new: OpenValue) -> float:
    """By how much a value would change, as a logarithm; without end where it is of another unit."""
    times = _as_much(old, new)
    return abs(log(times * new.value / old.value)) if times and old.value > 0 and new.value > 0 else inf


def _as_much(old: OpenValue, new: OpenValue) -> float:
    """How much of the unit of one value one of another is; 0 where they are of different things."""
    if new.bare or not new.unit:
        return float(MEASURED.isdisjoint(old.unit) or len(old.unit) == 1)
    if not new.unit.keys() - MEASURED <= old.unit.keys():
        return 0.0
    first, second = _measured(old.unit), _measured(new.unit)
    span, other = _span(first), _span(second)
    return SPANS[other] / SPANS[span] if span and other else float(first == second)


def _measured(unit: Mapping[str, int]) -> dict[str, int]:
    """What is measured of a unit."""
    return {name: power for name, power in unit.items() if name in MEASURED}


def _span(unit: Mapping[str, int]) -> str:
    """The one unit of time that an amount is in."""
    return next(iter(unit)) if len(unit) == 1 and next(iter(unit)) in SPANS and 1 in unit.values() else ""


def _in_place_of(old: OpenValue, new: OpenValue, *, adds: bool) -> OpenValue:
    """A value with another amount of the same."""
    value = new.value * (_as_much(old, new) or 1.0)
    return old.model_copy(update={"value": value + (old.value if adds else 0.0)})


def _scaled(before: OpenSum, amounts: Amounts) -> list[OpenValue] | None:
    """The values, the one that is named so many times as large: the one count or amount where none is."""
    change = amounts.change()
    if change is None:
        return None
    keys = {key_of(word) for word in change.words}
    named = [at for at, one in enumerate(before.values) if keys & one.unit.keys()]
    plain = [at for at, one in enumerate(before.values) if _may_grow(one)]
    at = named[0] if len(named) == 1 else plain[0] if len(plain) == 1 else _counted(before, named or plain)
    if at is None:
        return None
    values = list(before.values)
    values[at] = values[at].model_copy(update={"value": values[at].value * change.times})
    return values


def _may_grow(one: OpenValue) -> bool:
    """Whether a value may be meant by a noun that was not kept: no time, and nothing that works side by side."""
    return not (one.share or one.free or _span(_measured(one.unit)) or SIDE_BY_SIDE & one.unit.keys())


def _counted(before: OpenSum, places: Sequence[int]) -> int | None:
    """The only one of some values that counts something."""
    counts = [at for at in places if all(power > 0 for power in before.values[at].unit.values())]
    return counts[0] if len(counts) == 1 else None


def _made(before: OpenSum, values: Sequence[OpenValue]) -> Chosen | None:
    """The sum from some values."""
    things = [Thing(stated_of(one), (), _shown(one), "", one.part, one.join) for one in values]
    if before.kind == _TOTAL:
        found = of_terms(next(iter(before.unit)), things)
    else:
        least = 0.0 if before.whole == "up" or before.unit else 1.0
        wanted = Wanted(before.unit, before.noun, least=least)
        found = of_values(Want(wanted, 0, whole=before.whole, days=before.days), things)
    if found is None or found.open is None:
        return None
    return replace(found, follows=True, open=found.open.model_copy(update={"of": before.of}))


def _with(found: Chosen | None, things: Sequence[Thing], given: tuple[Given, ...] = ()) -> Chosen | None:
    """A sum with the measures of a message as counted, and the values by name that it goes on with."""
    measures = tuple(measure for one in things for measure in one.measures)
    return replace(found, counted=measures, given=given) if found is not None else None


def _shown(one: OpenValue) -> str:
    """A value as it is told in the arithmetic."""
    name = next((name for name, power in one.unit.items() if power > 0), "")
    if name == HOUR and one.value < 1:
        return f"{one.value * 60:.4g} min"
    return f"{one.value:.6g}{_UNITS.get(name, '')}"


__all__ = ["named_before", "reopened", "scaled", "shared_again", "spread"]
