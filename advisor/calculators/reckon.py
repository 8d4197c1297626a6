"""Sums of anything: so many of these, so much of that for each of them, and what the units leave to be done.

`product.py` knows the units of rents and bills. Here a unit may be any noun as well: cameras, variants of a product,
pages of a document. Each value is multiplied or divided by; of all ways the one is taken that gives what is asked for
and takes least for granted, and none where two ways come to different values and are as likely.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import inf, prod
from typing import Final, NamedTuple, TypeAlias

from advisor.calculators.signs import ways_to_cancel
from advisor.periods import HOURS_A_DAY, HOURS_A_MONTH, HOURS_A_WEEK, HOURS_A_YEAR

Units: TypeAlias = Mapping[str, int]
"""Unit or noun -> its power."""

HOUR: Final = "hour"
SPANS: Final[Mapping[str, float]] = {
    HOUR: 1.0,
    "day": HOURS_A_DAY,
    "week": HOURS_A_WEEK,
    "month": HOURS_A_MONTH,
    "year": HOURS_A_YEAR,
}
"""Hours of each unit of time."""
MEASURED: Final = frozenset({*SPANS, "money", "gigabyte", "kwh", "kilogram"})
"""Units that must come out as they are asked for; any other is a noun, and people call one thing by two of them."""
SIDE_BY_SIDE: Final = frozenset({"card", "machine", "process", "core"})
"""What works at the same time: more of it takes less time."""
KNOWN: Final = frozenset(
    {*SIDE_BY_SIDE, "round", "step", "run", "person", "token", "parameter", "layer", "head", "psu"}
)
"""Nouns that are never another word for something else."""
_ALONE: Final = frozenset({"token", "parameter"})
_PEOPLE: Final = frozenset({"person"})
"""Nouns that are counted for what each of them takes."""
ANY: Final = "item"
"""The noun for whatever is counted."""
_TIME: Final = "time"
"""Stands for all units of time."""
_MOST: Final = 8
_DEAREST: Final = 1.2
_APART: Final = 0.19
"""The next value must take so much more for granted."""
_TURNED, _DROPPED_SPAN = 0.2, 0.5
"""What it costs to turn a unit of time into another, and to leave the "a day" of a rate out."""
_SAME, _LIKE = 0.35, 0.05
"""What it costs to take two nouns for one thing, and to take the noun for anything for one."""
_OVER, _UNDER, _DIVIDED, _BY = 0.3, 0.9, 0.6, 0.15
"""What a noun costs that is left over, one that something is left over for each of, a bare number that divides, and any other
value that does."""
_RATIO, _BARE = 0.3, 0.2
"""What it costs to divide an amount by another where no number is asked for, and to take a bare number for a count."""
_RATES: Final = 3
"""So many times as much it costs to divide a rate by another in its unit, or an amount in the unit that is asked for."""
_OF_WHOLE: Final = 0.4
"""What it costs to multiply an amount in the unit that is asked for by a number that is not said to be of it."""
_AGAIN, _NAMELESS = 0.1, 0.4
_LARGE: Final = 100
"""From here on a number of which nothing says what it counts is hardly one that is multiplied by."""
"""What the same noun costs that is left over once more, and a number of which nothing says what it counts."""
_AT_ONCE, _SUMMED = 0.1, 1.0
"""What works side by side: the time that it takes is divided by it, or added up over it."""
_LEAST: Final = 1e-12
_THREE: Final = 3
"""Two values alone give no part of one thing: then the one was divided by the wrong other."""
_DIGITS: Final = 9


@dataclass(frozen=True, slots=True)
class Stated:
    """A value in a unit."""

    value: float
    unit: Units
    helps: bool = False
    """A share or a factor of speed: a pace is multiplied by it, a time divided."""
    share: bool = False
    """It is only multiplied by."""
    bare: bool = False
    """Nothing says what it counts or measures."""
    free: bool = False
    """It need not be used."""
    mark: str = ""
    """"+": it comes on top of what was said right before; "-": it is taken off what is there."""

    def of(self, value: float, unit: Units) -> Stated:
        """The same said of another value and unit."""
        return self if (value, unit) == (self.value, self.unit) else replace(self, value=value, unit=unit)


class Wanted(NamedTuple):
    """What is asked for: the units that come out, time in hours, and the noun of what is counted, if it was named."""

    unit: Units
    noun: str = ""
    whole: bool = False
    """Nothing but a number may be left over: how many times as much."""
    least: float = 0.0
    """So much comes out at least: what is counted is hardly less than one."""


@dataclass(frozen=True, slots=True)
class Reckoned:
    """What came out, and by the places of the values what was multiplied and divided by."""

    value: float
    times: tuple[int, ...]
    over: tuple[int, ...]
    conversion: float
    cost: float


_Used: TypeAlias = Sequence[tuple[int, Stated]]
"""Values that are used, each multiplied by or divided by."""


def reckoned(wanted: Wanted, stated: Sequence[Stated], dearest: float = _DEAREST) -> Reckoned | None:
    """The one value in the unit that is asked for which all values give; None where there is none.

    Args:
        wanted: what is asked for.
        stated: what was said, in the order of the text, at most eight values.
        dearest: so much may be taken for granted.
    """
    if not 2 <= len(stated) <= _MOST:
        return None
    said = _Said(wanted, tuple(stated))
    ways = [one for signs in said.signs() if (one := said.made(signs)) is not None]
    best = min(ways, key=lambda one: one.cost, default=None)
    if best is None or best.cost > dearest:
        return None
    rivals = [one for one in ways if one.cost - best.cost < _APART]
    return best if all(_digits(one.value) == _digits(best.value) for one in rivals) else None


def _digits(value: float) -> str:
    return f"{value:.{_DIGITS}g}"


@dataclass(frozen=True)
class _Said:
    """What was said and what is asked for, to be put together in every way."""

    wanted: Wanted
    stated: tuple[Stated, ...]

    @cached_property
    def timed(self) -> bool:
        """Whether a time is asked for."""
        return self.wanted.unit.get(HOUR, 0) > 0

    @cached_property
    def rated(self) -> frozenset[str]:
        """What something is said of each of."""
        return frozenset(name for one in self.stated for name, power in one.unit.items() if power < 0)

    @cached_property
    def shared(self) -> frozenset[str]:
        """What it is asked of each of."""
        return frozenset(name for name, power in self.wanted.unit.items() if power < 0)

    def signs(self) -> Iterator[tuple[int, ...]]:
        """Every way to multiply, divide by or leave out in which what is measured cancels; times but for one "a day"."""
        wanted = _Sum(self.wanted.unit)
        if self.wanted.noun:
            wanted.add(self.wanted.noun, 1)
        units = [_Sum(one.unit) for one in self.stated]
        bounds = {name: (0, 0) for each in (wanted, *units) for name in each} | {_TIME: (-1, 0)}
        rest = {name: -power for name, power in wanted.items()}
        return ways_to_cancel(rest, units, bounds, lambda signs: self._of_one(self.stated[len(signs)])[::-1])

    def _of_one(self, one: Stated) -> tuple[int, ...]:
        """What may be done with a value."""
        if one.helps:
            return (-1,) if self.timed else (1,)
        used = (1,) if one.share else (1, -1)
        return (*used, 0) if one.free else used

    def made(self, signs: tuple[int, ...]) -> Reckoned | None:
        """What comes out with these signs; None where it is in another unit, or nothing that anybody asks for."""
        used = [(sign, one) for sign, one in zip(signs, self.stated, strict=True) if sign]
        rest = self._rest(used)
        spans, nouns = _only(rest, SPANS.keys()), _only(rest, rest.keys() - MEASURED)
        turned = _turned(self, spans) if self._may_be(used, rest, nouns) else None
        if turned is None:
            return None
        conversion, cost = turned
        value = conversion * prod(one.value**sign if one.value else 0.0 for sign, one in used)
        few = bool(self.wanted.noun) and len(used) < _THREE
        if not max(1.0 if few else self.wanted.least, _LEAST) <= value < inf:
            return None
        cost += _cost_of_ratios(self.wanted, used) + _cost_of_nouns(self, nouns) + _cost_of_signs(self, used, nouns)
        return Reckoned(value, _places(signs, 1), _places(signs, -1), conversion, cost)

    def _rest(self, used: _Used) -> dict[str, int]:
        """What is left of the units beside those that are asked for."""
        rest = {name: -power for name, power in self.wanted.unit.items()}
        if self.wanted.noun:
            rest[self.wanted.noun] = rest.get(self.wanted.noun, 0) - 1
        for sign, one in used:
            for name, power in one.unit.items():
                rest[name] = rest.get(name, 0) + sign * power
        return {name: power for name, power in rest.items() if power}

    def _may_be(self, used: _Used, rest: Units, nouns: Units) -> bool:
        """Whether something is multiplied, no measured unit is left over, and no noun where none may be."""
        multiplied = any(sign > 0 for sign, _ in used)
        return multiplied and rest.keys() <= nouns.keys() | SPANS.keys() and not (nouns and self.wanted.whole)


class _Sum(dict[str, int]):
    """The powers of what is measured in a unit, those of all units of time as one."""

    def __init__(self, unit: Units) -> None:
        """`unit`: with any nouns, which are left out."""
        super().__init__()
        for name, power in unit.items():
            self.add(name, power)

    def add(self, name: str, power: int) -> None:
        """Put in one more."""
        if name in MEASURED:
            known = _TIME if name in SPANS else name
            self[known] = self.get(known, 0) + power


def _only(units: Units, names: Set[str]) -> dict[str, int]:
    """Some of the units."""
    return {name: power for name, power in units.items() if name in names}


def _places(signs: Sequence[int], way: int) -> tuple[int, ...]:
    """Where one sign stands."""
    return tuple(at for at, sign in enumerate(signs) if sign == way)


def _turned(said: _Said, spans: dict[str, int]) -> tuple[float, float] | None:
    """What turns the units of time that are left over into one another, and what that takes for granted."""
    cost = 0.0
    if sum(spans.values()) == -1:
        # so many a day, of which some hours are asked about: the day is no more than when it is
        aside = next((name for name in tuple(SPANS)[::-1] if spans.get(name) == -1 and name != HOUR), "")
        if not aside or any(one.unit.get(aside, 0) > 0 for one in said.stated):
            return None
        del spans[aside]
        cost = _DROPPED_SPAN
    if sum(spans.values()):
        return None
    pairs = sum(map(abs, spans.values())) // 2
    plain = said.wanted.unit.get(HOUR) == 1 and spans.get(HOUR) == -1
    return prod(SPANS[name] ** power for name, power in spans.items()), cost + _TURNED * max(0, pairs - plain)


def _cost_of_ratios(wanted: Wanted, used: _Used) -> float:
    """What it takes for granted to divide one value by another in its unit, or to multiply two amounts in one."""
    measured = [(sign, one) for sign, one in used if _is_measured(one.unit)]
    alike = [(one, two) for one, two in combinations(measured, 2) if one[1].unit == two[1].unit]
    squared = sum(one[0] == two[0] and _is_amount(one[1].unit) for one, two in alike)
    divided = [(one, two) for one, two in alike if one[0] != two[0]]
    asked = bool(wanted.unit or wanted.noun)
    return _RATIO * (squared + sum(_of_ratio(*pair, wanted) + asked for pair in divided))


def _of_ratio(first: tuple[int, Stated], second: tuple[int, Stated], wanted: Wanted) -> int:
    """How odd it is to divide one value by another: the smaller by the larger, one in the unit that is asked for, a rate."""
    (sign, one), (other, two) = first, second
    smaller = (one.value < two.value) == (sign > other)
    return smaller + _RATES * ((one.unit == wanted.unit) + (not _is_amount(one.unit)))


def _cost_of_nouns(said: _Said, nouns: Units) -> float:
    """What nouns take for granted that do not cancel."""
    over, under = ([name for name, power in nouns.items() for _ in range(way * power)] for way in (1, -1))
    if under == [said.wanted.noun] and not over:
        return _BARE
    if not said.timed:
        return _of_left(over, under, said.wanted)
    summed = _SUMMED * _of_side_by_side(nouns)
    over, under = ([name for name in each if name not in SIDE_BY_SIDE] for each in (over, under))
    return summed + _of_left(over, under, said.wanted)


def _of_side_by_side(nouns: Units) -> int:
    """How odd it is what is left of what works side by side: it divides a time, and once."""
    powers = [nouns.get(name, 0) for name in SIDE_BY_SIDE]
    return sum(power if power > 0 else power < -1 for power in powers)


def _of_left(over: list[str], under: list[str], wanted: Wanted) -> float:
    """What nouns take for granted that are left over, and of each of which something is."""
    cost = sum(_of_pair({over.pop(), under.pop()}) for _ in range(min(len(over), len(under))))
    cost += _AGAIN * (len(over) - len(set(over))) + sum(_of_over(name, wanted) for name in set(over))
    return cost + sum(_OVER if name == ANY else _UNDER for name in under)


def _of_pair(pair: set[str]) -> float:
    """What it takes for granted that two nouns are one thing."""
    return _UNDER if pair & KNOWN else _LIKE if ANY in pair else _SAME


def _of_over(name: str, wanted: Wanted) -> float:
    """What it takes for granted that so many of something are left over."""
    if wanted.unit.get(name, 0) < 0:
        return _UNDER
    if name in _ALONE or name in _PEOPLE or (name in SIDE_BY_SIDE and wanted.unit == {"gigabyte": 1}):
        return _SUMMED
    return _AT_ONCE if name in SIDE_BY_SIDE else _OVER


def _cost_of_signs(said: _Said, used: _Used, nouns: Units) -> float:
    """What values take for granted that divide, or of which nothing says what they are."""
    bare = [one.value for _, one in used if one.bare and one.value != 1]
    nameless = _NAMELESS * (len(bare) + 2 * sum(value >= _LARGE for value in bare))
    divided = sum(_of_division(said, one.unit, nouns) for sign, one in used if sign < 0 and not one.helps)
    return nameless + divided + _of_whole(said.wanted, used)


def _of_whole(wanted: Wanted, used: _Used) -> float:
    """What it costs to multiply an amount in the unit that is asked for by numbers that are not said to be of it."""
    if not any(_is_amount(one.unit) and one.unit == wanted.unit for _, one in used):
        return 0.0
    plain = [one for sign, one in used if sign > 0 and not one.share and not one.helps]
    return _OF_WHOLE * sum(not _is_measured(one.unit) for one in plain)


def _of_division(said: _Said, unit: Units, nouns: Units) -> float:
    """What it takes for granted to divide by a value; nothing where it is asked what each of these has."""
    if not unit:
        return _DIVIDED
    if not said.shared.isdisjoint(unit):
        return 0.0
    if not MEASURED.isdisjoint(unit) or min(unit.values()) < 0:
        return _BY
    if said.timed and SIDE_BY_SIDE.issuperset(unit):
        return _AT_ONCE
    unsaid = _is_measured(said.wanted.unit) and not said.rated.issuperset(unit)
    return _DIVIDED if unsaid or any(nouns.get(name, 0) < 0 for name in unit) else _BY


def _is_measured(unit: Units) -> bool:
    """Whether a unit holds one that is measured."""
    return not MEASURED.isdisjoint(unit)


def _is_amount(unit: Units) -> bool:
    """Whether a unit is of so much of something measured, and for each of nothing."""
    return _is_measured(unit) and min(unit.values()) > 0


__all__ = ["ANY", "HOUR", "MEASURED", "SIDE_BY_SIDE", "SPANS", "Reckoned", "Stated", "Units", "Wanted", "reckoned"]
