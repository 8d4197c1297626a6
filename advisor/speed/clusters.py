"""Models that are divided among cards while they train: layers split within (tensor) and by stages (pipeline).

Each half layer of a tensor-parallel model waits for an exchange of activations, forward and backward; a pipeline of
stages idles while it fills and drains.
"""

from __future__ import annotations

from advisor.speed.rate import Rate
from advisor.speed.step import exchange_rate

_EXCHANGES = 8.0
"""A layer and step: two in the forward pass, two in the backward, each as gather and scatter (Megatron-LM, sequence
parallel)."""
_SHOWN = 0.5
"""Share of them that does not hide behind products."""
_PIECES = 8.0
"""Micro-batches that follow each other for every stage."""


def divided(rate: Rate, tensor: int = 1, stages: int = 1) -> Rate:
    """The rate when `tensor` cards share each layer and `stages` groups share the depth.

    Args:
        rate: the job with every card working on samples of its own.
        tensor: cards that share a layer.
        stages: groups of layers that follow each other.
    """
    demand, step = rate.demand, rate.step
    if demand is None or step is None or (tensor == 1 and stages == 1):
        return rate
    model = rate.workload.ml_model
    tokens = demand.batch * demand.units_per_sample
    sent = tokens * tensor * (model.hidden or 0) * 2.0 * (tensor - 1) / tensor  # of all that share the layer
    waits = _EXCHANGES * _SHOWN * (model.layers or 0) * sent / exchange_rate(rate.card, tensor) if tensor > 1 else 0.0
    bubble = 1.0 + (stages - 1) / (_PIECES * stages)
    seconds = (rate.seconds + waits) * bubble
    return rate._replace(seconds=seconds, per_second=rate.per_second * rate.seconds / seconds)
