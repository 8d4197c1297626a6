"""Prices of cards as comparisons show them: purchase and rental with their day, and the facts behind them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from advisor.models import Frozen, Gpu, Money, Note
from advisor.recommend.market import Market, buy_quotes, market, rent_quote
from advisor.recommend.models import Need, Quote, Standing
from bot.answers.choose.offers import seller_named
from bot.answers.choose.own_prices import own_prices
from bot.answers.choose.wishes import currency_of, market_currency_of, region_of
from bot.answers.money.marks import mark_of_quote
from bot.core.message import Fact, fact_of
from bot.core.request import Request

_OTHER_MARKET = "CN"
_LOW = "C"
"""Confidence of prices that one report names."""


class PriceView(Frozen):
    """One price as a table shows it."""

    price: Money
    low: Money
    high: Money
    ranged: bool
    channel: str
    """rent | buy"""
    terms: str
    standing: str
    dated: str
    source: str
    solid: bool
    as_of: date | None = None
    unsure: bool = False
    """Of low confidence by its record."""
    abroad: bool = False
    """Of another market than the question's: the card is not sold there."""
    mark: Note | None = None
    """What has to be said beside the price."""
    seller: str = ""
    """Who lets it; empty for what is bought and for what a whole market asks."""
    variant: str = ""
    """The card that is priced, when it is another variant of the name than the one compared."""

    @property
    def launch(self) -> bool:
        """Only the price of the day it came out is known."""
        return self.standing == Standing.LAUNCH.value


class Prices:
    """Today's rental and purchase prices of cards, in the currency of the question."""

    def __init__(self, request: Request, gpus: Sequence[Gpu] = ()) -> None:
        """Open the market of the question's currency, with the prices that the user quoted for some of the cards."""
        self.currency = currency_of(request)
        self._request = request
        own = own_prices(request, list(gpus))
        self._need = Need(currency=self.currency, region=region_of(market_currency_of(request)), prices=own)
        self._catalog = request.services.catalog
        self._market: Market = market(request.services.catalog, request.now.date(), self.currency)
        self._abroad = self._need.model_copy(update={"region": "" if self._need.region else _OTHER_MARKET})
        self._places = (*self._at_named(), self._need, self._abroad)

    def _at_named(self) -> tuple[Need, ...]:
        """The platform that is named, where its prices are wanted before those of any other."""
        named = self._request.slot("provider")
        found = self._catalog.find_provider(named) if isinstance(named, str) else None
        return (self._need.model_copy(update={"region": "", "providers": (found.id,)}),) if found is not None else ()

    def rent(self, gpu: Gpu, n: int = 1, others: Sequence[Gpu] = ()) -> PriceView | None:
        """Cheapest rental of n cards an hour, the firmest price first: of this variant, of another one, or abroad."""
        found: list[tuple[tuple[bool, int, int, int], Gpu, Quote]] = []
        for place, one in enumerate((gpu, *others)):
            for market_place, need in enumerate(self._places):
                quote = rent_quote(self._market, one, need)
                if quote is not None:
                    kin = 0 if place == 0 else 1 if one.vram_gib == gpu.vram_gib else 2
                    found.append(((not need.providers, quote.firmness, kin, market_place), one, quote))
        if not found:
            return None
        _, one, quote = min(found, key=lambda entry: entry[0])
        view = self._view(quote, n)
        return view.model_copy(update={"variant": one.name}) if view and one is not gpu else view

    def buy(self, gpu: Gpu, n: int = 1) -> PriceView | None:
        """Purchase of n cards: a price of today if there is one, else the record that is known."""
        quotes = buy_quotes(self._market, gpu, self._need)
        abroad = not quotes
        if abroad:
            quotes = buy_quotes(self._market, gpu, self._abroad)
        best = next((one for one in quotes if one.standing.solid), quotes[0] if quotes else None)
        view = self._view(best, n)
        return view.model_copy(update={"abroad": True}) if view and abroad else view

    def _unsure(self, quote: Quote) -> bool:
        offers = self._catalog.offers_for(quote.gpu, historical=None)
        return any(offer.id == quote.offer and offer.confidence == _LOW for offer in offers)

    def _view(self, quote: Quote | None, n: int) -> PriceView | None:
        if quote is None:
            return None
        old = quote.standing in (Standing.LAUNCH, Standing.EXPIRED)
        day = quote.as_of
        return PriceView(
            price=self._money(quote.price * n),
            low=self._money(quote.low * n),
            high=self._money(quote.high * n),
            ranged=quote.ranged,
            channel=quote.channel.value,
            terms=quote.terms,
            standing=quote.standing.value,
            dated="" if day is None else str(day.year) if old else quote.day or day.isoformat(),
            source=quote.source,
            solid=quote.standing.solid,
            unsure=self._unsure(quote),
            as_of=day,
            mark=mark_of_quote(quote, n),
            seller=seller_named(self._request, quote),
        )

    def _money(self, amount: Decimal) -> Money:
        return Money(amount=amount, currency=self.currency)


def price_facts(name: str, view: PriceView) -> Fact:
    """A price as a fact."""
    return fact_of(
        name=name,
        value=float(view.price.amount),
        low=float(view.low.amount) if view.ranged else None,
        high=float(view.high.amount) if view.ranged else None,
        unit=f"{view.price.currency}/h" if view.channel == "rent" else view.price.currency,
        basis=f"{view.terms} {view.standing}",
        sources=(view.source,) if view.source else (),
        as_of=view.as_of,
    )
