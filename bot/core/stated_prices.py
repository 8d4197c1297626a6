"""Prices that a message states: of an hour or of a card, each for the card that it names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from bot.core.understanding import Number

_NO_PRICE: Final = frozenset({"budget", "electricity_price", "resale_value", "limit"})
"""Parts of amounts of money that are no price of a card."""
_TOLD: Final = frozenset({"past", "quoted", "background"})
"""Parts of amounts that a long message tells beside its question."""
LONG: Final = 24
"""Tokens of a message that may tell more than it asks."""
_HOURLY: Final = "hour"
_ONCE: Final = "card"
_UNITS: Final = {"": _ONCE, "hour": _HOURLY}


class StatedPrice(NamedTuple):
    """What a message says that a card costs."""

    amount: float
    currency: str
    unit: str
    """hour | card"""
    of: str
    """The card, where several are named; "" for the one that is spoken of."""


def stated_prices(numbers: Iterable[Number], *, long: bool) -> tuple[StatedPrice, ...]:
    """What cards are said to cost; beside the price of an hour what may be spent once is a price too.

    Args:
        numbers: all numbers of a message.
        long: the message may tell more than it asks.
    """
    money = [(one, _price(one)) for one in numbers if one.kind == "money"]
    without = _NO_PRICE | _TOLD if long else _NO_PRICE
    if any(price is not None and price.unit == _HOURLY for _, price in money):
        without -= {"budget"}
    return tuple(price for one, price in money if price is not None and one.role not in without)


def _price(number: Number) -> StatedPrice | None:
    """An amount with the unit that it prices; None where no card is priced so."""
    currency, _, per = number.unit.partition("/")
    unit = _UNITS.get(per, "")
    return StatedPrice(number.value, currency, unit, number.of) if currency and unit else None
