"""Two numbers that are the ends of a range, or one or the other: what only one of them has holds for both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from bot.read.measured_units import Measure, UnitTable

_SIGNS_OF_MONEY: Final = " $\u20ac\u00a3\u00a5"
_WIDEST: Final = 10.0
"""Two ends of a range of money differ by less than this factor."""


class Ranges:
    """Reads two numbers as one of them or the other. Holds no state."""

    def __init__(self, units: UnitTable, words: Iterable[str]) -> None:
        """`words`: what stands between the ends of a range, or between one value and the other."""
        self._units, self._either = units, frozenset(words)

    def joins(self, text: str, first: Measure, second: Measure) -> bool:
        """Whether two numbers are the ends of a range, or one or the other."""
        between = text[first.end : second.start].strip()
        if between in self._either:
            return True
        apart = max(first.value, second.value) < _WIDEST * min(first.value, second.value)
        return first.kind == second.kind == "money" and apart and between.strip(_SIGNS_OF_MONEY) in self._either

    def alike(self, first: Measure, second: Measure) -> tuple[Measure, Measure]:
        """Two ends of a range, or one thing or the other: what only one has of unit and rate holds for both."""
        if bool(first.kind) != bool(second.kind):
            whole = first if first.kind else second
            first, second = self._in_unit(first, whole), self._in_unit(second, whole)
        if first.kind != second.kind:
            return first, second
        rate = second if second.per else first
        first = replace(first, per=rate.per, per_units=rate.per_units)
        return first, replace(second, per=rate.per, per_units=rate.per_units, instead=not first.instead)

    def _in_unit(self, bare: Measure, whole: Measure) -> Measure:
        """A number in the unit of another."""
        if bare.kind:
            return bare
        unit = self._units.units.get(whole.unit)
        times = unit.times if unit is not None else 1.0
        value = bare.number * times
        return replace(bare, value=value, kind=whole.kind, unit=whole.unit, currency=whole.currency)
