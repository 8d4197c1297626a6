"""Values of a message as what they are beside each other: of each day, for each card; and those that cannot be."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from advisor.calculators import QUANTITIES
from advisor.periods import HOURS_A_DAY
from bot.read.placed import Placed

_CARD_HOUR: Final = "card_hour"
_BOUGHT: Final = "purchase"
_EACH_PRICE: Final = "each_price"
_EACH: Final = "card"


def is_odd(one: Placed) -> bool:
    """Whether a value makes no sense: 31 hours a day."""
    quantity = QUANTITIES[one.quantity]
    if one.measure.unit == _CARD_HOUR and _CARD_HOUR not in one.measure.per_units:
        return False  # hours of several cards together
    return not quantity.low <= one.value <= quantity.high or (quantity.positive and one.value == 0)


def _of_each_day(placed: tuple[Placed, ...]) -> tuple[Placed, ...]:
    """Hours beside days of the week that are named are those of each of them."""
    known = {one.quantity for one in placed}
    if "hours_day" in known:
        return placed
    daily = [one for one in placed if one.quantity == "hours_total" and one.value <= HOURS_A_DAY]
    return tuple(replace(one, quantity="hours_day") if one in daily else one for one in placed)


def settled(placed: tuple[Placed, ...], *, several: bool, each_day: bool) -> tuple[Placed, ...]:
    """The same, as what is paid for each of several cards, and as what is used on each of the days that are named."""
    placed = _of_several(placed) if several else placed
    return _of_each_day(placed) if each_day else placed


def _of_several(placed: tuple[Placed, ...]) -> tuple[Placed, ...]:
    """The same, what is paid for each of several cards as a price of one."""
    if not any(one.quantity == "cards" and one.value > 1 for one in placed):
        return placed
    each = frozenset(at for at, one in enumerate(placed) if one.quantity == _BOUGHT and _EACH in one.measure.per)
    return tuple(replace(one, quantity=_EACH_PRICE) if at in each else one for at, one in enumerate(placed))


__all__ = ["is_odd", "settled"]
