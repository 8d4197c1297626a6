"""The bill of a rental: for hours that were said, for a training run, or for work that waits to be got through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from advisor.models import Gpu, Money, Note, note_of
from advisor.money import RentalBill
from advisor.money.bill import HOURS
from advisor.periods import DAYS_A_MONTH
from advisor.speed.contest import Side
from bot.answers.asked_job import plan_facts, usage_for
from bot.answers.choose.wishes import currency_of, providers_of
from bot.answers.common import models_of, source_refs, step_sources
from bot.answers.money import cost_lines
from bot.answers.money.bills import (
    OfferLine,
    bill_for,
    shown_lines,
    span_fact,
)
from bot.answers.money.paid import affords_headline, paid_for, paid_headline, reach_headline
from bot.answers.money.price_phrases import Names
from bot.answers.money.price_remarks import told_here
from bot.answers.phrases import cards_named
from bot.answers.rent_facts import are_platforms_compared
from bot.answers.speed.pace import plan_on
from bot.core.answers import (
    Answer,
    Assumption,
    Decline,
    Offered,
    Outcome,
    answer_with,
    elicit_of,
    offered_of,
)
from bot.core.line import Figure, Line
from bot.core.message import Fact, fact_of
from bot.core.request import Request

if TYPE_CHECKING:
    from bot.answers.money.piles import Pile
    from bot.answers.speed.training_run import Run


def hours_said(request: Request) -> tuple[float | None, str]:
    """Hours of the bill and what they stand for: stated | month | ""."""
    usage = usage_for(request)
    if usage.hours is not None:
        return usage.hours, "stated"
    year = usage.hours_over(float(HOURS["year"])) if "year" in request.heard.sides("period") else None
    if year is not None:
        return year, "stated"
    month = usage.hours_over(float(HOURS["month"]))
    return (month, "month") if month is not None else (None, "")


def rental_answer(
    request: Request, gpu: Gpu, n: int, assumed: tuple[Assumption, ...], notes: tuple[Note, ...]
) -> Outcome:
    """What renting so many of a card comes to, offer by offer; asks for a price where none is on record."""
    paid = paid_for(request)
    billed = _billed(request, gpu, n, paid[1] if paid is not None else None)
    if billed.run is not None and billed.run.too_big:
        return Decline(reason=too_big_note(billed.run, gpu))
    bill = _cheapest_first(
        request, bill_for(request, gpu, 1.0 if billed.hours is None else billed.hours, billed.n, currency_of(request))
    )
    if bill.best is None:
        note = note_of("cost_no_price", {"name": gpu.name})
        return elicit_of(slot="price", notes=(note,))
    lines = shown_lines(request, bill)
    by_month = billed.meaning == "month"
    rental = cost_lines.Rental(
        gpu=gpu.name,
        n=billed.n,
        hours=billed.hours,
        by_month=by_month,
        lines=lines,
        bill=bill,
        asked=_asked(request),
        where=request.intent == _WHERE or are_platforms_compared(request),
    )
    return _bill_answer(request, billed, rental, gpu, paid, assumed, notes)


_WHERE: Final = "platform_choice"
_RENTED: Final = ("rent",)
_ASKED: Final = ("month", "year")
"""Periods for which a bill is asked by their name alone."""


def _asked(request: Request) -> str:
    """The one period that a bill is asked for, "" for none or several."""
    named = [one for one in _ASKED if one in request.heard.sides("period")]
    return named[0] if len(named) == 1 else ""


@dataclass(frozen=True, slots=True)
class _Billed:
    """The hours that are paid for, and what they stand for."""

    n: int
    """Cards that are paid for."""
    hours: float | None
    meaning: str
    """stated | month | job | "" """
    run: Run | None = None
    pile: Pile | None = None

    @property
    def work(self) -> Run | Pile | None:
        """What takes the hours, where they are worked out."""
        return self.run or self.pile


def _billed(request: Request, gpu: Gpu, n: int, paid: float | None) -> _Billed:
    """The hours that were said, else those of the run or of the work that waits."""
    hours, meaning = hours_said(request) if paid is None else (paid, "stated")
    if hours is not None:
        return _Billed(n, hours, meaning)
    run = run_paid(request, gpu, n)
    if run is not None:
        return _Billed(run.n, run.wall.value, "job", run=run)
    pile = _pile(request, gpu, n)
    return _Billed(n, pile.wall.value if pile else None, "job" if pile else meaning, pile=pile)


def _bill_answer(
    request: Request,
    billed: _Billed,
    rental: cost_lines.Rental,
    gpu: Gpu,
    paid: tuple[Money, float] | None,
    assumed: tuple[Assumption, ...],
    notes: tuple[Note, ...],
) -> Answer:
    run, work, bill, lines = billed.run, billed.work, rental.bill, rental.lines
    trace = (work.wall.trace,) if work is not None else ()
    cost = cost_lines.cost_of_run(work.wall, bill) if work is not None else None
    origin, cards = cost_lines.origin_of(lines[0]), cards_named(gpu.name, billed.n)
    judged = paid_headline(request, paid, bill, origin) or affords_headline(request, bill, cards, origin, billed.hours)
    told = (*notes, *run.notes, *_run_notes(run)) if run is not None else notes
    return answer_with(
        headline=(judged or _headline(request, rental, billed, cost),),
        lines=tuple(told_here(request, (gpu,), _RENTED)),
        blocks=cost_lines.rental_blocks(rental),
        facts=(
            *_rental_facts(bill, gpu, billed.hours, lines[0]),
            *_run_facts(work, cost),
            *(run.facts if run is not None else _plan_facts(request, gpu, billed.n)),
        ),
        trace=(*(line.trace for line in bill.lines[: len(lines)]), *trace),
        sources=source_refs(
            request,
            [*(line.source for line in lines if line.source), *(s for step in trace for s in step_sources(step))],
        ),
        assumptions=together(work.assumptions, assumed) if work is not None else assumed,
        notes=(*told, *_silent(request, lines), *_rental_notes(bill)),
        asks=_asks_back(billed, rental),
        result=bill,
    )


def _asks_back(billed: _Billed, rental: cost_lines.Rental) -> Offered | None:
    """For how long, where neither hours nor a period are named."""
    return None if billed.hours is not None or rental.asked else offered_of(slot="duration")


def _cheapest_first(request: Request, bill: RentalBill) -> RentalBill:
    """Who asks for the cheapest, or where of several, gets that first, on whatever terms it is let."""
    if "cheap" not in request.heard.sides("platform") and not are_platforms_compared(request):
        return bill
    ranked = sorted(bill.lines, key=lambda one: (one.age is not None and not one.age.solid, one.total.value))
    return bill.model_copy(update={"lines": tuple(ranked)})


def run_paid(request: Request, gpu: Gpu, n: int) -> Run | None:
    """The training run that is to be paid for, spread over more cards where it would take months."""
    if not request.slot("model"):
        return None
    from bot.answers.speed.training_run import is_training, run_of, spread  # only where a model is trained

    found = run_of(request, gpu, n) if is_training(request) else None
    return spread(request, found, gpu) if found is not None else None


def too_big_note(run: Run, gpu: Gpu) -> Note:
    """That no usual number of these cards holds a run, so that it has no bill."""
    values = {"gpu": gpu.name, "n": run.n, "model": run.work.ml_model.name, "method": run.work.method.value}
    return note_of("cost_run_too_big", values)


def _pile(request: Request, gpu: Gpu, n: int) -> Pile | None:
    """The work that waits and is to be paid for, where no run is."""
    if not request.slot("model") and not request.slot("task"):
        return None
    from bot.answers.money.piles import pile_of  # only where a job is named

    return pile_of(request, gpu, n)


def _plan_facts(request: Request, gpu: Gpu, n: int) -> tuple[Fact, ...]:
    """Way, need and verdict of the named job on the card that is billed, where it is no run that can be timed."""
    from bot.answers.speed.estimate_time import without_datasets  # only where a job is named

    named = models_of(without_datasets(request))
    if isinstance(named, Decline) or not named.models:
        return ()
    return plan_facts(plan_on(request, named.models[0], [Side(gpu, n)]))


def _run_notes(run: Run) -> tuple[Note, ...]:
    notes = []
    if run.days > DAYS_A_MONTH:
        notes.append(note_of("cost_run_long", {"days": run.days, "n": run.n, "more": run.cards_for_a_month}))
    if run.scratch:
        notes.append(note_of("cost_tune_instead", {}))
    return tuple(notes)


def together(first: tuple[Assumption, ...], second: tuple[Assumption, ...]) -> tuple[Assumption, ...]:
    """Assumptions of the run, then those that only the choice of the card rests on."""
    known = {one.slot for one in first}
    return (*first, *(one for one in second if one.slot not in known))


def _headline(request: Request, rental: cost_lines.Rental, billed: _Billed, cost: Figure | None) -> Line:
    """Whether the money is enough where some was said, else what work that waits, a run or a time comes to."""
    if billed.pile is not None and cost is not None:
        work = cost_lines.work_of_pile(billed.pile)
        return _reach(request, rental, billed, work, cost) or cost_lines.pile_headline(rental, billed.pile, cost)
    if billed.run is not None and cost is not None:
        reach = _reach(request, rental, billed, cost_lines.work_of_run(billed.run), cost)
        return reach or cost_lines.rental_headline(rental, billed.run, cost)
    return cost_lines.rental_headline(rental, billed.run, cost)


def _reach(request: Request, rental: cost_lines.Rental, billed: _Billed, work: Line, cost: Figure) -> Line | None:
    span, cards = Figure(billed.hours or 0.0, "hour"), cards_named(rental.gpu, rental.n)
    return reach_headline(request, work, cost, span, cards, cost_lines.rent_of(rental))


def _run_facts(run: Run | Pile | None, cost: Figure | None) -> tuple[Fact, ...]:
    if run is None or cost is None:
        return ()
    return (
        fact_of(name="run_hours", value=run.wall.value, low=run.wall.low, high=run.wall.high, unit="h"),
        fact_of(name="run_cost", value=None, low=cost.low, high=cost.high, unit=cost.currency),
    )


def _rental_facts(bill: RentalBill, gpu: Gpu, hours: float | None, line: OfferLine) -> tuple[Fact, ...]:
    best = bill.best
    if best is None:
        return ()
    sources = (best.source,) if best.source else ()
    facts = [
        fact_of(name="gpu", value=gpu.name),
        span_fact("price_per_gpu_hour", best.hourly, f"{bill.currency}/h", line.provider, sources),
    ]
    if hours is not None:
        facts.append(fact_of(name="gpu_hours", value=float(bill.gpu_hours), unit="h", basis="cards x hours"))
        facts.append(span_fact("rental_cost", best.total, bill.currency, line.provider, sources))
    else:
        facts += [
            fact_of(name=f"cost_per_{name}", value=float(money.amount), unit=bill.currency)
            for name, money in cost_lines.periods(bill)
        ]
    return tuple(facts)


def _silent(request: Request, lines: Sequence[OfferLine]) -> tuple[Note, ...]:
    """The platforms that are named of which no price of this card is on record."""
    wanted = providers_of(request) if are_platforms_compared(request) else ()
    told = {one.provider for one in lines}
    providers = request.services.catalog.providers
    names = Names(request.services.catalog, request.language == "zh")
    said = [names.provider(one, providers[one].name) for one in wanted if one in providers]
    silent = [name for name in said if name not in told]
    return (note_of("cost_none_of_it", {"names": silent}),) if silent else ()


def _rental_notes(bill: RentalBill) -> tuple[Note, ...]:
    notes = [note_of("cost_power_on", {}), note_of("cost_disk", {})]
    best = bill.best
    if best is not None and best.age is not None and not best.age.solid:
        notes.insert(0, note_of("cost_old_price", {"as_of": best.as_of}))
    return tuple(notes)
