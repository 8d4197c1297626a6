"""The second-hand price that a card is judged by: which one it is, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

from advisor.models import Gpu, Money
from advisor.recommend import Need
from advisor.recommend.market import home_market, market
from advisor.recommend.models import Quote
from bot.answers.choose.used_lines import Judged
from bot.answers.choose.wishes import market_currency_of, region_of
from bot.answers.money.marks import mark_of_quote
from bot.core.request import Request


def used_quote(request: Request, gpu: Gpu, currency: str) -> Quote | None:
    """The newest second-hand price on record, however old."""
    made = market(request.services.catalog, request.now.date(), currency)
    used = [quote for quote in made.buy.get(gpu.id, ()) if quote.terms == "purchase_used"]
    home = home_market(Need(currency=currency, region=region_of(market_currency_of(request))))
    newest = max(used, key=lambda quote: _deciding(quote, home), default=None)
    if newest is None:
        return None
    alike = [quote for quote in used if (quote.as_of, quote.source) == (newest.as_of, newest.source)]
    return ranged(alike) if len(alike) > 1 else newest


def _deciding(quote: Quote, home: str) -> tuple[bool, bool, bool, date, Decimal]:
    """Prices that may decide first, the asker's own market before others, then the newest."""
    widened = quote.stands is not None and quote.stands.widened
    return (quote.standing.solid, quote.market == home, not widened, quote.as_of or date.min, quote.price)


def ranged(quotes: Sequence[Quote]) -> Quote:
    """Prices that one source gives for one day, as the span they are: a source at odds with itself has no one price."""
    low, high = min(quote.low for quote in quotes), max(quote.high for quote in quotes)
    held = [quote.stands for quote in quotes if quote.stands is not None]
    stands = replace(held[0], low=min(one.low for one in held), high=max(one.high for one in held)) if held else None
    return replace(quotes[0], low=low, high=high, price=(low + high) / 2, stands=stands)


def with_price(request: Request, card: Judged, quote: Quote, currency: str) -> Judged:
    """A judged card with a price: in whose market it was asked, of which day, and what has to be said beside it."""
    low, high = _money_of_quote(request, quote, currency)
    unconverted = low.currency != currency
    solid = quote.standing.solid
    return card.model_copy(
        update={
            "price": low,
            "high": high if quote.ranged else None,
            "dated": quote.day if solid else quote.day[:4],
            "mark": None if unconverted else mark_of_quote(quote, named=True),
            "market": quote.market if unconverted or not quote.converted else "",
            "old": not solid,
            "source": quote.source,
        }
    )


def _money_of_quote(request: Request, quote: Quote, currency: str) -> tuple[Money, Money]:
    """Lowest and highest price; a record of its year stays in the money of its source."""
    own = quote.original.currency if quote.original else currency
    if quote.standing.solid or own == currency:
        return Money(amount=quote.low, currency=currency), Money(amount=quote.high, currency=currency)
    if quote.stands is not None:
        return Money(amount=quote.stands.low, currency=own), Money(amount=quote.stands.high, currency=own)
    factor = request.services.catalog.rate(own, currency, request.now.date()).value
    low, high = ((amount / factor).quantize(Decimal(1)) for amount in (quote.low, quote.high))
    return Money(amount=low, currency=own), Money(amount=high, currency=own)
