"""How many cards a job needs: by memory, by the time it may take, and what the usual counts are for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from advisor.errors import AdvisorError, UnsupportedCombination
from advisor.jobs.plan import Plan
from advisor.memory import Verdict
from advisor.memory.fit import fit_of
from advisor.models import Frozen, Gpu, MlModel, Note, Precision, Step, Workload, step_of
from advisor.speed import CountEstimate, Dataset, gpus_needed
from advisor.speed.contest import Side
from advisor.speed.published import MEANING_OF_COUNT
from advisor.speed.rate import generates
from bot.answers.asked_job import plan_facts, usage_for
from bot.answers.boards import on_board
from bot.answers.choose.count_choice import ONE_BOX, sensible
from bot.answers.choose.count_lines import Counted, CountRow, Held, blocks, headline, lines
from bot.answers.choose.count_people import people_line, without_job
from bot.answers.choose.count_served import pace_on, service_on
from bot.answers.common import (
    NamedGpu,
    decline_error,
    job_of,
    models_of,
    named_gpus,
    source_refs,
    step_sources,
)
from bot.answers.memory.sizing import is_llm
from bot.answers.speed.amounts import amount_of, dataset_named, tokens_of
from bot.answers.speed.estimate_time import does_with_data, guessed_model, without_datasets
from bot.answers.speed.pace import Needs, plan_on, span_of_hours, variant_notes
from bot.answers.speed.speech_pace import listens
from bot.answers.speed.whole_work import Work, cards_answer, whole_work, work_answer
from bot.core.answers import Answer, Assumption, Decline, Outcome, answer_with, offered_of
from bot.core.line import Depth, Label, Line, Listing
from bot.core.message import Fact, fact_of
from bot.core.request import Request

_FAR: Final = 4
"""From so many times the cards on the number that likely does is told first."""
_COUNTS: Final = (1, 2, 4, 8, 16, 32, 64)
_SPLIT: Final = (1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64)
"""Counts of a model that only runs: its layers may be dealt out over any number of cards."""
_ON_BOARD: Final = ("SXM", "OAM")
_USUAL: Final = ("RTX 3090", "RTX 4090", "A100 80GB SXM4", "H100 80GB SXM5")
"""Cards that are named when the user names none."""
_ROOMY_USUAL: Final = (*_USUAL, "H200 141GB SXM")
"""The same for a language model, whose memory decides."""
_PUBLISHED: Final = {"fp8": (Precision.FP8, None), "mxfp4": (Precision.INT4, "mxfp4")}
_FOUR_BITS: Final = (Precision.INT4, "int4")
_RULE: Final = ("000-040", "000-041")
_MOST_SIZES: Final = 2
_EIGHT_BITS_FROM: Final = 2e11
"""Parameters from which 8 bits are what people run (DeepSeek-V3 is published in FP8)."""


def handle(request: Request) -> Outcome:
    """Count cards for the named job, or say what the usual counts are good for."""
    request = _with_number_open(request)
    cards = named_gpus(request)
    if isinstance(cards, Decline):
        return cards
    dataset = dataset_named(request)
    named = models_of(without_datasets(request))
    if isinstance(named, Decline):
        return named
    models, assumed = named.models, named.assumptions
    if not models:
        models, assumed = guessed_model(request, dataset)
    if not models:
        return without_job(request, cards) or _meanings(request)
    usual = _ROOMY_USUAL if dataset is None and is_llm(models[0]) else _USUAL
    gpus = [gpu for card in cards for gpu in _sizes(card)] or [request.services.catalog.get_gpu(name) for name in usual]
    try:
        notes = (*(variant_notes(cards) if len(gpus) == len(cards) else ()), *named.notes)
        work = whole_work(request, models[0])
        told = _piled(request, models[0], gpus, work, notes) if work else None
        if told is not None:
            return told
        return _counted(request, gpus, models[0], dataset, tuple(assumed), notes)
    except AdvisorError as error:
        return decline_error(error)


def _with_number_open(request: Request) -> Request:
    """The question without a number of cards where several are put up, of which one is asked for."""
    is_open = request.heard.shows("pick", "how_many")
    return replace(request, slots={**request.slots, "gpu_count": None}) if is_open else request


def _piled(request: Request, model: MlModel, gpus: list[Gpu], work: Work, notes: tuple[Note, ...]) -> Answer | None:
    """Cards for a pile of work by its deadline; without one how long it takes on each."""
    if work.deadline:
        return cards_answer(request, model, gpus, work, notes)
    return work_answer(request, model, [Side(gpu) for gpu in gpus], work, notes)


def _sizes(card: NamedGpu) -> list[Gpu]:
    """A name that is sold with several amounts of memory is counted for each of them, as a board where there is one."""
    boarded = on_board(card, max(_COUNTS))
    sizes: dict[float | None, Gpu] = {}
    for gpu in (boarded.gpu, *sorted(boarded.others, key=lambda gpu: (gpu.form_factor or "") != "SXM")):
        sizes.setdefault(gpu.vram_gib, gpu)
    return sorted(sizes.values(), key=lambda gpu: gpu.vram_gib or 0.0)[:_MOST_SIZES]


def _plan(request: Request, model: MlModel, gpus: list[Gpu], *, named: bool, data: bool) -> Plan:
    """The plan on the cards that were named, as many as were asked about; one way for every candidate otherwise."""
    runs = request.slot("method") or request.slot("task") in {"llm_inference", "rag"} or listens(request, model)
    does = does_with_data(model) if data and not runs else None
    count = int(request.slot("gpu_count") or 1)
    return plan_on(request, model, [Side(gpu, count) for gpu in gpus] if named else [], does=does)


def _counted(
    request: Request,
    gpus: list[Gpu],
    model: MlModel,
    dataset: Dataset | None,
    assumed: tuple[Assumption, ...],
    notes: tuple[Note, ...],
) -> Answer:
    amount = _Amount(
        dataset,
        amount_of(str(request.slot("dataset"))) if dataset is None and request.slot("dataset") else None,
        tokens_of(request) if dataset is None else None,
    )
    deadline = usage_for(request).period
    named = bool(request.slot("gpu"))
    planned = _plan(request, model, gpus, named=named, data=amount.is_known)
    job = job_of(request, planned.way)
    works = [(work, Needs(work)) for work in _formats(request, job.workload)]
    asked = request.slot("gpu_count")
    hours, runs = deadline or 24.0, generates(job.workload)
    made = [(work, gpu, _row(work, needs, gpu, amount, hours, asked)) for gpu in gpus for work, needs in works]
    rows = [_served(request, work, gpu, row) if runs else row for work, gpu, row in made]
    rows = rows if named else sensible(rows)
    traces = tuple(row.by_time.trace for row in rows if row.by_time)
    memory = tuple(_memory_trace(job.workload, row) for row in rows)
    assumed = (*assumed, *(one for one in job.assumptions if one.slot != "precision" or len(works) == 1))
    found = Counted(
        rows=tuple(rows),
        model=model.name,
        method=job.workload.done,
        generates=runs,
        deadline=hours,
        dataset=dataset.name if dataset else "",
        meaning=_meaning_for(dataset),
    )
    return answer_with(
        headline=(people_line(request, found, rows[0]) or headline(found),),
        lines=lines(request, found),
        blocks=blocks(found),
        facts=(*plan_facts(planned), *_facts(rows)),
        trace=(*memory, *traces),
        sources=source_refs(request, (*step_sources(*traces), "memory-cases")),
        assumptions=assumed,
        notes=notes,
        result=rows[0],
    )


def _meaning_for(dataset: Dataset | None) -> int | None:
    """Count the AutoDL page names for a data set."""
    return {"Pascal VOC": 1, "COCO": 4}.get(dataset.name) if dataset else None


def _formats(request: Request, work: Workload) -> list[Workload]:
    """A language model that only runs is counted in the usual way and in 16 bits when no format was named.

    A very large one is counted in 8 bits instead of 16; one that is published in fewer bits, in that format.
    """
    if not generates(work) or request.slot("precision") or not is_llm(work.ml_model):
        return [work]
    published = _PUBLISHED.get(work.ml_model.weights_format or "")
    large = work.ml_model.parameters >= _EIGHT_BITS_FROM
    usual = (work.precision, work.quant)
    wide = (Precision.INT8, "int8") if large else (Precision.FP16, None)
    formats = (published or usual, usual if published else wide)
    if formats[0] == formats[1]:  # in 16 bits anyway: in four as well, first where the cards are still to be paid for
        formats = (usual, _FOUR_BITS) if request.slot("gpu") else (_FOUR_BITS, usual)
    return [work.model_copy(update={"precision": one[0], "quant": one[1]}) for one in formats]


class ByMemory(Frozen):
    """Cards by memory alone."""

    n: int | None = None
    need_gib: float | None = None
    tight: bool = False
    fewer: int | None = None
    sure: int | None = None
    """The number that surely holds it, where that is far more than what likely does."""


def by_memory(work: Workload, needs: Needs, gpu: Gpu) -> ByMemory:
    """The fewest cards whose share of the job surely fits one card, and a smaller number that may do."""
    need: float | None = None
    tight: tuple[int, float] | None = None
    for n in _numbers(work, gpu):
        try:
            figure = needs.on(n)
            fit = fit_of(figure, gpu)
        except AdvisorError:
            break
        need = figure.value
        if fit.verdict is Verdict.FITS:
            if tight and n >= _FAR * tight[0]:  # nobody buys eight times the cards for the last doubt
                return ByMemory(n=tight[0], need_gib=tight[1], tight=True, sure=n)
            return ByMemory(n=n, need_gib=need, fewer=tight[0] if tight else None)
        if fit.verdict is Verdict.TIGHT and tight is None:
            tight = (n, need)
    return ByMemory(n=tight[0], need_gib=tight[1], tight=True) if tight else ByMemory(need_gib=need)


def _numbers(work: Workload, gpu: Gpu) -> tuple[int, ...]:
    """The numbers of a card that are tried: any for a model that is split, else those that are usual."""
    return _SPLIT if generates(work) and not _is_module(gpu) else _COUNTS


def _is_module(gpu: Gpu) -> bool:
    """Whether a card comes on a board of eight, of which 1, 2, 4 or 8 are let."""
    return (gpu.form_factor or "").startswith(_ON_BOARD)


def _held(needs: Needs, gpu: Gpu, n: int | None) -> Held | None:
    if not n:
        return None
    try:
        figure = needs.on(int(n))
        fit = fit_of(figure, gpu)
    except AdvisorError:
        return None
    if fit.usable_gib is None:
        return None
    return Held(n=int(n), verdict=fit.verdict, need_gib=figure.value, usable_gib=fit.usable_gib)


@dataclass(frozen=True, slots=True)
class _Amount:
    """What is trained on."""

    dataset: Dataset | None = None
    samples: float | None = None
    tokens: float | None = None

    @property
    def is_known(self) -> bool:
        """Whether there is any of it."""
        return self.dataset is not None or self.samples is not None or self.tokens is not None


def _by_time(work: Workload, gpu: Gpu, amount: _Amount, deadline: float, least: int) -> CountEstimate | None:
    """Cards by the deadline; None where the amount of data is not known, or nothing is trained."""
    if not amount.is_known:
        return None
    try:
        return gpus_needed(
            work,
            gpu,
            dataset=amount.dataset,
            samples=amount.samples,
            tokens=amount.tokens,
            deadline_hours=deadline,
            least=least,
            clusters=amount.tokens is not None,
        )
    except UnsupportedCombination:
        return None


def _row(
    work: Workload,
    needs: Needs,
    gpu: Gpu,
    amount: _Amount,
    deadline: float,
    asked: int | None,
) -> CountRow:
    memory = by_memory(work, needs, gpu)
    made = _by_time(work, gpu, amount, deadline, memory.n or 1)
    count = memory.n
    if made is not None and memory.n is not None:
        count = max(memory.n, made.n_gpus) if made.n_gpus else None
    hours = dict(made.table).get(count) if made and count else None
    return CountRow(
        gpu=gpu.name,
        format=_format_on(work, gpu) if generates(work) else "",
        by_memory=memory.n,
        need_gib=memory.need_gib,
        tight=memory.tight and count == memory.n,
        fewer=memory.fewer,
        sure=memory.sure if count == memory.n else None,
        stated=_held(needs, gpu, asked),
        by_time=made,
        span=span_of_hours(hours) if hours else None,
        count=count,
    )


def _served(request: Request, work: Workload, gpu: Gpu, row: CountRow) -> CountRow:
    """A row with as many cards as write fast enough for all who ask at once."""
    if row.stated is not None:
        held = row.stated.model_copy(update={"pace": pace_on(request, work, gpu, row.stated.n)})
        row = row.model_copy(update={"stated": held})
    made = service_on(request, work, gpu, row.count)
    if made is None:
        return row
    more = {"count": made.n, "tight": False, "fewer": None, "sure": None, "need_gib": None} if made.by_pace else {}
    return row.model_copy(update={"service": made, **more})


def _format_on(work: Workload, gpu: Gpu) -> str:
    """How the number format is called on a card: one without FP8 keeps such weights in INT8, which take as much."""
    if work.precision is Precision.FP8 and not gpu.fp8_tflops:
        return Precision.INT8.value
    return work.quant or (work.precision.value if work.precision else "")


def _memory_trace(work: Workload, row: CountRow) -> Step:
    return step_of(
        name="cards_by_memory",
        value=row.by_memory,
        how="fewest cards whose share of the job fits one card",
        inputs=(
            step_of(name="gpu", value=row.gpu, how="given"),
            step_of(name="model", value=work.ml_model.name, how="given"),
            step_of(name="need_per_card", value=row.need_gib, unit="GiB", how="memory estimate"),
        ),
        sources=("memory-cases",),
    )


def _facts(rows: list[CountRow]) -> tuple[Fact, ...]:
    facts: list[Fact] = []
    for row in rows:
        if row.stated is not None:
            where = f"{row.gpu}:{row.format}" if row.format else row.gpu
            facts.append(fact_of(name=f"fit:{where}", value=row.stated.verdict.value, basis=f"{row.stated.n} cards"))
        figures: tuple[tuple[str, int | float | None, str], ...] = (
            ("gpus", row.count, ""),
            ("gpus_by_memory", row.by_memory, ""),
            ("vram_needed_per_card", row.need_gib, "GiB"),
        )
        where = f"{row.gpu}:{row.format}" if row.format else row.gpu
        facts += [fact_of(name=f"{name}:{where}", value=value, unit=unit) for name, value, unit in figures if value]
        if row.by_time is not None:
            facts.append(fact_of(name=f"one_card_hours:{row.gpu}", value=row.by_time.one_card_hours, unit="h"))
            if row.by_time.by_rule:
                facts.append(fact_of(name=f"gpus_by_day_rule:{row.gpu}", value=row.by_time.by_rule, basis="n >= T1/24"))
    return tuple(facts)


def _meanings(request: Request) -> Answer:
    """What one, two, four, eight and more cards are for, and the day rule."""
    uses = tuple(_use(count, code) for count, (code, _) in MEANING_OF_COUNT.items())
    steps = tuple(
        step_of(name=f"use_of_{count}", value=code, how="claim", sources=("seed-000",), rows=(row,))
        for count, (code, row) in MEANING_OF_COUNT.items()
    )
    rule = step_of(
        name="day_rule",
        value=24,
        unit="h",
        how="smallest of 1, 2, 4, 8 with one-card hours / n within 24",
        inputs=steps,
        sources=("seed-000", "seed-001"),
        rows=(*_RULE, "001-062"),
    )
    return answer_with(
        headline=(Line("count.rule"),),
        blocks=(Listing(uses, depth=Depth.GROUP), Listing((Line("count.rule_of"),))),
        facts=(fact_of(name="day_rule", value=24, unit="h", basis="n >= T1/24"),),
        trace=(rule,),
        sources=source_refs(request, ("seed-000", "seed-001")),
        asks=offered_of(slot="model"),
    )


def _use(count: int, code: str) -> Line:
    return Line(
        "count.use.more" if count > ONE_BOX else "count.use",
        {"n": min(count, ONE_BOX), "use": Label(code, "count_use")},
    )
