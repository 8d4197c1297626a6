"""What a card costs: every offer in one currency with its age, today's apart from records, cheapest first.

Purchase prices are shown as what they are: a launch price or an old used price keeps its year and is never today's.
Expired prices never decide: `cheapest_offer` returns none rather than one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from advisor.ageing import AGEING_DAYS, FRESH_DAYS, STALE_DAYS, Stands, rounded_range, stands
from advisor.claims import source_of
from advisor.models import Frozen, Gpu, Money, Offer, PricingModel, Step, step_of
from advisor.rates import CENT
from advisor.standing import newest_of_each

if TYPE_CHECKING:
    from advisor.catalog import Catalog

RENTAL = (PricingModel.ON_DEMAND, PricingModel.SPOT, PricingModel.RESERVED, PricingModel.MARKETPLACE)
PURCHASE = (PricingModel.PURCHASE_NEW, PricingModel.PURCHASE_USED, PricingModel.LAUNCH_PRICE)
_HOURLY = "gpu_hour"
_SERVER = "machine_month"
ONE_OFFER = "one-offer"
LOWEST = ("minimum", "from")
"""Tiers that name the cheapest offer of a page or a marketplace."""
_RANGES = "market"
"""Provider id of ranges over several providers: told, but nothing that one can book."""
_ASIDE = {"machine": "machines", "system_share": "systems"}
"""Units of purchase that are no price of a card alone, and where they are kept."""


class Age(StrEnum):
    """How far a price can be trusted to still stand. Expired prices never decide alone."""

    FRESH = "fresh"
    AGEING = "ageing"
    STALE = "stale"
    EXPIRED = "expired"

    @property
    def solid(self) -> bool:
        """Fresh or ageing: good enough to rank by."""
        return self in (Age.FRESH, Age.AGEING)


_ORDER = {age: rank for rank, age in enumerate(Age)}


def age_of(offer: Offer, on: date) -> Age:
    """Step of the ladder on a day. Records of their time are expired; an undated copy is stale at best."""
    days = (on - offer.as_of).days
    if offer.historical or days > STALE_DAYS:
        return Age.EXPIRED
    if offer.as_of_precision == "unknown" or days > AGEING_DAYS:
        return Age.STALE
    return Age.AGEING if days > FRESH_DAYS else Age.FRESH


class PricedOffer(Frozen):
    """An offer in the currency that was asked for, with its age and trail."""

    offer: Offer
    low: Money
    high: Money
    """Equal to `low` unless the source gives a range, or the price stands as one by its age (`advisor.ageing`)."""
    age: Age
    stands: Stands
    """How it stands on the day, in its own currency."""
    trace: Step

    @property
    def middle(self) -> Decimal:
        """The amount that a comparison uses, in the currency asked for: what the source states, in its middle."""
        return self.low.amount * self.stands.value / self.stands.low

    @property
    def asked(self) -> Money:
        """The amount for a sum: the lower end that the source states, whatever its age made of it."""
        amount = self.low.amount * self.stands.stated[0] / self.stands.low
        return Money(amount=amount.quantize(CENT), currency=self.low.currency)

    @property
    def converted(self) -> bool:
        """Whether the amounts were converted from another currency."""
        return self.low.currency != self.offer.currency

    @property
    def is_range(self) -> bool:
        """Whether the source gives a range, or its age makes it one."""
        return self.low.amount != self.high.amount


class PriceList(Frozen):
    """Everything on record about what some cards cost, in one currency on one day."""

    gpus: tuple[str, ...]
    currency: str
    on: date
    rent: tuple[PricedOffer, ...] = ()
    """Per GPU and hour, today's offers: solid ones first, then by price."""
    ranges: tuple[PricedOffer, ...] = ()
    """Market ranges per GPU and hour."""
    new: tuple[PricedOffer, ...] = ()
    """Street prices of new cards, newest first."""
    used: tuple[PricedOffer, ...] = ()
    machines: tuple[PricedOffer, ...] = ()
    """Complete computers, newest first."""
    systems: tuple[PricedOffer, ...] = ()
    """Per card of a complete system: told, never the price of a card."""
    launch: tuple[PricedOffer, ...] = ()
    """List prices of the day the card came out."""
    records: tuple[PricedOffer, ...] = ()
    """What things cost at their time: expired rentals, old used prices, newest first."""
    other: tuple[PricedOffer, ...] = ()
    """Subscriptions and servers by the month."""

    @property
    def servers(self) -> tuple[PricedOffer, ...]:
        """Whole servers by the month, newest first."""
        return tuple(one for one in self.other if one.offer.unit == _SERVER)

    @property
    def empty(self) -> bool:
        """Whether nothing at all is on record."""
        shelves = (self.rent, self.ranges, self.new, self.used, self.machines, self.systems, self.launch, self.records)
        return not any((*shelves, self.servers))


def launch_offer(gpu: Gpu) -> Offer | None:
    """The list price of the day a card came out, as an offer; None when price or day is not known."""
    if gpu.msrp_usd is None or gpu.release_date is None:
        return None
    return Offer(
        id=f"launch-{gpu.id}",
        provider="purchase",
        provider_name="",
        gpu=gpu.id,
        pricing_model=PricingModel.LAUNCH_PRICE,
        low=gpu.msrp_usd,
        high=gpu.msrp_usd,
        currency="USD",
        unit="card",
        as_of=gpu.release_date,
        market="US",
        confidence="B" if "msrp_usd" not in gpu.unverified else "C",
        historical=True,
        source=source_of(gpu, "msrp_usd"),
    )


def priced(catalog: Catalog, offer: Offer, currency: str, on: date) -> PricedOffer:
    """An offer in a currency, as it stands on a day. Raises NoRate when no rate is on record."""
    others = catalog.offers_for(offer.gpu) if offer.gpu else ()
    held = stands(offer, catalog.gpus.get(offer.gpu), on, others)
    low, high = (Money(amount=amount, currency=offer.currency) for amount in (held.low, held.high))
    named = f"{offer.provider_name or offer.provider} {offer.quoted_as or offer.gpu} {offer.pricing_model.value}"
    step = step_of(
        name=named.strip(),
        value=offer.low if offer.low == offer.high else f"{offer.low}-{offer.high}",
        unit=f"{offer.currency}/{offer.unit}",
        how="price",
        sources=(offer.source,) if offer.source else (),
        as_of=offer.as_of,
        rows=offer.rows,
    )
    step = _aged_step(step, held)
    if currency != offer.currency:
        rate = catalog.rate(offer.currency, currency, on)
        ends = rounded_range(held, rate.value)
        low, high = (Money(amount=amount.quantize(CENT), currency=currency) for amount in ends)
        factor = step_of(
            name=f"{offer.currency} to {currency}",
            value=rate.value.quantize(Decimal("0.0001")),
            unit=f"{currency}/{offer.currency}",
            how="rate",
            sources=(rate.source,),
            as_of=rate.as_of,
        )
        value = low.amount if low == high else f"{low.amount}-{high.amount}"
        step = step_of(
            name=f"{named.strip()} in {currency}",
            value=value,
            unit=f"{currency}/{offer.unit}",
            how="price x rate",
            inputs=(step, factor),
        )
    return PricedOffer(offer=offer, low=low, high=high, age=age_of(offer, on), stands=held, trace=step)


def _aged_step(step: Step, held: Stands) -> Step:
    """The trail of a price that stands as a range: what was stated, and how far its market may have moved since."""
    if not held.widened:
        return step
    how = "range of two reports of one seller" if held.since else f"price x or / {held.factor:.2f} ({held.segment})"
    value = f"{held.low}-{held.high}"
    return step_of(name=f"{step.name} as it stands", value=value, unit=step.unit, how=how, inputs=(step,))


_KEPT = 2048
"""Price lists kept per catalogue: several for every card; a catalogue is immutable, so they never go stale."""
_LISTS: WeakKeyDictionary[Catalog, dict[tuple[object, ...], PriceList]] = WeakKeyDictionary()


def price_of(
    catalog: Catalog,
    gpus: Sequence[Gpu],
    *,
    on: date,
    currency: str,
    provider: str | None = None,
    terms: Iterable[PricingModel] | None = None,
) -> PriceList:
    """Everything on record about some cards (the variants of a name) in one currency.

    Offers later than `on` are left out, so the day of a document can be replayed. Raises NoRate.
    """
    wanted = None if terms is None else frozenset(terms)
    key = (tuple(gpu.id for gpu in gpus), on, currency, provider, wanted)
    kept = _LISTS.setdefault(catalog, {})
    listed = kept.get(key)
    if listed is None:
        if len(kept) >= _KEPT:
            kept.clear()
        found = [one for gpu in gpus for one in _priced_offers(catalog, gpu, on, currency, provider, wanted)]
        listed = kept[key] = sorted_list(tuple(gpu.id for gpu in gpus), found, on, currency)
    return listed


def _priced_offers(
    catalog: Catalog, gpu: Gpu, on: date, currency: str, provider: str | None, terms: frozenset[PricingModel] | None
) -> list[PricedOffer]:
    """Today's offers of one card, its records, and its list price of old (rather than a rounded copy of it)."""
    held = catalog.offers_for(gpu.id, provider=provider, terms=terms, historical=None)
    offers = [one for one in held if one.as_of <= on]
    if not provider and (terms is None or PricingModel.LAUNCH_PRICE in terms):
        offers = _with_launch(offers, gpu, on)
    current = newest_of_each(one for one in offers if not one.historical)
    records = [one for one in offers if one.historical]
    return [priced(catalog, one, currency, on) for one in (*current, *records)]


def _with_launch(offers: list[Offer], gpu: Gpu, on: date) -> list[Offer]:
    launch = launch_offer(gpu)
    if launch is None or launch.as_of > on:
        return offers
    return [*(one for one in offers if one.pricing_model is not PricingModel.LAUNCH_PRICE), launch]


def sorted_list(gpus: tuple[str, ...], found: Iterable[PricedOffer], on: date, currency: str) -> PriceList:
    """Offers sorted into a price list."""
    shelves: dict[str, list[PricedOffer]] = {}
    for one in found:
        shelves.setdefault(_shelf(one), []).append(one)
    for name in ("rent", "ranges", "launch"):
        shelves.get(name, []).sort(key=_cheapest_first)
    for name in ("new", "used", "machines", "systems", "records", "other"):
        shelves.get(name, []).sort(key=_newest_first)
    return PriceList(gpus=gpus, currency=currency, on=on, **{name: tuple(held) for name, held in shelves.items()})


def _shelf(one: PricedOffer) -> str:
    offer = one.offer
    if offer.pricing_model is PricingModel.LAUNCH_PRICE:
        return "launch"
    if one.age is Age.EXPIRED:
        return "records"
    if offer.pricing_model in RENTAL and offer.unit == _HOURLY:
        return "ranges" if offer.provider == _RANGES else "rent"
    if offer.unit in _ASIDE:
        return _ASIDE[offer.unit]
    if offer.unit != "card":
        return "other"
    return "used" if offer.pricing_model is PricingModel.PURCHASE_USED else "new"


def _bound(offer: Offer) -> bool:
    """Whether a rental can be taken away, binds for long, or is only the lower end of what is asked."""
    return offer.pricing_model in (PricingModel.SPOT, PricingModel.RESERVED) or offer.tier in LOWEST


def rent_place(offer: Offer, held: Stands, *, converted: bool) -> tuple[bool, bool, bool, bool, bool]:
    """Order of rentals before their price: copies without a day last, prices of the asker's own market before
    converted ones, those of half a year before older ones, free ones before bound ones, those that stand as they are
    before widened ones."""
    undated = offer.as_of_precision == "unknown"
    return (undated, converted, held.check_first, _bound(offer), held.widened)


def _cheapest_first(one: PricedOffer) -> tuple[bool, bool, bool, bool, bool, Decimal, int, str]:
    place = rent_place(one.offer, one.stands, converted=one.converted)
    return (*place, one.middle, _ORDER[one.age], one.offer.id)


def _place_of(offer: Offer, held: Stands) -> tuple[bool, bool]:
    """Of purchase prices of one market: a single offer of a marketplace last, prices that stand as they are first."""
    return (offer.tier == ONE_OFFER, held.widened)


def _newest_first(one: PricedOffer) -> tuple[bool, bool, bool, int, Decimal, str]:
    """Prices of the asker's own market before converted ones."""
    return (one.converted, *_place_of(one.offer, one.stands), -one.offer.as_of.toordinal(), one.middle, one.offer.id)


def cheapest_offer(
    catalog: Catalog,
    gpu: Gpu,
    *,
    on: date,
    currency: str,
    terms: Iterable[PricingModel] = (PricingModel.ON_DEMAND,),
    provider: str | None = None,
) -> PricedOffer | None:
    """The cheapest offer of one card on these terms; a stale one only when nothing newer is known, never an expired."""
    listed = price_of(catalog, (gpu,), on=on, currency=currency, provider=provider, terms=terms)
    shelves = (*listed.rent, *sorted((*listed.new, *listed.used), key=_cheapest_first))
    return shelves[0] if shelves else None


class ProviderRange(Frozen):
    """What one provider asks for some cards, from the cheapest terms to the dearest; terms that bind or can be taken
    away only where it has no others."""

    provider: str
    provider_name: str
    low: Money
    high: Money
    as_of: date | None
    """None when the copy is not dated."""
    age: Age
    converted: bool = False


def _free(offers: list[PricedOffer]) -> list[PricedOffer]:
    """Offers on terms that neither bind nor can be taken away, where there are any."""
    return [one for one in offers if not _bound(one.offer)] or offers


def provider_ranges(listed: PriceList) -> tuple[ProviderRange, ...]:
    """Rentals of a price list by provider, cheapest first."""
    by_provider: dict[str, list[PricedOffer]] = {}
    for one in listed.rent:
        by_provider.setdefault(one.offer.provider, []).append(one)
    made = []
    for provider, listed_by in by_provider.items():
        offers = _free(listed_by)
        best = min(offers, key=lambda one: _ORDER[one.age])
        held = [one for one in offers if one.age is best.age]
        made.append(
            ProviderRange(
                provider=provider,
                provider_name=best.offer.provider_name,
                low=min((one.low for one in held), key=lambda money: money.amount),
                high=max((one.high for one in held), key=lambda money: money.amount),
                as_of=max((one.offer.as_of for one in held if one.offer.as_of_precision != "unknown"), default=None),
                age=best.age,
                converted=best.converted,
            )
        )
    return tuple(sorted(made, key=lambda one: (one.converted, not one.age.solid, one.low.amount, one.provider)))
