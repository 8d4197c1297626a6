"""A price as a phrase: from low to high in its currency, where and on which terms, of which day and how that stands."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from advisor.catalog import Catalog
from advisor.models import Money, PricingModel
from advisor.prices import Age, PricedOffer, ProviderRange
from bot.answers.choose.offer_lines import rounded
from bot.answers.money.marks import mark_of_offer
from bot.answers.money.price_shelves import day_of
from bot.core.line import Label, Line, Single, amount

_OLD: Final = frozenset({Age.STALE, Age.EXPIRED})
_YEAR: Final = 4
"""Letters of a day of which only the year is known."""


@dataclass(frozen=True, slots=True)
class Names:
    """Names of cards and providers in one language."""

    catalog: Catalog
    is_zh: bool

    def seller(self, one: PricedOffer) -> str:
        """Who asks a price."""
        return self.provider(one.offer.provider, one.offer.provider)

    def provider(self, name: str, fallback: str) -> str:
        """A provider by its id; `fallback` where it is not on record."""
        record = self.catalog.providers.get(name)
        if record is None:
            return fallback
        return record.name_zh if self.is_zh and record.name_zh else record.name

    def card(self, one: PricedOffer) -> str:
        """The card of a price, or what its source calls it."""
        gpu = self.catalog.gpus.get(one.offer.gpu)
        return gpu.name if gpu is not None else one.offer.quoted_as

    def version(self, one: PricedOffer) -> str | None:
        """The version of a card that a price is for; None for what is no card on record."""
        gpu = self.catalog.gpus.get(one.offer.gpu)
        return gpu.name if gpu is not None else None


def span(low: Money, high: Money) -> Single:
    """Money from low to high, once where both are the same."""
    ends = amount(rounded(low)), amount(rounded(high))
    return ends[0] if low.amount == high.amount else Line("price.span", {"low": ends[0], "high": ends[1]})


def price(one: PricedOffer) -> Single:
    """A price as it stands: a launch price in its own currency, a converted one with what it was converted from."""
    own = one.offer.currency
    if one.offer.pricing_model is PricingModel.LAUNCH_PRICE:
        return stated(one)
    if not one.converted:
        return span(one.low, one.high)
    stands = span(_money(one.stands.low, own), _money(one.stands.high, own))
    return Line("price.converted", {"own": stands, "about": span(one.low, one.high)})


def stated(one: PricedOffer) -> Single:
    """A price as its source states it, in its own currency."""
    return span(_money(one.offer.low, one.offer.currency), _money(one.offer.high, one.offer.currency))


def _money(value: Decimal, currency: str) -> Money:
    return Money(amount=value, currency=currency)


def hourly(one: PricedOffer) -> Line:
    """What an hour costs at least."""
    code = "price.hourly" if one.is_range else "price.hourly_from"
    return Line(code, {"price": span(one.low, one.high)})


def terms(one: PricedOffer) -> Line:
    """How and where a price is offered."""
    tier, region = one.offer.tier, one.offer.region
    return Line(
        "price.terms",
        {
            "terms": Label(one.offer.pricing_model.value, "pricing"),
            "tier": Label(tier, "tier") if tier else None,
            "region": region or None,
        },
    )


def day(one: PricedOffer) -> Single:
    """The day of a price, as exactly as it is known."""
    known = day_of(one.offer)
    if not known:
        return Label("undated", "price")
    return Line("price.year", {"year": known}) if len(known) == _YEAR else known


def dated(one: PricedOffer) -> Single:
    """The day of a price with what has to be said beside it; a launch price is of its day and nothing else."""
    if one.offer.pricing_model is PricingModel.LAUNCH_PRICE:
        return day(one)
    is_old = bool(day_of(one.offer)) and one.age in _OLD
    age = Label(one.age.value, "age") if is_old else None
    return Line("price.dated", {"day": day(one), "age": age, "mark": mark_of_offer(one, named=True)})


def dated_range(one: ProviderRange) -> Single:
    """The day of what a provider asks, and whether that is old."""
    if one.as_of is None:
        return Label("undated", "price")
    age = None if one.age.solid else Label(one.age.value, "age")
    return Line("price.dated", {"day": one.as_of, "age": age, "mark": None})


def told(one: PricedOffer, version: str | None) -> Line:
    """A price with its day, and the version that it is for where several bear the name."""
    is_known = one.converted or one.offer.pricing_model is PricingModel.LAUNCH_PRICE or not one.offer.market
    market = None if is_known else Label(one.offer.market, "market_at")
    return Line("price.told", {"price": price(one), "version": version, "market": market, "dated": dated(one)})
