"""Options and prices as answers show them: names, money with its age, and the facts behind them."""

from __future__ import annotations

from datetime import date

from advisor.models import Frozen, Money, Note
from advisor.recommend import Option, Pick
from advisor.recommend.models import Quote, Standing
from bot.answers.money.marks import mark_of_quote
from bot.core.message import Fact, fact_of
from bot.core.request import Request


class Shown(Frozen):
    """One option, ready for a template."""

    name: str
    n: int
    vram_gib: float
    total_vram_gib: float
    channel: str
    """rent | buy"""
    role: str = ""
    price: Money
    """All cards; an hour when rented."""
    low: Money
    high: Money
    ranged: bool
    listed: Money | None = None
    """As the source lists one card, when that is another currency."""
    provider: str
    terms: str
    tier: str = ""
    as_of: date | None = None
    day: str = ""
    """The same as exactly as it is known."""
    year: int | None = None
    standing: str
    used: bool = False
    tight: bool = False
    """Only the middle of the memory need is held, not its upper end."""
    speed_ratio: float | None = None
    price_ratio: float | None = None
    reasons: tuple[Note, ...] = ()
    source: str = ""
    mark: Note | None = None
    """What has to be said beside the price: its day's figure, one report, another market."""

    @property
    def launch(self) -> bool:
        """Only the price of the day it came out is known."""
        return self.standing == Standing.LAUNCH.value

    @property
    def dated(self) -> str:
        """Day of the price, its year when it is a record, or nothing."""
        if self.as_of is None:
            return ""
        old = self.standing in (Standing.LAUNCH, Standing.EXPIRED)
        return str(self.as_of.year) if old else self.day or self.as_of.isoformat()


def shown(request: Request, option: Option, currency: str, pick: Pick | None = None) -> Shown:
    """An option as a template shows it."""
    quote = option.quote
    name = seller_named(request, quote)
    other = quote.original is not None and quote.original.currency != currency
    return Shown(
        name=option.gpu.name,
        n=option.n,
        vram_gib=option.vram_gib,
        total_vram_gib=option.total_vram_gib,
        channel=quote.channel.value,
        role=pick.role if pick else "",
        price=Money(amount=option.money, currency=currency),
        low=Money(amount=quote.low * option.paid, currency=currency),
        high=Money(amount=quote.high * option.paid, currency=currency),
        ranged=quote.ranged,
        listed=quote.original if other else None,
        provider=name,
        terms=quote.terms,
        tier=quote.tier,
        as_of=quote.as_of,
        day=quote.day,
        year=quote.year,
        standing=quote.standing.value,
        tight=not option.sure,
        used=quote.terms == "purchase_used",
        speed_ratio=pick.speed_ratio if pick else None,
        price_ratio=pick.price_ratio if pick else None,
        reasons=pick.reasons if pick else (),
        source=quote.source,
        mark=mark_of_quote(quote, option.paid),
    )


def seller_named(request: Request, quote: Quote) -> str:
    """Who asks a price, in the reader's language; empty for a shop, a whole market and the user."""
    record = request.services.catalog.providers.get(quote.provider)
    if record is None:
        return "" if quote.provider == "user" else quote.provider_name
    if record.kind in {"shop", "market"}:
        return ""
    return record.name_zh if request.language == "zh" and record.name_zh else record.name


def price_fact(name: str, view: Shown) -> Fact:
    """The price of an option as a fact."""
    unit = f"{view.price.currency}/h" if view.channel == "rent" else view.price.currency
    return fact_of(
        name=name,
        value=float(view.price.amount),
        low=float(view.low.amount) if view.ranged else None,
        high=float(view.high.amount) if view.ranged else None,
        unit=unit,
        basis=f"{view.terms} {view.standing}",
        sources=(view.source,) if view.source else (),
        as_of=view.as_of,
    )
