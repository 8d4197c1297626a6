"""Money by name: what a card costs, what a rental comes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, Unpack

from advisor.catalog import Catalog
from advisor.errors import UnknownName, UnsupportedCombination
from advisor.models import Gpu
from advisor.money import BillLine, RentalBill, rental_bill
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
from advisor.named.bills import Cost, Prices
from advisor.named.pacing import time_of
from advisor.named.results import Time
from advisor.named.shown import short
from advisor.named.values import PriceRow, Range, Source
from advisor.prices import PricedOffer, PriceList, price_of
from advisor.recommend import Channel, Need
from advisor.recommend.market import buy_quotes, market
from advisor.recommend.models import Quote
from advisor.recommend.settings import settings

_YUAN: Final = "CNY"
_SHELVES: Final = {
    "rent": "rent",
    "new": "new",
    "used": "used",
    "launch": "launch",
    "machines": "machine",
    "records": "record",
}


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
    provider: str | Sequence[str] | None = None,
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
        provider: only this one, or only these.
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
    bill = bill_of(books, card, wanted, n, unit, day, provider)
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


def bill_of(
    catalog: Catalog,
    card: Card,
    hours: float | Decimal,
    n: int,
    currency: str,
    on: date,
    provider: str | Sequence[str] | None = None,
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


def _providers(catalog: Catalog, names: str | Sequence[str] | None) -> tuple[str, ...]:
    return tuple(_provider(catalog, name) for name in ([names] if isinstance(names, str) else names or ()))


def _provider(catalog: Catalog, name: str) -> str:
    found = catalog.find_provider(named_text(name, "provider", "a provider"))
    if found is None:
        raise UnknownName("provider", name)
    return found.id


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
        cards=line.paid_cards,
    )


def purchase(catalog: Catalog, gpu: Gpu, currency: str, on: date) -> Quote | None:
    """What a card costs to buy: the newest price that can be acted on, else an old one."""
    made = market(catalog, on, currency)
    need = Need(currency=currency, region=region_of(currency))
    quotes = buy_quotes(made, gpu, need) or buy_quotes(made, gpu, need.model_copy(update={"region": ""}))
    return min(quotes, key=lambda quote: (quote.firmness, quote.price)) if quotes else None


def priced(quote: Quote, n: int, currency: str) -> Range:
    """A price of the market for so many cards."""
    unit = f"{currency}/h" if quote.channel is Channel.RENT else currency
    return Range(short(quote.price * n), short(quote.low * n), short(quote.high * n), unit)


def offered(quote: Quote, currency: str) -> PriceRow:
    """A price of the market of one card, with its day and where it comes from."""
    terms = quote.terms if not quote.tier else f"{quote.terms}, {quote.tier}"
    kind = quote.channel.value if quote.channel is Channel.RENT else quote.terms.removeprefix("purchase_")
    return PriceRow(kind, quote.provider_name, terms, priced(quote, 1, currency), quote.as_of, "", quote.source)
