"""What cards can be had for, in one currency on one day: offers of the catalogue turned into quotes.

An offer becomes a quote when somebody could act on it: spot and reserved terms, market averages and marketplace minima
are left out unless they are wished for. A launch price is a quote of its own standing, never today's price.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from advisor.ageing import AGEING_DAYS, FRESH_DAYS, STALE_DAYS, Stands, rounded_range, stands
from advisor.claims import source_of
from advisor.errors import NoRate
from advisor.models import Gpu, Money, Offer, PricingModel
from advisor.money.bill import NODE_SIZES
from advisor.prices import ONE_OFFER, age_of
from advisor.recommend.home import is_modified
from advisor.recommend.models import Channel, Need, Quote, Standing, firmness_of, paid_cards
from advisor.recommend.need import plainly
from advisor.recommend.own_prices import own_price
from advisor.recommend.settings import settings
from advisor.standing import newest_of_each

if TYPE_CHECKING:
    from advisor.catalog import Catalog
    from advisor.recommend.ground import Ground, Stock

_RENTAL = frozenset({PricingModel.ON_DEMAND, PricingModel.RESERVED, PricingModel.MARKETPLACE, PricingModel.SPOT})
_PURCHASE = frozenset({PricingModel.PURCHASE_NEW, PricingModel.PURCHASE_USED, PricingModel.LAUNCH_PRICE})
_BOUND = (PricingModel.SPOT.value, PricingModel.RESERVED.value)
"""Terms that can be taken away at any moment, or bind for long."""
_SOLD_DAYS = 4 * 365  # after two generations a card is no longer sold new: its list price buys nothing
_RECORD_DAYS = 365  # a price kept as a record of its time was today's price once: only then may it decide
_KEPT_VIEWS = 64
_MODULE = "module"
_USED = PricingModel.PURCHASE_USED.value
_MODULES = frozenset({"sxm", "oam", "socket", "superchip", "module"})
"""Forms that only a board of their own takes: second-hand ones are no card that somebody can plug in."""
_MARKET_OF = {"CNY": "CN", "USD": "US", "EUR": "EU", "GBP": "UK"}

View = dict[str, tuple[Quote, ...]]
"""Quotes one need may use, by card."""


@dataclass(slots=True)
class Market:
    """Quotes by card for one day and currency. The order of the catalogue leaves no trace."""

    today: date
    currency: str
    rent: dict[str, tuple[Quote, ...]] = field(default_factory=dict)
    buy: dict[str, tuple[Quote, ...]] = field(default_factory=dict)
    nodes: set[str] = field(default_factory=set)  # let in wholes: what is cheapest depends on the count
    views: dict[tuple[object, ...], View] = field(default_factory=dict)
    shelves: dict[tuple[object, ...], tuple[Stock, ...]] = field(default_factory=dict)
    grounds: dict[tuple[object, ...], Ground] = field(default_factory=dict)
    """Both are kept by `advisor.recommend.ground`."""


_MARKETS: WeakKeyDictionary[Catalog, dict[tuple[date, str], Market]] = WeakKeyDictionary()


def market(catalog: Catalog, today: date, currency: str) -> Market:
    """The market of a day in a currency, made once per catalogue; only the newest day is kept."""
    kept = _MARKETS.setdefault(catalog, {})
    found = kept.get((today, currency))
    if found is None:
        for key in [key for key in tuple(kept) if key[0] != today]:
            kept.pop(key, None)
        found = kept[(today, currency)] = _build(catalog, today, currency)
    return found


def quotes_for(catalog: Catalog, today: date, need: Need) -> View:
    """Every card that can be had by this need, with the quotes it may use."""
    made = market(catalog, today, need.currency)
    key = view_key(need)
    found = made.views.get(key)
    if found is None:
        if len(made.views) >= _KEPT_VIEWS:
            made.views.clear()
        found = made.views[key] = _view(catalog, made, need)
    return found


def view_key(need: Need) -> tuple[object, ...]:
    """What the quotes of a need depend on, beside its day and currency."""
    return (need.providers, need.region, need.excluded_terms, need.prices, need.gpu_count)


def _view(catalog: Catalog, made: Market, need: Need) -> View:
    plain = plainly(need)
    view = {} if plain is None else dict(quotes_for(catalog, made.today, plain))
    touched = made.rent.keys() | made.buy.keys() if plain is None else made.nodes | {one.gpu for one in need.prices}
    for gpu in filter(None, map(catalog.gpus.get, touched)):
        quotes = (*filter(None, (rent_quote(made, gpu, need),)), *buy_quotes(made, gpu, need))
        if quotes:
            view[gpu.id] = quotes
    return view


def _build(catalog: Catalog, today: date, currency: str) -> Market:
    made = Market(today, currency)
    for gpu, dated in _day(catalog, today):
        quotes = list(_todays_quotes(catalog, dated, today, currency))
        rent = sorted((one for one in quotes if one.channel is Channel.RENT), key=_rent_order)
        buy = sorted(_bought(catalog, gpu, quotes, made), key=_buy_order)
        if rent:
            made.rent[gpu.id] = tuple(rent)
        if buy:
            made.buy[gpu.id] = tuple(buy)
    made.nodes = {gpu for gpu, rent in made.rent.items() if max(map(_together, rent)) > 1}
    return made


def _together(quote: Quote) -> int:
    return quote.together


def _bought(catalog: Catalog, gpu: Gpu, quotes: Iterable[Quote], made: Market) -> list[Quote]:
    """What a card is sold for, its list price where no offer stands for that."""
    buy = [one for one in quotes if one.channel is Channel.BUY]
    launch = _launch(catalog, gpu, made.today, made.currency)
    known = launch is None or any(one.terms == launch.terms for one in buy)
    return buy if known or launch is None else [*buy, launch]


def _todays_quotes(catalog: Catalog, dated: Iterable[_Dated], today: date, currency: str) -> Iterator[Quote]:
    """What one card is offered for in a currency, without what is sold no longer."""
    for one in dated:
        quote = _quote(catalog, one, today, currency)
        if quote is not None and not _sold_out(quote, today):
            yield quote


class _Dated(NamedTuple):
    """An offer that somebody could act on, as it stands on a day: the same in every currency."""

    offer: Offer
    channel: Channel
    held: Stands
    standing: Standing
    firmness: int


_Day = tuple[tuple[Gpu, tuple[_Dated, ...]], ...]
_DAYS: WeakKeyDictionary[Catalog, tuple[date, _Day]] = WeakKeyDictionary()
"""The newest day of each catalogue."""


def _day(catalog: Catalog, today: date) -> _Day:
    """Each card with what is offered of it on a day: two thirds of a market, shared by all currencies."""
    kept = _DAYS.get(catalog)
    if kept is None or kept[0] != today:
        listed = tuple((gpu, tuple(_dated(catalog, gpu, today))) for gpu in catalog.gpus.values())
        kept = _DAYS[catalog] = (today, listed)
    return kept[1]


def _dated(catalog: Catalog, gpu: Gpu, today: date) -> Iterator[_Dated]:
    """What one card was offered for, of places that somebody can go to."""
    ignored_places, ignored_tiers = settings().not_places, settings().not_tiers
    offers = catalog.offers_for(gpu.id, historical=None)
    for offer in _newest(offers, today):
        channel = _channel(offer)
        if channel is None or offer.provider in ignored_places or offer.tier in ignored_tiers:
            continue
        standing = _standing(offer, today)
        held = stands(_recent(offer, today), gpu, today, offers)
        yield _Dated(offer, channel, held, standing, _firmness(offer, standing, channel, gpu))


def _channel(offer: Offer) -> Channel | None:
    """Whether a card is rented or bought by an offer; None where it is of something else."""
    if offer.pricing_model in _RENTAL and offer.unit == "gpu_hour":
        return Channel.RENT
    return Channel.BUY if offer.unit == "card" and offer.pricing_model in _PURCHASE else None


def _newest(offers: tuple[Offer, ...], today: date) -> tuple[Offer, ...]:
    """What was known on a day, of prices that differ only in their day the newest; records of their time are kept."""
    known = [one for one in offers if one.as_of <= today]
    return (*newest_of_each(one for one in known if not one.historical), *(one for one in known if one.historical))


def _rent_order(quote: Quote) -> tuple[int, Decimal, str, str]:
    return (quote.firmness, quote.price, quote.provider, quote.offer)


_BUY_RANK = {Standing.LAUNCH: 1, Standing.EXPIRED: 2}


def _buy_order(quote: Quote) -> tuple[int, bool, bool, int, Decimal, str]:
    rank = _BUY_RANK.get(quote.standing, 0)
    newest = -(quote.as_of.toordinal() if quote.as_of else 0)
    widened = quote.stands is not None and quote.stands.widened
    return (rank, quote.tier == ONE_OFFER, widened, newest, quote.price, quote.offer)


def _sold_out(quote: Quote, today: date) -> bool:
    """A list price of a card that is no longer sold new."""
    launched = quote.standing is Standing.LAUNCH and quote.as_of is not None
    return launched and (today - (quote.as_of or today)).days > _SOLD_DAYS


def _standing(offer: Offer, today: date) -> Standing:
    if offer.pricing_model is PricingModel.LAUNCH_PRICE:
        return _launch_standing(offer.as_of, today)
    return Standing(age_of(_recent(offer, today), today).value)


def _recent(offer: Offer, today: date) -> Offer:
    """A record of its time that was a price of the last year on the day asked about, as a price."""
    if offer.historical and (today - offer.as_of).days <= _RECORD_DAYS:
        return offer.model_copy(update={"historical": False})
    return offer


def _launch_standing(day: date, today: date) -> Standing:
    """A list price ages like any other price; once it is a year old it is a record of its day."""
    days = (today - day).days
    if days > STALE_DAYS:
        return Standing.LAUNCH
    return Standing.FRESH if days <= FRESH_DAYS else Standing.AGEING if days <= AGEING_DAYS else Standing.STALE


def _quote(catalog: Catalog, dated: _Dated, today: date, currency: str) -> Quote | None:
    offer, channel, held, standing, firmness = dated
    try:
        factor = catalog.rate(offer.currency, currency, today).value
    except NoRate:
        return None
    low, high = rounded_range(held, factor)
    return Quote(
        gpu=offer.gpu,
        channel=channel,
        price=min(max(held.value * factor, low), high),
        low=low,
        high=high,
        standing=standing,
        provider=offer.provider,
        provider_name=offer.provider_name,
        terms=offer.pricing_model.value,
        as_of=None if offer.as_of_precision == "unknown" else offer.as_of,
        source=offer.source,
        tier=offer.tier,
        together=NODE_SIZES.get(offer.tier, 1),
        original=Money(amount=held.value, currency=offer.currency),
        currency=currency,
        market=offer.market,
        stands=held,
        offer=offer.id,
        day=offer.day,
        firmness=firmness,
    )


def _firmness(offer: Offer, standing: Standing, channel: Channel, gpu: Gpu) -> int:
    """As `firmness_of`; a modified card, without the maker's warranty, yields to cards as they are sold."""
    firmness = firmness_of(standing, offer.pricing_model.value, channel)
    return max(firmness, 1) if is_modified(gpu) else firmness


def _launch(catalog: Catalog, gpu: Gpu, today: date, currency: str) -> Quote | None:
    """The list price of the day a card came out, as a quote of that day."""
    since = gpu.known_on
    if gpu.msrp_usd is None or since is None or not 0 <= (today - since).days <= _SOLD_DAYS:
        return None
    try:
        price = gpu.msrp_usd * catalog.rate("USD", currency, today).value
    except NoRate:
        return None
    standing = _launch_standing(since, today)
    return Quote(
        gpu=gpu.id,
        channel=Channel.BUY,
        price=price,
        low=price,
        high=price,
        standing=standing,
        provider="purchase",
        provider_name="",
        terms=PricingModel.LAUNCH_PRICE.value,
        as_of=since,
        source=source_of(gpu, "msrp_usd"),
        original=Money(amount=gpu.msrp_usd, currency="USD"),
        currency=currency,
        market="US",
        firmness=firmness_of(standing, PricingModel.LAUNCH_PRICE.value, Channel.BUY),
    )


# --- what one need may use ------------------------------------------------------------------------------------------


def rent_quote(made: Market, gpu: Gpu, need: Need) -> Quote | None:
    """The cheapest rental that this need may use; terms that can be taken away at any moment only when wished for."""
    own = own_price(need, gpu, Channel.RENT)
    if own:
        return own
    usable = (quote for quote in made.rent.get(gpu.id, ()) if _may_rent(quote, need))
    return min(usable, key=lambda quote: _rental_place(quote, need), default=None)


def _may_rent(quote: Quote, need: Need) -> bool:
    """Whether a rental is reachable on terms that are wanted; bound terms only where their provider is named."""
    wanted = quote.terms not in need.excluded_terms and _reachable(quote.provider, need)
    return wanted and (quote.terms not in _BOUND or bool(need.providers))


def _rental_place(quote: Quote, need: Need) -> tuple[int, int, bool, Decimal]:
    """What can be counted on first, members' and bound terms after open ones, prices that stand before widened ones."""
    terms = 2 if quote.terms in _BOUND else 1 if quote.tier == "member" else 0
    widened = quote.stands is not None and quote.stands.widened
    return (quote.firmness, terms, widened, quote.price * _pays(quote, need))


def _pays(quote: Quote, need: Need) -> int:
    """Cards to pay for when one is wanted, or as many as the need names."""
    return paid_cards(need.gpu_count or 1, quote)


def _reachable(provider: str, need: Need) -> bool:
    """Whether a provider is named, or serves the market the need comes from."""
    if need.providers:
        return provider in need.providers
    regions = settings().regions
    if need.region in regions:
        return provider in regions[need.region].providers
    return not any(provider in region.providers for region in regions.values())


def buy_quotes(made: Market, gpu: Gpu, need: Need) -> tuple[Quote, ...]:
    """The purchases that this need may use: the best new one and, unless excluded, the best used one."""
    own = own_price(need, gpu, Channel.BUY)
    if own:
        return (own,)
    home = home_market(need)
    usable = [one for one in made.buy.get(gpu.id, ()) if _may_buy(one, gpu, need, home)]
    usable.sort(key=lambda quote: _from_abroad(quote, home))
    best: dict[bool, Quote] = {}
    for quote in usable:
        best.setdefault(quote.terms == _USED, quote)
    if len(best) == 2 and not best[False].standing.solid:
        best.pop(False)
    return tuple(best[used] for used in (False, True) if used in best)


def _may_buy(quote: Quote, gpu: Gpu, need: Need, home: str) -> bool:
    """Whether a purchase is on terms that are wanted, at prices that are open to the asker, of what one can plug in."""
    if quote.terms in need.excluded_terms or not _is_open(quote.market, home):
        return False
    return _may_buy_used(quote, gpu) if quote.terms == _USED else _sold_here(quote, gpu, need, home)


def _may_buy_used(quote: Quote, gpu: Gpu) -> bool:
    """Second-hand prices of today; a module for a server's board is nothing that somebody can plug in."""
    return quote.standing.solid and gpu.mount not in _MODULES


def _sold_here(quote: Quote, gpu: Gpu, need: Need, home: str) -> bool:
    """Whether a new card can be had where the need comes from: a price of that market is proof enough.

    A module for a board of one's own design is no card that somebody can plug in.
    """
    if gpu.mount == _MODULE:
        return False
    region = settings().regions.get(need.region)
    return quote.market == home or region is None or gpu.id not in region.not_sold_new


def home_market(need: Need) -> str:
    """Market that a need comes from: by its region, else by its currency."""
    return need.region or _MARKET_OF.get(need.currency, "US")


def _is_open(market: str, home: str) -> bool:
    """Whether somebody can buy at prices of a market: those of a region of its own are for who is there."""
    return market == home or market not in settings().regions


def _from_abroad(quote: Quote, home: str) -> tuple[bool, bool]:
    """Prices of the asker's market first, as far as they may decide at all."""
    return (not quote.standing.solid, quote.market != home)
