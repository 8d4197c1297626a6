"""What is held of a card's price: which shelf answers which question, for which market, from which sisters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import Final

from advisor.catalog import Catalog
from advisor.models import Gpu, Money, Offer, PricingModel, Provider
from advisor.prices import LOWEST, Age, PricedOffer, PriceList, price_of, sorted_list
from bot.answers.common import NamedGpu
from bot.core.message import Fact, fact_of

BOUGHT: Final = {
    "new": PricingModel.PURCHASE_NEW,
    "used": PricingModel.PURCHASE_USED,
    "launch": PricingModel.LAUNCH_PRICE,
}
"""Kinds of purchase prices, in the order in which one stands in for another."""
BUY: Final = "buy"
"""Asked without saying new or used: whichever is held."""
MARKETS: Final = {"CN": "CNY", "US": "USD"}
"""Countries whose providers and currency make a market of their own."""
MONTH: Final = "month"
SPOT: Final = "spot"
"""Asked for what may be interrupted."""
_RENTING: Final = frozenset({"rent", MONTH, SPOT})
_FEW: Final = 3
_A_MONTH: Final = "gpu_month"
_SHELVES: Final = ("rent", "ranges", "new", "used", "systems", "records", "other")
_RENTED: Final = ("rent",)
_SOLD: Final = ("new", "used", "machines", "systems", "launch")


@dataclass(frozen=True, slots=True)
class CardPrices:
    """The prices of one card as it was named, and which of them are told."""

    asked: str
    names: tuple[str, ...]
    prices: PriceList
    show_rent: bool
    show_buy: bool
    kind: str = ""
    """What was asked for: used | launch | month | spot | rent | new | buy; "" when it was left open."""
    home: str = ""
    """Currency of the market that was named."""

    @property
    def several(self) -> bool:
        """Whether several versions bear the name."""
        return len(self.names) > 1

    @property
    def asks_purchase(self) -> bool:
        """Whether a price to buy it was asked for."""
        return self.kind in BOUGHT or self.kind == BUY

    @property
    def asks_rent(self) -> bool:
        """Whether a price to rent it was asked for."""
        return self.kind in _RENTING

    @property
    def rent_leads(self) -> bool:
        """Whether the first line tells an hour: where both are open, no lowest listing, and no other market's hour
        before the own market's price to buy."""
        best = next(iter(self.prices.rent), None) if self.show_rent else None
        if best is None or self.kind or not (self.held and current(self.prices)):
            return best is not None
        sold = self.bought(self.held[0])
        at_home = not best.converted or all(one.converted for one in sold)
        return at_home and best.offer.tier not in LOWEST

    def bought(self, kind: str) -> tuple[PricedOffer, ...]:
        """The purchase prices of a kind that are told."""
        shown = self.show_buy and kind in BOUGHT
        return tuple(bought(self.prices, kind, self.home)) if shown else ()

    @property
    def held(self) -> tuple[str, ...]:
        """Kinds of purchase prices that there are to tell: records of their time last, then other markets' prices."""
        told = [kind for kind in BOUGHT if self.bought(kind)]
        return tuple(sorted(told, key=lambda kind: _standing(self.bought(kind))))

    @property
    def told(self) -> str:
        """Which kind of purchase price the first line tells."""
        if self.kind in BOUGHT:
            return self.kind
        leads = not self.kind and (self.show_rent or current(self.prices))
        return next(iter(self.held), "") if leads else ""


@dataclass(frozen=True, slots=True)
class Month:
    """A month of a card at one provider: its monthly price, or an hour of it many times."""

    offer: PricedOffer
    money: Money
    hourly: Money | None


def card_of(named: str, gpus: tuple[Gpu, ...], listed: PriceList, kind: str, market: str, *, rents: bool) -> CardPrices:
    """One card with what is shown of it: who rents is not told what it sells for, who buys not what it rents for.

    Where the price that was asked for is not held, or is only a record, the other side is shown after that is said.

    Args:
        named: as it was called.
        gpus: versions that the name covers.
        listed: their prices.
        kind: what was asked for, as in `CardPrices.kind`.
        market: country whose prices are wanted; empty for any.
        rents: whether the asker rents.
    """
    rented, sold = bool(listed.rent or listed.ranges), any(bought(listed, name) for name in BOUGHT)
    if kind == BUY:
        held = [name for name in ("new", "used") if bought(listed, name)]
        held.sort(key=lambda name: _standing(bought(listed, name)))
        kind = next((name for name in held if _is_answered(listed, name)), next(iter(held), BUY))
    rents = kind in (MONTH, SPOT) or (rents and kind not in {*BOUGHT, BUY})
    return CardPrices(
        asked=named,
        names=tuple(gpu.name for gpu in gpus),
        prices=listed,
        show_rent=rented and not _is_answered(listed, kind),
        show_buy=sold and not (rents and rented),
        kind=kind,
        home=MARKETS.get(market, ""),
    )


def _standing(prices: Iterable[PricedOffer]) -> tuple[bool, bool]:
    """Order of kinds of prices: those of today before records, those of the own market before converted ones."""
    held = tuple(prices)
    return all(one.age is Age.EXPIRED for one in held), all(one.converted for one in held)


def _is_answered(listed: PriceList, kind: str) -> bool:
    """Whether the purchase price that was asked for is held, and not only as a record."""
    if kind not in BOUGHT:
        return False
    return any(kind == "launch" or one.age is not Age.EXPIRED for one in bought(listed, kind))


def offered(listed: PriceList) -> bool:
    """Whether there is a price that is not only a record of its time."""
    return bool(listed.rent or listed.servers) or current(listed)


def at_home(listed: PriceList) -> bool:
    """Whether a price of today is asked in the market of the answer's currency."""
    return any(not one.converted for one in (*listed.rent, *listed.new, *listed.used, *listed.machines))


def current(listed: PriceList) -> bool:
    """Whether there is a purchase price that is not only a record of its time."""
    return bool(listed.new or listed.used or listed.machines)


def siblings(catalog: Catalog, one: NamedGpu, listed: PriceList) -> tuple[tuple[Gpu, ...], str, PriceList]:
    """Where a version of a card has no price, what its sister versions under the common name have."""
    for group in catalog.generic_gpus:
        if one.gpu.id in group.means:
            others = tuple(catalog.gpus[name] for name in group.means if name in catalog.gpus)
            found = price_of(catalog, others, on=listed.on, currency=listed.currency)
            if offered(found) and (at_home(found) or not offered(listed)):
                return others, group.name, found
    return (one.gpu,), one.asked, listed


def priced_versions(listed: PriceList, *, at_home: bool = False) -> list[str]:
    """Versions whose prices a list holds, each once; `at_home`: prices of the market of the answer's currency alone."""
    held = (*listed.rent, *listed.new, *listed.used, *listed.machines)
    return list(dict.fromkeys(one.offer.gpu for one in held if not (at_home and one.converted)))


def spot_alone(listed: PriceList) -> PriceList:
    """A price list whose rentals are those that may be interrupted, where there are any."""
    found = tuple(one for one in listed.rent if one.offer.pricing_model is PricingModel.SPOT)
    return listed.model_copy(update={"rent": found, "ranges": ()}) if found else listed


def within(catalog: Catalog, listed: PriceList, country: str) -> PriceList:
    """A price list with the rentals of one country's providers alone, where there are any."""
    home = tuple(
        one
        for one in listed.rent
        if (held := catalog.providers.get(one.offer.provider)) is not None and held.country == country
    )
    return listed.model_copy(update={"rent": home, "ranges": ()}) if home else listed


def conflicts(card: CardPrices) -> list[str]:
    """Disputes about the prices that the answer rests on: records count only when there is nothing newer."""
    held = card.prices
    rest = (*held.rent, *held.new, *held.used)
    return [one.offer.conflict for one in (rest or held.records) if one.offer.conflict]


def listed(catalog: Catalog, gpus: tuple[Gpu, ...], on: date, currency: str, providers: list[Provider]) -> PriceList:
    """Prices of a card, only those of the named providers when any is named."""
    if not providers:
        return price_of(catalog, gpus, on=on, currency=currency)
    lists = [price_of(catalog, gpus, on=on, currency=currency, provider=one.id) for one in providers]
    found = chain.from_iterable(getattr(one, shelf) for one in lists for shelf in _SHELVES)
    return sorted_list(tuple(gpu.id for gpu in gpus), found, on, currency)


def shown(card: CardPrices) -> list[PricedOffer]:
    """Offers that the full form prints, in its order."""
    shelves = (*(("rent", "ranges") if card.show_rent else ()), *(_SOLD if card.show_buy else ()), "records", "other")
    return [one for shelf in shelves for one in getattr(card.prices, shelf)]


def bought(listed: PriceList, kind: str, home: str = "") -> list[PricedOffer]:
    """Purchase prices of a kind, the newest of each version: today's, else those of systems, else old records.

    `home`: currency of the market that was named, whose prices go first.
    """
    if kind == "launch":
        return list(listed.launch[:_FEW])
    held = _of_kind(listed, kind, home)
    first: dict[str, date] = {}
    for one in held:  # the asker's own market first, prices that stand before widened ones, then the newest
        first.setdefault(one.offer.gpu, one.offer.as_of)
    newest = [one for one in held if one.offer.as_of == first[one.offer.gpu]]
    places = {gpu: place for place, gpu in enumerate(listed.gpus)}
    return sorted(newest, key=lambda one: places.get(one.offer.gpu, 0))[:_FEW]


def _of_kind(listed: PriceList, kind: str, home: str) -> tuple[PricedOffer, ...]:
    model = BOUGHT[kind]
    old = tuple(one for one in listed.records if one.offer.pricing_model is model and one.offer.unit == "card")
    today = listed.new or listed.machines if kind == "new" else listed.used
    own = tuple(one for one in (*today, *old) if one.offer.currency == home) if home else ()
    return own or today or old


def months(card: CardPrices) -> list[Month]:
    """A month at each provider: its monthly price, else its cheapest hour that is not cut short, 730 times."""
    if card.kind != MONTH:
        return []
    from advisor.money.bill import HOURS  # only where a month is asked for

    listed = card.prices
    made = [Month(one, one.low, None) for one in listed.other if one.offer.unit == _A_MONTH]
    hourly: dict[str, PricedOffer] = {}
    for one in listed.rent:
        if one.offer.pricing_model is not PricingModel.SPOT and one.age.solid:
            hourly.setdefault(one.offer.provider, one)
    known = {month.offer.offer.provider for month in made}
    for name, one in hourly.items():
        if name not in known:
            money = Money(amount=one.asked.amount * HOURS["month"], currency=one.low.currency)
            made.append(Month(one, money, one.asked))
    return sorted(made, key=lambda month: (month.hourly is not None, month.money.amount))


def facts(card: CardPrices, *, alone: bool) -> list[Fact]:
    """Every amount that is told as a fact for programs, the cheapest rental first."""
    shelves = (*(_RENTED if card.show_rent else ()), *(_SOLD if card.show_buy else ()), "records")
    return [
        _fact(shelf if alone else f"{card.asked}.{shelf}", one)
        for shelf in shelves
        for one in getattr(card.prices, shelf)
    ]


def _fact(name: str, one: PricedOffer) -> Fact:
    return fact_of(
        name=f"{name}.{one.offer.provider}",
        value=float(one.asked.amount),
        low=float(one.low.amount),
        high=float(one.high.amount),
        unit=f"{one.low.currency}/{one.offer.unit}",
        basis=one.age.value,
        sources=(one.offer.source,),
        as_of=one.offer.as_of,
    )


def day_of(offer: Offer) -> str:
    """The day of an offer as exactly as it is known; of a launch price its year; empty for an undated copy."""
    return offer.day[:4] if offer.pricing_model is PricingModel.LAUNCH_PRICE else offer.day
