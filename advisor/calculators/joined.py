"""What is added to what was said before it, and what is taken off a whole, before a sum is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from advisor.calculators.reckon import MEASURED, Stated, Units


@dataclass(frozen=True, slots=True)
class Part:
    """A value of a sum that is made of those at some places."""

    stated: Stated
    places: tuple[int, ...]
    sign: str = ""
    """How the last of its parts is put to the others, "" where it is one value."""


def joined(stated: Sequence[Stated]) -> tuple[Part, ...] | None:
    """The values, those that come on top of others or are taken off them as one with these.

    Returns:
        None where a value comes on top of nothing that it could be added to.
    """
    parts = [Part(one, (at,)) for at, one in enumerate(stated)]
    while True:
        at = next((at for at, one in enumerate(parts) if one.stated.mark), None)
        if at is None:
            return tuple(parts)
        found = _put(parts, at)
        if found is None:
            return None
        parts = found


def _put(parts: list[Part], at: int) -> list[Part] | None:
    """The parts with one put to those that it belongs to."""
    return _taken_off(parts, parts[at]) if parts[at].stated.mark == "-" else _added(parts, at)


def _taken_off(parts: list[Part], one: Part) -> list[Part] | None:
    """The parts with one taken off the largest in its unit."""
    others = [part for part in parts if part is not one and _is_alike(part.stated, one.stated)]
    larger = [part for part in others if part.stated.value > one.stated.value and not part.stated.mark]
    if not larger:
        return None
    whole = max(larger, key=lambda part: part.stated.value)
    left = replace(whole.stated, value=whole.stated.value - one.stated.value)
    made = Part(left, (*whole.places, *one.places), "-")
    return [made if part is whole else part for part in parts if part is not one]


def _added(parts: list[Part], at: int) -> list[Part] | None:
    """The parts with one put on top of the product right before it that is in its unit."""
    one = parts[at].stated
    for size in range(1, at + 1):
        run = parts[at - size : at]
        whole = _together([part.stated for part in run])
        if _is_alike(whole, one) and _nouns(whole.unit) <= _nouns(one.unit):
            unit = one.unit if len(one.unit) > len(whole.unit) else whole.unit
            places = tuple(place for part in (*run, parts[at]) for place in part.places)
            made = Part(Stated(whole.value + one.value, unit), places, "+")
            return [*parts[: at - size], made, *parts[at + 1 :]]
    return None


def _together(run: Sequence[Stated]) -> Stated:
    """The product of some values."""
    unit: dict[str, int] = {}
    for one in run:
        for name, power in one.unit.items():
            unit[name] = unit.get(name, 0) + power
    return Stated(prod(one.value for one in run), {name: power for name, power in unit.items() if power})


def _nouns(unit: Units) -> frozenset[str]:
    """The nouns that a value is counted for."""
    return frozenset(name for name, power in unit.items() if power < 0 and name not in MEASURED)


def _is_alike(one: Stated, other: Stated) -> bool:
    """Whether two values are measured in one unit, whatever each is counted for."""
    first, second = ({name: power for name, power in each.unit.items() if name in MEASURED} for each in (one, other))
    return bool(first) and first == second


__all__ = ["Part", "joined"]
