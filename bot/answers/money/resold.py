"""What a card is bought for and sold for afterwards, where a message tells both beside the price of an hour."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from advisor.models import Money
from bot.answers.choose.wishes import currency_of
from bot.core.request import Request


def with_sale(request: Request, card: str) -> tuple[Request, Money | None]:
    """The request with what the card is bought for, and what it is sold for afterwards; None where nothing says so.

    Args:
        request: the question.
        card: the card that is bought.
    """
    if not (request.heard.shows("deal", "sale") or request.heard.shows("deal", "sold")):
        return request, None
    currency, (paid, back) = currency_of(request), request.heard.sale
    if paid is not None:
        bought = {"of": card, "unit": "card", "amount": paid, "currency": currency}
        hourly = [one for one in request.slot("prices") or () if one.get("unit") == "hour"]
        request = replace(request, slots={**request.slots, "prices": [*hourly, bought]})
    return request, None if back is None else Money(amount=Decimal(str(back)), currency=currency)
