"""Weights, gradients and optimizer state: what training holds before the first sample arrives.

Mixed-precision Adam with fp32 master weights is 16 bytes a parameter, 18 with autocast's 16-bit copies; all-bf16 is
8; frozen weights cost their storage format only (ZeRO, arXiv 1910.02054, section 3.1; QLoRA, arXiv 2305.14314).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from advisor.memory.calibration import Calibration
from advisor.memory.formats import FORMATS
from advisor.memory.job import Job, Kind, Trains
from advisor.memory.shapes import expert_parameters
from advisor.models import Offload, Optimizer, Parallel

_BUCKET_PARAMETERS: Final = 5e8
"""DeepSpeed's default reduce_bucket_size and allgather_bucket_size."""
_LARGE_COMPANION: Final = 1e9
_SAME_BITS: Final = 0.25
"""Bits a weight within which a format counts as the published one: its blocks and scales may differ."""

STATE_BYTES: Final[dict[Optimizer, float]] = {
    Optimizer.SGD: 4.0,
    Optimizer.ADAM: 8.0,
    Optimizer.PAGED_ADAM: 8.0,
    Optimizer.ADAM_8BIT: 2.0,
    Optimizer.PAGED_ADAM_8BIT: 2.0,
    Optimizer.ADAM_4BIT: 1.0,
    Optimizer.LION: 4.0,
    Optimizer.MUON: 4.5,
    Optimizer.PRODIGY: 16.0,
    Optimizer.ADAFACTOR: 0.05,
    Optimizer.NONE: 0.0,
}
"""Bytes of optimizer state per trained fp32 parameter; SGD and Lion with one moment, Muon with one for its matrices
and Adam's two for embeddings and vectors, Prodigy with two moments, the weights it began with and a running sum."""
_BLOCKS: Final = (Optimizer.ADAM_8BIT, Optimizer.PAGED_ADAM_8BIT, Optimizer.ADAM_4BIT, Optimizer.ADAFACTOR)
"""State of its own format, however wide the weights are."""


class State(NamedTuple):
    """Bytes on one GPU."""

    weights: float
    gradients: float
    optimizer: float


def weight_bytes(job: Job, matrices: float, others: float) -> float:
    """Stored weights of one replica, scales included."""
    stored = matrices * job.weights.linear_bits / 8.0 + others * job.weights.other_bits / 8.0
    if job.kind is not Kind.TRAIN and _as_published(job):
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


def _model_share(job: Job) -> float:
    """Share of one replica's weights on one card where matrices, layers and experts are cut."""
    if job.expert <= 1:
        return 1.0 / job.split
    routed = expert_parameters(job.model) / job.model.parameters
    return (1.0 - routed) / job.split + routed / max(job.expert * job.pipeline, job.split)


def _state_share(job: Job) -> tuple[float, float, float]:
    """Share of weights, gradients and optimizer state of one replica that one of several GPUs holds."""
    one = _model_share(job)
    part = 1.0 / (job.split * job.shards)
    if job.parallel is Parallel.FSDP and job.trains is Trains.ALL and job.stack.sharding_keeps_weights:
        return one, part, part
    if job.parallel in (Parallel.FSDP, Parallel.ZERO3):
        return part, part, part
    if job.parallel is Parallel.ZERO1:
        return one, one, part
    return (one, part, part) if job.parallel is Parallel.ZERO2 else (one, one, one)


def _trained_state(job: Job, trained: float, cal: Calibration) -> tuple[float, float, float]:
    """Extra weight copies, gradients and optimizer state of parameters trained in full, in bytes."""
    if job.true_half:
        copies, gradient, moments = 0.0, 2.0, STATE_BYTES[job.optimizer]
        if job.optimizer not in _BLOCKS:
            moments /= 2.0
    elif job.master:
        # sharded programs cast what they gather; autocast and ZeRO keep a 16-bit copy of all weights
        copies = 0.0 if job.parallel is Parallel.FSDP else 2.0
        gradient, moments = (2.0 if job.stack.half_gradients else 4.0), STATE_BYTES[job.optimizer]
    else:
        copies, gradient, moments = 0.0, 4.0, STATE_BYTES[job.optimizer]
    if job.fused_backward:
        gradient = 0.0
    if job.stack.widens_gradients and job.master:
        moments += 2.0
    if job.stack.graph_copies:
        moments += cal.graph_copies_bytes
    buckets = cal.bucket_bytes * min(trained, _BUCKET_PARAMETERS) if job.stack.buckets else 0.0
    return copies * trained, gradient * trained, moments * trained + buckets


def _adapter_state(job: Job) -> tuple[float, float, float]:
    """Weights, gradients and optimizer state of adapters, in bytes."""
    each = job.adapter_bytes * job.adapter_params
    state = STATE_BYTES[job.optimizer] / STATE_BYTES[Optimizer.ADAM]
    return each * 0.25, each * 0.25, each * 0.5 * min(state, 1.0) + 12.0 * job.extra_params


def training_state(job: Job, matrices: float, others: float, cal: Calibration) -> State:
    """Weights, gradients and optimizer state on one GPU, after sharding and offload."""
    weights = resident_weights(job, weight_bytes(job, matrices, others)) + companion_bytes(job)
    gradients = optimizer = 0.0
    if job.trains is Trains.ALL:
        copies, gradients, optimizer = _trained_state(job, (matrices + others) * job.trained_share, cal)
        if job.trained_share < 1.0:  # 16-bit weights of all blocks, fp32 copies of the one that is trained
            weights, copies = weights * 0.5, (copies + 2.0 * (matrices + others)) * job.trained_share
        weights += copies
        if job.master and job.parallel in (Parallel.ZERO1, Parallel.ZERO2):  # the master is part of what is cut
            weights, optimizer = 2.0 * (matrices + others), optimizer + 4.0 * (matrices + others)
        if Offload.OPTIMIZER in job.offloads:
            weights, gradients = _beside_offloaded(job, weights, gradients, matrices + others)
    elif job.trains in (Trains.ADAPTER, Trains.PROMPT):
        extra, gradients, optimizer = _adapter_state(job)
        weights += extra
    share_w, share_g, share_o = _state_share(job)
    if Offload.OPTIMIZER in job.offloads:
        share_o = 0.0
    return State(weights * share_w, gradients * share_g, optimizer * share_o)


def _beside_offloaded(job: Job, weights: float, gradients: float, parameters: float) -> tuple[float, float]:
    """Weights and gradients that stay on the card when the optimizer works in RAM.

    Master weights usually live with it (ZeRO-Offload), and gradients that are scattered to their owners do; one that is
    merely wrapped leaves the weights on the card and takes each gradient as it is made.
    """
    if _scatters(job):
        return (2.0 * parameters if job.master else weights), 0.0
    if job.stack.wraps_offloaded:
        return weights, (0.0 if job.master else gradients)
    return (2.0 * parameters, 2.0 * parameters) if job.master else (weights, gradients)


def _scatters(job: Job) -> bool:
    """Whether gradients leave the card as they are made, to where their optimizer is."""
    return job.sharded or job.parallel is Parallel.ZERO2 or job.stack.buckets


def resident_weights(job: Job, weights: float) -> float:
    """What stays on the card of weights that come from RAM, layer by layer, or whose experts lie there."""
    if Offload.EXPERTS in job.offloads:  # what is no expert keeps its wider format, so it is more than its share
        experts = expert_parameters(job.model) * job.weights.linear_bits / 8.0
        return weights - job.offload_share * min(experts, weights)
    if Offload.WEIGHTS not in job.offloads:
        return weights
    moving = _STREAMED_LAYERS / max(job.model.layers or _USUAL_LAYERS, _STREAMED_LAYERS)
    return weights * max(1.0 - job.offload_share, 0.0) + weights * moving * job.offload_share


_STREAMED_LAYERS: Final = 2
"""Layers on the card at a time when weights stay in RAM: the one computing and the one arriving."""
_USUAL_LAYERS: Final = 40
