"""What the money handlers share: whose electricity, which market, how bills become lines of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from advisor.models import Frozen, Gpu, Money, Note
from advisor.money import BillLine, RentalBill, Span, rental_bill
from advisor.money.energy import find_region, price_of_region
from bot.answers.boards import on_board
from bot.answers.choose.own_prices import money_of, own_hourly
from bot.answers.choose.wishes import market_currency_of, providers_of
from bot.answers.common import NamedGpu
from bot.answers.money.marks import mark_of
from bot.core.answers import Assumption, assumption_of
from bot.core.message import Fact, fact_of
from bot.core.request import Request

_SHOWN = 6
_MEMBER = "member"
_HOME = {"CNY": "CN", "USD": "US"}


class PowerPrice(Frozen):
    """Price of a kWh in the currency of the answer."""

    span: Span
    currency: str
    source: str = ""
    as_of: date | None = None
    region: str = ""
    given: bool = False


class OfferLine(Frozen):
    """One offer of a bill, ready for a template."""

    provider: str
    terms: str
    tier: str
    hourly: Money
    whole_node: bool = False
    total: Money
    low: Money
    high: Money
    ranged: bool
    dated: str
    age: str
    source: str
    mark: Note | None = None
    """What has to be said beside the price."""


def region_key(request: Request) -> tuple[str, bool]:
    """Grid of the answer, and whether the user named it; an unknown place counts as the world."""
    stated = request.slot("region")
    if stated:
        return find_region(str(stated)) or "WORLD", find_region(str(stated)) is not None
    return _HOME.get(market_currency_of(request), "WORLD"), False


def power_price(request: Request, currency: str) -> PowerPrice | None:
    """Electricity price: the user's, else the household price of the region in the currency of the answer."""
    stated = money_of(request.slot("electricity_price"))
    rate = request.services.catalog.rate
    day = request.now.date()
    if stated is not None:
        amount = stated.amount * rate(stated.currency, currency, day).value
        return PowerPrice(span=Span.of(amount), currency=currency, given=True)
    key, _ = region_key(request)
    price = price_of_region(key) or price_of_region(_HOME.get(market_currency_of(request), "US"))
    if price is None:
        return None
    factor = rate(price.currency, currency, day).value
    span = Span.between(price.low * factor, price.high * factor)
    return PowerPrice(span=span, currency=currency, source=price.source, as_of=price.as_of, region=key)


def power_assumptions(price: PowerPrice | None) -> tuple[Assumption, ...]:
    """The electricity price, when it was not given."""
    if price is None or price.given:
        return ()
    text = f"{price.span.value.quantize(Decimal('0.01'))} {price.currency}/kWh"
    return (assumption_of(slot="electricity_price", value=text),)


def bill_for(request: Request, gpu: Gpu, hours: float, n: int, currency: str) -> RentalBill:
    """Rental bill in the market of the user."""
    price = own_hourly(request, gpu)
    named = providers_of(request)
    catalog, today = request.services.catalog, request.now.date()
    at_home = market_currency_of(request) == "CNY"
    places = tuple(sorted({p.country for p in catalog.providers.values() if (p.country == "CN") == at_home}))
    found = rental_bill(
        catalog, gpu, hours, today=today, currency=currency, n=n, providers=named, countries=places, own_price=price
    )
    if found.lines or named:
        return found
    return rental_bill(catalog, gpu, hours, today=today, currency=currency, n=n, own_price=price)


def priced_variant(request: Request, named: NamedGpu, currency: str, n: int = 1) -> NamedGpu:
    """The variant that is judged elsewhere too, where it has a price to count on, else the best priced of its memory.

    In a box of several cards that is the board for a server. Nobody is billed for another machine than was judged.
    """
    if not named.others:
        return named
    meant = on_board(named, n)
    rented = [gpu for gpu in (meant.gpu, *meant.others) if _counts_on(bill_for(request, gpu, 1.0, 1, currency))]
    if not rented or meant.gpu in rented:
        return meant if rented else _cheapest(request, meant, currency)
    same = [gpu for gpu in rented if gpu.vram_gib == meant.gpu.vram_gib]
    return _cheapest(request, meant, currency, same or rented)


def _counts_on(bill: RentalBill) -> bool:
    """Whether somebody asks a price for it that may decide."""
    return bill.best is not None and (bill.best.age is None or bill.best.age.solid)


def _cheapest(request: Request, named: NamedGpu, currency: str, variants: Sequence[Gpu] = ()) -> NamedGpu:
    """Of these variants, or of all, the one with the lowest price; said to stand for the one that was spoken of."""

    def place(gpu: Gpu) -> tuple[bool, Decimal]:
        best = bill_for(request, gpu, 1.0, 1, currency).best
        return (best is None, best.total.value if best is not None else Decimal(0))

    every = (named.gpu, *named.others)
    chosen = min(variants or every, key=place)
    if chosen.id == named.gpu.id:
        return named
    others = tuple(gpu for gpu in every if gpu.id != chosen.id)
    stands_for = named.gpu.name if named.settled else named.spoken_of
    return NamedGpu(named.asked, chosen, others, spoken_of=stands_for)


def shown_lines(request: Request, bill: RentalBill) -> list[OfferLine]:
    """The first few offers of a bill, of each seller what reads differently: the terms, a member's price."""
    told: set[tuple[str, str, bool]] = set()
    sums: set[tuple[str, Decimal]] = set()
    shown = []
    for line in bill.lines:
        terms, total = (line.provider, line.terms, line.tier == _MEMBER), (line.provider, line.total.value)
        if terms not in told and total not in sums:
            shown.append(_shown(request, bill, line))
        told.add(terms)
        sums.add(total)
    return shown[:_SHOWN]


def _shown(request: Request, bill: RentalBill, line: BillLine) -> OfferLine:
    record = request.services.catalog.providers.get(line.provider)
    name = line.provider_name
    if record is not None:
        name = record.name_zh if request.language == "zh" and record.name_zh else record.name

    def money(amount: Decimal) -> Money:
        return Money(amount=amount, currency=bill.currency)

    return OfferLine(
        provider="" if line.provider == "user" else name,
        terms=line.terms,
        tier=line.tier,
        hourly=money(line.hourly.value * line.paid_cards),
        whole_node=line.paid_cards > bill.n,
        total=money(line.total.value),
        low=money(line.total.low),
        high=money(line.total.high),
        ranged=line.total.ranged,
        dated=str(line.as_of or ""),
        age=line.age.value if line.age else "",
        source=line.source,
        mark=mark_of(
            line.stands,
            line.currency,
            line.market,
            converted=line.currency != bill.currency,
            named=True,
            cards=line.paid_cards,
        ),
    )


def span_fact(name: str, span: Span, unit: str, basis: str = "", sources: tuple[str, ...] = ()) -> Fact:
    """A span as a fact."""
    return fact_of(
        name=name,
        value=round(float(span.value), 4),
        low=round(float(span.low), 4) if span.ranged else None,
        high=round(float(span.high), 4) if span.ranged else None,
        unit=unit,
        basis=basis,
        sources=sources,
    )
