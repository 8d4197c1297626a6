"""What is left over of a unit at the end of a sum, and what it takes for granted that it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import inf
from typing import Final

from advisor.calculators.powers import AT_ONCE, UNITS, Powers, of_two
from advisor.calculators.reckon import ANY, SPANS

ONE_AT_ONCE: Final = 0.08
"""That so many are left over of what works side by side."""
_UNDER, _ANY_UNDER = 0.8, 0.25
"""That something is left over for each of something."""


def over(unit: Powers, wanted: Mapping[str, int]) -> dict[str, int]:
    """What is left of a unit beside what is asked for."""
    rest = dict(unit)
    for name, power in wanted.items():
        rest[name] = rest.get(name, 0) - power
    return {name: power for name, power in rest.items() if power}


def sorted_out(rest: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """What is left over by what it is: units of time, nouns, other units."""
    spans = {name: power for name, power in rest.items() if name in SPANS}
    nouns = {name: power for name, power in rest.items() if name not in UNITS}
    return spans, nouns, {name: power for name, power in rest.items() if name not in spans and name not in nouns}


def listed(nouns: Mapping[str, int], way: int) -> list[str]:
    """The nouns of one sign, each as often as its power."""
    return [name for name, power in nouns.items() for _ in range(way * power)]


def of_number(left: Sequence[str]) -> float | None:
    """What it takes for granted that nouns are left over of a mere number: one that works side by side may be."""
    if not left:
        return 0.0
    return ONE_AT_ONCE if len(left) == 1 and AT_ONCE.issuperset(left) else None


def paired(left: list[str], under: list[str], dearest: float = inf) -> float:
    """What it takes for granted that nouns of the two lists are one thing, up to a cost; those are taken out of both."""
    cost = 0.0
    while left and under:
        pair = min(product(sorted(left), sorted(under)), key=lambda two: of_two(*two))
        if of_two(*pair) > dearest:
            break
        cost += of_two(*pair)
        left.remove(pair[0])
        under.remove(pair[1])
    return cost


def of_under(name: str) -> float:
    """What it takes for granted that something is left over for each of these."""
    return _ANY_UNDER if name == ANY else _UNDER


__all__ = ["ONE_AT_ONCE", "listed", "of_number", "of_under", "over", "paired", "sorted_out"]
