"""How much of a training gets done in a time that is named: rounds of the data, steps, or samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from advisor.errors import AdvisorError
from advisor.jobs.plan import Plan
from advisor.models import Estimate, MlModel, Workload, step_of
from advisor.speed.contest import Side
from advisor.speed.rate import generates
from bot.answers.asked_job import plan_facts, usage_for
from bot.answers.common import (
    Job,
    NamedGpu,
    decline_error,
    elicit_gpu,
    fact,
    job_of,
    models_of,
    named_gpus,
    source_refs,
)
from bot.answers.common import step_sources as sources_of
from bot.answers.phrases import model_named, used_way
from bot.answers.speed.amounts import amount_of, dataset_named
from bot.answers.speed.estimate_time import does_with_data, guessed_model, without_datasets
from bot.answers.speed.pace import counts_of, filled, plan_on
from bot.answers.speed.time_lines import Run, short, told
from bot.answers.speed.training_pace import epochs_stated, training_run
from bot.core.answers import Assumption, Decline, Outcome, answer_with, offered_of
from bot.core.line import Figure, Line, Worded
from bot.core.request import Request

_HOURS: Final[Mapping[str, float]] = {"hour": 1.0, "night": 10.0, "weekend": 48.0, "week": 168.0, "month": 730.0}
"""Hours of times that are named by a word alone; a night as work is left to run through it."""
_SECONDS: Final = 3600.0
_EPOCHS, _STEPS, _SAMPLES = "epochs", "steps", "samples"
_TOKENS: Final = "tok"


@dataclass(frozen=True, slots=True)
class _Amount:
    """What is counted, and of what a round is made."""

    kind: str
    """epochs | steps | samples"""
    hours: float
    round: float | None = None
    """Samples of one round; None where nobody said."""


def is_asked(request: Request) -> bool:
    """Whether it is asked how much is trained in a time, and nothing says how much there is to do."""
    kind = request.heard.side("done")
    if not kind or epochs_stated(request) or _hours_of(request) is None:
        return False
    return kind == _EPOCHS or request.heard.speaks_of("training", "finetuning") or bool(request.slot("method"))


def handle(request: Request) -> Outcome:
    """Rounds, steps or samples in the time, by the pace of the training; asks for the card."""
    cards, dataset = named_gpus(request), dataset_named(request)
    if isinstance(cards, Decline):
        return cards
    named = models_of(without_datasets(request))
    if isinstance(named, Decline):
        return named
    models, assumed = named.models, named.assumptions
    if not models:
        models, assumed = guessed_model(request, dataset)
    if not cards or not models:
        return elicit_gpu()
    return _answer(request, cards, models[0], assumed)


def _answer(request: Request, cards: list[NamedGpu], model: MlModel, assumed: tuple[Assumption, ...]) -> Outcome:
    dataset = dataset_named(request)
    side = Side(cards[0].with_most_memory.gpu, counts_of(request, cards[:1])[0])
    size = float(dataset.samples) if dataset is not None else amount_of(str(request.slot("dataset") or ""))
    amount = _Amount(request.heard.side("done"), _hours_of(request) or 0.0, size)
    try:
        planned = _plan(request, model, side)
        job = filled(request, job_of(request, planned.way), [side])
        run = training_run(request, job.workload, side, planned.chosen[0].verdict, None, None)
    except AdvisorError as error:
        return decline_error(error)
    done = _done(run, job.workload, amount)
    return answer_with(
        headline=(_headline(run, done, amount),),
        facts=(*plan_facts(planned), fact(f"{amount.kind}_in_time", done)),
        trace=(done.trace,),
        sources=source_refs(request, sources_of(done.trace)),
        assumptions=_assumed(assumed, job),
        asks=offered_of(slot="dataset") if amount.kind == _EPOCHS and not amount.round else None,
        result=done,
    )


def _plan(request: Request, model: MlModel, side: Side) -> Plan:
    """The plan of the training: as it is said, else as data are usually trained on."""
    said = plan_on(request, model, [side]) if request.slot("method") else None
    if said is not None and not generates(said.way.workload):
        return said
    return plan_on(request, model, [side], does=does_with_data(model))


def _assumed(models: tuple[Assumption, ...], job: Job) -> tuple[Assumption, ...]:
    return (*models, *job.assumptions)


def _hours_of(request: Request) -> float | None:
    """Hours that there are: said, or by the word of a time."""
    usage = usage_for(request)
    said = request.slot("deadline_hours") or usage.hours or usage.period
    named = next((_HOURS[one] for one in request.heard.sides("period") if one in _HOURS), None)
    return float(said) if said else named


def _done(run: Run, work: Workload, amount: _Amount) -> Estimate:
    """What is counted, in the time; samples where rounds are asked of data that nobody counted."""
    each = 1.0 / (work.seq_len or 1) if run.unit == _TOKENS else 1.0
    if amount.kind == _STEPS:
        each /= (work.batch or 1) * run.n
    if amount.kind == _EPOCHS and amount.round:
        each /= amount.round
    factor = each * _SECONDS * amount.hours
    value = run.rate.value * factor
    trace = step_of(name="done", value=value, how="pace x time / size of one", inputs=(run.rate.trace,))
    changed = {"low": run.rate.low * factor, "high": run.rate.high * factor, "unit": "", "trace": trace}
    return run.rate.model_copy(update={"value": value, **changed})


def _headline(run: Run, done: Estimate, amount: _Amount) -> Line:
    values: dict[str, Worded] = {
        "done": Figure(short(done.value), low=short(done.low), high=short(done.high)),
        "model": model_named(run.model),
        "way": used_way(run),
        "card": run.card,
        "rate": told(run.rate, f"{run.unit}/s"),
        "span": Figure(amount.hours, "hour"),
        "size": Figure(amount.round, "item") if amount.round else None,
    }
    if run.too_big:
        return Line("done.no_fit", values)
    kind = _SAMPLES if amount.kind == _EPOCHS and not amount.round else amount.kind
    return Line(f"done.{kind}", values)


__all__ = ["handle", "is_asked"]
