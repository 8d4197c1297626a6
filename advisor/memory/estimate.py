"""`estimate_memory`: what a job needs on each GPU, as nvidia-smi would show it, with a 90 % band and its trail."""

from __future__ import annotations

from advisor.memory.assume import complete, job_of
from advisor.memory.bands import BANDS, GUESSED_SHAPE, PLAIN_BANDS, UNVALIDATED, Band
from advisor.memory.job import Job, Kind, Metric, Trains
from advisor.memory.parts import Parts, parts_of
from advisor.memory.results import MemoryEstimate, Region
from advisor.memory.shapes import TEXT
from advisor.memory.trace import component_steps, guide_steps
from advisor.models import Estimate, Gpu, Note, Parallel, Step, Workload

_SMALL_ADAPTED = 5e8
"""Adapters on smaller models than this do not occur among the published cases."""


def region_of(job: Job) -> Region:
    """Which group of validated cases a job belongs to."""
    modality = job.model.modality
    if modality == "speech" and job.kind is not Kind.TRAIN:
        return Region.SPEECH
    if modality == "image-gen":
        return Region.IMAGE_GENERATION
    if modality == "vision":
        return Region.VISION
    if job.kind is not Kind.TRAIN:
        return Region.LLM_INFERENCE
    if job.n_gpus > 1 and job.parallel not in (Parallel.NONE, Parallel.DATA):
        return Region.MANY_GPUS
    if job.trains is Trains.ALL:
        return Region.FULL_TEXT
    return Region.QLORA if job.weights.quantised else Region.LORA


def doubts_about(job: Job) -> tuple[Note, ...]:
    """Why an estimate should be trusted less than its group's record, as codes for sentences."""
    notes: list[Note] = []
    model = job.model
    weights_only = model.modality == "speech" and job.kind is not Kind.TRAIN
    if model.modality in TEXT and not weights_only and (not model.layers or not model.hidden):
        notes.append(Note("memory_shape_guessed", {"model": model.name}))
    elif model.generic:
        notes.append(Note("memory_shape_typical", {"model": model.name}))
    if job.offload:
        notes.append(Note("memory_offload_unvalidated"))
    if job.kind is Kind.INFER and job.stack.name in ("vllm", "llama.cpp"):
        notes.append(Note("memory_stack_unvalidated", {"stack": job.stack.name}))
    if job.kind is Kind.INFER and model.modality in ("vision", "image-gen"):
        notes.append(Note("memory_image_inference_unvalidated"))
    if job.kind is Kind.TRAIN and model.modality == "speech":
        notes.append(Note("memory_speech_training_unvalidated"))
    if job.kind is Kind.TRAIN and model.active_parameters and model.active_parameters < model.parameters:
        notes.append(Note("memory_moe_training_unvalidated"))
    if job.trains is Trains.ADAPTER and model.modality in TEXT and model.parameters < _SMALL_ADAPTED:
        notes.append(Note("memory_small_adapter_unvalidated"))
    if job.trains is Trains.ALL and job.n_gpus > 1 and job.parallel in (Parallel.FSDP, Parallel.ZERO3):
        notes.append(Note("memory_sharded_full_scattered"))
    return tuple(notes)


_MILD = ("memory_shape_typical",)
"""Said, but the record of the group still holds."""
_SAME_BAND = (*_MILD, "memory_image_inference_unvalidated", "memory_sharded_full_scattered")
"""Said as doubts, but the band of the group was made for them."""


def band_of(job: Job, doubts: tuple[Note, ...], *, software_named: bool = True) -> Band:
    """The band of the job's group, stretched where doubts say so, wider when the software is anybody's guess."""
    band = (BANDS if software_named else PLAIN_BANDS)[region_of(job)]
    for note in doubts:
        if note.code == "memory_shape_guessed":
            band = band.widened(GUESSED_SHAPE)
        elif note.code not in _SAME_BAND:
            return band.widened(UNVALIDATED)
    return band


def banded(value: float, band: Band, components: tuple[Step, ...], basis: str) -> Estimate:
    """A total as an Estimate whose trace is the sum of its components."""
    trace = Step(
        name="memory_per_gpu",
        value=value,
        unit="GiB",
        how=" + ".join(step.name for step in components),
        inputs=components,
    )
    return Estimate(value=value, low=value * band.low, high=value * band.high, unit="GiB", basis=basis, trace=trace)


def _usage_notes(job: Job, parts: Parts) -> tuple[Note, ...]:
    shares = dict(parts.items)
    notes: list[Note] = []
    cache = shares.get("kv_cache", 0.0)
    if cache > 0.2 * parts.total:
        code = "memory_kv_grows" if job.stack.kv_growth > 1.0 else "memory_kv_share"
        notes.append(Note(code, {"gib": cache, "tokens": job.seq_len, "batch": job.batch}))
    if shares.get("logits", 0.0) > 0.25 * parts.total:
        notes.append(Note("memory_logits_large", {"gib": shares["logits"], "vocab": job.model.vocab}))
    if job.weights.quantised and job.kind is Kind.TRAIN:
        notes.append(Note("memory_quantised_frozen", {"format": job.weights.name}))
    if job.stack.casts_weights:
        notes.append(Note("memory_whisper_tool"))
    active = job.model.active_parameters
    if active and active < job.model.parameters:
        notes.append(Note("memory_moe_all_resident", {"total_b": job.model.parameters / 1e9, "active_b": active / 1e9}))
    return tuple(notes)


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
    filled, assumed = complete(workload)
    job = job_of(filled)
    parts = parts_of(job, Metric.DEVICE)
    components = component_steps(job, parts.items)
    doubts = doubts_about(job)
    region = region_of(job)
    return MemoryEstimate(
        total=banded(
            parts.total,
            band_of(job, doubts, software_named=workload.framework is not None),
            components,
            f"calibrated:{region.value}",
        ),
        components=components,
        workload=filled,
        assumed=assumed,
        n_gpus=job.n_gpus,
        parallel=job.parallel,
        region=region,
        supported=all(note.code in _MILD for note in doubts),
        guide=guide_steps(job),
        notes=doubts + _usage_notes(job, parts),
    )


def need_gib(workload: Workload) -> tuple[float, Band]:
    """Expected need of one GPU and its band, without the trail: for searches that ask thousands of times."""
    filled, _ = complete(workload)
    job = job_of(filled)
    band = band_of(job, doubts_about(job), software_named=workload.framework is not None)
    return parts_of(job, Metric.DEVICE).total, band
