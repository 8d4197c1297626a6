"""Checks what is asked for cards and what currencies cost: where, by whom, in which amounts, on which days."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from advisor.check_records import Located, Records
from advisor.errors import NoRate, Problem
from advisor.models import Offer, PricingModel, Rate
from advisor.rates import RateTable

_PRICE_RANGES: dict[str, tuple[float, float]] = {
    "gpu_hour": (0.02, 200),
    "hour": (0.005, 500),
    "gpu_month": (5, 100_000),
    "month": (1, 10_000),
    "card": (20, 200_000),
    "machine": (150, 1_000_000),
    "system_share": (200, 1_000_000),
    "machine_month": (200, 1_000_000),
}
"""Amounts in US dollars between which a price of this unit lies."""
_PRECISIONS = ("day", "month", "year", "unknown")
_MARKETS = {"CN": "CNY", "US": "USD", "EU": "EUR", "UK": "GBP", "INTL": ""}
"""Markets with the currency that is asked there."""


def check_prices(found: Records, today: date) -> Iterator[Problem]:
    """Every offer that contradicts itself, names what is not on record, or lies outside what such things cost."""
    gpus = {one.record.id for one in found.gpus}
    providers = {one.record.id for one in found.providers}
    rates = RateTable(one.record for one in found.rates)
    bare = {one.record.id for one in found.sources if not one.record.url}
    for one in found.offers:
        yield from _told(one, bare)
        yield from _offered(one, gpus, providers)
        yield from _worded(one)
        yield from _amounts(one, rates, today)


def _offered(one: Located[Offer], gpus: set[str], providers: set[str]) -> Iterator[Problem]:
    """What is offered, and by whom."""
    offer = one.record
    if offer.gpu and offer.gpu not in gpus:
        yield one.problem(f"there is no card {offer.gpu!r}")
    if not offer.gpu and not offer.quoted_as:
        yield one.problem("names neither a card nor what is offered")
    if offer.provider not in providers:
        yield one.problem(f"provider {offer.provider!r} is not in providers.yaml")


def _worded(one: Located[Offer]) -> Iterator[Problem]:
    """Fields of few values, and those that must agree with each other."""
    offer = one.record
    if offer.low > offer.high:
        yield one.problem(f"low {offer.low} is above high {offer.high}")
    if offer.confidence not in ("A", "B", "C"):
        yield one.problem(f"confidence {offer.confidence!r} is not A, B or C")
    if offer.as_of_precision not in _PRECISIONS:
        yield one.problem(f"as_of_precision {offer.as_of_precision!r} is not one of {', '.join(_PRECISIONS)}")
    if offer.pricing_model is PricingModel.LAUNCH_PRICE and not offer.historical:
        yield one.problem("a launch price is a record of its time: historical must be yes")


def _told(one: Located[Offer], bare: set[str]) -> Iterator[Problem]:
    """Where and by whom: every price has a market and an address, and yuan are asked in China alone."""
    offer = one.record
    if offer.market not in _MARKETS:
        yield one.problem(f"market {offer.market!r} is not one of {', '.join(_MARKETS)}")
    if offer.source in bare:
        yield one.problem(f"source {offer.source!r} has no url: a price without an address is not taken")
    own = _MARKETS.get(offer.market)
    if own and offer.currency in _MARKETS.values() and offer.currency != own:
        yield one.problem(f"{offer.currency} is not the currency of the market {offer.market}")
    if offer.cards < 1 or (offer.cards > 1) != (offer.unit == "machine_month"):
        yield one.problem(f"{offer.cards} cards do not go with the unit {offer.unit!r}")


def _amounts(one: Located[Offer], rates: RateTable, today: date) -> Iterator[Problem]:
    offer = one.record
    if offer.unit not in _PRICE_RANGES:
        yield one.problem(f"unit {offer.unit!r} is not one of {', '.join(_PRICE_RANGES)}")
        return
    try:
        factor = rates.find(offer.currency, "USD", today).value
    except NoRate:
        yield one.problem(f"rates.csv has no rate for {offer.currency!r}")
        return
    low, high = _PRICE_RANGES[offer.unit]
    for amount in dict.fromkeys((offer.low, offer.high)):
        if not low <= float(amount * factor) <= high:
            yield one.problem(f"{amount} {offer.currency} is no price of a {offer.unit} ({low:g} to {high:g} USD)")


def _later(day: date | None, today: date) -> bool:
    return day is not None and day > today


def check_dates(found: Records, today: date) -> Iterator[Problem]:
    """Every day that lies in the future, and rates that are none."""
    rows: tuple[Located[Offer] | Located[Rate], ...] = (*found.offers, *found.rates)
    for row in rows:
        if row.record.as_of > today:
            yield row.problem(f"as_of {row.record.as_of} lies in the future")
    for card in found.gpus:
        if _later(card.record.release_date, today):
            yield card.problem(f"release_date {card.record.release_date} lies in the future", "release_date")
    for source in found.sources:
        for part, day in (("as_of", source.record.as_of), ("read_on", source.record.read_on)):
            if _later(day, today):
                yield source.problem(f"{part} lies in the future", part)
    for rate in found.rates:
        if rate.record.value <= 0:
            yield rate.problem(f"rate {rate.record.value} is not positive")
