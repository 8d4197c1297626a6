"""Memory, fit, speed and time of a job."""

from __future__ import annotations

from advisor.memory import check_fit, estimate_memory
from advisor.memory.results import MemoryEstimate
from advisor.models import Method
from advisor.speed import estimate_throughput, estimate_time, tokens_per_second
from bot.channels.web.api.inputs import FitIn, MemoryIn, SpeedIn, TimeIn
from bot.channels.web.api.outputs import FitOut, MemoryOut, PartOut, SpeedOut, TimeOut
from bot.channels.web.api.shelf import Shelf, figure, named_in, round_to, settings_of


def memory(shelf: Shelf, asked: MemoryIn) -> MemoryOut:
    """Memory that a job needs, of each card. Raises AdvisorError for what cannot be worked out."""
    return _memory(shelf, estimate_memory(shelf.workload(asked, asked.cards)))


def _memory(shelf: Shelf, found: MemoryEstimate) -> MemoryOut:
    return MemoryOut(
        data_version=shelf.catalog.version,
        sources=shelf.sources(named_in(found.total.trace)),
        need=figure(found.total, "GiB"),
        parts=[PartOut(name=step.name, gib=round_to(float(step.value or 0))) for step in found.components],
        supported=found.supported,
        settings=settings_of(found.workload, found.assumed),
    )


def fit(shelf: Shelf, asked: FitIn) -> FitOut:
    """Whether a job fits on a card. Raises AdvisorError for what cannot be worked out."""
    gpu = shelf.gpu(asked.gpu)
    found = check_fit(shelf.workload(asked, asked.cards), gpu, asked.cards)
    need = _memory(shelf, found.estimate)
    return FitOut(
        **{name: getattr(need, name) for name in MemoryOut.model_fields},
        verdict=found.verdict.value,
        probability=None if found.probability is None else round(found.probability, 4),
        gpu=gpu.name,
        cards=asked.cards,
        usable_gib=found.usable_gib,
        margin_gib=None if found.margin_gib is None else round_to(found.margin_gib),
    )


def speed(shelf: Shelf, asked: SpeedIn) -> SpeedOut:
    """How fast a job runs. Raises AdvisorError for what cannot be worked out."""
    gpu, work = shelf.gpu(asked.gpu), shelf.workload(asked, asked.cards)
    if work.method is Method.INFERENCE and work.ml_model.modality == "text-decoder":
        made = tokens_per_second(work, gpu, asked.cards, users=asked.users or 1)
        return SpeedOut(
            data_version=shelf.catalog.version,
            sources=shelf.sources(named_in(made.decode.trace)),
            gpu=gpu.name,
            cards=asked.cards,
            model=made.model,
            rate=figure(made.decode, "tokens/s"),
            prefill=figure(made.prefill, "tokens/s") if made.prefill else None,
            bound=made.bound,
        )
    found = estimate_throughput(work, gpu, asked.cards)
    return SpeedOut(
        data_version=shelf.catalog.version,
        sources=shelf.sources(named_in(found.rate.trace)),
        gpu=gpu.name,
        cards=asked.cards,
        model=found.model,
        rate=figure(found.rate, f"{found.unit}/s"),
        bound=found.bound,
    )


def time(shelf: Shelf, asked: TimeIn) -> TimeOut:
    """How long a training run takes. Raises AdvisorError for what cannot be worked out."""
    gpu = shelf.gpu(asked.gpu)
    work = shelf.workload(asked, asked.cards)
    found = estimate_time(work, gpu, asked.cards, samples=asked.samples, tokens=asked.tokens, epochs=asked.epochs)
    return TimeOut(
        data_version=shelf.catalog.version,
        sources=shelf.sources(named_in(found.hours.trace)),
        gpu=gpu.name,
        cards=asked.cards,
        model=found.model,
        hours=figure(found.hours, "h"),
        gpu_hours=round_to(found.gpu_hours),
        rate=figure(found.speed.rate, f"{found.speed.unit}/s"),
    )
