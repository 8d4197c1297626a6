"""`estimate_memory`: what a job needs on each GPU, as nvidia-smi would show it, with a 90 % band and its trail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from advisor.memory.bands import Band
from advisor.memory.figure import MILD, Figure, figure_of
from advisor.memory.job import Job, Kind
from advisor.memory.parts import Parts
from advisor.memory.results import MemoryEstimate
from advisor.memory.stacks import Cached
from advisor.memory.trace import component_steps, guide_steps
from advisor.models import Estimate, Gpu, Note, Step, Workload, estimate_of, note_of, step_of


def _doubt(code: str, figure: Figure) -> Note:
    """A doubt with what its sentence names."""
    if code in ("memory_shape_guessed", "memory_shape_typical"):
        return note_of(code, {"model": figure.job.model.name})
    if code == "memory_software_unknown":
        return note_of(code, {"software": figure.workload.framework})
    return note_of(code, {"stack": figure.job.stack.name} if code == "memory_server_reserves" else None)


def notes_of(figure: Figure) -> tuple[Note, ...]:
    """What should be said with a figure: doubts first, then what is unusual about where the memory goes."""
    return tuple(_doubt(code, figure) for code in figure.doubts) + _usage_notes(figure.job, figure.parts)


def brief(figure: Figure) -> Estimate:
    """A figure as an Estimate that names only itself: for lines of tables, whose trail nobody unfolds."""
    return _banded(figure, step_of(name="memory_per_gpu", value=figure.value, unit="GiB", how="memory estimate"))


def _banded(figure: Figure, trace: Step) -> Estimate:
    basis = f"calibrated:{figure.region.value}"
    return estimate_of(value=figure.value, low=figure.low, high=figure.high, unit="GiB", basis=basis, trace=trace)


_WHOLE_CACHE: Final = 2.0
"""Bytes a cached number from which fewer are worth naming."""


def _growing_notes(job: Job, parts: Parts) -> Iterator[Note]:
    """Parts that take an unusual share because of a long context or a large vocabulary."""
    shares = dict(parts.items)
    cache, logits = shares.get("kv_cache", 0.0), shares.get("logits", 0.0)
    if cache > 0.2 * parts.total and job.kv_bytes >= _WHOLE_CACHE:
        code = "memory_kv_grows" if job.stack.cached is Cached.GROWS else "memory_kv_share"
        yield note_of(code, {"gib": cache, "tokens": job.seq_len, "batch": job.batch})
    if logits > 0.25 * parts.total:
        yield note_of("memory_logits_large", {"gib": logits, "vocab": job.model.vocab})


def _weight_notes(job: Job, parts: Parts) -> Iterator[Note]:
    """What is unusual about how the weights are held."""
    if job.weights.quantised and job.kind is Kind.TRAIN:
        yield note_of("memory_quantised_frozen", {"format": job.weights.name})
    if job.stack.casts_weights:
        yield note_of("memory_whisper_tool")


def _published_notes(job: Job, parts: Parts) -> Iterator[Note]:
    """What its makers say of a model that is only run."""
    model = job.model
    if job.kind is not Kind.INFER:
        return
    if model.weights_gb:
        native = {"model": model.name, "format": model.weights_format, "gb": model.weights_gb}
        yield note_of("memory_native", native)
    if model.published_gb:
        least = {"model": model.name, "use": model.published_for, "gb": model.published_gb}
        yield note_of("memory_published", least)


def _expert_notes(job: Job, parts: Parts) -> Iterator[Note]:
    """All experts are held, however few of them a token uses."""
    whole, active = job.model.parameters, job.model.active_parameters
    if active and active < whole:
        yield note_of("memory_moe_all_resident", {"total_b": whole / 1e9, "active_b": active / 1e9})


_USAGE: Final = (_growing_notes, _weight_notes, _published_notes, _expert_notes)


def _usage_notes(job: Job, parts: Parts) -> tuple[Note, ...]:
    return tuple(note for notes in _USAGE for note in notes(job, parts))


def estimate_memory(workload: Workload, gpu: Gpu | None = None) -> MemoryEstimate:
    """Memory one GPU needs for a job, at the level nvidia-smi shows.

    Args:
        workload: the job; open fields are set to what tools do by default and named in `assumed`.
        gpu: only used for what the framework itself keeps; the need hardly depends on the card.

    Returns:
        Components that add up to the total, its 90 % band, the region it was validated in, and doubts as notes.

    Raises:
        OutOfRange: a number is not one that any machine could have.
        UnsupportedCombination: settings that never occur together.
    """
    return described(figure_of(workload))


def traced(figure: Figure) -> Estimate:
    """A figure as an Estimate whose trace is the sum of its components."""
    components = component_steps(figure.job, figure.parts.items)
    how = " + ".join(step.name for step in components)
    return _banded(figure, step_of(name="memory_per_gpu", value=figure.value, unit="GiB", how=how, inputs=components))


def described(figure: Figure) -> MemoryEstimate:
    """A figure with its components, trail and notes."""
    job, total = figure.job, traced(figure)
    return MemoryEstimate(
        total=total,
        components=total.trace.inputs,
        workload=figure.workload,
        assumed=figure.assumed,
        n_gpus=job.n_gpus,
        parallel=job.parallel,
        region=figure.region,
        supported=all(code in MILD for code in figure.doubts),
        guide=guide_steps(job),
        notes=notes_of(figure),
    )


def need_gib(workload: Workload) -> tuple[float, Band]:
    """Expected need of one GPU and its band, without the trail: for searches that ask thousands of times."""
    figure = figure_of(workload)
    return figure.value, figure.band
