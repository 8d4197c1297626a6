"""What a job needs in numbers alone: the estimate without its trail, for tables, tricks and searches that ask often.

`estimate_memory` gives the same numbers with components, notes and trail for the one estimate that is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from advisor.kept import kept_by
from advisor.memory.assume import complete, job_of
from advisor.memory.bands import GUESSED_SHAPE, UNVALIDATED, Band, band_for
from advisor.memory.formats import GGUF
from advisor.memory.images import is_video
from advisor.memory.job import Job, Kind, Metric, Trains
from advisor.memory.limits import check_workload
from advisor.memory.parts import Parts, parts_of
from advisor.memory.results import Region
from advisor.memory.runtimes import GGML
from advisor.memory.shapes import TEXT
from advisor.models import Offload, Parallel, Workload
from advisor.models.workload import job_key

_SMALL_ADAPTED: Final = 5e8
"""Adapters on smaller models than this do not occur among the published cases."""
MILD: Final = ("memory_shape_typical", "memory_server_reserves")
"""Said, but the record of the group still holds."""
_SAME_BAND: Final = (
    *MILD,
    "memory_image_inference_unvalidated",
    "memory_software_unknown",
    "memory_sharded_full_scattered",
)
"""Said as doubts, but the band was made for them."""


_STREAMED: Final = frozenset({Offload.WEIGHTS, Offload.EXPERTS})
_UNMEASURED: Final = frozenset({Offload.WEIGHTS, Offload.OPTIMIZER})
"""Of language models; what is known of offload comes from experts in RAM and from pictures."""


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


def _drawing_region(job: Job) -> Region:
    if job.kind is Kind.TRAIN:
        return Region.IMAGE_TRAINING
    return Region.VIDEO_GENERATION if is_video(job.model) else Region.IMAGE_GENERATION


def _text_region(job: Job) -> Region:
    """Of a language model that is served or loaded."""
    if job.offloads & _STREAMED:
        return Region.OFFLOADED
    return Region.LOCAL_INFERENCE if job.stack.runtime is GGML else Region.LLM_INFERENCE


def region_of(job: Job) -> Region:
    """Which group of validated cases a job belongs to."""
    modality = job.model.modality
    if modality == "image-gen":
        return _drawing_region(job)
    if modality == "vision":
        return Region.VISION
    if job.kind is Kind.TRAIN:
        return _training_region(job)
    return Region.SPEECH if modality == "speech" else _text_region(job)


def _shards_adapters(job: Job) -> bool:
    """Whether frozen weights are cut over cards: with the shards in RAM the same is left on each card (fsdp-qlora)."""
    return job.sharded and job.trains is Trains.ADAPTER and Offload.EXPERTS not in job.offloads


def _training_region(job: Job) -> Region:
    """Of a language model that is trained."""
    if job.rollouts:
        return Region.ROLLOUTS
    if _shards_adapters(job):
        return Region.SHARED_ADAPTERS
    if job.offloads & _STREAMED:
        return Region.OFFLOADED
    shared = job.n_gpus > 1 and job.parallel not in (Parallel.NONE, Parallel.DATA)
    if job.trains is Trains.ALL:
        return Region.MANY_GPUS if shared else Region.FULL_TEXT
    if shared:
        return Region.SHARED_ADAPTERS
    return Region.QLORA if job.weights.quantised else Region.LORA


def _shape_doubt(job: Job) -> str:
    model = job.model
    weights_only = model.modality == "speech" and job.kind is not Kind.TRAIN
    if model.modality in TEXT and not weights_only and (not model.layers or not model.hidden):
        return "memory_shape_guessed"
    return "memory_shape_typical" if model.generic else ""


def _training_doubts(job: Job) -> Iterator[str]:
    model = job.model
    if model.modality == "speech":
        yield "memory_speech_training_unvalidated"
    if model.active_parameters and model.active_parameters < model.parameters and job.trains is Trains.ALL:
        yield "memory_moe_training_unvalidated"
    if job.trains is Trains.ADAPTER and model.modality in TEXT and model.parameters < _SMALL_ADAPTED:
        yield "memory_small_adapter_unvalidated"


def doubts_of(job: Job) -> tuple[str, ...]:
    """Why an estimate should be trusted less than its group's record, as codes for sentences."""
    codes = [code] if (code := _shape_doubt(job)) else []
    if job.kind is Kind.TRAIN:
        codes += _training_doubts(job)
        if job.trains is Trains.ALL and job.sharded:
            codes.append("memory_sharded_full_scattered")
    elif job.stack.takes:
        codes.append("memory_server_reserves")
    if job.offloads & _UNMEASURED and job.model.modality in TEXT and not _shards_adapters(job):
        codes.append("memory_offload_unvalidated")
    if job.model.modality == "vision" and job.kind is not Kind.TRAIN:
        codes.append("memory_image_inference_unvalidated")
    return tuple(codes)


def band_of(job: Job, doubts: tuple[str, ...], parts: Parts, *, software_named: bool = True) -> Band:
    """The band of the job's group, stretched where doubts say so, wider when the software is anybody's guess."""
    program = job.stack.name if software_named and job.stack.known else None
    band = band_for(region_of(job), program, parts.states)
    for code in doubts:
        if code == "memory_shape_guessed":
            band = band.widened(GUESSED_SHAPE)
        elif code not in _SAME_BAND:
            return band.widened(UNVALIDATED)
    return band


@kept_by(job_key, most=512)
def figure_of(workload: Workload) -> Figure:
    """What one GPU needs for a job, as `estimate_memory` has it. Jobs that were asked about are remembered.

    Raises:
        OutOfRange: a number is not one that any machine could have.
        UnsupportedCombination: settings that never occur together.
    """
    filled, assumed = complete(workload)
    job = job_of(filled)
    parts = parts_of(job, Metric.DEVICE)
    doubts, region, value = doubts_of(job), region_of(job), parts.total
    if workload.framework and not job.stack.known:
        doubts = (*doubts, "memory_software_unknown")
    named = workload.framework is not None or job.weights.name in GGUF  # a GGUF file says what runs it
    band = band_of(job, doubts, parts, software_named=named)
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
