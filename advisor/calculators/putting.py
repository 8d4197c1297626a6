"""Two values of a sum put together: multiplied, divided, added up, one taken off the other, and what that takes for granted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import inf
from typing import Final, NamedTuple, TypeAlias

from advisor.calculators.powers import (
    AT_ONCE,
    CONVERTED,
    LIKE,
    TIMES,
    UNITS,
    WORKED_OFF,
    Powers,
    alike,
    counts,
    hours_of,
    joined,
    of_two,
    turned,
)
from advisor.calculators.reckon import HOUR, SIDE_BY_SIDE, SPANS

_LEAST: Final = 1e-18
_UNSAID_SHARE: Final = 0.3
"""To multiply by a share that nothing says the meaning of."""
_AMOUNTS: Final = 0.3
"""To multiply an amount by another, or by so many of something of which nothing is said of each."""
_DIVIDED, _LOOSELY = 0.05, 0.5
"""To divide by what cancels, and by what does not."""
_RATIO, _RATES = 0.6, 0.3
"""To divide an amount by another in its unit where no share is asked for, and what two cost for each of something."""
_LISTED, _MADE, _PARALLEL, _TOTAL = 0.8, 0.2, 0.15, 0.05
"""To add what merely stands beside, what was worked out, what is made alike, and what stands
beside where a total is asked for."""
_PRICES_ADDED: Final = 0.4
"""To add up what two things cost for each of something."""
_PAID_ONCE: Final = 0.4
"""To add what is paid by the month to what is paid once, where a time is asked for."""
_OF_ALL: Final = 0.2
"""To take a share of a time that was worked out, and not of the rate beside which it was said."""
_TAKEN, _GAP = 0.0, 0.15
"""To take off what is said to be, and the smaller where a difference is asked for."""
_EVENLY: Final = 0.1
"""To divide where the other way round is as good."""
_AT_ONCE: Final = 0.08
"""To divide a time by what works side by side."""
_PART_OF_A_DAY: Final = 0.4
"""To take so many hours a day for that part of a day, and add it up."""
_EVERY: Final = "every"
_MONEY: Final = "money"
_SHARED: Final = "shared"
"""Sign of a product with a share behind it: nothing is divided by it but by a rate."""
_LED: Final = "led"
"""Sign of a product that a share leads."""
_SHARE_DIVIDED: Final = 0.3
"""To divide a mere share by what was measured or counted, where a time is asked for."""
_SHARES: Final = frozenset({"share", "share?", _SHARED, _LED})


@dataclass(frozen=True)
class Goal:
    """What is asked for."""

    unit: Powers
    noun: str = ""
    """What is counted."""
    each: bool = False
    """It is that of each of something which is not named."""
    kind: str = ""
    """total | gap | "" : whether what all come to is asked for, or what lies between two."""
    least: float = 0.0
    most: float = inf
    """It is hardly less or more: what is counted is one at least, a share is no more than all."""

    @cached_property
    def wanted(self) -> Mapping[str, int]:
        """What is asked for, by unit and noun."""
        found = dict(self.unit)
        if self.noun:
            found[self.noun] = found.get(self.noun, 0) + 1
        return found

    @property
    def slowed(self) -> bool:
        """Whether it is less where the work goes faster: a time, what it takes of energy or money, a share that is saved."""
        takes = any(self.wanted.get(name, 0) > 0 for name in (HOUR, "kwh", "money"))
        return takes or (not self.wanted and self.kind == "gap")

    @property
    def timed(self) -> bool:
        """Whether a time is asked for."""
        return self.wanted.get(HOUR, 0) > 0


Tree: TypeAlias = "int | float | tuple[str, Tree, Tree]"
"""The place of a value, a number that turns a unit into another, or a sign between two trees."""


class Made(NamedTuple):
    """What some neighbours come to."""

    value: float
    unit: Powers
    cost: float
    tree: Tree
    sign: str = ""


_Put: TypeAlias = tuple[float, Powers, float] | None
"""A value, its unit, and what it takes for granted to come to it; None where it comes to nothing."""


class Putting:
    """The ways to put two values together on the way to a goal."""

    def __init__(self, goal: Goal) -> None:
        """`goal`: what is asked for at the end."""
        self._goal = goal
        self._signs: Mapping[str, Callable[[Made, Made], _Put]] = {
            "*": self._product,
            "/": self._over,
            "\\": self._under,
            "+": self._plus,
            "-": self._minus,
        }

    def ways(self, left: Made, right: Made) -> Iterator[Made]:
        """Every way to put two neighbours together."""
        cost = left.cost + right.cost
        for sign, way in self._signs.items():
            found = way(left, right)
            if found is not None and _LEAST < abs(found[0]) < inf:
                first, second = (right, left) if sign == "\\" else (left, right)
                tree = (sign, first.tree, second.tree)
                yield Made(found[0], found[1], cost + found[2], tree, _kept(sign, first.sign, second.sign))

    def _product(self, left: Made, right: Made) -> _Put:
        signs = {left.sign, right.sign}
        if ("speed" in signs and self._goal.slowed) or _EVERY in signs or right.sign == "-":
            return None
        unit = joined(left.unit, right.unit, 1)
        if unit is None:
            return None
        cost = sum(self._of_factor(*two) for two in ((left, right), (right, left)))
        return left.value * right.value, unit, cost + (_LOOSELY if right.sign == "+" else 0.0)

    def _of_factor(self, one: Made, other: Made) -> float:
        """What it takes for granted to multiply a value by one: by a share or a factor, a ratio, an amount."""
        cost = _cost_of_factor(one) if not one.unit else 0.0
        cost += _OF_ALL * (self._goal.timed and _is_share_of_time(one, other)) + _RATIO * _is_ratio(one, other)
        return cost + _AMOUNTS * _are_amounts(one.unit, other.unit)

    def _over(self, left: Made, right: Made) -> _Put:
        if not right.value or right.sign == "-" or left.sign == "-":
            return None
        if right.sign in _SHARES and not (right.sign == _SHARED and _is_rate(right.unit)):
            return None
        if right.sign == "speed":
            return (left.value / right.value, left.unit, 0.0) if self._goal.slowed else None
        unit = joined(left.unit, right.unit, -1)
        if unit is None:
            return None
        cost = 0.0 if right.sign == _EVERY else self._of_division(left, right)
        return left.value / right.value, unit, cost + _LOOSELY * (left.sign == _EVERY)

    def _under(self, left: Made, right: Made) -> _Put:
        found = self._over(right, left)
        return (found[0], found[1], found[2] + 0.01) if found is not None else None

    def _of_division(self, left: Made, right: Made) -> float:
        """What it takes for granted to divide one by the other."""
        if not right.unit:
            return _LOOSELY if left.unit or self._goal.wanted else _DIVIDED
        if left.unit == right.unit:
            return self._of_ratio(left.value < right.value)
        parted = self._goal.timed and left.sign in _SHARES and not left.unit
        return self._of_units(_Divided(dict(left.unit), dict(right.unit))) + _SHARE_DIVIDED * parted

    def _of_units(self, divided: _Divided) -> float:
        """The same of two values in two units."""
        if divided.amounts:
            even = self._goal.noun and self._goal.kind != "gap" and not divided.is_rate
            return _EVENLY if even else _RATIO
        if divided.cancels:
            return _RATES if divided.rates or self._is_paid_by(divided) else _DIVIDED
        return _DIVIDED if divided.is_like else self._of_each(divided)

    def _of_ratio(self, smaller: bool) -> float:
        """What it takes for granted to divide by an amount in the same unit: where a number is counted, by the smaller."""
        counted = bool(self._goal.noun)
        if self._goal.wanted.keys() - {self._goal.noun}:
            return _RATIO
        return 0.0 if smaller != counted else _EVENLY

    def _is_paid_by(self, divided: _Divided) -> bool:
        """Whether money is divided by a price where money is asked for."""
        return self._goal.wanted.get(_MONEY, 0) > 0 and divided.over.get(_MONEY, 0) > 0

    def _of_each(self, divided: _Divided) -> float:
        """What it takes for granted to divide by what does not cancel: what something is asked of each of, say."""
        if not divided.is_amount:
            return _LOOSELY
        if (self._goal.each and not divided.is_measured) or any(map(self._is_each, divided.under)):
            return _DIVIDED
        return _AT_ONCE if self._goal.timed and AT_ONCE.issuperset(divided.under) else _LOOSELY

    def _is_each(self, name: str) -> bool:
        """Whether what is asked for is that of each of these."""
        each = [one for one, power in self._goal.wanted.items() if power < 0]
        return any(one == name or SPANS.keys() >= {one, name} or of_two(one, name) <= LIKE for one in each)

    def _plus(self, left: Made, right: Made) -> _Put:
        even, signs = _evened(left, right), {left.sign, right.sign}
        surely = "+" in signs
        if even is None or signs & {"-", _EVERY} or (self._goal.kind == "gap" and not surely):
            return None
        left, right, unit, turned = even
        turned += _PAID_ONCE * bool(turned and self._goal.timed and (_MONEY, 1) in unit)
        return left.value + right.value, unit, turned + self._of_sum(left, right, unit, surely=surely)

    def _of_sum(self, left: Made, right: Made, unit: Powers, *, surely: bool) -> float:
        """What it takes for granted to add up two values."""
        alone = not (isinstance(left.tree, tuple) and isinstance(right.tree, tuple))
        each = any(power < 0 and name not in SPANS for name, power in unit)
        prices = _PRICES_ADDED if alone and each and ("money", 1) in unit else 0.0
        if surely:
            return prices
        return prices + (_TOTAL if self._goal.kind == "total" else _of_list(left, right))

    def _minus(self, left: Made, right: Made) -> _Put:
        even = _evened(left, right)
        if even is None or even[3] or _sign_of(right.tree) == "-" or _EVERY in {left.sign, right.sign}:
            return None
        left, right, unit, _ = even
        gap = left.value - right.value
        cost = self._of_gap(left, right, gap)
        return (abs(gap), unit, cost) if cost is not None else None

    def _of_gap(self, left: Made, right: Made, gap: float) -> float | None:
        """What it takes for granted to take the smaller off the larger; None where nothing says so."""
        taken = [one.sign == "-" for one in (left, right)]
        if any(taken):
            return _TAKEN if not all(taken) and (gap > 0) == taken[1] else None
        unsaid = self._goal.kind != "gap" or {left.sign, right.sign} - _SHARES - {""}
        return None if unsaid or (gap < 0 and _sign_of(left.tree) == "-") else _GAP


@dataclass(frozen=True, slots=True)
class _Divided:
    """The units of two values of which one is divided by the other."""

    over: Mapping[str, int]
    under: Mapping[str, int]

    @property
    def is_amount(self) -> bool:
        """Whether it is divided by so much of something, and by no rate."""
        return all(power > 0 for power in self.under.values())

    @property
    def is_rate(self) -> bool:
        """Whether it is so much for each of something, a time like a month aside."""
        return any(power < 0 and name not in SPANS for name, power in self.over.items())

    @property
    def is_measured(self) -> bool:
        """Whether what it is divided by is measured."""
        return not UNITS.isdisjoint(self.under)

    @property
    def alike(self) -> bool:
        """Whether both are so much of one thing that is measured."""
        return any(self.over.get(name, 0) > 0 < power for name, power in self.under.items() if name in UNITS)

    @property
    def amounts(self) -> bool:
        """Whether it is divided by an amount of what there is an amount of."""
        return self.is_amount and self.alike

    @property
    def cancels(self) -> bool:
        """Whether anything cancels."""
        return any(self.over.get(name, 0) * power > 0 for name, power in self.under.items())

    @property
    def rates(self) -> bool:
        """Whether both are rates of one thing."""
        return self.alike and min(self.over.values()) < 0

    @property
    def is_like(self) -> bool:
        """Whether both are times, or count what may be one thing."""
        if all(any(unit.get(name, 0) > 0 for name in SPANS) for unit in (self.over, self.under)):
            return True
        nouns = (counts(self.under), counts(self.over))
        return SIDE_BY_SIDE.isdisjoint([*nouns[0], *nouns[1]]) and any(
            of_two(*pair) <= LIKE for pair in product(*nouns)
        )


def _sign_of(tree: Tree) -> str:
    """The sign between the two parts of a tree; "" for a single value."""
    return tree[0] if isinstance(tree, tuple) else ""


def _kept(sign: str, first: str, second: str) -> str:
    """The sign of what came out: what comes on top, or is taken off, does so with all that it is multiplied by."""
    if sign not in "+-" and first in {"+", "-"}:
        return first
    if sign != "*" or not {first, second} & _SHARES:
        return ""
    return _SHARED if second in _SHARES else _LED


def _is_rate(unit: Powers) -> bool:
    """Whether a value is so much of something an hour."""
    return (HOUR, -1) in unit


def _is_share_of_time(one: Made, other: Made) -> bool:
    """Whether a share of a rate would be taken of the time that was worked out with it."""
    share = one.sign in _SHARES and not one.unit
    return share and isinstance(other.tree, tuple) and (HOUR, 1) in other.unit


def _cost_of_factor(one: Made) -> float:
    """What it takes for granted to multiply by a share or a factor."""
    return _UNSAID_SHARE if one.sign == "share?" else 0.0


def _are_amounts(unit: Powers, other: Powers) -> bool:
    """Whether so much of something measured would be multiplied by so many of what is worked off, or by so much."""
    if any(power < 0 for _, power in (*unit, *other)) or TIMES.issuperset(unit):
        return False
    named = {name for name, _ in other}
    return any(name in UNITS for name, _ in unit) and bool(named & (WORKED_OFF | UNITS - SPANS.keys()))


def _is_ratio(one: Made, other: Made) -> bool:
    """Whether one value is a ratio that the other is multiplied by."""
    return bool(other.unit) and not one.unit and isinstance(one.tree, tuple) and one.tree[0] in "/\\"


def _of_list(left: Made, right: Made) -> float:
    """What it takes for granted to add up two values that nothing says to be added."""
    made = [one.tree[0] for one in (left, right) if isinstance(one.tree, tuple)]
    if made == ["*", "*"]:
        return _PARALLEL
    return _MADE if made else _LISTED


def _evened(left: Made, right: Made) -> tuple[Made, Made, Powers, float] | None:
    """Two values in one unit, units of time turned into one another; None where they are of two kinds."""
    for one, first in _settled(left, right):
        for other, second in _settled(right, left):
            unit = alike(one.unit, other.unit)
            if unit is not None:
                return one, other, unit, first + second
    return None


def _settled(made: Made, other: Made) -> Iterator[tuple[Made, float]]:
    """A value as it is, and with its units of time turned into those of the other, with what that takes for granted."""
    yield made, 0.0
    spans, rest = _parted(made.unit)
    if not (spans and rest):
        return
    aims = _parted(other.unit)[0]
    if aims and sum(spans.values()) == sum(aims.values()):
        yield _scaled(made, hours_of(spans) / hours_of(aims), tuple(sorted((*rest, *aims.items())))), CONVERTED
    settled = turned(spans)
    if settled is not None:
        part_of_a_day = _PART_OF_A_DAY * (spans.get(HOUR, 0) > 0)
        yield _scaled(made, settled[0], rest), settled[1] + part_of_a_day


def _parted(unit: Powers) -> tuple[dict[str, int], Powers]:
    """The units of time of a unit, and the others."""
    return {name: power for name, power in unit if name in SPANS}, tuple(one for one in unit if one[0] not in SPANS)


def _scaled(made: Made, factor: float, unit: Powers) -> Made:
    """A value in another unit of time."""
    tree: Tree = ("*", made.tree, factor) if factor > 1 else ("/", made.tree, 1 / factor)
    return made._replace(value=made.value * factor, unit=unit, tree=made.tree if factor == 1 else tree)


__all__ = ["Goal", "Made", "Putting", "Tree"]
