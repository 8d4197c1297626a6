"""Rental bills: price per card and hour x cards x hours, for every provider that lists the card, cheapest first."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from advisor.ageing import Stands, stands
from advisor.errors import NoRate, OutOfRange
from advisor.models import Frozen, Gpu, Money, Offer, PricingModel, Step, step_of
from advisor.money.span import Number, Span, at_least_zero, positive
from advisor.periods import HOURS_A_MONTH
from advisor.prices import Age, age_of
from advisor.standing import newest_of_each

if TYPE_CHECKING:
    from advisor.catalog import Catalog

HOURS = {
    "hour": Decimal(1),
    "day": Decimal(24),
    "week": Decimal(168),
    "month": Decimal(HOURS_A_MONTH),
    "year": Decimal(8760),
}
"""Hours of calendar time; a month is a twelfth of a year of 8760 hours."""
NODE_SIZES = {"8-gpu-node": 8}
"""Tiers that are only let as a whole node, with its number of cards."""
_LOWEST = ("minimum", "from")
_RENTAL = (PricingModel.ON_DEMAND, PricingModel.RESERVED, PricingModel.MARKETPLACE, PricingModel.SPOT)


class BillLine(Frozen):
    """What one offer would cost."""

    provider: str
    provider_name: str
    terms: str
    tier: str = ""
    hourly: Span
    """One card, one hour, in the currency of the bill."""
    quoted: Money | None = None
    """As the provider lists it."""
    total: Span
    paid_cards: int = 1
    """Cards that are billed: more than asked for where only whole nodes are let."""
    age: Age | None = None
    """None for a price the user named."""
    stands: Stands | None = None
    """How it stands on the day, in its own currency; None for a price the user named."""
    currency: str = ""
    """Of the price as the provider asks it."""
    market: str = ""
    as_of: date | None = None
    dated: bool = True
    source: str = ""
    trace: Step


class RentalBill(Frozen):
    """Rental of some cards for some hours, by provider and terms."""

    gpu: str
    n: int
    wall_hours: Decimal
    gpu_hours: Decimal
    currency: str
    lines: tuple[BillLine, ...]
    """Prices that may be counted on first, then by total."""
    storage: Span | None = None
    """Paid data disk over the period (row 001-005)."""

    @property
    def best(self) -> BillLine | None:
        """The cheapest line with a price to count on, else the cheapest."""
        return self.lines[0] if self.lines else None


def rental_bill(
    catalog: Catalog,
    gpu: Gpu,
    hours: Number,
    *,
    today: date,
    currency: str,
    n: int = 1,
    providers: tuple[str, ...] = (),
    countries: tuple[str, ...] | None = None,
    own_price: Money | None = None,
    storage: Money | None = None,
) -> RentalBill:
    """Bill of a rental.

    Args:
        catalog: offers and rates.
        gpu: the card.
        hours: wall-clock hours; providers bill from power-on to power-off, not by use.
        today: for the age of prices and the rate of the day.
        currency: of the bill.
        n: cards at the same time.
        providers: only these, when named.
        countries: ISO codes of provider countries to keep, `None` for all.
        own_price: what the user pays for one card and hour: replaces every offer.
        storage: paid data disk for the whole period.

    Raises:
        OutOfRange: no or endless hours, no cards, a price of nothing.
        NoRate: the currency has no rate on record.
    """
    wall = at_least_zero("hours", hours, 10**6, "h")
    if not 1 <= n <= 4096:
        raise OutOfRange("between 1 and 4096 cards", name="gpu_count", value=n, low=1, high=4096, unit="")
    gpu_hours = wall * n
    disk = _in(catalog, storage, currency, today) if storage else None
    if own_price is not None:
        hourly = Span.of(positive("price", _in(catalog, own_price, currency, today).value))
        lines = [_own_line(own_price, hourly, wall, n, disk, currency)]
    else:
        lines = []
        known = catalog.offers_for(gpu.id, terms=_RENTAL, historical=None)
        for offer in newest_of_each(one for one in known if one.as_of <= today):
            if _wanted(catalog, offer, providers, countries):
                node = NODE_SIZES.get(offer.tier, 1)
                line = _line(catalog, offer, wall, -(-n // node) * node, disk, currency, today)
                if line is not None:
                    lines.append(line)
        lines.sort(key=_order)
    return RentalBill(
        gpu=gpu.id, n=n, wall_hours=wall, gpu_hours=gpu_hours, currency=currency, lines=tuple(lines), storage=disk
    )


def _wanted(catalog: Catalog, offer: Offer, providers: tuple[str, ...], countries: tuple[str, ...] | None) -> bool:
    if offer.unit != "gpu_hour" or offer.tier in _LOWEST:
        return False
    if providers:
        return offer.provider in providers
    record = catalog.providers.get(offer.provider)
    if record is not None and record.kind == "market":
        return False
    return countries is None or record is None or record.country in countries


def _in(catalog: Catalog, money: Money, currency: str, today: date) -> Span:
    return Span.of(money.amount * catalog.rate(money.currency, currency, today).value)


def _order(line: BillLine) -> tuple[bool, bool, bool, Decimal, str, str]:
    loose = line.terms in {"spot", "marketplace", "reserved"} or line.tier == "member"
    firm = line.age is None or line.age.solid
    widened = line.stands is not None and line.stands.widened
    return (not firm, loose, widened, line.total.value, line.provider, line.tier)


def _own_line(price: Money, hourly: Span, wall: Decimal, n: int, disk: Span | None, currency: str) -> BillLine:
    gpu_hours = wall * n
    total = hourly.times(gpu_hours)
    total = (total.plus(disk) if disk else total).rounded("0.01")
    step = _step(total, hourly, gpu_hours, disk, currency, "given", (), None)
    return BillLine(
        provider="user",
        provider_name="",
        terms="user",
        hourly=hourly,
        quoted=price,
        total=total,
        paid_cards=n,
        trace=step,
    )


def _line(
    catalog: Catalog, offer: Offer, wall: Decimal, paid: int, disk: Span | None, currency: str, today: date
) -> BillLine | None:
    gpu_hours = wall * paid
    try:
        rate = catalog.rate(offer.currency, currency, today).value
    except NoRate:
        return None
    held = stands(offer, catalog.gpus.get(offer.gpu), today, catalog.offers_for(offer.gpu) if offer.gpu else ())
    hourly = Span(value=held.value * rate, low=held.low * rate, high=held.high * rate)
    total = hourly.times(gpu_hours)
    total = (total.plus(disk) if disk else total).rounded("0.01")
    dated = offer.as_of_precision != "unknown"
    as_of = offer.as_of if dated else None
    return BillLine(
        provider=offer.provider,
        provider_name=offer.provider_name,
        terms=offer.pricing_model.value,
        tier=offer.tier,
        hourly=hourly,
        quoted=Money(amount=offer.low, currency=offer.currency) if offer.low == offer.high else None,
        total=total,
        paid_cards=paid,
        age=age_of(offer, today),
        stands=held,
        currency=offer.currency,
        market=offer.market,
        as_of=as_of,
        dated=dated,
        source=offer.source,
        trace=_step(total, hourly, gpu_hours, disk, currency, "price", (offer.source,), as_of),
    )


def _step(
    total: Span,
    hourly: Span,
    gpu_hours: Decimal,
    disk: Span | None,
    currency: str,
    how: str,
    sources: tuple[str, ...],
    as_of: date | None,
) -> Step:
    inputs = [
        step_of(
            name="price_per_gpu_hour",
            value=hourly.value,
            unit=f"{currency}/h",
            how=how,
            sources=sources,
            as_of=as_of,
        ),
        step_of(name="gpu_hours", value=gpu_hours, unit="h", how="cards x hours"),
    ]
    if disk is not None:
        inputs.append(step_of(name="storage", value=disk.value, unit=currency, how="given", rows=("001-005",)))
    return step_of(
        name="rental_cost",
        value=total.value,
        unit=currency,
        how="price per card and hour x cards x hours",
        inputs=tuple(inputs),
        rows=("002-226",),
    )
