"""What has to be said beside a price: what it was on its day, whether one report names it, whose market it is of."""

from __future__ import annotations

from datetime import date

from advisor.ageing import Stands
from advisor.models import Money, Note, note_of
from advisor.prices import PricedOffer
from advisor.recommend.models import Quote


def mark_of(stands: Stands | None, currency: str, market: str, *, converted: bool, cards: int = 1) -> Note | None:
    """The remark that stands behind a price and its day; None for a price of the asker's market that stands as it is.

    Args:
        stands: how the price stands on the day; None for one that the user named.
        currency: of the price as its source states it.
        market: CN | US | EU | UK | INTL.
        converted: whether the answer shows it in another currency.
        cards: how many the price beside it is of; what the source states is one card's.
    """
    if stands is None or not (stands.widened or converted):
        return None
    low, high = (Money(amount=amount, currency=currency) for amount in stands.stated)
    return note_of(
        "price_mark",
        {
            "widened": stands.widened,
            "low": low,
            "high": high,
            "each": cards > 1,
            "since": _month(stands.since),
            "single": stands.widened and stands.one_report,
            "check": stands.widened and stands.check_first,
            "market": market if converted else "",
        },
    )


def _month(day: date | None) -> str:
    return day.isoformat()[:7] if day else ""


def mark_of_offer(one: PricedOffer) -> Note | None:
    """The remark of an offer of a price list."""
    return mark_of(one.stands, one.offer.currency, one.offer.market, converted=one.converted)


def mark_of_quote(quote: Quote, cards: int = 1) -> Note | None:
    """The remark of a quote that a recommendation or a comparison rests on, told as the price of so many cards."""
    currency = quote.original.currency if quote.original is not None else quote.currency
    return mark_of(quote.stands, currency, quote.market, converted=quote.converted, cards=cards)
