"""Every way to multiply by values, divide by them and leave them out in which their units may cancel.

A way is given up at the first value behind which more of a unit is left over than all further values can cancel: of
some thousand ways to put eight values together a few dozen are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

Units: TypeAlias = Mapping[str, int]
Bounds: TypeAlias = Mapping[str, tuple[float, float]]
"""For each unit that has to cancel the least and the highest power that may be left over; no other is looked at."""


def ways_to_cancel(
    rest: Units, units: Sequence[Units], bounds: Bounds, may_be: Callable[[tuple[int, ...]], Iterable[int]]
) -> Iterator[tuple[int, ...]]:
    """The signs of all values: 1 multiplied, -1 divided by, 0 left out.

    Args:
        rest: the units that are asked for, with their powers turned round.
        units: those of each value.
        bounds: what may be left over.
        may_be: the signs that the next value may have behind those of the values before it, the last one tried first.
    """
    reach, start = _reach(units, bounds), {name: rest.get(name, 0) for name in bounds}
    ways: list[tuple[tuple[int, ...], Units]] = [((), start)] if _is_within(start, reach[0]) else []
    while ways:
        signs, left = ways.pop()
        if len(signs) == len(units):
            yield signs
            continue
        unit, within = units[len(signs)], reach[len(signs) + 1]
        for sign in may_be(signs):
            after = {name: power + sign * unit.get(name, 0) for name, power in left.items()} if sign else left
            if _is_within(after, within):
                ways.append(((*signs, sign), after))


def _is_within(powers: Units, bounds: Bounds) -> bool:
    return all(low <= powers[name] <= high for name, (low, high) in bounds.items())


def _reach(units: Sequence[Units], bounds: Bounds) -> list[Bounds]:
    """For each place the powers that the values from there on can make good, that of the end last."""
    found = [bounds]
    for unit in reversed(units):
        wider = {name: abs(unit.get(name, 0)) for name in bounds}
        found.append({name: (low - wider[name], high + wider[name]) for name, (low, high) in found[-1].items()})
    return found[::-1]


__all__ = ["Bounds", "ways_to_cancel"]
