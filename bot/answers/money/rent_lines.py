"""Renting or buying as lines: which and when it pays back, both sums, both prices with their day."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from advisor.models import Gpu, Money
from advisor.money import BreakEven, Span
from advisor.money.bill import HOURS
from advisor.money.breakeven import DocumentExample
from advisor.recommend.models import Quote
from bot.answers.choose.offer_lines import days_named, of_provider, price_between, rounded
from bot.answers.money.bills import OfferLine
from bot.answers.money.marks import mark_of_quote, market_alone
from bot.answers.phrases import cards_named
from bot.core.line import Depth, Figure, Label, Line, Listing, Table, Worded, amount

_YEAR: Final = 365.0
_IN_YEARS: Final = 730.0
"""Days from which a time is told in years."""
_ONE_JOB: Final = 14.0
"""Days of use without a break below which one job is meant, told in hours."""
_NEARLY: Final = 0.02
_FEW_A_DAY: Final = 4.0
_SHOWN_OF_EXAMPLE: Final = frozenset(map(Decimal, ("0.05", "0.1", "0.15", "0.35", "0.6")))
_HEADLINES: Final = {"buy": "rb.buy", "rent": "rb.rent", "close": "rb.even"}
_OVER: Final = {"buy": "rb.buy_over", "rent": "rb.rent_over", "close": "rb.even_over"}
"""The same where a time was named: what both come to over it goes first."""


@dataclass(frozen=True, slots=True)
class Sides:
    """What is compared: so many of a card at a price, with the computer around it, and the offer to rent as many."""

    gpu: Gpu
    n: int
    quote: Quote
    offer: OfferLine
    host: Decimal
    currency: str
    rented: Gpu | None = None
    """The card that is rented, where it is another one than is bought."""
    back: Money | None = None
    """What the card is sold for afterwards, where that is told."""
    over: bool = False
    """Whether a time was named that both are compared over."""

    def money(self, value: Decimal) -> Money:
        """An amount in the currency of the answer."""
        return Money(amount=value, currency=self.currency)


def headline(found: BreakEven, sides: Sides) -> Line:
    """Which of both, and after what time buying pays back at this use."""
    if found.utilization == 0:
        return Line("rb.never_used")
    if found.days is None or found.hours is None:
        hourly = amount(rounded(sides.offer.hourly), "hour")
        return Line("rb.power_eats", {"gpu": sides.gpu.name, "hourly": hourly})
    told: dict[str, Worded] = {
        "cards": cards_named(sides.gpu.name, sides.n),
        "used": use_of(float(found.utilization)),
        "days": _days(sides),
    }
    if sides.over:
        one_job = _horizon(found).unit == "hour"
        if one_job:
            told["used"] = None
        paid_back = _hours(found.hours) if one_job else time(found.days)
        return Line(_OVER[found.verdict], {**told, **_totals(found, sides), "after": paid_back})
    after: dict[str, Worded] = {"after": time(found.days), "use": Figure(float(found.hours.value), "hour")}
    return Line(_HEADLINES[found.verdict], {**told, **after})


def _days(sides: Sides) -> Line | None:
    """When the prices of both sides were asked, and whose market they are of; the day of a rent alone stands below.

    Prices that the asker names have none.
    """
    offer, quote = sides.offer, sides.quote
    if not _dated(quote):
        return None
    marks = [mark_of_quote(quote)] + ([offer.mark] if offer.provider else [])
    return days_named((offer.dated if offer.provider else "", _dated(quote)), market_alone(*marks))


def _dated(quote: Quote) -> str:
    """The day of a quote as exactly as it counts, "" where it has none."""
    return str((quote.year if not quote.standing.solid else quote.day) or "")


def _totals(found: BreakEven, sides: Sides) -> dict[str, Worded]:
    """What renting and buying come to over the time in question."""
    return {
        "horizon": _horizon(found),
        "rent": amount(rounded(sides.money(found.cost_rent.value))),
        "buy": amount(rounded(sides.money(found.cost_buy.value))),
    }


def use_of(share: float) -> Figure:
    """How much it is used, as people say it: hours a week where a day has few."""
    daily = share * 24
    return Figure(share * 168, "hour/week") if daily < _FEW_A_DAY else Figure(daily, "hour/day")


def _hours(use: Span) -> Figure:
    """Hours of use, of which one job tells nothing by the day."""
    value, low, high = (float(end) for end in (use.value, use.low, use.high))
    return Figure(value, "hour", low=low, high=high)


def time(days: Span) -> Figure:
    """Days, or years where they are many."""
    unit, scale = ("year", _YEAR) if days.value > _IN_YEARS else ("day", 1.0)
    value, low, high = (float(end) / scale for end in (days.value, days.low, days.high))
    return Figure(value, unit, low=low, high=high)


def _horizon(found: BreakEven) -> Figure:
    """The time in question as it was said: hours of one job, whole years or months, else days."""
    days = found.horizon_days
    if found.utilization == 1 and days < _ONE_JOB:
        return Figure(float(days) * 24, "hour")
    for unit in ("year", "month"):
        number = float(days * 24 / HOURS[unit])
        if number >= 1 and abs(number - round(number)) < _NEARLY:
            return Figure(float(round(number)), unit)
    return time(Span.of(days))


def lines(found: BreakEven, sides: Sides) -> tuple[Line, ...]:
    """Both prices, and both sums over the time in question; nothing where nothing pays back."""
    if found.days is None or not found.utilization:
        return ()
    told: tuple[Line, ...] = (_buying(found, sides), _renting(sides))
    if sides.rented is not None:
        told = (*told, Line("rb.not_alike", {"rented": sides.rented.name, "bought": sides.gpu.name}))
    return told if sides.over else (*told, Line("rb.totals", _totals(found, sides)))


def _buying(found: BreakEven, sides: Sides) -> Line:
    quote = sides.quote
    return Line(
        "rb.buying" if sides.back is None else "rb.buying.sold",
        {
            **({} if sides.back is None else {"back": amount(sides.back)}),
            "cards": cards_named(sides.gpu.name, sides.n) if sides.rented is not None else None,
            "price": price_between(sides.money(quote.low * sides.n), sides.money(quote.high * sides.n)),
            "origin": Line(
                "offer.of_terms",
                {
                    "terms": Label(quote.terms, "terms"),
                    "dated": _dated(quote) or None,
                    "mark": mark_of_quote(quote, sides.n),
                },
            ),
            "host": amount(rounded(sides.money(sides.host))) if sides.host else None,
            "power": amount(rounded(sides.money(found.ownership.hourly.value)), "hour"),
        },
    )


def _renting(sides: Sides) -> Line:
    offer = sides.offer
    hourly = amount(rounded(offer.hourly), "hour")
    if not offer.provider:
        return Line("rb.renting_own", {"price": hourly})
    origin = of_provider(offer.provider, None, offer.dated, offer.mark)
    cards = cards_named(sides.rented.name, sides.n) if sides.rented is not None else None
    return Line("rb.renting", {"cards": cards, "price": hourly, "origin": origin})


def blocks(found: BreakEven, example: DocumentExample) -> tuple[Table | Listing, ...]:
    """Time to pay back by use; the example of 2020 behind the button."""
    exact = example.exact
    told = Listing(
        tuple(
            Line("rb.at_share", {"share": Figure(float(share), "share"), "after": Figure(float(days), "day")})
            for share, days in exact.by_utilization
            if share in _SHOWN_OF_EXAMPLE
        ),
        title=Line(
            "rb.example",
            {
                "printed": Figure(float(example.printed_days), "day"),
                "days": Figure(float(exact.days.value), "day") if exact.days else None,
                "use": Figure(float(exact.hours.value), "hour") if exact.hours else None,
            },
        ),
        depth=Depth.DETAILS,
    )
    if found.days is None or not found.utilization:
        return (told,)
    rows = tuple((Figure(float(share), "share"), time(Span.of(days))) for share, days in found.by_utilization)
    return (Table((Line("rb.share"), Line("rb.pays_back")), rows, title=Line("rb.table")), told)
