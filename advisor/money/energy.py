"""Energy, its price and its carbon: what a card and its computer draw, and what the grid behind the socket emits.

Factors and prices are dated rows of data/energy.yaml. Where several factors stand for one region, the first is
followed and the others are kept beside it.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import lru_cache

from advisor.datafiles import read_data
from advisor.errors import UnknownName
from advisor.models import Frozen, Gpu, Step, step_of
from advisor.money.span import Number, Span, at_least_zero, exact, positive


class Factor(Frozen):
    """Grams of CO2 for one kWh in one year, by one source."""

    g_per_kwh: Decimal
    year: int
    scope: str
    """direct: burnt in power stations, CO2 alone; lifecycle: with fuel and plants, CO2 equivalents."""
    source: str


class PowerPrice(Frozen):
    """What a household pays for one kWh."""

    low: Decimal
    high: Decimal
    currency: str
    as_of: date
    source: str
    note: str = ""


class EnergyRegion(Frozen):
    """One grid."""

    name: dict[str, str]
    aliases: tuple[str, ...] = ()
    parent: str = ""
    factors: tuple[Factor, ...]
    price: PowerPrice | None = None


class PowerDefaults(Frozen):
    """How much of its board power a busy card draws, and what stands around it."""

    load: Decimal
    load_low: Decimal
    load_high: Decimal
    idle_low: Decimal
    """Watts of a card of a home computer that waits, at its least and at its most."""
    idle_high: Decimal
    idle_source: str
    idle_host_w: Decimal
    """The rest of a computer that waits, assumed."""
    host_w: Decimal
    host_rows: tuple[str, ...] = ()
    server_share: Decimal
    """Of a server around cards on its own board, over their board power."""
    server_source: str = ""
    pue: Decimal
    pue_datacentre: Decimal
    hours_per_year: Decimal


class EnergyData(Frozen):
    """Everything in data/energy.yaml."""

    power: PowerDefaults
    regions: dict[str, EnergyRegion]


@lru_cache(maxsize=1)
def energy_data() -> EnergyData:
    """Factors and prices by region."""
    result: EnergyData = read_data("energy.yaml", EnergyData)
    return result


@lru_cache(maxsize=1)
def _region_names() -> dict[str, str]:
    names: dict[str, str] = {}
    for key, region in energy_data().regions.items():
        for name in (key, *region.aliases, *region.name.values()):
            names.setdefault(name.strip().lower(), key)
    return names


def find_region(name: str) -> str | None:
    """Key of the region people call this, or None."""
    return _region_names().get(name.strip().lower())


def get_region(name: str) -> tuple[str, EnergyRegion]:
    """Region of a name.

    Raises:
        UnknownName: no factor is on record for it.
    """
    key = find_region(name)
    if key is None:
        raise UnknownName("region", name, ("CN", "US", "EU"))
    return key, energy_data().regions[key]


def price_of_region(key: str) -> PowerPrice | None:
    """Household price of a region or of the country around it."""
    region = energy_data().regions.get(key)
    if region is None:
        return None
    return region.price or (price_of_region(region.parent) if region.parent else None)


class Energy(Frozen):
    """Electricity used, in kWh."""

    kwh: Span
    card_w: Span
    """Draw of all cards while busy."""
    host_w: Decimal
    hours: Decimal
    trace: Step


class PowerBill(Frozen):
    """What the electricity costs."""

    energy: Energy
    price: Span
    """For one kWh."""
    cost: Span
    currency: str
    trace: Step


class Carbon(Frozen):
    """Emissions of some electricity."""

    energy: Energy
    region: str
    kg: Span
    factor: Factor
    others: tuple[tuple[Factor, Span], ...] = ()
    """Other factors for the same region with what they give."""
    trace: Step


def card_power(gpu: Gpu, n: int = 1, watts: Number | None = None) -> Span | None:
    """Draw of `n` busy cards: measured watts when given, else a share of board power; None when neither is known."""
    defaults = energy_data().power
    if watts is not None:
        return Span.of(positive("power_w", watts, 100_000, "W")).times(n)
    if gpu.board_power_w is None:
        return None
    board = exact(gpu.board_power_w) * n
    return Span(value=board * defaults.load, low=board * defaults.load_low, high=board * defaults.load_high)


def energy_used(
    card_w: Span,
    hours: Number,
    *,
    host_w: Number | None = None,
    pue: Number = 1,
    source: str = "",
    rows: tuple[str, ...] = (),
) -> Energy:
    """kWh of cards and computer over some hours of work: (cards + host) x hours x PUE / 1000 (row 002-224).

    Args:
        card_w: draw of the cards while busy.
        hours: hours of work, not of calendar time.
        host_w: the rest of the computer; the documents add 100 W.
        pue: what a data centre adds for cooling and losses.
        source: where the board power comes from.
        rows: rows of the fact list that the figure applies.
    """
    span = at_least_zero("hours", hours, 10**7, "h")
    host = energy_data().power.host_w if host_w is None else exact(host_w)
    kwh = card_w.plus(host).times(span).times(exact(pue)).times(Decimal("0.001")).rounded()
    trace = step_of(
        name="energy",
        value=float(kwh.value),
        unit="kWh",
        how="(card power + host power) x hours x PUE / 1000",
        inputs=(
            step_of(
                name="card_power",
                value=float(card_w.value),
                unit="W",
                how="claim" if source else "given",
                sources=(source,) if source else (),
            ),
            step_of(
                name="host_power",
                value=float(host),
                unit="W",
                how="assumption" if host_w is None else "given",
                sources=("seed-002",) if host_w is None else (),
                rows=energy_data().power.host_rows if host_w is None else (),
            ),
            step_of(name="hours", value=float(span), unit="h", how="given"),
            step_of(name="pue", value=float(exact(pue)), how="assumption"),
        ),
        rows=("002-224", *rows),
    )
    return Energy(kwh=kwh, card_w=card_w, host_w=host, hours=span, trace=trace)


def energy_saved(before: Span, after: Span, hours: Number) -> Energy:
    """kWh that cards use less over some hours of work; the computer around them uses the same.

    Args:
        before: draw of all cards while busy, in watts.
        after: the same with a limit.
        hours: hours of work.
    """
    span = at_least_zero("hours", hours, 10**7, "h")
    value = max(before.value - after.value, Decimal(0))
    low = min(max(before.low - after.high, Decimal(0)), value)
    card_w = Span(value=value, low=low, high=max(before.high - after.high, value))
    kwh = card_w.times(span).times(Decimal("0.001")).rounded()
    trace = step_of(
        name="energy_saved",
        value=float(kwh.value),
        unit="kWh",
        how="(card power before - card power after) x hours / 1000",
        inputs=(
            step_of(name="card_power_before", value=float(before.value), unit="W", how="claim"),
            step_of(name="card_power_after", value=float(after.value), unit="W", how="given"),
            step_of(name="hours", value=float(span), unit="h", how="given"),
        ),
    )
    return Energy(kwh=kwh, card_w=card_w, host_w=Decimal(0), hours=span, trace=trace)


def electricity_bill(
    energy: Energy, price: Span, currency: str, *, source: str = "", as_of: date | None = None
) -> PowerBill:
    """Cost of electricity: kWh x price (row 002-225)."""
    cost = energy.kwh.times(price).rounded()
    trace = step_of(
        name="electricity_cost",
        value=cost.value,
        unit=currency,
        how="energy x price per kWh",
        inputs=(
            energy.trace,
            step_of(
                name="electricity_price",
                value=price.value,
                unit=f"{currency}/kWh",
                how="price" if source else "given",
                sources=(source,) if source else (),
                as_of=as_of,
            ),
        ),
        rows=("002-225",),
    )
    return PowerBill(energy=energy, price=price, cost=cost, currency=currency, trace=trace)


def carbon_of(energy: Energy, region_name: str) -> Carbon:
    """Emissions of some electricity in a region, with what the other factors on record would give.

    Raises:
        UnknownName: no factor is on record for the region.
    """
    key, region = get_region(region_name)
    first, *rest = region.factors

    def kilograms(factor: Factor) -> Span:
        return energy.kwh.times(factor.g_per_kwh).times(Decimal("0.001")).rounded()

    kg = kilograms(first)
    trace = step_of(
        name="carbon",
        value=float(kg.value),
        unit="kg CO2",
        how="energy x carbon intensity",
        inputs=(
            energy.trace,
            step_of(
                name="carbon_intensity",
                value=float(first.g_per_kwh),
                unit="g/kWh",
                how="claim",
                sources=(first.source,),
                as_of=date(first.year, 12, 31),
            ),
        ),
    )
    return Carbon(
        energy=energy,
        region=key,
        kg=kg,
        factor=first,
        others=tuple((factor, kilograms(factor)) for factor in rest),
        trace=trace,
    )
