"""Models that are divided among cards while they train: layers split within (tensor) and by stages (pipeline).

Each half layer of a tensor-parallel model waits for an exchange of activations, forward and backward; a pipeline of
stages idles while it fills and drains.
"""

from __future__ import annotations

from typing import Final

from advisor.models import Method, Parallel, Workload
from advisor.speed.demand import workload_class
from advisor.speed.rate import Rate, layer_waits

_PIECES = 8.0
"""Micro-batches that follow each other for every stage."""

_FROM_SCRATCH: Final = (Method.PRETRAIN, Method.TRAIN)
_SHARDED_FROM: Final = 1.5e9
"""Parameters from which on full training divides weights, gradients and the optimizer's state among cards."""
_SPLIT_FROM: Final = 2.0e10
"""Parameters from which on layers are divided among the cards of a machine (arXiv 2104.04473, table 1)."""
_MACHINE: Final = 8
_STEP_TOKENS: Final = 4.0e6
_SMALL_STEP_TOKENS: Final = 5.0e5
"""Tokens between two updates in pre-training: 4 million (arXiv 2307.09288, section 2.2), half a million for models of
up to about a billion parameters (arXiv 2005.14165, table 2.1)."""


def is_from_scratch(work: Workload) -> bool:
    """Whether a language model is trained from the first token on."""
    return work.method in _FROM_SCRATCH and workload_class(work.ml_model) == "decoder"


def is_split(work: Workload, n: int) -> bool:
    """Whether layers are divided among the cards of a machine, and stages among machines, as for large models."""
    return is_from_scratch(work) and n > _MACHINE and work.ml_model.parameters >= _SPLIT_FROM


def divided_over(work: Workload, n: int) -> Workload:
    """A training job as `n` cards share it: large models divide their state, and a step gathers as many samples as are
    usual before gradients are exchanged."""
    if n == 1:
        return work
    changes: dict[str, object] = {}
    if work.ml_model.parameters > _SHARDED_FROM and work.method in (Method.FULL, Method.PRETRAIN):
        changes["parallel"] = Parallel.ZERO3
    if is_split(work, n):
        changes |= {"parallel": Parallel.TENSOR, "tensor_parallel": _MACHINE}
    if is_from_scratch(work) and work.grad_accum is None:
        tokens = _STEP_TOKENS if work.ml_model.parameters > _SHARDED_FROM else _SMALL_STEP_TOKENS
        changes["grad_accum"] = max(1, round(tokens / (n * (work.batch or 1) * (work.seq_len or 2048))))
    return work.model_copy(update=changes) if changes else work


def divided(rate: Rate, tensor: int = 1, stages: int = 1) -> Rate:
    """The rate when `tensor` cards share each layer and `stages` groups share the depth.

    Args:
        rate: the job with every card working on samples of its own.
        tensor: cards that share a layer.
        stages: groups of layers that follow each other.
    """
    if rate.demand is None or rate.step is None or (tensor == 1 and stages == 1):
        return rate
    bubble = 1.0 + (stages - 1) / (_PIECES * stages)
    seconds = (rate.seconds + layer_waits(rate, tensor)) * bubble
    return rate._replace(seconds=seconds, per_second=rate.per_second * rate.seconds / seconds)
