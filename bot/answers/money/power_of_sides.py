"""What the electricity of two cards comes to over the same hours, and by how much the one costs more."""

from __future__ import annotations

from typing import Final

from advisor.jobs.draw import Draw, draw_of
from advisor.models import note_of
from advisor.money.bill import HOURS
from advisor.money.energy import PowerBill, electricity_bill, energy_used
from bot.answers.asked_job import usage_for
from bot.answers.choose.wishes import currency_of
from bot.answers.common import NamedGpu, elicit_gpu, named_gpus, source_refs
from bot.answers.money.bills import PowerPrice, power_assumptions, power_price
from bot.answers.money.cost_lines import whole
from bot.answers.phrases import cards_named
from bot.answers.speed.pace import counts_of
from bot.core.answers import Answer, Decline, Outcome, answer_with, assumption_of, elicit_of
from bot.core.line import Figure, Line, Worded
from bot.core.message import fact_of
from bot.core.request import Request

_TWO: Final = 2
_ALIKE: Final = 1.03
"""Bills that differ by less are called the same."""


def is_asked(request: Request) -> bool:
    """Whether the electricity of two cards is asked about, now or by the answer that is gone on with."""
    if len(request.slot("gpu") or ()) != _TWO:
        return False
    return request.heard.speaks_of("electricity") or _goes_on(request)


def _goes_on(request: Request) -> bool:
    """Whether such an answer is gone on with, and neither another card nor renting is spoken of."""
    before, heard = request.subject, request.heard
    told = before is not None and any(fact.name.startswith(_TOLD) for fact in before.facts)
    other = heard.wished("gpu") or heard.wished("deploy") or heard.speaks_of("renting")
    return told and request.intent == _BILL and not other


_BILL: Final = "estimate_cost"
_TOLD: Final = "electricity_cost:"
"""How the facts begin that tell what the electricity of each card comes to."""


def handle(request: Request) -> Outcome:
    """Both bills and their difference; asks for the price of power where none is known."""
    named = named_gpus(request)
    if isinstance(named, Decline):
        return named
    if len(named) != _TWO:
        return elicit_gpu()
    price = power_price(request, currency_of(request))
    if price is None:
        return elicit_of(slot="electricity_price", notes=(note_of("cost_no_kwh_price", {}),))
    drawn = [draw_of(one.gpu, n) for one, n in zip(named, counts_of(request, named), strict=True)]
    known = [one for one in drawn if one is not None]
    if len(known) < _TWO:
        missing = next(one for one, draw in zip(named, drawn, strict=True) if draw is None)
        return Decline(reason=note_of("cost_no_power", {"name": missing.gpu.name}))
    return _answer(request, named, known, price)


def _answer(request: Request, named: list[NamedGpu], drawn: list[Draw], price: PowerPrice) -> Answer:
    stated = _hours(request)
    hours = stated if stated is not None else float(HOURS["month"])
    boards = [one.gpu.sources.get("board_power_w") or one.gpu.sources.get("*", "") for one in named]
    bills = [_bill(one, hours, price, board) for one, board in zip(drawn, boards, strict=True)]
    told = [(cards_named(one.gpu.name, draw.n), bill) for one, draw, bill in zip(named, drawn, bills, strict=True)]
    assumed = () if stated is not None else (assumption_of(slot="duration", value="730 h"),)
    return answer_with(
        headline=(_headline(told, hours, price),),
        facts=tuple(
            fact_of(name=f"electricity_cost:{one.gpu.name}", value=float(bill.cost.value), unit=price.currency)
            for one, bill in zip(named, bills, strict=True)
        ),
        trace=tuple(bill.trace for bill in bills),
        sources=source_refs(request, [one for one in (price.source, *boards, "seed-002") if one]),
        assumptions=(*assumed, *power_assumptions(price)),
        notes=(note_of("cost_load", {"low": 0.7, "high": 1.0, "host": bills[0].energy.host_w}),),
        result=tuple(bills),
    )


def _hours(request: Request) -> float | None:
    """Hours that were said, or those of a month at the use that was said."""
    usage = usage_for(request)
    return usage.hours if usage.hours is not None else usage.hours_over(float(HOURS["month"]))


def _bill(drawn: Draw, hours: float, price: PowerPrice, source: str) -> PowerBill:
    energy = energy_used(drawn.cards, hours, host_w=drawn.host, source=source)
    return electricity_bill(energy, price.span, price.currency, source=price.source, as_of=price.as_of)


def _headline(told: list[tuple[Line, PowerBill]], hours: float, price: PowerPrice) -> Line:
    """The dearer one with what it costs more; both where they are alike."""
    (less, low), (more, high) = sorted(told, key=lambda pair: pair[1].cost.value)
    first, second = float(low.cost.value), float(high.cost.value)
    values: dict[str, Worded] = {
        "more": more,
        "less": less,
        "high": whole(Figure(second, "money", currency=price.currency)),
        "low": whole(Figure(first, "money", currency=price.currency)),
        "by": whole(Figure(second - first, "money", currency=price.currency)),
        "span": Figure(float(hours), "hour"),
        "price": Figure(float(price.span.value), "money/kwh", currency=price.currency),
    }
    return Line("power.alike" if second <= _ALIKE * first else "power.apart", values)
