"""A batch that keeps a card busy: what people raise it to who train and have memory left.

At a tiny batch every card waits for kernel launches and all look alike.
"""

from __future__ import annotations

from typing import Final

from advisor.errors import AdvisorError
from advisor.memory.figure import figure_of
from advisor.memory.fit import fit_of
from advisor.models import Gpu, Method, Workload
from advisor.speed.rate import generates, rates_by_batch

_DOUBLINGS: Final = 6
_WORTH: Final = 1.15
"""Doubling goes on while it brings a seventh more."""
_ROOM: Final = 0.92
"""Of the usable memory, filled by whoever raises the batch as far as it goes."""


def filled_batch(work: Workload, gpu: Gpu, n: int = 1) -> int:
    """The batch of a training job, doubled while the card holds it and gets clearly faster; its own for other jobs."""
    batch = work.batch or 1
    if not work.batch or generates(work) or work.method is Method.INFERENCE or not _roomy(work, gpu, n):
        return batch
    try:
        rate = rates_by_batch(work, gpu, n)
    except AdvisorError:
        return batch
    for _ in range(_DOUBLINGS):
        larger = work.model_copy(update={"batch": batch * 2})
        if not _roomy(larger, gpu, n) or rate(batch * 2) <= rate(batch) * _WORTH:
            break
        batch *= 2
    return batch


def _roomy(work: Workload, gpu: Gpu, n: int) -> bool:
    try:
        need = figure_of(work.model_copy(update={"n_gpus": n}))
        fit = fit_of(need, gpu)
    except AdvisorError:
        return False
    return fit.usable_gib is not None and need.value <= _ROOM * fit.usable_gib
