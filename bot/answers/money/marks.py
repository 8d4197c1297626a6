"""What has to be said beside a price: what it was on its day, whether one report names it, whose market it is of."""

from __future__ import annotations

from datetime import date
from typing import Final

from advisor.ageing import Stands
from advisor.models import Money, Note, Offer, PricingModel, note_of
from advisor.prices import PricedOffer
from advisor.recommend.models import Channel, Quote

_MARKET_OF: Final = {"CNY": "CN", "EUR": "EU", "GBP": "UK"}
"""Money that is asked in one market alone; dollars are asked in many."""
_BOUGHT: Final = frozenset({PricingModel.PURCHASE_NEW, PricingModel.PURCHASE_USED})
_NOBODY: Final = "market"
"""Who asks what is known of a whole market."""
_NOTHING: Final[dict[str, object]] = {
    "widened": False,
    "low": None,
    "high": None,
    "each": False,
    "since": "",
    "single": False,
    "check": False,
    "partly": False,
}
"""A remark that says nothing."""


def market_said(currency: str, market: str, *, converted: bool, named: bool = False) -> str:
    """Whose market is said beside a price: where its money is no longer the source's, or is asked in many markets.

    Args:
        currency: of the price as its source states it.
        market: CN | US | EU | UK | INTL.
        converted: whether the answer shows it in another currency.
        named: whether its seller or its market stands beside it already.
    """
    told = converted or not (named or _MARKET_OF.get(currency) == market)
    return market if told else ""


def mark_of(
    stands: Stands | None, currency: str, market: str, *, converted: bool, named: bool = False, cards: int = 1
) -> Note | None:
    """The remark that stands behind a price and its day; None for a price of a plain market that stands as it is.

    Args:
        stands: how the price stands on the day; None for one that the user named.
        currency: of the price as its source states it.
        market: CN | US | EU | UK | INTL.
        converted: whether the answer shows it in another currency.
        named: whether its seller or its market stands beside it already.
        cards: how many the price beside it is of; what the source states is one card's.
    """
    if stands is None:
        return None
    said = market_said(currency, market, converted=converted, named=named)
    if not (stands.widened or said):
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
            "market": said,
            "converted": converted,
            "partly": False,
        },
    )


def _month(day: date | None) -> str:
    return day.isoformat()[:7] if day else ""


def mark_of_offer(one: PricedOffer, *, named: bool = False) -> Note | None:
    """The remark of an offer of a price list; `named`: its market stands beside it already."""
    offer = one.offer
    named = named or (offer.pricing_model not in _BOUGHT and offer.provider != _NOBODY)
    return mark_of(one.stands, offer.currency, offer.market, converted=one.converted, named=named)


def mark_of_quote(quote: Quote, cards: int = 1, *, named: bool = False) -> Note | None:
    """The remark of a quote that a recommendation or a comparison rests on, told as the price of so many cards."""
    currency = quote.original.currency if quote.original is not None else quote.currency
    named = named or (quote.channel is Channel.RENT and quote.provider != _NOBODY)
    return mark_of(quote.stands, currency, quote.market, converted=quote.converted, named=named, cards=cards)


def market_alone(*marks: Note | None) -> Note | None:
    """Of the remarks of one price or several the market alone, for a sentence that has room for no more.

    Prices of which only some are of another market say that, too.
    """
    told = [one for one in marks if one is not None and one.values.get("market")]
    if not told:
        return None
    first = max(told, key=lambda one: bool(one.values["converted"])).values
    values = {"market": first["market"], "converted": first["converted"], "partly": len(told) < len(marks)}
    return note_of("price_mark", {**_NOTHING, **values})


def market_of(offer: Offer) -> Note | None:
    """Whose market a price is of that is told in its own money."""
    said = market_said(offer.currency, offer.market, converted=False)
    return note_of("price_mark", {**_NOTHING, "market": said, "converted": False}) if said else None
