"""A batch that keeps a card busy: what people raise it to who train and have memory left.

At a tiny batch every card waits for kernel launches and all look alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from advisor.errors import AdvisorError
from advisor.memory.figure import figure_of
from advisor.memory.fit import fit_of
from advisor.models import Gpu, Method, Recompute, Workload
from advisor.speed.clusters import is_from_scratch, is_split
from advisor.speed.rate import generates, rates_by_batch

_DOUBLINGS: Final = 6
_WORTH: Final = 1.15
"""Doubling goes on while it brings a seventh more."""
_ROOM: Final = 0.92
"""Of the usable memory, filled by whoever raises the batch as far as it goes."""


def keeping_activations(work: Workload, n: int, roomy: Callable[[Workload], bool]) -> Workload:
    """A language model trained from the first token on, without recomputing where there is room for what is kept.

    Recomputing costs a third of a step; whoever pays for all of them does so only where the memory asks for it.
    `roomy` tells whether a job leaves the `n` cards some memory. Where layers are divided, what each card keeps is an
    eighth, and recomputing the cheap parts is enough.
    """
    if not is_from_scratch(work) or not work.checkpointing:
        return work
    if is_split(work, n):
        return work.model_copy(update={"checkpointing": False, "recompute": Recompute.SELECTIVE})
    kept = work.model_copy(update={"checkpointing": False})
    return kept if roomy(kept) else work


def filled_batch(work: Workload, gpu: Gpu, n: int = 1) -> int:
    """The batch of a training job, doubled while the card holds it and gets clearly faster; its own for other jobs."""
    batch = work.batch or 1
    if not work.batch or generates(work) or work.method is Method.INFERENCE or not roomy(work, gpu, n):
        return batch
    try:
        rate = rates_by_batch(work, gpu, n)
    except AdvisorError:
        return batch
    for _ in range(_DOUBLINGS):
        larger = work.model_copy(update={"batch": batch * 2})
        if not roomy(larger, gpu, n) or rate(batch * 2) <= rate(batch) * _WORTH:
            break
        batch *= 2
    return batch


def roomy(work: Workload, gpu: Gpu, n: int) -> bool:
    """Whether a job leaves the cards some of their usable memory."""
    try:
        need = figure_of(work.model_copy(update={"n_gpus": n}))
        fit = fit_of(need, gpu)
    except AdvisorError:
        return False
    return fit.usable_gib is not None and need.value <= _ROOM * fit.usable_gib
