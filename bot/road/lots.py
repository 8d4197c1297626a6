"""What one card costs, where a sum is told beside several: of each, of all, or whichever is nearer the market."""

from __future__ import annotations

from collections.abc import Iterable
from math import log
from typing import Final

from advisor.errors import AdvisorError
from bot.answers.choose.worth import costs
from bot.core.stated_prices import EACH, IN_ALL, StatedPrice
from bot.road.turn import Turn

_ONCE: Final = "card"
_SEVERAL: Final = 2


def of_one_card(turn: Turn, prices: Iterable[StatedPrice]) -> tuple[StatedPrice, ...]:
    """The same prices, each of one card.

    Args:
        turn: the message as it was decided.
        prices: as they were said.
    """
    counts = turn.heard.counts_of("gpu")
    return tuple(_of_one(turn, one, int(counts.get(one.of, 1))) for one in prices)


def _of_one(turn: Turn, price: StatedPrice, n: int) -> StatedPrice:
    """A price, divided by the cards beside it where it is that of all of them."""
    if n < _SEVERAL or price.unit != _ONCE or price.share == EACH:
        return price
    in_all = price.share == IN_ALL or _is_nearer(turn, price, n)
    return price._replace(amount=price.amount / n) if in_all else price


def _is_nearer(turn: Turn, price: StatedPrice, n: int) -> bool:
    """Whether a share of the sum is nearer to what such a card costs on record than the sum itself."""
    gpu = turn.rooms.services.catalog.find_gpu(price.of)
    try:
        bought = None if gpu is None else costs(turn.request(turn.need), gpu, price.currency)[0]
    except AdvisorError:
        return False
    usual = float(bought.low.amount + bought.high.amount) / 2 if bought is not None else 0.0
    return usual > 0 and abs(log(price.amount / n / usual)) < abs(log(price.amount / usual))
