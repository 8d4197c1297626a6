"""What the functions about money answer with, in the currency that each result names."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.named.results import Time
from advisor.named.shown import Row, Shown
from advisor.named.values import Assumed, PriceRow, Range, Source, band, counted, day_text, record


@dataclass(frozen=True, slots=True, repr=False)
class Cost(Shown):
    """What a rental costs."""

    gpu: str
    gpus: int
    hours: float
    currency: str
    total: Range | None
    """At the first offer; None where no price is on record."""
    offers: tuple[PriceRow, ...]
    """Prices to count on first, then by total."""
    time: Time | None
    """How the hours came about, where a job was named."""
    sources: tuple[Source, ...]

    @property
    def brief(self) -> str:
        """Card, hours, total."""
        total = "no price on record" if self.total is None else band(self.total)
        return f"{counted(self.gpu, self.gpus)}, {self.hours:.4g} h: {total}"

    @property
    def rows(self) -> tuple[Row, ...]:
        """One an offer."""
        return tuple({**_priced(one), "total": one.total.value if one.total else None} for one in self.offers)


@dataclass(frozen=True, slots=True, repr=False)
class Prices(Shown):
    """What a card costs: to rent, new, used, at its launch."""

    gpu: str
    currency: str
    prices: tuple[PriceRow, ...]
    sources: tuple[Source, ...]

    @property
    def brief(self) -> str:
        """Card and its first rent and purchase."""
        firsts = {one.kind: one for one in reversed(self.prices)}
        shown = [f"{kind} {band(firsts[kind].amount)}" for kind in ("rent", "new", "used") if kind in firsts]
        return f"{self.gpu}: {', '.join(shown) or 'no price on record'}"

    @property
    def rows(self) -> tuple[Row, ...]:
        """One a price."""
        return tuple(_priced(one) for one in self.prices)


@dataclass(frozen=True, slots=True, repr=False)
class RentOrBuy(Shown):
    """Owning against renting for the same hours of use."""

    gpu: str
    gpus: int
    currency: str
    verdict: str
    """rent | buy | close"""
    hours_per_week: float
    months: float
    rent: Range
    """Over the months."""
    buy: Range
    rent_per_hour: Range
    card: Range
    """All cards."""
    purchase: PriceRow | None
    """The price of one card that was counted; None for your own."""
    host: float
    """The computer around it."""
    electricity_per_hour: Range
    break_even_months: Range | None
    """None when an hour of rent is not dearer than its electricity."""
    break_even_hours: Range | None
    by_use: tuple[tuple[float, float], ...]
    """(share of the day in use, days until owning is cheaper)"""
    assumed: tuple[Assumed, ...]
    sources: tuple[Source, ...]

    @property
    def brief(self) -> str:
        """Card, verdict, break-even."""
        months = self.break_even_months
        when = "owning never pays" if months is None else f"even after {months.value:.3g} months"
        return f"{counted(self.gpu, self.gpus)}: {self.verdict}, {when} at {self.hours_per_week:.3g} h a week"

    @property
    def rows(self) -> tuple[Row, ...]:
        """Days until owning is cheaper, by use."""
        return tuple(record(hours_per_day=round(share * 24, 1), days=days) for share, days in self.by_use)


def _priced(one: PriceRow) -> Row:
    return record(
        kind=one.kind, provider=one.provider, terms=one.terms, price=one.amount.value, low=one.amount.low,
        high=one.amount.high, unit=one.amount.unit, as_of=day_text(one.as_of), age=one.age, source=one.source,
    )  # fmt: skip
