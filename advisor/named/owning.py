"""Rent or buy, by name: whether owning a card pays."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Final

from advisor.catalog import Catalog
from advisor.errors import UnsupportedCombination
from advisor.jobs.draw import draw_of
from advisor.models import Gpu, Money
from advisor.money import Ownership, RentalBill, Span, break_even, rental_bill
from advisor.money.energy import PowerPrice, price_of_region
from advisor.named.asking import (
    Card,
    card_named,
    gpus_counted,
    named_text,
    positive,
    range_of,
    shipped,
    sources_of,
    today,
)
from advisor.named.bills import RentOrBuy
from advisor.named.paying import bill_of, currency_named, offered, purchase
from advisor.named.shown import short
from advisor.named.values import Assumed, PriceRow, Range
from advisor.recommend.models import Quote
from advisor.recommend.settings import settings

_HOME: Final = {"CNY": "CN", "USD": "US"}
_OWN_COMPUTERS: Final = frozenset({"whole", "laptop", "soc"})
"""Mounts that are a computer already."""
_MODULES: Final = frozenset({"sxm", "oam", "superchip", "module", "socket"})
_DAYS_A_MONTH: Final = Decimal(365) / 12
_WEEK: Final = Decimal(168)


def rent_or_buy_of(
    gpu: str,
    *,
    hours_per_week: float | None = None,
    months: float = 12,
    gpus: int = 1,
    currency: str = "USD",
    buy_price: float | None = None,
    rent_price: float | None = None,
    kwh_price: float | None = None,
    host_price: float | None = None,
    on: date | None = None,
    catalog: Catalog | None = None,
) -> RentOrBuy:
    """Whether owning a card pays: `rent_or_buy("4090", hours_per_week=20)`.

    Args:
        gpu: name of the card.
        hours_per_week: hours of use; the usual share of the day without it.
        months: how far the comparison looks ahead.
        gpus: how many of it.
        currency: ISO code; yuan means the market of mainland China.
        buy_price: of one card, where you know better.
        rent_price: of one card and hour, where you know better.
        kwh_price: of electricity; the household price of the market without it.
        host_price: of the computer around the cards, 0 with one at hand; a plain one without it.
        on: the day to ask for, today without it.
        catalog: another catalogue than the shipped one.

    Raises:
        UnknownName, OutOfRange, TypeError: as in `fit`.
        UnsupportedCombination: no price to buy, to rent, or no power figure is on record.
    """
    books, day, n = catalog or shipped(), on or today(), gpus_counted(gpus)
    unit = currency_named(books, currency)
    card = card_named(books, named_text(gpu, "rent_or_buy", "a card"))
    bill, quote = _both(books, card, n, unit, day, _own_rent(rent_price, unit))
    best = bill.best
    n = max(n, best.paid_cards) if best is not None else n  # what is only let as a whole node is bought as one
    gpu_bought = books.gpus[bill.gpu]
    bought = _bought(quote, buy_price, n)
    drawn, power = draw_of(gpu_bought, n), _kwh(books, unit, day, kwh_price)
    if best is None or bought is None or drawn is None or power is None:
        raise _lacking(gpu_bought.name, {"rent": best, "purchase": bought, "power": drawn})
    host, host_source = _host(books, gpu_bought, unit, day, host_price)
    counted_price = _counted(quote, buy_price, unit)
    use, usual = _use(hours_per_week)
    found = break_even(
        Ownership(
            card=bought,
            host=Span.of(host),
            resale=Span.of(0),
            power_w=drawn.machine,
            kwh_price=power[0],
            currency=unit,
        ),
        best.hourly.times(best.paid_cards),
        use / _WEEK,
        _money("months", months) * _DAYS_A_MONTH,
    )
    return RentOrBuy(
        gpu=gpu_bought.name,
        gpus=n,
        currency=unit,
        verdict=found.verdict,
        hours_per_week=short(use),
        months=short(months),
        rent=range_of(found.cost_rent, unit),
        buy=range_of(found.cost_buy, unit),
        rent_per_hour=range_of(found.rent, f"{unit}/h"),
        card=range_of(bought, unit),
        purchase=counted_price,
        host=short(host),
        electricity_per_hour=range_of(found.ownership.hourly, f"{unit}/h"),
        break_even_months=_even(found.days, "months", 1 / _DAYS_A_MONTH),
        break_even_hours=_even(found.hours, "h"),
        by_use=tuple((short(share), short(days)) for share, days in found.by_utilization),
        assumed=usual,
        sources=sources_of(books, (best.source, counted_price.source if counted_price else "", power[1], host_source)),
    )


def _own_rent(price: float | None, currency: str) -> Money | None:
    return None if price is None else Money(amount=_money("rent_price", price), currency=currency)


def _counted(quote: Quote | None, own: float | None, currency: str) -> PriceRow | None:
    """The price to buy; none where the user knows it himself."""
    return offered(quote, currency) if quote is not None and own is None else None


def _even(when: Span | None, unit: str, times: Decimal = Decimal(1)) -> Range | None:
    """When owning has paid for itself, in a unit; None where it never has."""
    return None if when is None else range_of(when.times(times), unit)


def _lacking(name: str, known: Mapping[str, object]) -> UnsupportedCombination:
    missing = next((kind for kind, value in known.items() if value is None), "electricity")
    return UnsupportedCombination(
        f"no {missing} figure of the {name} is on record: give buy_price=, rent_price= or kwh_price="
    )


def _money(name: str, value: float) -> Decimal:
    return Decimal(str(positive(name, value)))


def _use(hours_per_week: float | None) -> tuple[Decimal, tuple[Assumed, ...]]:
    if hours_per_week is not None:
        hours = Decimal(0) if hours_per_week == 0 else Decimal(str(positive("hours_per_week", hours_per_week, 168)))
        return hours, ()
    usual = Decimal(str(settings().hours_per_week(None)))
    return usual, (Assumed("hours_per_week", f"{usual:.3g}"),)


def _both(
    catalog: Catalog, card: Card, n: int, currency: str, on: date, own_rent: Money | None
) -> tuple[RentalBill, Quote | None]:
    """Rent and purchase of one card: of an open name, the first variant that has both."""
    gpus = [card.gpu, *(catalog.get_gpu(name) for name in card.also)]
    pairs = [(_rented(catalog, gpu, n, currency, on, own_rent), purchase(catalog, gpu, currency, on)) for gpu in gpus]
    return next((pair for pair in pairs if pair[0].best is not None and pair[1] is not None), pairs[0])


def _rented(catalog: Catalog, gpu: Gpu, n: int, currency: str, on: date, own: Money | None) -> RentalBill:
    if own is None:
        return bill_of(catalog, Card(gpu), 1, n, currency, on)
    return rental_bill(catalog, gpu, 1, today=on, currency=currency, n=n, own_price=own)


def _bought(quote: Quote | None, own: float | None, n: int) -> Span | None:
    """Price of all cards; an old one with the margin for what may have changed."""
    if own is not None:
        return Span.of(_money("buy_price", own)).times(n)
    if quote is None:
        return None
    margin = Decimal(0) if quote.standing.solid else Decimal(str(settings().indicative_margin))
    return Span(value=quote.price, low=quote.low * (1 - margin), high=quote.high * (1 + margin)).times(n)


def _host(catalog: Catalog, gpu: Gpu, currency: str, on: date, own: float | None) -> tuple[Decimal, str]:
    """The computer around a card and its source; nothing where the card is one, or goes into a server."""
    if own is not None:
        return (Decimal(0) if own == 0 else _money("host_price", own)), ""
    if gpu.mount in _OWN_COMPUTERS | _MODULES:
        return Decimal(0), ""
    base = settings().base_system
    return base.amount * catalog.rate(base.currency, currency, on).value, base.source


def _kwh(catalog: Catalog, currency: str, on: date, own: float | None) -> tuple[Span, str] | None:
    """Price of a kWh in a currency, and its source."""
    if own is not None:
        return Span.of(Decimal(0) if own == 0 else _money("kwh_price", own)), ""
    price: PowerPrice | None = price_of_region(_HOME.get(currency, "WORLD")) or price_of_region("US")
    if price is None:
        return None
    factor = catalog.rate(price.currency, currency, on).value
    return Span.between(price.low * factor, price.high * factor), price.source
