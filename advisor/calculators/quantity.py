"""What a quantity of a sum is: its unit, between which ends it makes sense, what is taken where nobody says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_MUCH: Final = 1e15


@dataclass(frozen=True, slots=True)
class Quantity:
    """One kind of number."""

    name: str
    unit: str
    """hour | day | week | money | money/hour | money/kwh | W | kWh | GB | GB/s | MB/s | MB | count | share | ... "" plain"""
    low: float = 0.0
    high: float = _MUCH
    positive: bool = True
    """Zero is no sensible value."""
    default: float | None = None
    """Taken when nothing was said and a formula lists it as optional."""


def table(*entries: Quantity) -> dict[str, Quantity]:
    """Quantities by name."""
    return {entry.name: entry for entry in entries}


def quantity(
    name: str, unit: str, high: float = _MUCH, default: float | None = None, *, zero: bool = False
) -> Quantity:
    """A quantity from 0 up to `high`; `zero` where 0 makes sense, too."""
    return Quantity(name, unit, 0.0, high, not zero, default)
