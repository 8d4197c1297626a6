"""Sums that no formula names: the product of what was said whose units cancel down to what is asked.

It goes ahead where it uses more of the message than the sum that was found by name, and only where one way does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from advisor.calculators import QUANTITIES, Given, Solution
from advisor.calculators.product import Product, product_in
from advisor.calculators.registry import Formula
from advisor.calculators.solve import Node
from bot.answers.sums.choose import LEAST, Chosen, choose
from bot.answers.sums.factors import Said, factors, implied, shown, unit_of
from bot.answers.sums.left import left_out
from bot.answers.sums.needs import NEEDS
from bot.answers.sums.versus import GAPS
from bot.read.placed import TIMED_TOGETHER, Amounts, Asked

_OF_A_CARD: Final = frozenset({"highest_hourly", "per_card_hour", "paid_rate"})
"""Rates that are asked for one card."""
_DEAREST: Final = 500.0
"""Money for an hour is no more than this."""
_TIMED: Final = frozenset(NEEDS["estimate_time"])
"""How long work takes."""
_WHOLE: Final = frozenset({"card", "machine", "person"})
"""Units of which a part is none: so few are no answer."""
_AT_ONCE: Final = ("card", "machine")
_OF_ALL: Final = frozenset({"card_hours", "gpu_hours"})
"""Times of all cards together."""
_BUDGETS: Final = frozenset({"budget", "budget_month"})
_ENOUGH, _BILL = "budget_enough", "bill"
_MONEY: Final = "money"
_TOLD: Final = 3
"""Values of the message that a product uses at least; two will do where all was said in them."""
_MOST: Final = 3
"""Values that a product may leave out where no sum by name was found."""


def cancelled(chosen: Chosen | None, amounts: Amounts) -> Chosen | None:
    """The sum by units that cancel, where it uses more than the one that was found by name; else that one.

    Args:
        chosen: the sum found by name, if any.
        amounts: what the message gives and asks for.
    """
    if not _is_of_one(amounts) or (chosen is not None and not _is_plain(chosen)):
        return chosen
    left = _MOST if chosen is None else len(left_out(chosen, amounts, frozenset(), ()))
    left += TIMED_TOGETHER in amounts.flags and _is_paid(chosen)
    found = (_made(one, amounts) for one in _wanted(chosen, amounts)) if left else ()
    better = (one for one in found if one is not None and len(left_out(one, amounts, frozenset(), ())) < left)
    return next(better, chosen)


def _is_paid(chosen: Chosen | None) -> bool:
    """Whether a sum is one of money."""
    return chosen is not None and QUANTITIES[chosen.solutions[0].name].unit == _MONEY


def _is_of_one(amounts: Amounts) -> bool:
    """Whether every quantity has one value that can be, and no two things are compared."""
    compared = any(one.name in GAPS and one.score >= LEAST for one in amounts.asked)
    return not (amounts.odd or amounts.others or compared)


def _is_plain(chosen: Chosen) -> bool:
    """Whether a sum is of this message alone, and of one thing."""
    return not (chosen.follows or chosen.added or chosen.versus is not None)


def _made(asked: Asked, amounts: Amounts) -> Chosen | None:
    """The sum of what is asked as a product, if one is."""
    found = _product(asked, amounts)
    if found is not None and _is_no_answer(asked, *found):
        return None
    return _as_chosen(asked, *found, amounts) if found is not None else None


def _is_no_answer(asked: Asked, found: Product, said: Sequence[Said]) -> bool:
    """Whether a part of one thing comes out, or a time as many times as long as cards share it."""
    used = [said[at].factor.unit for at in found.times]
    each = any(unit.get(name, 0) < 0 for unit in used for name in _AT_ONCE)
    longer = any(unit in ({"card": 1}, {"machine": 1}) for unit in used) and not each
    part = QUANTITIES[asked.name].unit in _WHOLE and found.value < 1.0
    return part or (longer and asked.name in _TIMED - _OF_ALL)


def _wanted(chosen: Chosen | None, amounts: Amounts) -> list[Asked]:
    """What may be asked for: what the sum by name gives, else what the message surely asks, likeliest first."""
    if chosen is not None:
        names = [one.name for one in chosen.solutions[:1]]
        return [Asked(name, LEAST, 0, fills=True) for name in names]
    surely = [one for one in amounts.asked if one.fills and one.score >= LEAST]
    return sorted(surely, key=lambda one: -one.score)


def _product(asked: Asked, amounts: Amounts) -> tuple[Product, list[Said]] | None:
    """The product that gives what is asked, and what it is made of."""
    unit = _wanted_unit(asked.name)
    if unit is None:
        return None
    said = _factors(amounts, without=_BUDGETS if unit == {_MONEY: 1} else frozenset())
    ways = {"nonstop": "nonstop" in amounts.flags, "turning": asked.name in _TIMED}
    tried = ((product_in(unit, [one.factor for one in each], **ways), each) for each in (said, _hourly(said)))
    return next(((found, each) for found, each in tried if found is not None and _is_enough(found, each)), None)


def _hourly(said: Sequence[Said]) -> list[Said]:
    """The same, a small sum of money that nothing else is said of as so much an hour; [] where there is none."""
    loose = [one for one in said if not one.name and one.factor.unit == {_MONEY: 1} and one.factor.value <= _DEAREST]
    if len(loose) != 1:
        return []
    rate = replace(loose[0], factor=loose[0].factor._replace(unit={_MONEY: 1, "hour": -1}))
    return [rate if one is loose[0] else one for one in said]


def _is_enough(found: Product, said: Sequence[Said]) -> bool:
    """Whether a product is made of enough that was said."""
    used = sum(said[at].measure is not None for at in (*found.times, *found.over))
    paid = any(_MONEY in said[at].factor.unit for at in found.left)
    return not paid and (used >= _TOLD or _is_whole(found, said, used))


def _is_whole(found: Product, said: Sequence[Said], used: int) -> bool:
    """Whether a product of two values is of all that was said, and converts nothing."""
    return used == sum(one.measure is not None for one in said) and found.conversion == 1.0


def _wanted_unit(name: str) -> dict[str, int] | None:
    """The unit in which something is asked for, None where a product has no such unit."""
    if name == _ENOUGH:
        return {_MONEY: 1}
    unit = unit_of(QUANTITIES[name].unit)
    return {**unit, "card": -1} if unit is not None and name in _OF_A_CARD else unit


def _factors(amounts: Amounts, without: frozenset[str]) -> list[Said]:
    """What was said as factors, without what is of no unit that cancels."""
    measures = [(one.measure, one.quantity) for one in amounts.placed if one.quantity not in without]
    return [*factors([*measures, *((one, "") for one in amounts.unplaced)]), *implied(amounts)]


def _as_chosen(asked: Asked, found: Product, said: Sequence[Said], amounts: Amounts) -> Chosen | None:
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


def _worked(found: Product, said: Sequence[Said]) -> str:
    """The arithmetic as it was typed: no value is named by anything but the words of the message."""
    times = [shown(said[at]) for at in found.times]
    over = [shown(said[at]) for at in found.over]
    if found.conversion > 1:
        times.append(f"{found.conversion:.4g}")
    elif found.conversion < 1:
        over.append(f"{1 / found.conversion:.4g}")
    return " \N{DIVISION SIGN} ".join([" \N{MULTIPLICATION SIGN} ".join(times), *over])
