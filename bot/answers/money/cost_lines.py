"""Bills as lines: what a rental comes to, at whom, by which hours; electricity; a budget divided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from advisor.jobs.draw import Draw
from advisor.models import Estimate, Money
from advisor.money import RentalBill, Span
from advisor.money.bill import HOURS
from advisor.money.energy import Energy, PowerBill
from advisor.money.sums import BudgetSplit
from bot.answers.choose.offer_lines import of_provider, price_between, rounded
from bot.answers.money.bills import OfferLine
from bot.answers.phrases import cards_named, model_named
from bot.core.line import Depth, Figure, Label, Line, Listing, Single, Table, Worded, amount

if TYPE_CHECKING:
    from bot.answers.money.piles import Pile
    from bot.answers.speed.training_run import Run

_PERIODS: Final = (("hour", Decimal(1)), *((name, HOURS[name]) for name in ("day", "week", "month", "year")))
_SPOT: Final = "spot"
_CENTS_UP_TO: Final = 100
_BRIEFLY: Final = 4
"""Offers that a group sees, the one of the headline among them."""


@dataclass(frozen=True, slots=True)
class Rental:
    """A rental that is billed: so many cards for so long, with its offers."""

    gpu: str
    n: int
    hours: float | None
    by_month: bool
    """Whether the hours are those of one month of a use that was stated."""
    lines: Sequence[OfferLine]
    bill: RentalBill
    asked: str = ""
    """The period that a bill without hours is asked for: month | year | "" for none."""
    where: bool = False
    """Whether it is asked at whom to rent."""


def periods(bill: RentalBill) -> list[tuple[str, Money]]:
    """Cost of an hour, a day, a week and a month without a break."""
    best = bill.best
    if best is None:
        return []
    hourly = best.hourly.value * best.paid_cards
    return [(name, _money((hourly * hours).quantize(Decimal("0.01")), bill)) for name, hours in _PERIODS]


def cost_of_run(wall: Estimate, bill: RentalBill) -> Figure | None:
    """What work of so many hours comes to, with its range: hours and price both vary."""
    best = bill.best
    if best is None:
        return None

    def cost(hourly: Decimal, hours: float | None) -> float:
        paid = hourly * best.paid_cards * Decimal(str(hours if hours is not None else wall.value))
        return float(paid.quantize(Decimal("0.01")))

    low, high = cost(best.hourly.low, wall.low), cost(best.hourly.high, wall.high)
    total = rounded(_money(best.total.value, bill))
    return Figure(float(total.amount), "money", currency=bill.currency, low=low, high=high)


# --- headlines -------------------------------------------------------------------------------------------------------


def rental_headline(rental: Rental, run: Run | None, cost: Figure | None) -> Line:
    """What it comes to, at whom and at which rate; without hours the rate, and what days of it cost."""
    best = rental.lines[0]
    hourly, origin = amount(rounded(best.hourly), "hour"), origin_of(best)
    cards = cards_named(rental.gpu, rental.n)
    if run is not None and cost is not None:
        return Line(
            "cost.run",
            {
                "model": model_named(run.work.ml_model.name),
                "method": Label(run.work.method.value, "assumed.method"),
                "data": _data(run),
                "cost": cost,
                "span": Figure(run.wall.value, "hour"),
                "cards": cards,
                "gpu_hours": Figure(run.wall.value * run.n) if run.n > 1 else None,
                "hourly": _per_gpu(rental.bill),
                "origin": origin,
            },
        )
    if rental.hours is not None:
        total, span = amount(rounded(best.total)), Figure(rental.hours, "hour")
        values: dict[str, Worded] = {"cards": cards, "total": total, "span": span}
        if rental.where and best.provider:
            return Line("cost.at", {**values, "who": best.provider, "hourly": hourly, "origin": origin})
        code = "cost.by_month" if rental.by_month else "cost.total"
        return Line(code, {**values, "hourly": hourly, "origin": origin})
    spans = {name: amount(rounded(money)) for name, money in periods(rental.bill)}
    values = {"cards": cards, "hourly": hourly, "origin": origin, **_longer(spans)}
    return Line(f"cost.rate.{rental.asked}" if rental.asked else "cost.rate", values)


def pile_headline(rental: Rental, pile: Pile, cost: Figure) -> Line:
    """What all of a pile of work comes to, on which cards, how long and at whom."""
    values: dict[str, Worded] = {
        "work": work_of_pile(pile),
        "cost": cost,
        "cards": cards_named(rental.gpu, rental.n),
        "span": Figure(pile.wall.value, "hour"),
        "rent": rent_of(rental),
    }
    return Line("cost.pile", values)


def work_of_pile(pile: Pile) -> Line:
    """Work that waits, and the model that does it."""
    return Line("cost.pile_of", {"work": pile.work, "model": model_named(pile.model.name)})


def work_of_run(run: Run) -> Line:
    """A run by its model, its method and its data."""
    method = Label(run.work.method.value, "assumed.method")
    return Line("cost.run_of", {"model": model_named(run.work.ml_model.name), "method": method, "data": _data(run)})


def rent_of(rental: Rental) -> Line:
    """What a card costs an hour, and at whom."""
    return Line("cost.per_card", {"hourly": _per_gpu(rental.bill), "origin": origin_of(rental.lines[0])})


def _per_gpu(bill: RentalBill) -> Figure | None:
    """What one card costs an hour at the best offer."""
    return amount(rounded(_money(bill.best.hourly.value, bill))) if bill.best is not None else None


def _longer(spans: dict[str, Figure]) -> dict[str, Figure]:
    return {name: spans[name] for name in ("day", "week", "month", "year")}


def _data(run: Run) -> Line | None:
    """What the run goes through."""
    if run.tokens:
        return Line("cost.on_tokens", {"tokens": Figure(run.tokens, "token")})
    if run.samples:
        return Line("cost.on_samples", {"samples": Figure(run.samples, "item"), "epochs": Figure(run.epochs, "round")})
    return None


def power_headline(bill: PowerBill, cards: Line, price: Span) -> Line:
    """The electricity bill with its range, and what it rests on."""
    energy, currency = bill.energy, bill.currency
    cost = whole(_span(bill.cost, "money", currency))
    return Line(
        "cost.power",
        {
            "cost": cost,
            "cards": cards,
            "kwh": _span(energy.kwh, "kWh"),
            "span": Figure(float(energy.hours), "hour"),
            "price": Figure(float(price.value), "money/kwh", currency=currency),
        },
    )


def saved_headline(saved: PowerBill, after: PowerBill, drawn: Draw) -> Line:
    """What a power limit saves over the hours, and what is still paid."""
    currency, before = after.currency, saved.cost.plus(after.cost.value)
    return Line(
        "cost.saved",
        {
            "saved": whole(_span(saved.cost, "money", currency)),
            "limit": Figure(drawn.card_w, "W"),
            "kwh": Figure(float(saved.energy.kwh.value), "kWh"),
            "span": Figure(float(after.energy.hours), "hour"),
            "before": whole(Figure(float(before.value), "money", currency=currency)),
            "after": whole(Figure(float(after.cost.value), "money", currency=currency)),
            "price": Figure(float(after.price.value), "money/kwh", currency=currency),
        },
    )


def whole(cost: Figure) -> Figure:
    """An estimate of money without cents from 100 on: they would claim more than is known."""
    if abs(cost.value) < _CENTS_UP_TO:
        return cost
    low, high = (None if end is None else float(round(end)) for end in (cost.low, cost.high))
    return replace(cost, value=float(round(cost.value)), low=low, high=high)


def split_headline(split: BudgetSplit) -> Line:
    """A budget that is divided as a document does."""
    return Line("cost.split", {"budget": amount(rounded(split.budget))})


# --- below -----------------------------------------------------------------------------------------------------------


def rental_blocks(rental: Rental) -> tuple[Listing | Table, ...]:
    """Other offers, briefly for a group and as a table; without hours what days of it cost."""
    brief = Listing(tuple(_offer(one, rental) for one in rental.lines[1:_BRIEFLY]), depth=Depth.GROUP, last=Depth.GROUP)
    spans = Listing(
        tuple(
            Line("cost.period", {"period": Label(name, "unit"), "cost": amount(rounded(money))})
            for name, money in (periods(rental.bill) if rental.hours is None else ())
        )
    )
    return tuple(block for block in (brief, _offers(rental), spans) if not isinstance(block, Listing) or block.lines)


def _offers(rental: Rental) -> Table:
    total = rental.hours is not None
    heads = ("cost.provider", "cost.terms", "cost.hourly", *(("cost.in_all",) if total else ()), "cost.dated")
    return Table(tuple(Line(head) for head in heads), tuple(_row(one, total=total) for one in rental.lines))


def _row(one: OfferLine, *, total: bool) -> tuple[Single, ...]:
    cells: tuple[Single, ...] = (_provider(one), _terms(one), amount(rounded(one.hourly)))
    if total:
        low, high = (one.low, one.high) if one.ranged else (one.total, one.total)
        cells = (*cells, Line("cost.range", {"cost": price_between(low, high)}))
    dated = Line("cost.of_day", {"dated": one.dated, "mark": one.mark}) if one.dated else Line("cost.undated")
    return (*cells, dated)


def _offer(one: OfferLine, rental: Rental) -> Line:
    cost = amount(rounded(one.hourly), "hour") if rental.hours is None else amount(rounded(one.total))
    dated = Line("cost.of_day", {"dated": one.dated, "mark": one.mark}) if one.dated else None
    return Line("cost.offer", {"provider": _provider(one), "terms": _terms(one), "cost": cost, "dated": dated})


def _provider(one: OfferLine) -> Single:
    return one.provider or Line("cost.yours")


def _terms(one: OfferLine) -> Line:
    return Line(
        "cost.on_terms",
        {
            "terms": Label(one.terms, "terms"),
            "tier": Label("member", "tier") if one.tier == "member" else None,
            "node": Line("cost.whole_node") if one.whole_node else None,
        },
    )


def origin_of(one: OfferLine) -> Line:
    """Whose offer it is, of which day, and that it may be taken away at any time."""
    if not one.provider:
        return Line("cost.yours")
    return of_provider(one.provider, Label(_SPOT, "terms") if one.terms == _SPOT else None, one.dated, one.mark)


def limited(drawn: Draw) -> tuple[Line, ...]:
    """That a card's limit was counted."""
    return (Line("cost.limited", {"limit": Figure(drawn.card_w, "W")}),) if drawn.limited else ()


def power_parts(energy: Energy, hours: float) -> Listing:
    """Watts and hours that make the bill."""
    watts = {"card": _span(energy.card_w, "W"), "host": Figure(float(energy.host_w), "W")}
    return Listing((Line("carbon.watts", {**watts, "hours": Figure(hours, "hour"), "kwh": _span(energy.kwh, "kWh")}),))


def split_parts(split: BudgetSplit) -> Listing:
    """Shares of a budget, each with its card of the time."""
    currency = split.budget.currency
    return Listing(
        tuple(
            Line(
                "cost.share",
                {
                    "purpose": Label(part.purpose, "step"),
                    "cost": _span(part.amount, "money", currency),
                    "share": _span(part.share, "share"),
                    "gpu": part.gpu,
                },
            )
            for part in split.parts
        ),
        depth=Depth.GROUP,
    )


def _span(span: Span, unit: str, currency: str = "") -> Figure:
    return Figure(float(span.value), unit, currency=currency, low=float(span.low), high=float(span.high))


def _money(value: Decimal, bill: RentalBill) -> Money:
    return Money(amount=value, currency=bill.currency)
