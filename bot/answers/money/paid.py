"""What somebody paid for rent, against what the same use comes to at the providers on record."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from advisor.models import Money
from advisor.money import RentalBill
from advisor.money.bill import HOURS
from bot.answers.asked_job import usage_for
from bot.answers.choose.offer_lines import rounded
from bot.answers.choose.own_prices import money_of
from bot.core.line import Figure, Line, Single, Worded, amount
from bot.core.request import Request

_ONCE: Final = "once"
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


def _money(value: Decimal, bill: RentalBill) -> Figure:
    return amount(rounded(Money(amount=value, currency=bill.currency)))
