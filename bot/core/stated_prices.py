"""Prices that a message states: of an hour or of a card, each for the card that it names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
_AMOUNTS: Final = frozenset({"money", "card", ""})
"""Kinds of numbers that may be money: its word is that of a card, or is left out."""
_LEAST_OF_CARD: Final = 50.0
_LEAST_BETWEEN: Final = 20.0
"""Below these a bare number counts something else."""
_GAP, _MORE, _MONEY = "gap", "more", "money"
_YEARS: Final = (2015, 2035)
"""A bare number from the first to the second is a year that is spoken of."""
_UNITS: Final = {"": _ONCE, "hour": _HOURLY}
EACH: Final = "each"
IN_ALL: Final = "in_all"


class StatedPrice(NamedTuple):
    """What a message says that a card costs."""

    amount: float
    currency: str
    unit: str
    """hour | card"""
    of: str
    """The card, where several are named; "" for the one that is spoken of."""
    share: str = ""
    """Of several cards of a kind: `each` for one of them, `in_all` for all together, "" where that is unsaid."""


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


def bare_amount(numbers: Sequence[Number]) -> float | None:
    """The one number without a unit that may be the money for a card, where no money is named; else None."""
    unmarked = [one for one in numbers if one.kind in _AMOUNTS - {_MONEY} and not _is_year(one)]
    bare = [one.value for one in unmarked if one.value >= _LEAST_OF_CARD]
    return bare[0] if len(bare) == 1 and not any(one.kind == _MONEY for one in numbers) else None


def _is_year(number: Number) -> bool:
    """Whether a number is a year of these days."""
    return not number.thousands and number.value % 1 == 0 and _YEARS[0] <= number.value <= _YEARS[1]


def number_between(numbers: Sequence[Number]) -> Number | None:
    """The number that stands beside a word for how much dearer something is; None where there is none."""
    return next((one for one in numbers if _is_between(one)), None)


def _is_between(number: Number) -> bool:
    beside = _GAP in number.beside or (number.kind == _MONEY and _MORE in number.beside)
    return beside and number.kind in _AMOUNTS and number.value >= _LEAST_BETWEEN and "/" not in number.unit


def _price(number: Number) -> StatedPrice | None:
    """An amount with the unit that it prices; None where no card is priced so."""
    currency, _, per = number.unit.partition("/")
    unit = _UNITS.get(per, "")
    share = next((name for name in (EACH, IN_ALL) if name in number.beside), "")
    return StatedPrice(number.value, currency, unit, number.of, share) if currency and unit else None


_LEAST_PAID: Final = 100.0
"""Smaller numbers without a unit are no price of a card."""
_BOTH: Final = 2


def _is_paid_once(one: Number) -> bool:
    """Whether an amount may be money that is paid once: of a currency, or without any unit."""
    money = (one.kind == "money" and "/" not in one.unit) or not (one.kind or one.unit)
    return money and one.value >= _LEAST_PAID


def sale_of(numbers: Iterable[Number]) -> tuple[float | None, float | None]:
    """What a card is bought for and sold for afterwards, None for what is not told.

    Of two sums that are paid once the larger is paid and the smaller comes back: nobody counts on a card to gain.
    """
    sums = [one for one in numbers if _is_paid_once(one) and one.role not in {"budget", "limit"}]
    if len(sums) == _BOTH:
        return max(one.value for one in sums), min(one.value for one in sums)
    return None, next((one.value for one in sums if one.role == "resale_value"), None)


_MOST_PIECES: Final = 16


def is_few(number: Number) -> bool:
    """Whether a number can be one of cards: bare or said of cards, whole and small."""
    return number.unit in {"", "card"} and float(number.value).is_integer() and 1 <= number.value <= _MOST_PIECES
