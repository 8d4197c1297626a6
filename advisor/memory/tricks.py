"""Ways to need less memory, cheapest first, each applied on top of those before it.

The order is by what is lost: recomputing costs time only, an 8-bit optimizer next to nothing, a smaller batch that is
accumulated some throughput and nothing of the result, adapters give up full freedom, offload costs most of the speed.
With such tricks a network of 24 GB was brought onto a 10 GB card already in 2020 (row 002-149).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from advisor.memory.bands import probability_of_fit
from advisor.memory.estimate import brief, described, traced
from advisor.memory.figure import Figure, figure_of
from advisor.memory.fit import SURE, band_in, usable_gib
from advisor.memory.formats import FORMATS, GGUF
from advisor.memory.limits import check_vram
from advisor.memory.results import Trick, TrickPlan
from advisor.models import Gpu, Method, Optimizer, Precision, Recompute, Workload, note_of

_FULL = (Method.FULL, Method.TRAIN, Method.PRETRAIN)
_SHORT = 512
_SHORT_CONTEXT = 2_048
_WORTH_SHARE = 0.01
"""Savings below this share of the first need are not offered."""
_ALONE_SHARE = 0.1
"""Share that a trick must save alone to be named although it adds nothing to those before it."""

_FOUR_BITS = "q4_k_m"
"""What is taken of GGUF files where more bits do not fit."""
_ADAPTED = 5e8
"""Parameters below which adapters save next to nothing."""

_Change = Callable[[Workload], Workload | None]


def _with(job: Workload, **changes: object) -> Workload:
    return job.model_copy(update=changes)


def _checkpointing(job: Workload) -> Workload | None:
    if job.checkpointing or job.recompute is Recompute.FULL:
        return None
    return _with(job, checkpointing=True, recompute=None)


def _flash(job: Workload) -> Workload | None:
    encoder = job.ml_model.modality == "text-encoder"
    return _with(job, flash_attention=True) if encoder and not job.flash_attention else None


def _mixed(job: Workload) -> Workload | None:
    full = (Precision.FP32, Precision.TF32)
    if job.precision not in full:
        return None
    return _with(job, precision=Precision.FP16 if job.method is Method.INFERENCE else Precision.FP16_MIXED)


def _adam8bit(job: Workload) -> Workload | None:
    return _with(job, optimizer=Optimizer.ADAM_8BIT) if job.optimizer is Optimizer.ADAM else None


def _lora(job: Workload) -> Workload | None:
    drawn = job.method is Method.TRAIN and job.ml_model.modality == "image-gen"
    if job.method is not Method.FULL and not drawn:
        return None
    if job.ml_model.modality == "vision" or job.ml_model.parameters < _ADAPTED:
        return None
    return _with(job, method=Method.LORA, precision=Precision.BF16, quant=None, lora_rank=16)


def _qlora(job: Workload) -> Workload | None:
    if job.method is not Method.LORA or job.ml_model.parameters < 1e9:
        return None
    return _with(
        job, method=Method.QLORA, precision=Precision.INT4, quant="nf4-dq", optimizer=Optimizer.PAGED_ADAM_8BIT
    )


def _cached_text(job: Workload) -> Workload | None:
    draws = job.ml_model.modality == "image-gen"
    return _with(job, cached_text=True) if draws and not job.cached_text else None


def _base8(job: Workload) -> Workload | None:
    if job.ml_model.modality != "image-gen" or job.method is not Method.LORA or job.quant:
        return None
    return _with(job, quant="fp8")


def _batch_one(job: Workload) -> Workload | None:
    batch = job.batch or 1
    return _with(job, batch=1, grad_accum=batch * (job.grad_accum or 1)) if batch > 1 else None


def _smaller_batch(job: Workload) -> Workload | None:
    batch = job.batch or 1
    # people who ask at the same time are no batch that could be made smaller
    return _with(job, batch=1) if batch > 1 and (job.users or 1) < 2 else None


def _shorter(job: Workload) -> Workload | None:
    return _with(job, seq_len=_SHORT) if (job.seq_len or 0) > _SHORT else None


def _shorter_context(job: Workload) -> Workload | None:
    return _with(job, seq_len=_SHORT_CONTEXT) if (job.seq_len or 0) > _SHORT_CONTEXT else None


def _smaller_images(job: Workload) -> Workload | None:
    if not job.resolution or min(job.resolution) < 256:
        return None
    width, height = job.resolution
    return _with(job, resolution=(width * 3 // 4, height * 3 // 4))


def _int8(job: Workload) -> Workload | None:
    return None if job.quant else _with(job, precision=Precision.INT8, quant="int8")


def _int4(job: Workload) -> Workload | None:
    if job.quant in GGUF:
        wider = FORMATS[job.quant].linear_bits > FORMATS[_FOUR_BITS].linear_bits
        return _with(job, precision=Precision.INT4, quant=_FOUR_BITS) if wider else None
    if job.quant and not job.quant.startswith("int8"):
        return None
    return _with(job, precision=Precision.INT4, quant="int4")


def _kv8(job: Workload) -> Workload | None:
    return None if job.kv_precision else _with(job, kv_precision=Precision.INT8)


def _idle_parts(job: Workload) -> Workload | None:
    return _offload(job) if job.ml_model.modality == "image-gen" else None


def _offload(job: Workload) -> Workload | None:
    return None if job.offload or job.offloads else _with(job, offload=True)


_TRAINING: tuple[tuple[str, _Change], ...] = (
    ("mixed_precision", _mixed),
    ("flash_attention", _flash),
    ("checkpointing", _checkpointing),
    ("adam8bit", _adam8bit),
    ("batch", _batch_one),
    ("cached_text", _cached_text),
    ("lora", _lora),
    ("base8", _base8),
    ("qlora", _qlora),
    ("seq_len", _shorter),
    ("resolution", _smaller_images),
    ("offload", _offload),
)
_INFERENCE: tuple[tuple[str, _Change], ...] = (
    ("half_precision", _mixed),
    ("idle_parts", _idle_parts),
    ("int8", _int8),
    ("int4", _int4),
    ("batch", _smaller_batch),
    ("kv_cache", _kv8),
    ("seq_len", _shorter_context),
    ("resolution", _smaller_images),
    ("offload", _offload),
)


def _changes(job: Workload) -> Iterator[tuple[str, _Change]]:
    """Tricks that make sense for this kind of job, in order."""
    text = job.ml_model.modality not in ("vision", "image-gen")
    inference = job.method is Method.INFERENCE
    for code, change in _INFERENCE if inference else _TRAINING:
        if (code in ("kv_cache", "seq_len") and not text) or (code == "offload" and not text and inference):
            continue
        yield code, change


def _changed(job: Workload | None) -> Figure | None:
    """What a changed job needs; None where the change does not apply."""
    return figure_of(job) if job is not None else None


def memory_tricks(workload: Workload, gpu: Gpu | None = None, vram_gib: float | None = None) -> TrickPlan:
    """Tricks in order, each with what it saves beyond those before it, and the first that makes the job fit.

    Args:
        workload: the job as it was to run.
        gpu: the card it should fit, or None with `vram_gib` or without either (then nothing is said about fitting).
        vram_gib: memory of the card.

    Raises:
        OutOfRange, UnsupportedCombination: see estimate_memory.
    """
    return tricks_from(figure_of(workload), gpu, vram_gib)


def tricks_from(
    start: Figure, gpu: Gpu | None = None, vram_gib: float | None = None, *, trails: bool = True
) -> TrickPlan:
    """`memory_tricks` for a job whose need is known; without `trails` the needs after each trick name only themselves.

    Raises:
        OutOfRange, UnsupportedCombination: see estimate_memory.
    """
    usable, held = _usable(gpu, vram_gib), start
    first: int | None = None
    tricks: list[Trick] = []
    applied: list[tuple[str, _Change]] = []
    for code, change in _changes(start.workload):
        figure = _changed(change(held.workload))
        if figure is None:
            continue
        saved = held.value - figure.value
        if saved < _WORTH_SHARE * start.value:
            tricks += _alone(code, _changed(change(start.workload)) or figure, start, usable, trails)
            continue
        tricks.append(_trick(code, saved, saved, figure, usable, trails))
        held = figure
        if first is None:
            applied.append((code, change))
            first = len(tricks) - 1 if tricks[-1].fits else None
    fits_already = usable is not None and _surely(start, usable)
    recipe: tuple[Trick, ...] = ()
    if usable is not None and first is not None and not fits_already:
        recipe = _recipe(start, applied, usable, trails)
    return TrickPlan(
        start=described(start),
        usable_gib=usable,
        tricks=tuple(tricks),
        first_that_fits=first,
        recipe=recipe,
        fits_already=fits_already,
    )


def _usable(gpu: Gpu | None, vram_gib: float | None) -> float | None:
    """What a job can get from the card; None where its memory is not known. Raises OutOfRange."""
    nominal = vram_gib if vram_gib is not None else (gpu.vram_gib if gpu else None)
    if nominal is None:
        return None
    check_vram(nominal)
    return usable_gib(gpu, nominal)


def _alone(code: str, single: Figure, start: Figure, usable: float | None, trails: bool) -> list[Trick]:
    """A trick that adds nothing to those before it but may help instead of them: shown then, not applied."""
    saved = start.value - single.value
    return [_trick(code, 0.0, saved, single, usable, trails)] if saved >= _ALONE_SHARE * start.value else []


def _recipe(start: Figure, steps: list[tuple[str, _Change]], usable: float, trails: bool) -> tuple[Trick, ...]:
    """The steps without those that are not needed for it to fit, the costliest dropped first."""
    kept = list(steps)
    for step in reversed(steps[:-1]):
        fewer = [one for one in kept if one is not step]
        figures = _taken(start, fewer)
        if figures and _surely(figures[-1], usable):
            kept = fewer
    before = start.value
    tricks: list[Trick] = []
    for (code, _), figure in zip(kept, _taken(start, kept), strict=True):
        saved = before - figure.value
        tricks.append(_trick(code, saved, saved, figure, usable, trails))
        before = figure.value
    return tuple(tricks)


def _taken(start: Figure, steps: list[tuple[str, _Change]]) -> list[Figure]:
    """What the job needs after each step; nothing where one of them does not apply any more."""
    figures: list[Figure] = []
    job = start.workload
    for _, change in steps:
        figure = _changed(change(job))
        if figure is None:
            return []
        figures.append(figure)
        job = figure.workload
    return figures


def _surely(need: Figure, usable: float) -> bool:
    return probability_of_fit(need.value, band_in(need), usable) >= SURE


def _trick(code: str, saved: float, alone: float, figure: Figure, usable: float | None, trails: bool) -> Trick:
    return Trick(
        code=code,
        saves_gib=saved,
        alone_gib=alone,
        need=traced(figure) if trails else brief(figure),
        fits=None if usable is None else _surely(figure, usable),
        workload=figure.workload,
        costs=note_of(f"trick_{code}", _values(figure.workload)),
    )


def _values(job: Workload) -> dict[str, object]:
    return {
        "method": job.method.value,
        "seq_len": job.seq_len,
        "accum": job.grad_accum or 1,
        "resolution": "x".join(map(str, job.resolution)) if job.resolution else "",
    }
