"""Units of sums as powers of units and nouns: what they come to when values are put together, and which are one."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Final, TypeAlias

from advisor.calculators.reckon import ANY, HOUR, KNOWN, MEASURED, SIDE_BY_SIDE, SPANS

Powers: TypeAlias = tuple[tuple[str, int], ...]
"""Unit or noun -> its power, by name."""

UNITS: Final = MEASURED | {"flop", "ampere"}
"""Units that must come out as they are asked for; any other is a noun."""
TAG: Final = " "
"""In a noun: it is told apart from others of its kind."""
CONVERTED: Final = 0.15
"""To turn one unit of time into another."""
_PERIOD: Final = 0.15
"""To leave out of which time something is told: so much a month."""
LIKE, SAME, _FAR = 0.03, 0.3, 0.8
"""To take two nouns for one thing: the one for anything, two open ones, two that are known to differ."""


AT_ONCE: Final = SIDE_BY_SIDE | {"request"}
"""What works, or is worked at, at the same time: more of it takes less time."""
TIMES: Final = frozenset((name, 1) for name in SPANS)
"""Units of mere times: so many card hours and so many months are not added up."""


WORKED_OFF: Final = frozenset({"parameter", "token", "layer", "head", "step"})
"""Nouns of which so many are never what is asked for beside a unit: something is said of each."""


def counts(unit: Mapping[str, int]) -> list[str]:
    """The nouns of which a value is so many."""
    return [name for name, power in unit.items() if power > 0 and name not in UNITS]


def is_measured(unit: Powers) -> bool:
    """Whether a unit holds one that is measured."""
    return any(name in UNITS for name, _ in unit)


def joined(left: Powers, right: Powers, way: int) -> Powers | None:
    """The unit of a product or a ratio; None where it is one of nothing: hours by hours, cards by cards."""
    found = dict(left)
    for name, power in right:
        found[name] = found.get(name, 0) + way * power
        if not -1 <= found[name] <= 1:
            return None
    counted = _counted(left, right, way) or _counted(right, left, way)
    kept = {name: power for name, power in found.items() if power and name not in counted}
    return tuple(sorted(kept.items()))


def _counted(left: Powers, right: Powers, way: int) -> frozenset[str]:
    """What is counted in one of two values where something is said of each of anything in the other."""
    power = dict(left).get(ANY, 0)
    nouns = [name for name, other in right if other * way == -power and name not in UNITS and name != ANY]
    timed = dict(left).get(HOUR, 0) > 0  # so long for each of something: cards are no more of it
    if (way < 0 or timed) and not SIDE_BY_SIDE.isdisjoint(nouns):
        return frozenset()
    return frozenset({ANY, *nouns}) if power and len(nouns) == 1 and ANY not in dict(right) else frozenset()


def alike(left: Powers, right: Powers) -> Powers | None:
    """The unit of two values that may be added up; None where they are of two kinds."""
    if left == right:
        return left if left else None
    measured, nouns = zip(*map(_parted, (left, right)), strict=True)
    if not measured[0] or measured[0] != measured[1]:
        return None
    # "16 processes of 2.5 GB each and 12 GB": what is counted is left over in one of the two
    if all(nouns) or any(power < 0 for each in nouns for _, power in each) or TIMES.issuperset(measured[0]):
        return None
    return left if not nouns[0] else right


def _parted(unit: Powers) -> tuple[Powers, Powers]:
    """What of a unit is measured, and its nouns."""
    return tuple(one for one in unit if one[0] in UNITS), tuple(one for one in unit if one[0] not in UNITS)


def of_two(one: str, other: str) -> float:
    """What it takes for granted that two nouns are one thing."""
    if ANY in {one, other}:
        return LIKE
    if {one, other} <= {"person", "request"}:
        return LIKE
    tagged = TAG in one and TAG in other
    return _FAR if tagged or {one, other} <= KNOWN else SAME


def turned(spans: Mapping[str, int]) -> tuple[float, float] | None:
    """What turns units of time that are left over into one another, and what that takes for granted."""
    cost = 0.0
    balance = sum(spans.values())
    if balance == -1:
        aside = next((name for name in tuple(SPANS)[::-1] if spans.get(name) == -1 and name != HOUR), "")
        if not aside:
            return None
        spans = {name: power for name, power in spans.items() if name != aside}
        cost = _PERIOD
    elif balance:
        return None
    return hours_of(spans), cost + CONVERTED * (sum(map(abs, spans.values())) // 2)


def hours_of(spans: Mapping[str, int]) -> float:
    """What units of time come to in hours, each to its power."""
    return prod(SPANS[name] ** power for name, power in spans.items())


__all__ = [
    "AT_ONCE",
    "CONVERTED",
    "LIKE",
    "SAME",
    "TAG",
    "TIMES",
    "UNITS",
    "WORKED_OFF",
    "Powers",
    "alike",
    "counts",
    "hours_of",
    "is_measured",
    "joined",
    "of_two",
    "turned",
]
