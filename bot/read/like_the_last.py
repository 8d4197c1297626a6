"""What a value is where only the one before it says it: "one node does 3,100 samples/s, four do 10,900"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from advisor.calculators.expression import Atom, Powers
from bot.read.measured_units import Measure
from bot.read.term_units import SPANS, put

_LIKE: Final = 0.1
"""To take a value for one in the unit of what was said before."""
_SIDES: Final = frozenset({"card", "machine"})
_COUNTED_BY_THE_HOUR: Final = frozenset({"money", "kwh"})
_NAMED: Final = re.compile(r" ?[\u4e00-\u9fff](?![\u4e00-\u9fff])")
"""A single Chinese character behind a number: its unit."""
_SECONDS: Final = 3600.0


def like_the_last(
    measure: Measure,
    atoms: Sequence[Atom],
    before: Sequence[tuple[Powers, tuple[Measure, ...]]],
    *,
    tail: str = "",
    changed: bool = False,
) -> list[Atom]:
    """What a value may be beside what its own unit says.

    Args:
        measure: the value.
        atoms: what it may be by itself, likeliest first.
        before: the likeliest unit of each value before, and its measures.
        tail: what stands behind it: in a unit that nobody knows it is nothing like the last.
        changed: it is what the one before has become.
    """
    if not measure.kind and changed and before[-1][0]:
        return [Atom(measure.value, before[-1][0], 0.0), Atom(measure.value, before[-1][0][:1], _LIKE)]
    if not measure.kind and _NAMED.match(tail):
        return []
    if not measure.kind:
        return _in_the_rate(measure.value, before) if all(_is_a_guess(one) for one in atoms) else []
    return _for_each_time(measure, atoms[0], before)


def cheapest(atoms: Iterable[Atom]) -> tuple[Atom, ...]:
    """The readings, of those that are one in value and unit the one that takes least for granted."""
    best: dict[tuple[float, Powers, str], Atom] = {}
    for one in sorted(atoms, key=lambda atom: atom.cost):
        best.setdefault((one.value, one.unit, one.sign), one)
    return tuple(best.values())


def _is_a_guess(atom: Atom) -> bool:
    """Whether neither a word nor a unit says what a number is."""
    return atom.cost > 0 or (not atom.unit and not atom.cost)


def _in_the_rate(value: float, before: Sequence[tuple[Powers, tuple[Measure, ...]]]) -> list[Atom]:
    """A bare number in the unit of the last rate."""
    rates = [unit for unit, _ in before if ("hour", -1) in unit]
    if not rates:
        return []
    times = _SECONDS if _COUNTED_BY_THE_HOUR.isdisjoint(dict(rates[-1])) else 1.0
    return [Atom(value * times, tuple(one for one in rates[-1] if one[0] not in _SIDES), _LIKE)]


def _for_each_time(measure: Measure, atom: Atom, before: Sequence[tuple[Powers, tuple[Measure, ...]]]) -> list[Atom]:
    """A value for each time that the one right before in its unit is for: "8 hours a day at peak and 16 off it"."""
    unit, last = before[-1] if before else ((), ())
    if measure.per or not last or last[0].kind != measure.kind:
        return []
    per = {name: -power for name, power in unit if power < 0 and name in SPANS}
    return [atom._replace(unit=put(dict(atom.unit), per), cost=atom.cost + _LIKE)] if per else []


__all__ = ["cheapest", "like_the_last"]
