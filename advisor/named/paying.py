"""Money by name: what a card costs, what a rental comes to, whether owning pays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, Unpack

from advisor.catalog import Catalog
from advisor.errors import UnknownName, UnsupportedCombination
from advisor.jobs.draw import draw_of
from advisor.models import Gpu, Money
from advisor.money import BillLine, Ownership, RentalBill, Span, break_even, rental_bill
from advisor.money.energy import PowerPrice, price_of_region
from advisor.named.asking import (
    Card,
    JobWords,
    card_named,
    gpus_counted,
    named_text,
    one_of,
    positive,
    range_of,
    shipped,
    sources_of,
    today,
)
from advisor.named.bills import Cost, PriceRow, Prices, RentOrBuy
from advisor.named.pacing import time_of
from advisor.named.results import Time
from advisor.named.shown import short
from advisor.named.values import Assumed, Range, Source
from advisor.prices import PricedOffer, PriceList, price_of
from advisor.recommend import Need
from advisor.recommend.market import buy_quotes, market
from advisor.recommend.models import Quote
from advisor.recommend.settings import settings

_YUAN: Final = "CNY"
_HOME: Final = {_YUAN: "CN", "USD": "US"}
_SHELVES: Final = {
    "rent": "rent",
    "new": "new",
    "used": "used",
    "launch": "launch",
    "machines": "machine",
    "records": "record",
}
_OWN_COMPUTERS: Final = frozenset({"whole", "laptop", "soc"})
"""Mounts that are a computer already."""
_MODULES: Final = frozenset({"sxm", "oam", "superchip", "module", "socket"})
_DAYS_A_MONTH: Final = Decimal(365) / 12
_WEEK: Final = Decimal(168)


def region_of(currency: str) -> str:
    """Market behind a currency: yuan means what can be had in mainland China."""
    return next((key for key, one in settings().regions.items() if one.currency == currency), "")


def currency_named(catalog: Catalog, currency: object) -> str:
    """An ISO code with a rate on record. Raises UnknownName, TypeError."""
    return one_of("currency", currency, catalog.rates.currencies)


def prices_of(gpu: str, *, currency: str = "USD", on: date | None = None, catalog: Catalog | None = None) -> Prices:
    """Every price of a card on record: `list_prices("4090", currency="CNY")`.

    Args:
        gpu: name of the card.
        currency: ISO code to answer in.
        on: the day to ask for, today without it.
        catalog: another catalogue than the shipped one.

    Raises:
        UnknownName: a card or currency that is not on record.
        TypeError: something that is no name.
    """
    books = catalog or shipped()
    name = named_text(gpu, "list_prices", "a card")
    variants = books.gpu_variants(name) or (books.get_gpu(name),)
    unit = currency_named(books, currency)
    listed = price_of(books, variants, on=on or today(), currency=unit)
    rows = tuple(_of_list(listed, unit))
    ids = tuple(row.source for row in rows)
    title = variants[0].name if len(variants) == 1 else " / ".join(one.name for one in variants)
    return Prices(title, unit, rows, sources_of(books, ids))


def _of_list(listed: PriceList, currency: str) -> Iterable[PriceRow]:
    for shelf, kind in _SHELVES.items():
        offers: tuple[PricedOffer, ...] = getattr(listed, shelf)
        for one in offers:
            unit = f"{currency}/h" if one.offer.unit == "gpu_hour" else currency
            amount = Range(short(one.middle), short(one.low.amount), short(one.high.amount), unit)
            offer = one.offer
            known = offer.as_of if offer.as_of_precision != "unknown" else None
            terms = offer.pricing_model.value if not offer.tier else f"{offer.pricing_model.value}, {offer.tier}"
            yield PriceRow(kind, offer.provider_name, terms, amount, known, one.age.value, offer.source)


def cost_of(
    gpu: str,
    model: str | None = None,
    *,
    hours: float | None = None,
    gpus: int = 1,
    currency: str = "USD",
    provider: str | None = None,
    samples: float | None = None,
    tokens: float | None = None,
    on: date | None = None,
    catalog: Catalog | None = None,
    **job: Unpack[JobWords],
) -> Cost:
    """What a rental costs, for hours or for a training run.

    `estimate_cost("4090", hours=100)`; `estimate_cost("4090", "qwen2.5-7b", dataset="alpaca-52k", method="lora")`.

    Args:
        gpu: name of the card.
        model: what is trained, where the hours are to be worked out; data as in `estimate_time`.
        hours: on the clock; all cards run for so long.
        gpus: cards at the same time.
        currency: ISO code to answer in; yuan means the market of mainland China.
        provider: only this one.
        samples: of one round.
        tokens: of one round.
        on: the day to ask for, today without it.
        catalog: another catalogue than the shipped one.
        job: see `JobWords`.

    Raises:
        UnknownName, OutOfRange, UnsupportedCombination, TypeError: as in `fit`; neither hours nor a job.
    """
    books = catalog or shipped()
    if model is None and hours is None:
        raise UnsupportedCombination("name hours=, or a model with its data", missing="hours")
    time: Time | None = None
    if model is not None and hours is None:
        time = time_of(gpu, model, gpus=gpus, samples=samples, tokens=tokens, catalog=books, **job)
    wanted = time.hours.value if time is not None else positive("hours", hours, 10**6)
    card = card_named(books, time.gpu if time is not None else named_text(gpu, "estimate_cost", "a card"))
    unit, day, n = currency_named(books, currency), on or today(), gpus_counted(gpus)
    bill = _bill(books, card, wanted, n, unit, day, provider)
    rows = tuple(_billed(line, unit) for line in bill.lines)
    known = sources_of(books, tuple(row.source for row in rows))
    return Cost(bill_gpu(books, bill), n, short(wanted), unit, _total(rows, time), rows, time, _joined(known, time))


def _total(rows: Sequence[PriceRow], time: Time | None) -> Range | None:
    """What the first row comes to; where the hours were worked out, their band is that of the bill too."""
    total = rows[0].total if rows else None
    if time is None or total is None:
        return total
    hours = time.hours
    low, high = hours.low / hours.value, hours.high / hours.value
    return Range(total.value, short(total.low * low), short(total.high * high), total.unit)


def _joined(known: tuple[Source, ...], time: Time | None) -> tuple[Source, ...]:
    return tuple(dict.fromkeys((*known, *(time.sources if time is not None else ()))))


def bill_gpu(catalog: Catalog, bill: RentalBill) -> str:
    """Name of the card of a bill."""
    return catalog.gpus[bill.gpu].name


def _bill(
    catalog: Catalog, card: Card, hours: float | Decimal, n: int, currency: str, on: date, provider: str | None = None
) -> RentalBill:
    """The bill in the market of the currency; of the variants of an open name, the one with the best price."""
    chosen = _providers(catalog, provider)
    countries = tuple(
        sorted({one.country for one in catalog.providers.values() if (one.country == "CN") == (currency == _YUAN)})
    )
    gpus = [card.gpu, *(catalog.get_gpu(name) for name in card.also)]
    bills = [
        rental_bill(catalog, gpu, hours, today=on, currency=currency, n=n, providers=chosen, countries=countries)
        for gpu in gpus
    ]
    if not any(bill.lines for bill in bills) and not chosen:
        bills = [rental_bill(catalog, gpu, hours, today=on, currency=currency, n=n) for gpu in gpus]
    return min(bills, key=_first_price)


def _first_price(bill: RentalBill) -> tuple[bool, bool, Decimal]:
    best = bill.best
    if best is None:
        return True, True, Decimal(0)
    return False, best.age is not None and not best.age.solid, best.total.value


def _providers(catalog: Catalog, name: str | None) -> tuple[str, ...]:
    if name is None:
        return ()
    found = catalog.find_provider(named_text(name, "provider", "a provider"))
    if found is None:
        raise UnknownName("provider", name)
    return (found.id,)


def _billed(line: BillLine, currency: str) -> PriceRow:
    return PriceRow(
        kind="rent",
        provider=line.provider_name,
        terms=line.terms if not line.tier else f"{line.terms}, {line.tier}",
        amount=range_of(line.hourly, f"{currency}/h"),
        as_of=line.as_of,
        age=line.age.value if line.age else "",
        source=line.source,
        total=range_of(line.total, currency),
    )


# --- rent or buy -----------------------------------------------------------------------------------------------------


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
    base = settings().base_system
    host = _host(gpu_bought, base.amount * books.rate(base.currency, unit, day).value)
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
        host=short(host),
        electricity_per_hour=short(found.ownership.hourly.value),
        break_even_months=_even(found.days, "months", 1 / _DAYS_A_MONTH),
        break_even_hours=_even(found.hours, "h"),
        by_use=tuple((short(share), short(days)) for share, days in found.by_utilization),
        assumed=usual,
        sources=sources_of(books, [best.source, _asked_at(quote, buy_price), power[1], base.source if host else ""]),
    )


def _own_rent(price: float | None, currency: str) -> Money | None:
    return None if price is None else Money(amount=_money("rent_price", price), currency=currency)


def _asked_at(quote: Quote | None, own: float | None) -> str:
    """Source of the price to buy; none where the user knows it himself."""
    return quote.source if quote and own is None else ""


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
        return _bill(catalog, Card(gpu), 1, n, currency, on)
    return rental_bill(catalog, gpu, 1, today=on, currency=currency, n=n, own_price=own)


def purchase(catalog: Catalog, gpu: Gpu, currency: str, on: date) -> Quote | None:
    """What a card costs to buy: the newest price that can be acted on, else an old one."""
    made = market(catalog, on, currency)
    need = Need(currency=currency, region=region_of(currency))
    quotes = buy_quotes(made, gpu, need) or buy_quotes(made, gpu, need.model_copy(update={"region": ""}))
    return min(quotes, key=lambda quote: (quote.firmness, quote.price)) if quotes else None


def _bought(quote: Quote | None, own: float | None, n: int) -> Span | None:
    """Price of all cards; an old one with the margin for what may have changed."""
    if own is not None:
        return Span.of(_money("buy_price", own)).times(n)
    if quote is None:
        return None
    margin = Decimal(0) if quote.standing.solid else Decimal(str(settings().indicative_margin))
    return Span(value=quote.price, low=quote.low * (1 - margin), high=quote.high * (1 + margin)).times(n)


def _host(gpu: Gpu, base: Decimal) -> Decimal:
    """The computer around a card; nothing where the card is one, or goes into a server."""
    return Decimal(0) if gpu.mount in _OWN_COMPUTERS | _MODULES else base


def _kwh(catalog: Catalog, currency: str, on: date, own: float | None) -> tuple[Span, str] | None:
    """Price of a kWh in a currency, and its source."""
    if own is not None:
        return Span.of(_money("kwh_price", own)), ""
    price: PowerPrice | None = price_of_region(_HOME.get(currency, "WORLD")) or price_of_region("US")
    if price is None:
        return None
    factor = catalog.rate(price.currency, currency, on).value
    return Span.between(price.low * factor, price.high * factor), price.source
