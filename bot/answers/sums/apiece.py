"""The part that each of several has in a sum: the cost of one round beside that of all, of a thousand pictures."""

from __future__ import annotations

from typing import Final

from advisor.calculators import QUANTITIES
from bot.answers.sums.choose import Chosen
from bot.answers.sums.factors import factors
from bot.core.line import Figure, Line
from bot.read.placed import Amounts, Apiece

_MONEY: Final = "money"
_BASES: Final = {"time": "hour", "request": "person"}
_PARTS: Final = frozenset(
    {
        *("person_share", "person_month", "item_cost", "sound_hour_cost", "run_cost", "token_cost", "each_part"),
        *("own_day", "own_month", "own_hour", "budget_left", "price_gap", "saved_share"),
    }
)
"""Sums that are a part themselves, or are of no amount that is shared."""
_SOUND: Final = "sound_hours"


def apiece(chosen: Chosen, amounts: Amounts, currency: str) -> list[Line]:
    """A first line for each part that was asked for and that no sum tells.

    Args:
        chosen: the sums, the first one of money.
        amounts: what the message gives; of how many of a thing the sum is stands there as an amount.
        currency: of all money in it.
    """
    first = chosen.solutions[0]
    if chosen.said is not None:  # it was put together for what was asked, of each where that was asked
        return []
    if QUANTITIES[first.name].unit != _MONEY or first.name in _PARTS or chosen.versus or len(chosen.solutions) > 1:
        return []
    lines: list[Line] = []
    for one in amounts.apiece:
        of = _amount(one, amounts)
        if of and one.number < of:
            part = Figure(first.value / of * one.number, _MONEY, currency)
            lines.append(Line("sum.apiece", {"named": one.text, "figure": part}))
    return lines


def _amount(asked: Apiece, amounts: Amounts) -> float:
    """Of how many of a thing a sum is, 0 where that was not said."""
    base = _BASES.get(asked.kind, asked.kind)
    said = factors([(one.measure, one.quantity) for one in amounts.placed])
    found = [one.factor.value for one in said if dict(one.factor.unit) == {base: 1} and _is_of(one.name, asked)]
    return found[0] if len(found) == 1 else 0.0


def _is_of(name: str, asked: Apiece) -> bool:
    """Whether a quantity is what has a part: hours are those of sound."""
    return asked.kind != "time" or name == _SOUND
