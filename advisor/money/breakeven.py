"""Rent or buy: after how many days, and how many hours of use, owning has cost less than renting the same work.

Like for like: each hour of use saves the rent and costs the electricity of that hour; the days follow from the share
of the day in use. The documents' own example (2020) is kept with its shortcut: it charges a whole year of electricity.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from advisor.models import Frozen, Step, step_of
from advisor.money.energy import energy_data
from advisor.money.span import Number, Span, at_least_zero, exact, positive

CURVE = tuple(Decimal(text) for text in ("0.05", "0.1", "0.15", "0.25", "0.35", "0.5", "0.6", "0.8", "1"))
HOURS_PER_DAY = Decimal(24)


class Ownership(Frozen):
    """What buying costs before the first hour of work, and what each hour then costs."""

    card: Span
    """Price of all cards."""
    host: Span
    """Price of the computer around them; zero when there is one."""
    resale: Span
    """What the cards still bring at the end."""
    power_w: Span
    """Cards and computer while busy."""
    kwh_price: Span
    currency: str

    @property
    def capital(self) -> Span:
        """Money that is gone: cards and computer, less resale."""
        return self.card.plus(self.host).minus(self.resale)

    @property
    def hourly(self) -> Span:
        """Electricity of one hour of use."""
        return self.power_w.times(Decimal("0.001")).times(self.kwh_price)


class BreakEven(Frozen):
    """Where buying overtakes renting."""

    ownership: Ownership
    rent: Span
    """For one hour, all cards."""
    hours: Span | None
    """Hours of use; None when an hour of rent is not dearer than the electricity."""
    utilization: Decimal
    days: Span | None
    by_utilization: tuple[tuple[Decimal, Decimal], ...]
    """(share of the day in use, days)."""
    horizon_days: Decimal
    cost_rent: Span
    """Over the horizon at the given utilisation."""
    cost_buy: Span
    verdict: str
    """buy | rent | close: close when the bands of both costs overlap."""
    trace: Step


def hours_to_break_even(owned: Ownership, rent: Span) -> Span | None:
    """Hours of use after which the purchase is paid off: capital / (rent - electricity per hour)."""
    saved = rent.minus(owned.hourly)
    return owned.capital.over(saved)


def days_at(hours: Span, utilization: Number) -> Span:
    """Calendar days that hold so many hours of use, at a share of the day in use (0-1]."""
    share = positive("utilization", utilization, 1)
    return hours.times(1 / (HOURS_PER_DAY * share))


def break_even(owned: Ownership, rent: Number | Span, utilization: Number, horizon_days: Number = 365) -> BreakEven:
    """Compare owning with renting for the same hours of use.

    Args:
        owned: purchase, computer, resale and electricity.
        rent: for one hour of the same work, in the currency of `owned`.
        utilization: share of the day in which the GPU works, from 0 to 1; what is never used never pays.
        horizon_days: how long the comparison looks ahead.

    Raises:
        OutOfRange: a utilisation outside [0, 1], or a horizon of no or endless days.
    """
    price = Span.of(rent)
    share = at_least_zero("utilization", utilization, 1)
    horizon = positive("horizon_days", horizon_days, 36_500, "days")
    hours = hours_to_break_even(owned, price)
    used = HOURS_PER_DAY * share * horizon
    cost_rent = price.times(used).rounded("0.01")
    cost_buy = owned.capital.plus(owned.hourly.times(used)).rounded("0.01")
    days = days_at(hours, share) if hours is not None and share else None
    curve = tuple((at, days_at(hours, at).value.quantize(Decimal("0.1"))) for at in CURVE) if hours is not None else ()
    return BreakEven(
        ownership=owned,
        rent=price,
        hours=hours,
        utilization=share,
        days=days,
        by_utilization=curve,
        horizon_days=horizon,
        cost_rent=cost_rent,
        cost_buy=cost_buy,
        verdict=_verdict(cost_rent, cost_buy),
        trace=_trace(owned, price, hours, days, share),
    )


def _verdict(rent: Span, buy: Span) -> str:
    if buy.high < rent.low:
        return "buy"
    if rent.high < buy.low:
        return "rent"
    return "close" if rent.ranged or buy.ranged or rent.value == buy.value else "rent"


def _trace(owned: Ownership, rent: Span, hours: Span | None, days: Span | None, share: Decimal) -> Step:
    inputs = (
        step_of(name="capital", value=owned.capital.value, unit=owned.currency, how="cards + computer - resale"),
        step_of(name="rent_per_hour", value=rent.value, unit=f"{owned.currency}/h", how="price"),
        step_of(
            name="electricity_per_hour",
            value=owned.hourly.value,
            unit=f"{owned.currency}/h",
            how="power x price per kWh / 1000",
            rows=("002-224", "002-225"),
        ),
    )
    used = step_of(
        name="break_even_hours",
        value=float(hours.value) if hours is not None else None,
        unit="h",
        how="capital / (rent per hour - electricity per hour)",
        inputs=inputs,
        rows=("002-226", "002-229"),
    )
    return step_of(
        name="break_even_days",
        value=float(days.value) if days is not None else None,
        unit="days",
        how="hours / (24 x utilization)",
        inputs=(used, step_of(name="utilization", value=float(share), how="given")),
        rows=("002-227", "002-228"),
    )


# --- the documents' example -----------------------------------------------------------------------------------------


class DocumentExample(Frozen):
    """The example of 2020 as printed, and the same comparison like for like."""

    desktop: Decimal
    rent: Decimal
    kwh_price: Decimal
    power_w: Decimal
    utilization: Decimal
    kwh_per_year: Decimal
    power_per_year: Decimal
    rent_300_days: Decimal
    own_first_year: Decimal
    printed_days: int
    shortcut_days: Decimal
    """Days when a whole year of electricity is charged at once, as the article does."""
    exact: BreakEven
    as_of: date = date(2020, 10, 9)
    source: str = "seed-002"


def document_example(utilization: Number = Decimal("0.15")) -> DocumentExample:
    """The article's desktop of 2200 USD against AWS V100 spot at 2.14 USD, at any use (rows 002-222 to 002-228).

    The printed 300 days compare 2311 USD of rent with 2270 USD: 2200 plus 71 for a whole year of electricity. Charging
    only the electricity of the days compared gives 292.96 days (E33).
    """
    desktop, rent, price, watts = Decimal(2200), Decimal("2.14"), Decimal("0.12"), Decimal(450)
    share = exact(utilization)
    owned = Ownership(
        card=Span.of(desktop),
        host=Span.of(0),
        resale=Span.of(0),
        power_w=Span.of(watts),
        kwh_price=Span.of(price),
        currency="USD",
    )
    kwh = watts / 1000 * share * energy_data().power.hours_per_year
    yearly = kwh * price
    return DocumentExample(
        desktop=desktop,
        rent=rent,
        kwh_price=price,
        power_w=watts,
        utilization=share,
        kwh_per_year=kwh,
        power_per_year=yearly,
        rent_300_days=rent * share * 24 * 300,
        own_first_year=desktop + yearly,
        printed_days=300,
        shortcut_days=(desktop + yearly) / (rent * share * 24),
        exact=break_even(owned, rent, share),
    )
