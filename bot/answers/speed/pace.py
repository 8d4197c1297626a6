"""What the handlers about speed share: typical jobs, counts beside cards, durations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from advisor.errors import AdvisorError
from advisor.jobs.filling import keeping_activations
from advisor.jobs.plan import Place, Plan
from advisor.jobs.usual import Does
from advisor.memory.figure import Figure, figure_of
from advisor.memory.fit import fit_of
from advisor.models import Estimate, Frozen, Gpu, Method, MlModel, Note, Precision, Workload
from advisor.periods import HOURS_A_MONTH
from advisor.speed.clusters import divided_over
from advisor.speed.contest import JobSet, Side
from advisor.speed.rate import generates, rates_by_batch
from advisor.speed.results import PublishedFigure
from advisor.speed.uses import generation_job
from bot.answers.asked_job import plan_of
from bot.answers.common import Job, NamedGpu, counts_beside, job_of, step_sources, task_of
from bot.core.answers import assumption_of
from bot.core.message import Fact, fact_of
from bot.core.request import Request

GENERATING: Final = frozenset({"llm_inference", "rag"})
_TRAINING: Final = (("resnet50", 64, None), ("bert-base-uncased", 32, 384))
"""Model, batch and length of the jobs behind "training" when no job was named."""
BIG_CARD_GIB: Final = 40
"""From here on people train language models: small image networks would hide what such cards are bought for."""


def typical_jobs(request: Request) -> tuple[JobSet, ...]:
    """Training and language model inference, for questions that name no job; what was said of the use comes first."""
    small = request.services.catalog.get_ml_model("llm-7b")
    if request.slot("task") in GENERATING or request.slot("method") == "inference":
        return (JobSet("generate", (generation_job(small),)), _train(request, small))
    if request.slot("task") == "llm_finetune" or request.slot("method") in {"lora", "qlora"}:
        return (JobSet("tune", (qlora_job(small),)), JobSet("generate", (generation_job(small),)))
    return (_train(request, small), JobSet("generate", (generation_job(small),)))


def _train(request: Request, small: MlModel) -> JobSet:
    return JobSet("train", (lora_job(small),) if _only_big_cards(request) else small_training(request))


def small_training(request: Request) -> tuple[Workload, ...]:
    """What is trained on cards of a desk."""
    catalog = request.services.catalog
    return tuple(
        Workload(
            ml_model=catalog.get_ml_model(name),
            method=Method.TRAIN,
            precision=Precision.FP16_MIXED,
            batch=batch,
            seq_len=length,
        )
        for name, batch, length in _TRAINING
    )


def qlora_job(model: MlModel) -> Workload:
    """QLoRA of a language model, as it is done on a card of a desk."""
    return Workload(
        ml_model=model,
        method=Method.QLORA,
        precision=Precision.INT4,
        quant="nf4",
        batch=2,
        seq_len=1024,
        checkpointing=True,
    )


def _only_big_cards(request: Request) -> bool:
    """Whether all named cards are of the size that is bought for language models."""
    named = [request.services.catalog.find_gpu(name) for name in request.slot("gpu") or []]
    return bool(named) and all(gpu is not None and (gpu.vram_gib or 0) >= BIG_CARD_GIB for gpu in named)


def lora_job(model: MlModel) -> Workload:
    """LoRA of a language model, the training that fits any such card."""
    return Workload(
        ml_model=model, method=Method.LORA, precision=Precision.BF16, batch=4, seq_len=2048, checkpointing=True
    )


def jobs_for(request: Request, job: Job | None) -> tuple[JobSet, ...]:
    """The named job, or the typical ones."""
    return typical_jobs(request) if job is None else (JobSet("yours", (job.workload,)),)


_DOUBLINGS: Final = 6
_WORTH: Final = 1.15
"""Doubling the batch goes on while it brings a seventh more on some side."""


def filled(request: Request, job: Job, sides: Sequence[Side]) -> Job:
    """A training job whose batch nobody named, at a batch that keeps the cards busy and that every side holds.

    At a tiny batch all cards wait for kernel launches and look alike; published comparisons fill the card.
    """
    if not sides:
        return job
    job = _keeping(job, sides)
    work = job.workload
    if request.slot("batch") or not work.batch or generates(work) or work.method is Method.INFERENCE:
        return job
    needs = Needs(work)
    holding = [side for side in sides if _roomy(needs, side)]
    if not holding:
        return _halved(job, sides)
    gains = [pays_to_double(work, side.gpu, side.n) for side in sides]
    batch = work.batch
    for _ in range(_DOUBLINGS):
        larger = Needs(work.model_copy(update={"batch": batch * 2}))
        if not all(_roomy(larger, side) for side in holding) or not any(pays(batch) for pays in gains):
            break
        batch *= 2
    if batch == work.batch:
        return job
    kept = tuple(one for one in job.assumptions if one.slot != "batch")
    return Job(work.model_copy(update={"batch": batch}), (*kept, assumption_of(slot="batch", value=batch)))


def _halved(job: Job, sides: Sequence[Side]) -> Job:
    """The job at the largest smaller batch that some side holds; as it is where none does."""
    batch = job.workload.batch or 1
    while batch > 1:
        batch //= 2
        smaller = job.workload.model_copy(update={"batch": batch})
        if any(_roomy(Needs(smaller), side) for side in sides):
            kept = tuple(one for one in job.assumptions if one.slot != "batch")
            return Job(smaller, (*kept, assumption_of(slot="batch", value=batch)))
    return job


def _keeping(job: Job, sides: Sequence[Side]) -> Job:
    """The job without recomputing activations where every side has room for what is kept (training from scratch)."""

    def fits(work: Workload) -> bool:
        needs = Needs(work)
        return all(_roomy(needs, side) for side in sides)

    work = keeping_activations(job.workload, min(side.n for side in sides), fits)
    if work is job.workload:
        return job
    return Job(work, tuple(one for one in job.assumptions if one.slot != "checkpointing"))


_ROOM: Final = 0.92
"""Of the usable memory, filled by whoever raises the batch as far as it goes."""


def _roomy(needs: Needs, side: Side) -> bool:
    try:
        need = needs.on(side.n)
        fit = fit_of(need, side.gpu)
    except AdvisorError:
        return False
    return fit.usable_gib is not None and need.value <= _ROOM * fit.usable_gib


def pays_to_double(work: Workload, gpu: Gpu, n: int = 1) -> Callable[[int], bool]:
    """Whether twice a batch makes these cards clearly faster at a training job, as a function of the batch."""
    try:
        rate = cache(rates_by_batch(divided_over(work, n), gpu, n))
    except AdvisorError:
        return lambda batch: False
    return lambda batch: rate(batch * 2) > rate(batch) * _WORTH


def with_memory(request: Request, card: NamedGpu) -> NamedGpu:
    """A chip with unified memory, with the memory of the machine that was named."""
    if not card.gpu.unified_memory or card.gpu.vram_gib:
        return card
    size = request.slot("ram_gb") or request.slot("vram_gb") or only_size(card.gpu)
    if not size:
        return card
    known = card.gpu.model_copy(update={"vram_gib": float(size), "memory_options_gib": ()})
    return replace(card, gpu=known)


def only_size(gpu: Gpu) -> float | None:
    """The memory of a machine that is sold with one size of it (DGX Spark: 128 GB)."""
    return gpu.memory_options_gib[0] if len(gpu.memory_options_gib) == 1 else None


def plan_on(request: Request, model: MlModel, sides: Sequence[Side], *, does: Does | None = None) -> Plan:
    """The plan of the request's job on these sides, one way for all of them."""
    places = [Place(side.gpu, side.n) for side in sides]
    return plan_of(request, model, places, task=task_of(request), does=does)


def job_that_fits(request: Request, model: MlModel, sides: Sequence[Side]) -> Job:
    """The job of the slots in the way that is meant on these sides."""
    return job_of(request, plan_on(request, model, sides).way)


class Needs:
    """What one job needs on each of n cards that share it, every count worked out once for all kinds of cards."""

    def __init__(self, workload: Workload) -> None:
        """Start with nothing worked out."""
        self._workload = workload
        self._known: dict[int, Figure] = {}

    def on(self, n: int) -> Figure:
        """The need on each of `n` cards. Raises AdvisorError where no estimate is supported."""
        found = self._known.get(n)
        if found is None:
            work = self._workload
            found = self._known[n] = figure_of(work if n == work.n_gpus else work.model_copy(update={"n_gpus": n}))
        return found


def counts_of(request: Request, cards: list[NamedGpu]) -> list[int]:
    """How many of each card are meant: a count stands right before its card."""
    counts = [1] * len(cards)
    stated = request.slot("gpu_count")
    if not request.heard.is_read:
        return [int(stated)] * len(cards) if stated and len(cards) == 1 else counts
    beside = counts_beside(request)
    if not beside:
        return [int(stated)] * len(cards) if stated else counts
    return [beside.get(card.asked, 1) for card in cards]


def figure_fact(figure: PublishedFigure) -> Fact:
    """A figure of a document, as what it is."""
    return fact_of(
        name=figure.code,
        value=figure.value,
        low=figure.low,
        high=figure.high,
        unit=figure.unit,
        basis=f"as published, {figure.year}",
        sources=step_sources(figure.trace),
        as_of=figure.as_of,
    )


def variant_notes(cards: list[NamedGpu]) -> tuple[Note, ...]:
    """Which variant of an open name was taken, for each card."""
    return tuple(card.note for card in cards if card.note is not None)


def hours_text(hours: float) -> tuple[str, float]:
    """A duration in the unit people would use: code of the unit and the number."""
    for code, size in (("month", HOURS_A_MONTH), ("day", 24.0), ("hour", 1.0), ("minute", 1 / 60)):
        if hours >= size * (2 if code in {"month", "day"} else 1):
            return code, hours / size
    return "second", hours * 3600


class Span(Frozen):
    """A duration with its band, in one unit."""

    unit: str
    value: float
    low: float
    high: float


def span_of_hours(hours: float) -> Span:
    """A bare number of hours in the unit people would use."""
    unit, value = hours_text(hours)
    return Span(unit=unit, value=value, low=value, high=value)


def span_of(hours: Estimate) -> Span:
    """An estimate of hours in the unit people would use."""
    unit, value = hours_text(hours.value)
    scale = value / hours.value
    return Span(unit=unit, value=value, low=hours.low * scale, high=hours.high * scale)
