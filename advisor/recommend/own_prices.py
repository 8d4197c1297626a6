"""Prices that an asker, or the chat, named for a card: they stand in the place of every quote on record."""

from __future__ import annotations

from advisor.models import Gpu
from advisor.recommend.models import Channel, Need, Quote, Standing


def own_price(need: Need, gpu: Gpu, channel: Channel) -> Quote | None:
    """The price that a wish itself names for renting or buying a card, in its currency; None where it names none."""
    unit = "hour" if channel is Channel.RENT else "card"
    for price in need.prices:
        if price.gpu == gpu.id and price.unit == unit and price.money.currency == need.currency:
            amount = price.money.amount
            return Quote(
                gpu=gpu.id,
                channel=channel,
                price=amount,
                low=amount,
                high=amount,
                standing=Standing.USER,
                provider="user",
                provider_name="",
                terms=price.terms,
                as_of=price.as_of,
                day=price.as_of.isoformat() if price.as_of else "",
                source="",
                original=price.money,
            )
    return None
