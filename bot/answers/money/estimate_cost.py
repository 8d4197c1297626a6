"""Money for a job or a period: the rental bill by provider, or the electricity bill of a machine of one's own."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from advisor.errors import AdvisorError
from advisor.jobs.draw import Draw, draw_of, idle_draw
from advisor.machine.power import sensible_limit
from advisor.models import Gpu, Money, Note, note_of
from advisor.money import budget_split, electricity_bill, energy_used, subscription
from advisor.money.bill import HOURS
from advisor.money.energy import Energy, PowerBill, energy_data, energy_saved
from advisor.recommend import Channel, choose
from bot.answers.choose.own_prices import money_of
from bot.answers.choose.wishes import (
    currency_of,
    providers_of,
    read_wish,
    total_hours_of,
)
from bot.answers.common import NamedGpu, decline_error, elicit_gpu, named_gpus, source_refs
from bot.answers.documents.passages import passage_answer
from bot.answers.money import cost_lines
from bot.answers.money.billed_cards import billed_cards
from bot.answers.money.bills import (
    power_assumptions,
    power_price,
    priced_variant,
    span_fact,
)
from bot.answers.money.paid import with_money_at_hand, without_slots
from bot.answers.money.rental import hours_said, rental_answer, run_paid, together, too_big_note
from bot.answers.phrases import cards_named
from bot.core.answers import (
    Answer,
    Assumption,
    Decline,
    Elicit,
    Outcome,
    answer_with,
    assumption_of,
    elicit_of,
)
from bot.core.line import Figure, Line, amount
from bot.core.message import Fact, fact_of
from bot.core.request import Request

_TOLD: Final = 0.6
"""Search score from which a passage answers a question about money that names no card."""
_PERIODS: Final = (("hour",), ("year",))
"""Periods that a bill may be asked for, beside the month that is assumed."""
_SPLIT: Final = "002-140"
_RENTED: Final = ("renting", "rent_versus_buy")
"""Ideas with which a bill is one of rent again."""


def handle(request: Request) -> Outcome:
    """Bill of a rental or of electricity; ask for the card, or for a price nobody has on record."""
    try:
        if providers_of(request) == ("colab",) and not request.slot("gpu"):
            return _subscription(request)
        request = with_money_at_hand(request)
        chosen = _card(request)
        if not isinstance(chosen, tuple):
            return chosen
        gpu, n, assumed, notes, why = chosen
        if _is_of_power(request):
            return _electricity(request, gpu, n, assumed, notes)
        told = rental_answer(request, gpu, n, assumed, notes)
        return told.model_copy(update={"lines": (why, *told.lines)}) if why and isinstance(told, Answer) else told
    except AdvisorError as error:
        return decline_error(error)


_RENT: Final = "rent"


def _is_of_power(request: Request) -> bool:
    """Whether electricity is asked about, now or by the answer that is gone on with."""
    heard = request.heard
    if heard.speaks_of("electricity", "power_draw"):
        return True
    limited = bool(request.slot("limit_w")) and not heard.speaks_of("renting")
    if limited or request.slot("electricity_price"):
        return _RENT not in heard.wished("deploy")
    if heard.speaks_of(*_RENTED):
        return False
    idle = heard.shows("bill", "idle") and not request.slot("provider")
    return idle or (bool(request.conversation.intent) and not heard.wished("deploy") and _was_of_power(request))


def _was_of_power(request: Request) -> bool:
    """Whether the answer before was a bill for electricity."""
    before = request.subject
    return before is not None and any(fact.name == "electricity_cost" for fact in before.facts)


Chosen = tuple[Gpu, int, tuple[Assumption, ...], tuple[Note, ...], Line | None]
"""Card, its number, what was assumed of it and is remarked, and what the number rests on."""


def _card(request: Request) -> Chosen | Answer | Elicit | Decline:
    """The card that was named, or the one the advisor would rent for the job."""
    named = named_gpus(request)
    if isinstance(named, Decline):
        return named
    if named:
        return _named(request, named[0])
    if not (request.slot("model") or request.slot("task")):
        return _told(request) or elicit_gpu()
    from bot.answers.speed.estimate_time import without_datasets  # only where a job is named

    wish = read_wish(without_datasets(without_slots(request, "budget", "price")))
    if isinstance(wish, Decline):
        return wish
    need = wish.need.model_copy(update={"deploy": Channel.RENT, "budget": None})
    found = choose(need, request.services.catalog, request.now.date())
    option = found.winner
    if option is None:
        near = found.told(with_flips=False).nearest
        return Decline(reason=note_of("rec_none_fits", {"need": found.requirement.gib}), nearest=near)
    note = note_of("cost_card_chosen", {"name": option.gpu.name, "n": option.n, "need": found.requirement.gib})
    return option.gpu, option.n, wish.assumptions, (note,), None


def _named(request: Request, card: NamedGpu) -> Chosen:
    """The card that was named, as many as were counted or as run the model that is named."""
    billed = None if _is_of_power(request) else billed_cards(request, card.gpu)
    n = billed.n if billed is not None else request.slot("gpu_count") or 1
    one = priced_variant(request, card, currency_of(request), n)
    return one.gpu, n, (), (one.note,) if one.note else (), billed.told(one.gpu.name) if billed else None


def _told(request: Request) -> Answer | None:
    """A budget to divide, or a question about money that the documents answer without a card."""
    told = passage_answer(request, "estimate_cost", floor=_TOLD, only=True)
    budget = money_of(request.slot("budget"))
    splits = told is not None and any(_SPLIT in step.rows for step in told.trace)
    if budget is None or told is None or not splits:
        return told
    split = budget_split(budget)
    return answer_with(
        headline=(cost_lines.split_headline(split),),
        blocks=(cost_lines.split_parts(split),),
        facts=tuple(span_fact(f"share_{part.purpose}", part.amount, budget.currency, part.gpu) for part in split.parts),
        trace=(split.trace, *told.trace),
        sources=told.sources,
        notes=told.notes,
        conflicts=split.conflicts,
        result=split,
        told=told.told,
    )


def _hours_asked(request: Request) -> tuple[float, tuple[Assumption, ...]]:
    """The hour or year that a bill is asked for, else a month, which is assumed."""
    asked = request.heard.sides("period")
    if asked in _PERIODS:
        return float(HOURS[asked[0]]), ()
    return float(HOURS["month"]), (assumption_of(slot="duration", value="730 h"),)


# --- electricity -----------------------------------------------------------------------------------------------------


def _electricity(
    request: Request, gpu: Gpu, n: int, assumed: tuple[Assumption, ...], notes: tuple[Note, ...]
) -> Outcome:
    currency = currency_of(request)
    hours, _ = hours_said(request)
    run = run_paid(request, gpu, n) if hours is None else None
    if run is not None:
        if run.too_big:
            return Decline(reason=too_big_note(run, gpu))
        n, hours, assumed, notes = run.n, run.wall.value, together(run.assumptions, assumed), (*run.notes, *notes)
    drawn, idle = _drawn(request, gpu, n)
    if drawn is None:
        return Decline(reason=note_of("cost_no_power", {"name": gpu.name}))
    price = power_price(request, currency)
    if price is None:
        return elicit_of(slot="electricity_price", notes=(note_of("cost_no_kwh_price", {}),))
    if hours is None:
        hours, usual = _hours_asked(request)
        assumed = (*assumed, *usual)
    board = _source_of(gpu, idle=idle)
    energy = energy_used(drawn.cards, hours, host_w=drawn.host, source=board)
    bill = electricity_bill(energy, price.span, currency, source=price.source, as_of=price.as_of)
    headline, saved = _power_headline(request, bill, drawn, gpu)
    return answer_with(
        headline=(headline,),
        lines=cost_lines.limited(drawn),
        blocks=(cost_lines.power_parts(energy, hours),),
        facts=(
            span_fact("energy", energy.kwh, "kWh", "(card + host) x hours", (board,) if board else ()),
            span_fact("electricity_price", price.span, f"{currency}/kWh"),
            span_fact("electricity_cost", bill.cost, currency, "energy x price"),
            *saved,
        ),
        trace=(bill.trace,),
        sources=source_refs(request, [s for s in (price.source, board, "seed-002") if s]),
        assumptions=(*assumed, *power_assumptions(price)),
        notes=(*notes, _load_note(energy, idle=idle)),
        result=bill,
    )


_DAY: Final = 24


def _is_idle(request: Request) -> bool:
    """Whether the machine only waits in the time that is asked about."""
    used = request.slot("duration")
    works = isinstance(used, dict) and used.get("per") == "day" and used.get("amount", _DAY) < _DAY
    return request.heard.shows("bill", "idle") and not (works or _was_of_power(request) or request.slot("utilization"))


def _drawn(request: Request, gpu: Gpu, n: int) -> tuple[Draw | None, bool]:
    """What the machine draws, and whether that is while it waits."""
    idle = idle_draw(gpu, n) if _is_idle(request) else None
    return (idle, True) if idle is not None else (draw_of(gpu, n, _limit_of(request, gpu)), False)


def _source_of(gpu: Gpu, *, idle: bool) -> str:
    """Where the watts of the card are from."""
    return energy_data().power.idle_source if idle else gpu.sources.get("board_power_w") or gpu.sources.get("*", "")


def _load_note(energy: Energy, *, idle: bool) -> Note:
    """What the watts rest on."""
    code = "cost_idle" if idle else "cost_load"
    return note_of(code, {"low": energy.card_w.low, "high": energy.card_w.high, "host": energy.host_w})


def _limit_of(request: Request, gpu: Gpu) -> float | None:
    """The power limit that is spoken of: its watts, else the sensible ones where what it saves is asked."""
    stated: float | None = request.slot("limit_w")
    asked = request.heard.speaks_of("power_limit") and request.heard.shows("bill", "saved")
    return stated if stated or not asked else sensible_limit(gpu)


def _power_headline(request: Request, bill: PowerBill, drawn: Draw, gpu: Gpu) -> tuple[Line, tuple[Fact, ...]]:
    """What the power costs; where a limit is spoken of and what it saves is asked, that."""
    unlimited = draw_of(gpu, drawn.n)
    if not (drawn.limited and unlimited and request.heard.shows("bill", "saved")):
        return cost_lines.power_headline(bill, cards_named(gpu.name, drawn.n), bill.price), ()
    less = energy_saved(unlimited.cards, drawn.cards, bill.energy.hours)
    saved = electricity_bill(less, bill.price, bill.currency)
    line = cost_lines.saved_headline(saved, bill, drawn)
    return line, (span_fact("electricity_saved", saved.cost, bill.currency, "energy x price"),)


# --- subscriptions ---------------------------------------------------------------------------------------------------


def _subscription(request: Request) -> Outcome:
    """A monthly fee, as of the day it was recorded."""
    offers = [o for o in request.services.catalog.offers if o.provider == "colab" and o.unit == "month"]
    if not offers:
        return elicit_gpu()
    offer = max(offers, key=lambda o: o.as_of)
    hours = total_hours_of(request)
    months = Decimal(str(hours)) / HOURS["month"] if hours else Decimal(1)
    months = max(months.to_integral_value(), Decimal(1))
    step = subscription(Money(amount=offer.low, currency=offer.currency), months)
    total = Money(amount=offer.low * months, currency=offer.currency)
    return answer_with(
        headline=(
            Line(
                "cost.subscription",
                {"total": amount(total), "span": Figure(float(months), "month"), "year": str(offer.as_of.year)},
            ),
        ),
        facts=(fact_of(name="subscription_cost", value=float(total.amount), unit=offer.currency, as_of=offer.as_of),),
        trace=(step,),
        sources=source_refs(request, [offer.source]),
        conflicts=("E48",),
        result=offer,
    )
