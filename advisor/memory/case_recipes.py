"""What a row of published cases leaves open of a run, set so that the card that is said to have run it holds it."""

from __future__ import annotations

from typing import Final

from advisor.memory.case_words import Row
from advisor.memory.job import Job, Kind, Metric
from advisor.memory.parts import parts_of
from advisor.models import Offload, Optimizer, Recompute


def with_recipe(row: Row, job: Job, device: float | None) -> Job:
    """What recipes imply that a row does not name; what is open is taken so that the card that ran it holds it."""
    if "not stated" in row["optimizer"].lower() and job.stack.name == "torchtune":
        return job._replace(optimizer=Optimizer.PAGED_ADAM_8BIT)
    if job.kind is Kind.TRAIN:
        return _paged(_open_recompute(row, job, device), device)
    if job.stack.by_turns and not row["offload"] and not _held(job, device):
        return job._replace(offloads=frozenset({Offload.PARTS}))
    return job


def _open_recompute(row: Row, job: Job, device: float | None) -> Job:
    """More recomputation, where nothing is said of it, until the card holds the run."""
    if job.stack.selective and job.pipeline > 1:
        job = job._replace(batch=max(job.batch // job.pipeline, 1))  # a local batch is cut for the stages
    if row["recompute"] or row["grad_ckpt"] or not device:
        return job
    for more in (Recompute.SELECTIVE, Recompute.FULL):
        if job.recompute is Recompute.FULL or _held(job, device):
            break
        job = job._replace(recompute=more)
    return job


_PAGED: Final = frozenset({Optimizer.PAGED_ADAM, Optimizer.PAGED_ADAM_8BIT})


def _paged(job: Job, device: float | None) -> Job:
    """The states of a paged optimizer in RAM where the card does not hold them beside all else: what paging is for."""
    if job.optimizer not in _PAGED or not device or _held(job, device):
        return job
    return job._replace(offloads=job.offloads | {Offload.OPTIMIZER})


def _held(job: Job, device: float | None) -> bool:
    """Whether a card of this size holds the job; False where no size is known."""
    return device is not None and parts_of(job, Metric.DEVICE).total <= device
