"""Sums that no formula names: the product of what was said whose units cancel down to what is asked.

It goes ahead where it uses more of the message than the sum that was found by name, and only where one way does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from advisor.calculators import QUANTITIES, Given, Solution
from advisor.calculators.product import Factor, Product, product_in
from advisor.calculators.registry import Formula
from advisor.calculators.solve import Node
from bot.answers.sums.choose import LEAST, Chosen, choose
from bot.answers.sums.left import left_out
from bot.read.measured_units import Measure
from bot.read.placed import Amounts, Asked

_BASES: Final[Mapping[str, str]] = {
    "time": "hour",
    **{
        one: one
        for one in (
            *("day", "week", "month", "year", "money", "card", "machine", "person"),
            *("run", "round", "item", "token", "request", "step"),
        )
    },
    "energy": "kwh",
}
"""Kind of a measure -> its unit in a product."""
_OF_QUANTITY: Final[Mapping[str, str]] = {"kWh": "kwh"}
_HOURS: Final[Mapping[str, float]] = {
    "millisecond": 1 / 3.6e6,
    "second": 1 / 3600,
    "minute": 1 / 60,
    "hour": 1.0,
    "card_hour": 1.0,
}
_TOKENS: Final[Mapping[str, float]] = {"token": 1.0, "thousand_tokens": 1e3, "million_tokens": 1e6}
_SHARES: Final = frozenset({"utilization", "pue", "fx_rate"})
_PERIODS: Final[Mapping[str, Mapping[str, int]]] = {"span_days": {"day": 1}, "days_week": {"day": 1, "week": -1}}
"""Values that words stand for, as units."""
_BUDGETS: Final = frozenset({"budget", "budget_month"})
_ENOUGH, _BILL = "budget_enough", "bill"
_MONEY: Final = "money"
_OTHERS: Final = frozenset({"yes", ""})
_TOLD: Final = 3
"""Values of the message that a product uses at least."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A measure as a factor, under the name that it was given."""

    measure: Measure | None
    name: str
    factor: Factor


def cancelled(chosen: Chosen | None, amounts: Amounts) -> Chosen | None:
    """The sum by units that cancel, where it uses more than the one that was found by name; else that one.

    Args:
        chosen: the sum found by name, if any.
        amounts: what the message gives and asks for.
    """
    if amounts.odd or amounts.others or (chosen is not None and (chosen.follows or chosen.versus is not None)):
        return chosen
    left = len(left_out(chosen, amounts, frozenset(), ())) if chosen is not None else _TOLD
    if not left:
        return chosen
    for one in _wanted(chosen, amounts):
        found = _product(one, amounts)
        if found is not None and len(found[0].left) < left:
            return _as_chosen(one, *found, amounts)
    return chosen


def _wanted(chosen: Chosen | None, amounts: Amounts) -> list[Asked]:
    """What may be asked for: what the sum by name gives, else what the message surely asks, likeliest first."""
    if chosen is not None:
        names = [one.name for one in chosen.solutions[:1]]
        return [Asked(name, LEAST, 0, fills=True) for name in names]
    surely = [one for one in amounts.asked if one.fills and one.score >= LEAST]
    return sorted(surely, key=lambda one: -one.score)


def _product(asked: Asked, amounts: Amounts) -> tuple[Product, list[_Said]] | None:
    """The product that gives what is asked, and what it is made of."""
    unit = {_MONEY: 1} if asked.name == _ENOUGH else _unit_of(QUANTITIES[asked.name].unit)
    said = _factors(amounts, without=_BUDGETS if asked.name == _ENOUGH else frozenset())
    if unit is None or said is None:
        return None
    found = product_in(unit, [one.factor for one in said], nonstop="nonstop" in amounts.flags)
    used = sum(said[at].measure is not None for at in (*found.times, *found.over)) if found is not None else 0
    return (found, said) if found is not None and used >= _TOLD else None


def _unit_of(unit: str) -> dict[str, int] | None:
    """The unit of a quantity as powers, None where a product has no such unit."""
    base, _, per = unit.partition("/")
    names = [_OF_QUANTITY.get(one, one) for one in (base, per) if one]
    if unit in _OTHERS or any(one not in _BASES.values() and one != "hour" for one in names):
        return None
    return dict(zip(names, (1, -1), strict=False))


def _factors(amounts: Amounts, without: frozenset[str]) -> list[_Said] | None:
    """Everything that was said as factors; None where something is of no unit that cancels."""
    said: list[_Said] = []
    measures = [(one.measure, one.quantity) for one in amounts.placed] + [(one, "") for one in amounts.unplaced]
    for measure, name in sorted(measures, key=lambda one: one[0].start):
        if name in without or not measure.text or (measure.words and measure.number <= 1):
            continue
        factor = _factor(measure, name)
        if factor is None:
            return None
        said.append(_Said(measure, name, factor))
    units = [_PERIODS.get(one.name) for one in amounts.implied]
    told = [Factor(one.value, unit, free=True) for one, unit in zip(amounts.implied, units, strict=True) if unit]
    return [*said, *(_Said(None, "", one) for one in told)]


def _factor(measure: Measure, name: str) -> Factor | None:
    """A measure as a value in its unit; None where it has none that could cancel."""
    if name in _SHARES:
        return Factor(measure.value, {}, share=True)
    if name == "discount":
        return None
    value, unit = measure.value, _own_unit(measure, name)
    if unit is None:
        return None
    for kind, spelt in zip(measure.per, measure.per_units, strict=True):
        base = _BASES.get(kind)
        if base is None:
            return None
        value /= _HOURS.get(spelt, 1.0) if kind == "time" else _TOKENS.get(spelt, 1.0)
        unit[base] = unit.get(base, 0) - 1
    if measure.kind == "power":
        value /= 1000.0
    return Factor(value, {base: power for base, power in unit.items() if power})


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
    if not measure.per and quantity[0] == _MONEY and quantity[2] in {"hour", "kwh"}:
        unit[quantity[2]] = -1
    return unit


def _as_chosen(asked: Asked, found: Product, said: Sequence[_Said], amounts: Amounts) -> Chosen | None:
    """A product as the sum that is told."""
    name = _BILL if asked.name == _ENOUGH else asked.name
    used = [said[at] for at in (*found.times, *found.over)]
    names = frozenset(one.name for one in used) - {""}
    node = Node(name, found.value, Formula(name, (), _worked(found, said), float), said=names)
    counted = tuple(one.measure for one in used if one.measure is not None)
    given = tuple(Given(one, value) for one, value in amounts.values.items())
    if asked.name != _ENOUGH:
        return Chosen((Solution(node),), given, score=asked.score, counted=counted)
    budget = tuple(one for one in given if one.name in _BUDGETS)
    judged = choose(replace(amounts, placed=(), unplaced=()), None, (*budget, Given(_BILL, found.value)))
    return None if judged is None else replace(judged, counted=counted)


def _worked(found: Product, said: Sequence[_Said]) -> str:
    """The arithmetic as it was typed: no value is named by anything but the words of the message."""
    times = [_shown(said[at]) for at in found.times]
    over = [_shown(said[at]) for at in found.over]
    if found.conversion > 1:
        times.append(f"{found.conversion:.4g}")
    elif found.conversion < 1:
        over.append(f"{1 / found.conversion:.4g}")
    return " \N{DIVISION SIGN} ".join([" \N{MULTIPLICATION SIGN} ".join(times), *over])


def _shown(one: _Said) -> str:
    """A value as it was typed; one that words stand for by its number."""
    text = one.measure.text if one.measure is not None else f"{one.factor.value:.4g}"
    return text.replace("{", "").replace("}", "").strip()

