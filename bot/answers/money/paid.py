"""What somebody paid for rent, against what the same use comes to at the providers on record."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Final

from advisor.models import Money
from advisor.money import RentalBill
from advisor.money.bill import HOURS
from advisor.periods import DAYS_A_MONTH
from bot.answers.asked_job import usage_for
from bot.answers.choose.offer_lines import rounded
from bot.answers.choose.own_prices import money_of
from bot.core.line import Figure, Line, Single, Worded, amount
from bot.core.request import Request

_ONCE: Final = "once"
_CARD: Final = "card"
_NEAR: Final = Decimal("1.15")
"""Times the cheapest offer up to which a price is as good as it gets."""


def is_judged(request: Request) -> bool:
    """Whether it is asked if a price is a good one."""
    return request.heard.shows("deal", "judged")


def paid_for(request: Request) -> tuple[Money, float] | None:
    """What was paid in all, and the hours that it was paid for; None where that is not said or not asked about."""
    if not is_judged(request):
        return None
    usage = usage_for(request)
    stated = request.slot("price")
    period = str(stated.get("unit")) if isinstance(stated, dict) else ""
    money = money_of(stated)
    if money is not None and period in HOURS and period != "hour":
        whole = float(HOURS[period])
        return money, usage.hours_over(whole) or whole
    spent = request.slot("budget")
    money = money_of(spent)
    if money is None or usage.hours is None or (spent.get("period") or _ONCE) != _ONCE:
        return None
    return money, usage.hours


def paid_headline(request: Request, spent: tuple[Money, float] | None, bill: RentalBill, origin: Single) -> Line | None:
    """Whether what was paid is much, by the cheapest and the dearest offer; None where it is not asked or known.

    `spent`: the money and the hours that it was paid for.
    """
    best = bill.best
    if spent is None or best is None or best.total.value <= 0:
        return None
    paid, hours = spent
    said = request.services.catalog.convert(paid, bill.currency, request.now.date()).amount
    most = max(line.total.value for line in bill.lines)
    low = best.total.value
    verdict = "below" if said <= low * _NEAR else "above" if said > most else "within"
    values: dict[str, Worded] = {
        "paid": amount(rounded(paid)),
        "span": Figure(hours, "hour"),
        "total": _money(low, bill),
        "hourly": amount(rounded(Money(amount=best.hourly.value * best.paid_cards, currency=bill.currency)), "hour"),
        "origin": origin,
        "most": _money(most, bill),
        "times": Figure(float(said / low), "times"),
    }
    return Line(f"cost.paid.{verdict}", values)


def affords_headline(
    request: Request, bill: RentalBill, cards: Line, origin: Single, hours: float | None
) -> Line | None:
    """How many hours a sum rents the cards at the cheapest offer, where hours are asked for; None otherwise.

    `bill`: of one hour; `hours`: those that were named, which leave none to ask for.
    """
    budget = request.slot("budget")
    money, best = money_of(budget), bill.best
    if hours is not None or money is None or best is None or not request.heard.speaks_of("time_question"):
        return None
    sum_ = request.services.catalog.convert(money, bill.currency, request.now.date())
    hourly = best.hourly.value * best.paid_cards
    if hourly <= 0:
        return None
    rented = float(sum_.amount / hourly)
    values: dict[str, Worded] = {
        "budget": amount(rounded(money)),
        "cards": cards,
        "hours": Figure(rented, "hour"),
        "daily": Figure(rented / DAYS_A_MONTH, "hour"),
        "hourly": _money(hourly, bill),
        "origin": origin,
    }
    monthly = budget.get("period") == "month" or "month" in request.heard.sides("period")
    return Line("cost.affords.month" if monthly else "cost.affords", values)


def reach_headline(request: Request, work: Line, cost: Figure, span: Figure, cards: Line, rent: Line) -> Line | None:
    """Whether a sum of money pays for all of some work, by the range of what it costs; None where no sum was said.

    Args:
        request: the question.
        work: what is to be done, in words.
        cost: what it comes to, with its range.
        span: how long it takes.
        cards: what it runs on.
        rent: price of an hour of a card, and whose it is.
    """
    money = money_at_hand(request)
    if money is None:
        return None
    have = float(request.services.catalog.convert(money, cost.currency, request.now.date()).amount)
    most = cost.high if cost.high is not None else cost.value
    verdict = "yes" if most <= have else "likely" if cost.value <= have else "no"
    values: dict[str, Worded] = {"budget": amount(rounded(money)), "work": work, "cost": cost}
    return Line(f"cost.reach.{verdict}", {**values, "span": span, "cards": cards, "rent": rent})


def without_slots(request: Request, *names: str) -> Request:
    """The same question without some of what was said."""
    return replace(request, slots={name: value for name, value in request.slots.items() if name not in names})


def with_money_at_hand(request: Request) -> Request:
    """The same question, a price that is asked to be enough as what there is to spend."""
    money = money_at_hand(request)
    if money is None or request.slot("budget"):
        return request
    budget = {"amount": float(money.amount), "currency": money.currency, "period": _ONCE}
    rest = without_slots(request, "price")
    return replace(rest, slots={**rest.slots, "budget": budget})


def money_at_hand(request: Request) -> Money | None:
    """The sum that may be spent once: a budget, or a price of nothing in particular that is asked to be enough."""
    budget = request.slot("budget")
    if budget:
        return money_of(budget) if (budget.get("period") or _ONCE) == _ONCE else None
    price = request.slot("price")
    named = isinstance(price, dict) and price.get("unit") == _CARD and not request.slot("gpu")
    return money_of(price) if named and request.heard.speaks_of("enough") else None


def _money(value: Decimal, bill: RentalBill) -> Figure:
    return amount(rounded(Money(amount=value, currency=bill.currency)))
