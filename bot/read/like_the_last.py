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
_AMOUNTS: Final = frozenset({"data", "power"})
"""Kinds of amounts that are told one after the other, the unit said once."""
_COUNTED_BY_THE_HOUR: Final = frozenset({"money", "kwh"})
_NAMED: Final = re.compile(r" ?[\u4e00-\u9fff](?![\u4e00-\u9fff])")
"""A single Chinese character behind a number: its unit."""
_SECONDS: Final = 3600.0


def like_the_last(
    measure: Measure,
    atoms: Sequence[Atom],
    before: Sequence[tuple[Atom, tuple[Measure, ...]]],
    *,
    tail: str = "",
    changed: bool = False,
) -> list[Atom]:
    """What a value may be beside what its own unit says.

    Args:
        measure: the value.
        atoms: what it may be by itself, likeliest first.
        before: the likeliest reading of each value before, and its measures.
        tail: what stands behind it: in a unit that nobody knows it is nothing like the last.
        changed: it is what the one before has become.
    """
    if not measure.kind and changed and before[-1][0].unit:
        return _changed(measure, *before[-1])
    if not measure.kind and _NAMED.match(tail):
        return []
    if not measure.kind:
        return [*_in_the_rate(measure.value, before), *_in_the_unit(measure, before)] if _is_a_guess(atoms) else []
    return _for_each_time(measure, atoms[0], before)


def cheapest(atoms: Iterable[Atom]) -> tuple[Atom, ...]:
    """The readings, of those that are one in value and unit the one that takes least for granted."""
    best: dict[tuple[float, Powers, str], Atom] = {}
    for one in sorted(atoms, key=lambda atom: atom.cost):
        best.setdefault((one.value, one.unit, one.sign), one)
    return tuple(best.values())


def _is_a_guess(atoms: Sequence[Atom]) -> bool:
    """Whether neither a word nor a unit says what a number is."""
    return all(one.cost > 0 or (not one.unit and not one.cost) for one in atoms)


def _changed(measure: Measure, old: Atom, said: tuple[Measure, ...]) -> list[Atom]:
    """What something is now: in the unit that it had before, and in the first part of that alone."""
    value = measure.value * _scale(old, said)
    return [Atom(value, old.unit, 0.0), Atom(value, old.unit[:1], _LIKE)]


def _scale(old: Atom, said: tuple[Measure, ...]) -> float:
    """What one of a value that was said before is in its unit."""
    return old.value / said[0].number if len(said) == 1 and said[0].number else 1.0


def _in_the_unit(measure: Measure, before: Sequence[tuple[Atom, tuple[Measure, ...]]]) -> list[Atom]:
    """A bare number in the unit of the last amount that has one: "24 GB, the weights take 15.5"."""
    last = next(((atom, said) for atom, said in reversed(before) if said and said[0].kind), None)
    if last is None or last[1][0].kind not in _AMOUNTS:
        return []
    unit = tuple(one for one in last[0].unit if one[1] > 0 or one[0] in SPANS)
    return [Atom(measure.value * _scale(*last), unit, _LIKE)]


def _in_the_rate(value: float, before: Sequence[tuple[Atom, tuple[Measure, ...]]]) -> list[Atom]:
    """A bare number in the unit of the last rate."""
    rates = [atom.unit for atom, _ in before if ("hour", -1) in atom.unit]
    if not rates:
        return []
    times = _SECONDS if _COUNTED_BY_THE_HOUR.isdisjoint(dict(rates[-1])) else 1.0
    return [Atom(value * times, tuple(one for one in rates[-1] if one[0] not in _SIDES), _LIKE)]


def _for_each_time(measure: Measure, atom: Atom, before: Sequence[tuple[Atom, tuple[Measure, ...]]]) -> list[Atom]:
    """A value for each time that the one right before in its unit is for: "8 hours a day at peak and 16 off it"."""
    unit, last = (before[-1][0].unit, before[-1][1]) if before else ((), ())
    if measure.per or not last or last[0].kind != measure.kind:
        return []
    per = {name: -power for name, power in unit if power < 0 and name in SPANS}
    return [atom._replace(unit=put(dict(atom.unit), per), cost=atom.cost + _LIKE)] if per else []


__all__ = ["cheapest", "like_the_last"]
