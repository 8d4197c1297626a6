"""Rent or buy where nobody knows what the card costs: what renting comes to is the most that buying may cost."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from advisor.models import Gpu, Money, step_of
from advisor.money import RentalBill
from bot.answers.choose.offer_lines import of_provider, rounded
from bot.answers.common import source_refs
from bot.answers.money.bills import shown_lines
from bot.answers.money.rent_lines import use_of
from bot.answers.phrases import cards_named
from bot.core.answers import Answer, Assumption, answer_with, offered_of
from bot.core.line import Figure, Line, Worded, amount
from bot.core.message import fact_of
from bot.core.request import Request

_A_YEAR: Final = 8760.0
_A_MONTH: Final = 730.0


def rent_limit(
    request: Request,
    gpu: Gpu,
    n: int,
    bill: RentalBill,
    hours: float | None,
    usage: tuple[Decimal, tuple[Assumption, ...]],
) -> Answer:
    """What renting comes to over the time in question, the most that buying may cost.

    Args:
        request: the question.
        gpu: the card that has no price to buy.
        n: how many of it.
        bill: of an hour; it has an offer.
        hours: that it is kept for, round the clock; None for a year at the usual use.
        usage: share of the day in use, and what it rests on; counts where no time was said.
    """
    offer = shown_lines(request, bill)[0]
    share, assumed = (Decimal(1), ()) if hours else usage
    span = hours or _A_YEAR
    total = Money(amount=offer.hourly.amount * Decimal(str(span)) * share, currency=bill.currency)
    values: dict[str, Worded] = {
        "cards": cards_named(gpu.name, n),
        "span": Figure(span / _A_MONTH, "month") if hours and hours >= _A_MONTH else Figure(span, "hour"),
        "used": use_of(float(share)) if share < 1 else None,
        "total": amount(rounded(total)),
        "hourly": amount(rounded(offer.hourly), "hour"),
        "origin": of_provider(offer.provider, None, offer.dated, offer.mark),
    }
    return answer_with(
        headline=(Line("rb.limit", values),),
        lines=(Line("rb.limit.monthly"),),
        facts=(fact_of(name="cost_rent", value=float(total.amount), unit=bill.currency, basis="over the horizon"),),
        trace=(
            step_of(
                name="rental_cost",
                value=total.amount,
                unit=bill.currency,
                how="hourly x hours x share in use",
                inputs=(bill.lines[0].trace,),
            ),
        ),
        sources=source_refs(request, [offer.source] if offer.source else []),
        assumptions=assumed,
        asks=offered_of(slot="price"),
    )
