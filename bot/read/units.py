"""The value of a measure in the unit of a quantity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from advisor.calculators import QUANTITIES
from advisor.periods import DAYS_A_MONTH, HOURS_A_MONTH
from bot.read.measured_units import Measure

_GIB: Final = 1.073741824
_HOURS: Final[Mapping[str, float]] = {"time": 1.0, "day": 24.0, "week": 168.0, "month": HOURS_A_MONTH, "year": 8760.0}
_DAYS: Final[Mapping[str, float]] = {"time": 1 / 24, "day": 1.0, "week": 7.0, "month": DAYS_A_MONTH, "year": 365.0}
PER_HOURS: Final[Mapping[str, float]] = {
    "millisecond": 1 / 3.6e6, "second": 1 / 3600, "minute": 1 / 60, "hour": 1.0,
    "day": 24.0, "week": 168.0, "month": HOURS_A_MONTH, "year": 8760.0,
}  # fmt: skip
"""Hours of each unit of time that a rate is for."""
PER_TOKENS: Final[Mapping[str, float]] = {"token": 1e-6, "thousand_tokens": 1e-3, "million_tokens": 1.0}
"""Millions of tokens of each unit that a price is for."""
_PER_STORED: Final[Mapping[str, float]] = {"terabyte": 1000.0, "terabyte_month": 1000.0, "megabyte": 0.001}
_NOMINAL: Final = frozenset({"gigabyte", "gibibyte"})
"""A card of 24 GB and one of 24 GiB are the same card."""


def in_unit_of(measure: Measure, quantity: str) -> float:
    """What a measure is in the unit of a quantity; rates are for each unit of the quantity's own time."""
    unit = QUANTITIES[quantity].unit
    base, _, per = unit.partition("/")
    value = _base(measure, base)
    if per in {"s", "second", "hour"}:
        return value / _per_time(measure) * (1.0 if per == "hour" else 1 / 3600)
    if per in _OF_PER:
        return value / _OF_PER[per](measure)
    return value


def _million_tokens(measure: Measure) -> float:
    """Millions of tokens that a price is for."""
    return next((PER_TOKENS[one] for one in measure.per_units if one in PER_TOKENS), 1.0)


def _gigabyte_months(measure: Measure) -> float:
    """Months of a GB that a price is for; a price without a time is one for the month."""
    times = 1.0
    for unit in measure.per_units:
        times *= _PER_STORED.get(unit, 1.0)
        times *= PER_HOURS[unit] / HOURS_A_MONTH if unit in PER_HOURS else 1.0
    return times


def _gigabytes(measure: Measure) -> float:
    """How many GB a price is for."""
    return next((_PER_STORED[one] for one in measure.per_units if one in _PER_STORED), 1.0)


_OF_PER: Final[Mapping[str, Callable[[Measure], float]]] = {
    "Mtok": _million_tokens,
    "GBmonth": _gigabyte_months,
    "GB": _gigabytes,
}
"""What a price is for, in the unit of the quantity's own rate."""


def _base(measure: Measure, base: str) -> float:
    kind = measure.kind
    if base == "hour":
        return measure.value * _HOURS.get(kind, 1.0)
    if base == "day":
        return measure.value * _DAYS.get(kind, 1.0)
    if base == "week":
        return measure.value * _DAYS.get(kind, 7.0) / 7.0
    if base == "second":
        return measure.value * _HOURS.get(kind, 1.0) * 3600
    if kind == "fold":
        return _taken_off(measure.value)
    if kind in {"data", "data_rate"}:
        return _data(measure, base)
    if kind == "byte" and base == "KiB":
        return measure.value / 1024
    return measure.value


def _taken_off(tenths: float) -> float:
    """What is taken off a price of which so many tenths are left; two digits are tenths and hundredths."""
    left = tenths if tenths <= 1 else tenths / 10
    return max(0.0, 1.0 - left)


def _data(measure: Measure, base: str) -> float:
    if base == "MB":
        return measure.value * 1000
    if base == "KiB":
        return measure.value * 1e9 / 1024
    if base == "GiB":
        return measure.number if measure.unit in _NOMINAL else measure.value / _GIB
    return measure.number if measure.unit in _NOMINAL else measure.value


def _per_time(measure: Measure) -> float:
    """Hours that the rate is for."""
    unit = next(
        (one for one in measure.per_units if one in PER_HOURS), "hour" if measure.kind in {"money", ""} else "second"
    )
    if measure.kind == "data_rate":
        unit = "second"
    return PER_HOURS[unit]
