"""How many cards a job needs: by memory, by the time it may take, and what the usual counts are for."""

from __future__ import annotations

from typing import Any

from advisor.errors import AdvisorError, UnsupportedCombination
from advisor.memory import Verdict
from advisor.memory.fit import fit_of
from advisor.models import Frozen, Gpu, MlModel, Note, Precision, Step, Workload, step_of
from advisor.speed import CountEstimate, Dataset, gpus_needed
from advisor.speed.contest import Side
from advisor.speed.published import MEANING_OF_COUNT
from advisor.speed.rate import generates
from bot.core.answers import Answer, Assumption, Decline, Outcome, answer_with, assumption_of, offered_of
from bot.core.message import Fact, fact_of
from bot.core.request import Request
from bot.handlers.amounts import amount_of, dataset_of
from bot.handlers.common import (
    Job,
    NamedGpu,
    decline_error,
    job_for,
    models_of,
    named_gpus,
    source_refs,
    step_sources,
)
from bot.handlers.estimate_time import MODEL_OF_DATA, training_method, without_datasets
from bot.handlers.pace import Needs, Span, job_that_fits, on_board, span_of_hours, variant_notes
from bot.handlers.sizing import is_llm, model_of_task

_COUNTS = (1, 2, 4, 8, 16, 32, 64)
_USUAL = ("RTX 3090", "RTX 4090", "A100 80GB SXM4", "H100 80GB SXM5")
"""Cards that are named when the user names none."""
_HOURS = {"hour": 1.0, "day": 24.0, "week": 168.0, "month": 730.0, "year": 8760.0}
_ROOMY = 0.92
"""A need within this share of the usable memory counts as held although its band reaches further."""
_RULE = ("000-040", "000-041")
_MOST_SIZES = 2
_EIGHT_BITS_FROM = 2e11
"""Parameters from which 8 bits are what people run (DeepSeek-V3 is published in FP8)."""


class CountRow(Frozen):
    """One kind of card."""

    gpu: str
    format: str = ""
    """Number format, where several are counted."""
    by_memory: int | None
    """Fewest that hold the job; None when even the largest count does not."""
    need_gib: float | None
    """On each of them."""
    by_time: CountEstimate | None = None
    span: Span | None = None
    """How long the run takes on the recommended count."""
    count: int | None
    """The larger of the two."""


def handle(request: Request) -> Outcome:
    """Count cards for the named job, or say what the usual counts are good for."""
    cards = named_gpus(request)
    if isinstance(cards, Decline):
        return cards
    dataset = _dataset(request)
    named = models_of(without_datasets(request))
    if isinstance(named, Decline):
        return named
    models, assumed = named.models, named.assumptions
    if not models and dataset is not None:
        model = request.services.catalog.find_ml_model(MODEL_OF_DATA.get(dataset.name, ""))
        if model is not None:
            models, assumed = (model,), (assumption_of(slot="model", value=model.name),)
    if not models:
        guessed = model_of_task(request)
        models, assumed = guessed.models, guessed.assumptions
    if not models:
        return _meanings(request)
    gpus = [gpu for card in cards for gpu in _sizes(card)] or [
        request.services.catalog.get_gpu(name) for name in _USUAL
    ]
    try:
        notes = (*(variant_notes(cards) if len(gpus) == len(cards) else ()), *named.notes)
        return _counted(request, gpus, models[0], dataset, tuple(assumed), notes)
    except AdvisorError as error:
        return decline_error(error)


def _sizes(card: NamedGpu) -> list[Gpu]:
    """A name that is sold with several amounts of memory is counted for each of them, as a board where there is one."""
    boarded = on_board(card, max(_COUNTS))
    sizes: dict[float | None, Gpu] = {}
    for gpu in (boarded.gpu, *sorted(boarded.others, key=lambda gpu: (gpu.form_factor or "") != "SXM")):
        sizes.setdefault(gpu.vram_gib, gpu)
    return sorted(sizes.values(), key=lambda gpu: gpu.vram_gib or 0.0)[:_MOST_SIZES]


def _dataset(request: Request) -> Dataset | None:
    for text in (request.slot("dataset"), *(request.slot("model") or [])):
        found = dataset_of(str(text)) if text else None
        if found is not None:
            return found
    return None


def _deadline(request: Request) -> float | None:
    """Hours the job may take, when a duration that is no usage rate was said."""
    stated = request.slot("duration")
    if not isinstance(stated, dict) or stated.get("per"):
        return None
    return float(stated["amount"]) * _HOURS.get(str(stated.get("unit")), 1.0)


def _job(request: Request, model: MlModel, gpus: list[Gpu], dataset: Dataset | None) -> Job:
    if dataset is not None and not request.slot("method"):
        return job_for(request, model, training_method(model), n_gpus=1)
    return job_that_fits(request, model, [Side(gpu, n) for gpu in gpus for n in (1, 2, 4, 8)])


def _counted(
    request: Request,
    gpus: list[Gpu],
    model: MlModel,
    dataset: Dataset | None,
    assumed: tuple[Assumption, ...],
    notes: tuple[Note, ...],
) -> Answer:
    job = _job(request, model, gpus, dataset)
    amount = amount_of(str(request.slot("dataset"))) if dataset is None and request.slot("dataset") else None
    deadline = _deadline(request)
    works = [(work, Needs(work)) for work in _formats(request, job.workload)]
    rows = [_row(work, needs, gpu, dataset, amount, deadline or 24.0) for gpu in gpus for work, needs in works]
    traces = tuple(row.by_time.trace for row in rows if row.by_time)
    memory = tuple(_memory_trace(job.workload, row) for row in rows)
    assumed = (*assumed, *(one for one in job.assumptions if one.slot != "precision" or len(works) == 1))
    timed = any(row.by_time for row in rows)
    return answer_with(
        template="gpu_count",
        facts=_facts(rows),
        trace=(*memory, *traces),
        sources=source_refs(request, (*step_sources(*traces), "memory-cases")),
        assumptions=assumed,
        notes=notes,
        result=rows[0],
        extra={
            "rows": rows,
            "model": model.name,
            "method": job.workload.method.value,
            "timed": timed,
            "deadline": deadline or 24.0,
            "asked_deadline": deadline is not None,
            "dataset": dataset.name if dataset else "",
            "meaning": _meaning_for(dataset),
            "generates": generates(job.workload),
        },
    )


def _meaning_for(dataset: Dataset | None) -> int | None:
    """Count the AutoDL page names for a data set."""
    return {"Pascal VOC": 1, "COCO": 4}.get(dataset.name) if dataset else None


def _formats(request: Request, work: Workload) -> list[Workload]:
    """A language model that only runs is counted in 4 and in 16 bits when no format was named."""
    if not generates(work) or request.slot("precision") or not is_llm(work.ml_model):
        return [work]
    formats = [(Precision.INT4, "q4_k_m"), (Precision.FP16, None)]
    if work.ml_model.parameters >= _EIGHT_BITS_FROM:
        formats.insert(1, (Precision.INT8, "int8"))
    return [work.model_copy(update={"precision": precision, "quant": quant}) for precision, quant in formats]


def _by_memory(needs: Needs, gpu: Gpu) -> tuple[int | None, float | None]:
    need: float | None = None
    tight: tuple[int, float] | None = None
    for n in _COUNTS:
        try:
            figure = needs.on(n)
            fit = fit_of(figure, gpu)
        except AdvisorError:
            break
        need = figure.value
        roomy = fit.usable_gib is not None and need <= _ROOMY * fit.usable_gib
        if fit.verdict is Verdict.FITS or (fit.verdict is Verdict.TIGHT and roomy):
            return n, need
        if fit.verdict is Verdict.TIGHT and tight is None and need <= (fit.usable_gib or 0.0):
            tight = (n, need)
    return tight if tight else (None, need)


def _row(
    work: Workload, needs: Needs, gpu: Gpu, dataset: Dataset | None, amount: float | None, deadline: float
) -> CountRow:
    by_memory, need = _by_memory(needs, gpu)
    made: CountEstimate | None = None
    if dataset is not None or amount is not None:
        try:
            made = gpus_needed(work, gpu, dataset=dataset, samples=amount, deadline_hours=deadline)
        except UnsupportedCombination:
            made = None
    count = by_memory
    if made is not None and by_memory is not None:
        count = max(by_memory, made.n_gpus) if made.n_gpus else None
    hours = dict(made.table).get(count) if made and count else None
    return CountRow(
        gpu=gpu.name,
        format=(work.quant or (work.precision.value if work.precision else "")) if generates(work) else "",
        by_memory=by_memory,
        need_gib=need,
        by_time=made,
        span=span_of_hours(hours) if hours else None,
        count=count,
    )


def _memory_trace(work: Workload, row: CountRow) -> Step:
    return step_of(
        name="cards_by_memory",
        value=row.by_memory,
        how="fewest of 1, 2, 4, 8 ... whose share of the job fits one card",
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
        figures: tuple[tuple[str, Any, str], ...] = (
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
    rows = tuple((count, code) for count, (code, _) in MEANING_OF_COUNT.items())
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
        template="gpu_count",
        facts=(fact_of(name="day_rule", value=24, unit="h", basis="n >= T1/24"),),
        trace=(rule,),
        sources=source_refs(request, ("seed-000", "seed-001")),
        asks=offered_of(slot="model"),
        result=None,
        extra={"rows": [], "meanings": rows, "stated": request.slot("gpu_count")},
    )
