"""Measures as values in powers of units and nouns, for sums put together as they are said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from advisor.calculators.expression import Powers
from advisor.calculators.reckon import ANY
from bot.read.measured_units import Measure
from bot.read.units import PER_HOURS, PER_TOKENS

UNITS: Final[Mapping[str, tuple[Mapping[str, int], float]]] = {
    "time": ({"hour": 1}, 1.0),
    **{span: ({span: 1}, 1.0) for span in ("day", "week", "month", "year")},
    "money": ({"money": 1}, 1.0),
    "energy": ({"kwh": 1}, 1.0),
    "power": ({"kwh": 1, "hour": -1}, 1e-3),
    "va": ({"kwh": 1, "hour": -1}, 1e-3),
    "volt": ({"kwh": 1, "hour": -1, "ampere": -1}, 1e-3),
    "ampere": ({"ampere": 1}, 1.0),
    "data": ({"gigabyte": 1}, 1.0),
    "data_rate": ({"gigabyte": 1, "hour": -1}, 3600.0),
    "byte": ({"gigabyte": 1}, 1e-9),
    "bit": ({"gigabyte": 1}, 1.25e-10),
    "item_rate": ({ANY: 1, "hour": -1}, 3600.0),
    "step_rate": ({"step": 1, "hour": -1}, 3600.0),
    "step_time": ({"hour": 1, "step": -1}, 1.0),
    "cycle_rate": ({"hour": -1}, 3600.0),
    "compute": ({"flop": 1, "hour": -1}, 3.6e15),
    "mass": ({"kilogram": 1}, 1.0),
    "share": ({}, 1.0),
    "fold": ({}, 1.0),
    "times": ({}, 1.0),
    "": ({}, 1.0),
}
"""Kind of a measure -> its unit, and how much of it one is; any other kind is a noun."""
OTHERS: Final = frozenset({"lane", "date", "mts", "hz", "db", "kelvin", "psu"})
"""Kinds that no such sum is made of."""
GENERAL: Final = frozenset({"item", "request"})
_RATED: Final = frozenset({"data_rate", "item_rate", "step_rate", "cycle_rate", "compute", "power", "va", "volt"})
"""Kinds that are of a time already."""
OF_UNIT: Final[Mapping[str, Mapping[str, int]]] = {
    "card_hour": {"card": 1, "hour": 1},
    "gigabyte_month": {"gigabyte": 1, "month": 1},
    "terabyte_month": {"gigabyte": 1, "month": 1},
}
"""Units that are products of two."""
_THOUSANDS: Final[Mapping[str, float]] = {"terabyte": 1000.0, "terabyte_month": 1000.0, "megabyte": 0.001}
BASES: Final[Mapping[str, str]] = {"time": "hour", "data": "gigabyte", "energy": "kwh", "item": ANY}
SPANS: Final = frozenset({"day", "week", "month", "year"})
SHEET: Final = "sheet"
"""The unit of what is counted by the sheet, cards and pictures alike."""


def rated(measure: Measure, value: float) -> tuple[float, dict[str, int]]:
    """A value for one of each unit that it is counted for, and these."""
    per: dict[str, int] = {}
    for kind, spelt in zip(measure.per, measure.per_units, strict=False):
        if kind == "time" and measure.kind in _RATED:
            continue
        if spelt in OF_UNIT:
            per |= OF_UNIT[spelt]
        else:
            per[ANY if spelt == SHEET else BASES.get(kind, kind)] = 1
        if kind == "time":
            value /= PER_HOURS.get(spelt, 1.0)
        elif kind == "token":
            value /= PER_TOKENS.get(spelt, 1e-6) * 1e6
        else:
            value /= _THOUSANDS.get(spelt, 1.0)
    return value, per


def unit_of(kind: str) -> tuple[dict[str, int] | None, str]:
    """The unit of a kind that is asked for, and the noun of what is counted."""
    if kind in SPANS:
        return {"hour": 1}, ""
    if kind in OF_UNIT:
        return dict(OF_UNIT[kind]), ""
    if kind.endswith("_rate") and kind not in UNITS:
        return {kind.removesuffix("_rate"): 1, "hour": -1}, ""
    if kind in UNITS:
        return dict(UNITS[kind][0]), ""
    return ({}, ANY if kind in GENERAL else kind) if kind not in OTHERS else (None, "")


def put(unit: Mapping[str, int], per: Mapping[str, int], way: int = -1) -> Powers:
    """A unit with others multiplied by, or divided by (-1)."""
    found = dict(unit)
    for name, power in per.items():
        found[name] = found.get(name, 0) + way * power
    return powers(found)


def powers(unit: Mapping[str, int]) -> Powers:
    """A unit by name, without what cancels."""
    return tuple(sorted((name, power) for name, power in unit.items() if power))


__all__ = ["BASES", "GENERAL", "OF_UNIT", "OTHERS", "SHEET", "SPANS", "UNITS", "powers", "put", "rated", "unit_of"]
