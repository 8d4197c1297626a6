"""Weights, gradients and optimizer state: what training holds before the first sample arrives.

Mixed-precision Adam with fp32 master weights is 16 bytes a parameter, 18 with autocast's 16-bit copies; all-bf16 is
8; frozen weights cost their storage format only (ZeRO, arXiv 1910.02054, section 3.1; QLoRA, arXiv 2305.14314).
"""

from __future__ import annotations

from typing import NamedTuple

from advisor.memory.formats import FORMATS
from advisor.memory.job import Job, Kind, Trains
from advisor.models import Optimizer, Parallel

_BUCKET_PARAMETERS = 5e8
"""DeepSpeed's default reduce_bucket_size and allgather_bucket_size."""
_LARGE_COMPANION = 1e9
_SAME_BITS = 0.25
"""Bits a weight within which a format counts as the published one: its blocks and scales may differ."""

_LIVE_PARAMETERS = 2e9
"""Parameters on the card while frozen weights stay in RAM: DeepSpeed keeps 1e9 live, 1e9 within reuse distance."""

STATE_BYTES: dict[Optimizer, float] = {
    Optimizer.SGD: 4.0,
    Optimizer.ADAM: 8.0,
    Optimizer.ADAM_8BIT: 2.0,
    Optimizer.PAGED_ADAM_8BIT: 2.0,
    Optimizer.ADAFACTOR: 0.05,
    Optimizer.NONE: 0.0,
}
"""Bytes of optimizer state per trained fp32 parameter; SGD with momentum."""


class State(NamedTuple):
    """Bytes on one GPU."""

    weights: float
    gradients: float
    optimizer: float


def weight_bytes(job: Job, matrices: float, others: float) -> float:
    """Stored weights of one replica, scales included."""
    stored = matrices * job.weights.linear_bits / 8.0 + others * job.weights.other_bits / 8.0
    if job.kind is Kind.INFER and _as_published(job):
        stored = max(stored, (job.model.weights_gb or 0.0) * 1e9)
    if job.stack.casts_weights:
        stored += 2.0 * (matrices + others)
    return stored


def _as_published(job: Job) -> bool:
    """Whether the weights are stored as their maker publishes them: with parts that are left in 16 bits."""
    published = FORMATS.get(job.model.weights_format or "")
    return published is not None and abs(published.linear_bits - job.weights.linear_bits) < _SAME_BITS


def companion_bytes(job: Job) -> float:
    """Text encoders and VAE: 16 bits, but a large text encoder is quantised together with its model."""
    large = job.auxiliary > _LARGE_COMPANION and job.weights.quantised and job.weights.other_bits == 16.0
    return job.auxiliary * (job.weights.linear_bits / 8.0 if large else 2.0)


def _state_share(job: Job) -> tuple[float, float, float]:
    """Share of weights, gradients and optimizer state that one of several GPUs holds."""
    one, part = 1.0, 1.0 / job.n_gpus
    if job.parallel is Parallel.FSDP and job.trains is Trains.ALL and job.stack.sharding_keeps_weights:
        return one, part, part
    if job.parallel in (Parallel.NONE, Parallel.DATA):
        return one, one, one
    if job.parallel is Parallel.ZERO1:
        return one, one, part
    return (one if job.parallel is Parallel.ZERO2 else part), part, part


def _trained_state(job: Job, trained: float) -> tuple[float, float, float]:
    """Extra weight copies, gradients and optimizer state of parameters trained in full, in bytes."""
    if job.true_half:
        copies, gradient, moments = 0.0, 2.0, STATE_BYTES[job.optimizer]
        if job.optimizer in (Optimizer.ADAM, Optimizer.SGD):
            moments /= 2.0
    elif job.master:
        copies, gradient, moments = 2.0, job.stack.gradient_bytes, STATE_BYTES[job.optimizer]
    else:
        copies, gradient, moments = 0.0, 4.0, STATE_BYTES[job.optimizer]
    if job.fused_backward:
        gradient = 0.0
    moments += job.stack.state_extra_bytes
    buckets = job.stack.bucket_bytes * min(trained, _BUCKET_PARAMETERS)
    return copies * trained, gradient * trained, moments * trained + buckets


def training_state(job: Job, matrices: float, others: float) -> State:
    """Weights, gradients and optimizer state on one GPU, after sharding and offload."""
    weights = weight_bytes(job, matrices, others) + companion_bytes(job)
    gradients = optimizer = 0.0
    if job.trains is Trains.ALL:
        copies, gradients, optimizer = _trained_state(job, matrices + others)
        weights += copies
        if job.offload and job.master:  # master weights live in RAM with the optimizer; 16-bit copies stay
            weights, gradients = 2.0 * (matrices + others), 2.0 * (matrices + others)
    elif job.trains in (Trains.ADAPTER, Trains.PROMPT):
        adapter = job.adapter_params * job.adapter_bytes
        weights += adapter * 0.25
        gradients = adapter * 0.25
        optimizer = adapter * 0.5 + 12.0 * job.extra_params
        if job.offload:
            weights = min(weights, _LIVE_PARAMETERS * job.weights.linear_bits / 8.0)
    share_w, share_g, share_o = _state_share(job)
    if job.offload:
        share_o = 0.0
    return State(weights * share_w, gradients * share_g, optimizer * share_o)
