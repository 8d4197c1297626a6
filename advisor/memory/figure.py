"""What a job needs in numbers alone: the estimate without its trail, for tables, tricks and searches that ask often.

`estimate_memory` gives the same numbers with components, notes and trail for the one estimate that is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from advisor.kept import kept
from advisor.memory.assume import complete, job_of
from advisor.memory.bands import BANDS, GUESSED_SHAPE, PLAIN_BANDS, UNVALIDATED, Band
from advisor.memory.job import Job, Kind, Metric, Trains
from advisor.memory.limits import check_workload
from advisor.memory.parts import Parts, parts_of
from advisor.memory.results import Region
from advisor.memory.shapes import TEXT
from advisor.models import Parallel, Workload

_SMALL_ADAPTED = 5e8
"""Adapters on smaller models than this do not occur among the published cases."""
MILD = ("memory_shape_typical",)
"""Said, but the record of the group still holds."""
_SAME_BAND = (*MILD, "memory_image_inference_unvalidated", "memory_sharded_full_scattered")
"""Said as doubts, but the band of the group was made for them."""


class Figure(NamedTuple):
    """Need of one GPU in GiB with its 90 % band."""

    workload: Workload
    """With every value filled in that the figure rests on."""
    assumed: tuple[str, ...]
    """Fields of the workload that the caller left open."""
    job: Job
    parts: Parts
    doubts: tuple[str, ...]
    """Codes of why it should be trusted less than its group's record."""
    region: Region
    band: Band
    value: float
    low: float
    high: float

    @property
    def n_gpus(self) -> int:
        """Cards that share the job."""
        return self.job.n_gpus


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


def doubts_of(job: Job) -> tuple[str, ...]:
    """Why an estimate should be trusted less than its group's record, as codes for sentences."""
    codes: list[str] = []
    model = job.model
    weights_only = model.modality == "speech" and job.kind is not Kind.TRAIN
    if model.modality in TEXT and not weights_only and (not model.layers or not model.hidden):
        codes.append("memory_shape_guessed")
    elif model.generic:
        codes.append("memory_shape_typical")
    if job.offload and not (job.kind is Kind.INFER and model.modality == "image-gen"):
        codes.append("memory_offload_unvalidated")
    if job.kind is Kind.INFER and job.stack.name in ("vllm", "llama.cpp"):
        codes.append("memory_stack_unvalidated")
    if job.kind is Kind.INFER and model.modality in ("vision", "image-gen"):
        codes.append("memory_image_inference_unvalidated")
    if job.kind is Kind.TRAIN and model.modality == "speech":
        codes.append("memory_speech_training_unvalidated")
    if job.kind is Kind.TRAIN and model.active_parameters and model.active_parameters < model.parameters:
        codes.append("memory_moe_training_unvalidated")
    if job.trains is Trains.ADAPTER and model.modality in TEXT and model.parameters < _SMALL_ADAPTED:
        codes.append("memory_small_adapter_unvalidated")
    if job.trains is Trains.ALL and job.n_gpus > 1 and job.parallel in (Parallel.FSDP, Parallel.ZERO3):
        codes.append("memory_sharded_full_scattered")
    return tuple(codes)


def band_of(region: Region, doubts: tuple[str, ...], *, software_named: bool = True) -> Band:
    """The band of the job's group, stretched where doubts say so, wider when the software is anybody's guess."""
    band = (BANDS if software_named else PLAIN_BANDS)[region]
    for code in doubts:
        if code == "memory_shape_guessed":
            band = band.widened(GUESSED_SHAPE)
        elif code not in _SAME_BAND:
            return band.widened(UNVALIDATED)
    return band


@kept(most=16)
def figure_of(workload: Workload) -> Figure:
    """What one GPU needs for a job, as `estimate_memory` has it. The newest jobs are remembered.

    Raises:
        OutOfRange: a number is not one that any machine could have.
        UnsupportedCombination: settings that never occur together.
    """
    filled, assumed = complete(workload)
    job = job_of(filled)
    parts = parts_of(job, Metric.DEVICE)
    doubts, region, value = doubts_of(job), region_of(job), parts.total
    band = band_of(region, doubts, software_named=workload.framework is not None)
    return Figure(
        workload=filled,
        assumed=assumed,
        job=job,
        parts=parts,
        doubts=doubts,
        region=region,
        band=band,
        value=value,
        low=value * band.low,
        high=value * band.high,
    )


def gib_of(workload: Workload) -> float:
    """The middle of `figure_of` alone. Raises as it does."""
    filled, _ = complete(workload)
    return parts_of(job_of(filled), Metric.DEVICE).total


def gib_along(workload: Workload, axis: str) -> Callable[[int], float]:
    """The middle of `figure_of` as a function of the batch or the sequence length, which the workload must state.

    Nothing that is assumed depends on either, so the rest of the job is spelled out once. The function raises
    OutOfRange as `figure_of` does.
    """
    filled, _ = complete(workload)
    job = job_of(filled)

    def gib(value: int) -> float:
        check_workload(workload.model_copy(update={axis: value}))
        changed = job._replace(batch=value) if axis == "batch" else job._replace(seq_len=value)
        return parts_of(changed, Metric.DEVICE).total

    return gib
