"""How much memory a job needs: one job with its breakdown, or a table over methods, formats or models."""

from __future__ import annotations

from typing import Final

from advisor.errors import AdvisorError
from advisor.jobs.plan import Place, Plan
from advisor.jobs.ways import Way
from advisor.memory import MemoryEstimate, fit_estimate, largest_batch
from advisor.models import Gpu, Method, Note, Step
from bot.answers.asked_job import plan_facts
from bot.answers.common import Job, Named, NamedGpu, job_for, job_of, models_of, named_gpus, source_refs
from bot.answers.memory import need_lines
from bot.answers.memory.cards import Card
from bot.answers.memory.mixture import refused, without_active
from bot.answers.memory.need_lines import Need
from bot.answers.memory.pictures import memory_chart
from bot.answers.memory.rows import Row, row_of
from bot.answers.memory.sizing import (
    LLM_TASKS,
    USUAL_SIZES,
    card_notes,
    declined,
    elicit_model,
    estimated,
    guide_conflicts,
    guide_notes,
    guide_of_task,
    is_llm,
    lesser,
    merged,
    model_of_task,
    need_facts,
    plan_shown,
    setting_notes,
    shared_notes,
    source_ids,
    weighty,
)
from bot.core.answers import Answer, Decline, Outcome, answer_with, offered_of
from bot.core.message import Choice, Fact, choice_of
from bot.core.request import Request

_MOST_ROWS: Final = 8


def handle(request: Request) -> Outcome:
    """Estimate; ask for the model when neither model nor task is known."""
    named = models_of(request)
    if isinstance(named, Decline):
        return named
    cards = named_gpus(request)
    if isinstance(cards, Decline):
        return cards
    try:
        whole = without_active(named)
        jobs, whole, planned = _jobs(request, whole, _place_of(request, cards))
        if not jobs:
            return elicit_model()
        made = _answer(request, whole, cards, jobs, planned)
        return refused(request, made) if len(whole.models) < len(named.models) else made
    except AdvisorError as error:
        return declined(error)


def _jobs(request: Request, named: Named, place: Place | None) -> tuple[list[Job], Named, Plan | None]:
    """What to compute: the models named, else the usual sizes of a language task, else the task's usual model."""
    if not named.models and request.slot("task") in LLM_TASKS:
        catalog = request.services.catalog
        sizes = [model for name in USUAL_SIZES if (model := catalog.find_ml_model(name))]
        return [job_for(request, model) for model in sizes], named, None
    named = named if named.models else model_of_task(request)
    if not named.models:
        return [], named, None
    # each plan gives a way at least, and no more are shown than that
    plans = [plan_shown(request, model, [place] if place else ()) for model in named.models[:_MOST_ROWS]]
    count = int(request.slot("gpu_count") or 1)
    several = len(plans) > 1 and not isinstance(request.slot("method"), list)
    ways = [one.way for one in plans] if several else _ways(plans)
    return [job_of(request, way, count) for way in ways[:_MOST_ROWS]], named, plans[0]


def _ways(plans: list[Plan]) -> list[Way]:
    """Every way of the models, the one that is meant of the first model first."""
    first = plans[0]
    ways = [first.way, *(way for way in first.ways.all if not _same_but_shorter(way, first.way))]
    return ways + [way for one in plans[1:] for way in one.ways.all]


def _same_but_shorter(one: Way, other: Way) -> bool:
    """Whether two ways differ in the length of a sample alone."""
    mine, theirs = one.workload, other.workload
    return (mine.method, mine.precision, mine.quant, mine.offload) == (
        theirs.method,
        theirs.precision,
        theirs.quant,
        theirs.offload,
    )


def _card_of(cards: list[NamedGpu], request: Request) -> tuple[Gpu | None, float | None]:
    """The user's card or memory, to compare the need with."""
    gpu = cards[0].gpu if cards else None
    stated = request.slot("vram_gb")
    return gpu, float(stated) if stated else None


def _place_of(request: Request, cards: list[NamedGpu]) -> Place | None:
    """The card or memory that the need is compared with, as many as were named."""
    gpu, vram = _card_of(cards, request)
    return Place(gpu, int(request.slot("gpu_count") or 1), vram) if gpu or vram else None


def _row(request: Request, estimate: MemoryEstimate, gpu: Gpu | None, vram: float | None) -> Row:
    fit = fit_estimate(estimate, gpu, vram) if gpu or vram else None
    return row_of(request, estimate, fit)


def _answer(request: Request, named: Named, cards: list[NamedGpu], jobs: list[Job], planned: Plan | None) -> Answer:
    estimates = [estimated(request, job) for job in jobs]
    gpu, vram = _card_of(cards, request)
    found = Need(
        rows=tuple(_row(request, estimate, gpu, vram) for estimate in estimates),
        first=estimates[0],
        card=Card(gpu, vram) if gpu or vram else None,
        batch=_largest_batch(estimates, gpu, vram),
        runs=bool(request.slot("seq_len")) and jobs[0].workload.method is Method.INFERENCE,
    )
    single = len(estimates) == 1
    notes = _notes(request, named, cards, estimates)
    return answer_with(
        headline=(need_lines.headline(found),),
        lines=need_lines.lines(found),
        blocks=(*lesser(notes), *need_lines.blocks(found)),
        facts=(*need_facts(estimates), *_plan_facts(planned)),
        trace=_trace(estimates) + guide_of_task(request),
        sources=source_refs(request, source_ids(estimates)),
        assumptions=merged(_told_jobs(jobs), named.assumptions),
        notes=weighty(notes),
        conflicts=guide_conflicts(estimates),
        asks=None if gpu or vram else offered_of(slot="gpu"),
        choices=_choices(estimates[0]) if single else (),
        chart=memory_chart(estimates[0], found.card) if single else None,
        result=estimates[0],
    )


def _plan_facts(planned: Plan | None) -> tuple[Fact, ...]:
    facts = plan_facts(planned) if planned is not None else ()
    return tuple(one for one in facts if one.name != "vram_needed")


def _told_jobs(jobs: list[Job]) -> list[Job]:
    """The jobs of the first one's kind of use: what only others rest on is not assumed of it."""
    first = jobs[0].workload.method
    return [job for job in jobs if (job.workload.method is Method.INFERENCE) == (first is Method.INFERENCE)]


def _largest_batch(estimates: list[MemoryEstimate], gpu: Gpu | None, vram: float | None) -> int | None:
    """The largest batch of the one training on a known card; None where there is none or memory is not known."""
    first = estimates[0]
    known = vram or (gpu is not None and gpu.vram_gib)
    if len(estimates) > 1 or not known or first.workload.method is Method.INFERENCE:
        return None
    return largest_batch(first.workload, gpu, vram)


def _notes(request: Request, named: Named, cards: list[NamedGpu], estimates: list[MemoryEstimate]) -> tuple[Note, ...]:
    gpu = cards[0].gpu if cards else None
    guide = (step for one in estimates for step in one.guide)
    notes = [*named.notes, *(note for card in cards[:1] if (note := card.note))]
    works = [one.workload for one in estimates]
    notes += [*setting_notes(works), *card_notes(gpu, works)]
    kind = estimates[0].workload.method
    notes += shared_notes(one.notes for one in estimates if one.workload.method is kind)
    return (*notes, *guide_notes(guide, guide_of_task(request)))


def _trace(estimates: list[MemoryEstimate]) -> tuple[Step, ...]:
    return tuple(one.total.trace for one in estimates) + tuple(step for one in estimates[:1] for step in one.guide)


def _choices(estimate: MemoryEstimate) -> tuple[Choice, ...]:
    """Other ways to run the same job, one press away."""
    job = estimate.workload
    if not is_llm(job.ml_model):
        return ()
    ways = {"lora": "LoRA", "qlora": "QLoRA"}
    return tuple(
        choice_of(label=label, key=f"set:method={way}") for way, label in ways.items() if way != job.method.value
    )
