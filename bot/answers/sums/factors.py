"""Measures of a message as factors of a product, each in its unit, and how they are shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from advisor.calculators import QUANTITIES
from advisor.calculators.product import Factor
from bot.read.measured_units import Measure
from bot.read.placed import Amounts
from bot.read.units import PER_HOURS, PER_TOKENS, in_unit_of

_BASES: Final[Mapping[str, str]] = {
    "time": "hour",
    **{
        one: one
        for one in (
            *("day", "week", "month", "year", "money", "card", "machine", "person"),
            *("run", "round", "item", "token", "step"),
        )
    },
    "request": "person",
    "energy": "kwh",
    "data": "gigabyte",
}
"""Kind of a measure -> its unit in a product."""
_OF_QUANTITY: Final[Mapping[str, str]] = {"kWh": "kwh"}
_MILLION: Final = 1e6
_SHARES: Final[Mapping[str, Callable[[float], float]]] = {
    "utilization": float,
    "pue": float,
    "fx_rate": float,
    "discount": lambda share: 1.0 - share,
    "raised_share": lambda share: 1.0 + share,
    "cooling_share": lambda share: 1.0 + share,
    "tax_rate": lambda share: 1.0 + share,
}
"""What a sum is only ever multiplied by."""
_PERIODS: Final[Mapping[str, Mapping[str, int]]] = {"span_days": {"day": 1}, "days_week": {"day": 1, "week": -1}}
"""Values that words stand for, as units."""
_SIGNS: Final[Mapping[str, str]] = {
    "discount": "\N{MINUS SIGN}",
    "raised_share": "+",
    "tax_rate": "+",
    "cooling_share": "+",
}
"""Shares that are taken off, or put on top."""
_MONEY: Final = "money"
_PAID_BY: Final[Mapping[str, str]] = {
    **dict.fromkeys(("rent_month", "budget_month", "power_month"), "month"),
    "rent_day": "day",
    "rent_machine_day": "day",
    "rent_week": "week",
    "rent_year": "year",
}
"""Quantities of money whose own time is no part of their unit."""
_PAID_FOR: Final = frozenset({"hour", "kwh", *_PAID_BY.values()})
_EACH: Final = frozenset({"card", "machine"})
"""What a price may be of each of, its time left unsaid."""
_SPANS: Final = frozenset({"week", "month", "year"})
_OTHERS: Final = frozenset({"yes", ""})


@dataclass(frozen=True, slots=True)
class Said:
    """A measure as a factor, under the name that it was given."""

    measure: Measure | None
    name: str
    factor: Factor

    @property
    def start(self) -> int:
        """Where it stands."""
        return self.measure.start if self.measure is not None else 0


def unit_of(unit: str) -> dict[str, int] | None:
    """The unit of a quantity as powers, None where a product has no such unit."""
    base, _, per = unit.partition("/")
    names = [_OF_QUANTITY.get(one, one) for one in (base, per) if one]
    if unit in _OTHERS or any(one not in _BASES.values() and one != "hour" for one in names):
        return None
    return dict(zip(names, (1, -1), strict=False))


def factors(measures: Sequence[tuple[Measure, str]]) -> list[Said]:
    """Measures, each with the name of its quantity, as factors in the order of the text.

    What is of no unit that cancels is left out.
    """
    told = [(one, name, factor_of(one, name)) for one, name in measures if counts(one) or is_span(one, name)]
    said = [Said(one, name, factor) for one, name, factor in told if factor is not None]
    return sorted(said, key=lambda one: one.start)


def implied(amounts: Amounts) -> list[Said]:
    """The times that words stand for, which need not be used."""
    units = [(one.value, _PERIODS.get(one.name)) for one in amounts.implied]
    return [Said(None, "", Factor(value, unit, free=True)) for value, unit in units if unit]


def counts(measure: Measure) -> bool:
    """Whether a measure is an amount and no article."""
    return bool(measure.text) and not (measure.words and measure.number <= 1)


def is_span(measure: Measure, name: str) -> bool:
    """Whether a measure is the one week, month or year that something is told for: it need not be used."""
    return bool(name) and measure.kind in _SPANS and not measure.per


def factor_of(measure: Measure, name: str) -> Factor | None:
    """A measure as a value in its unit; None where it has none that could cancel."""
    if name in _SHARES:
        return Factor(_SHARES[name](in_unit_of(measure, name)), {}, share=True)
    value, unit = measure.value, _own_unit(measure, name)
    if unit is None:
        return None
    for kind, spelt in zip_longest(measure.per, measure.per_units[: len(measure.per)], fillvalue=""):
        base = _BASES.get(kind)
        if base is None:
            return None
        value /= _counted_for(kind, spelt)
        unit[base] = unit.get(base, 0) - 1
    if measure.kind == "power":
        value /= 1000.0
    return Factor(value, {base: power for base, power in unit.items() if power}, free=not counts(measure))


def _counted_for(kind: str, spelt: str) -> float:
    """How much of the base of its kind the unit is that a rate is for."""
    if kind == "token":
        return _MILLION * PER_TOKENS.get(spelt, 1.0 / _MILLION)
    return PER_HOURS.get(spelt, 1.0) if kind == "time" else 1.0


def _own_unit(measure: Measure, name: str) -> dict[str, int] | None:
    """The unit of a measure without what it is counted for: by its kind, else by the quantity that it is."""
    if measure.kind == "power":
        return {"kwh": 1, "hour": -1}
    quantity = QUANTITIES[name].unit.partition("/") if name else ("", "", "")
    if measure.kind in _BASES:
        unit = {_BASES[measure.kind]: 1}
    elif not measure.kind and _OF_QUANTITY.get(quantity[0], quantity[0]) in _BASES.values():
        unit = {_OF_QUANTITY.get(quantity[0], quantity[0]): 1}
    else:
        return None
    per = _PAID_BY.get(name, quantity[2])
    if quantity[0] == _MONEY and per in _PAID_FOR and _EACH.issuperset(measure.per):
        unit[per] = -1
    return unit


def shown(one: Said) -> str:
    """A value as it was typed; one that words stand for by its number."""
    text = (one.measure.rated or one.measure.text) if one.measure is not None else f"{one.factor.value:.4g}"
    shown = text.replace("{", "").replace("}", "").strip()
    told = one.measure is not None and one.measure.kind == "share" and one.name in _SIGNS
    return f"(1 {_SIGNS[one.name]} {shown})" if told else shown
