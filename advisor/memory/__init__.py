"""GPU memory: how much a job needs, whether a card holds it, what is the most that fits, how to need less.

The formulas count tensors (`state`, `activations`, `images`), a stack adds its habits (`stacks`), a handful of
calibrated constants settles what cannot be counted (`calibration`), and bands say how sure that is (`bands`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.lazy import names_from

if TYPE_CHECKING:
    from advisor.memory.estimate import estimate_memory, need_gib
    from advisor.memory.fit import check_fit, fit_estimate, usable_gib
    from advisor.memory.inverse import largest_batch, largest_model, largest_seq
    from advisor.memory.results import FitResult, LargestModel, MemoryEstimate, Region, Trick, TrickPlan, Verdict
    from advisor.memory.tricks import memory_tricks

__all__ = [
    "FitResult",
    "LargestModel",
    "MemoryEstimate",
    "Region",
    "Trick",
    "TrickPlan",
    "Verdict",
    "check_fit",
    "estimate_memory",
    "fit_estimate",
    "largest_batch",
    "largest_model",
    "largest_seq",
    "memory_tricks",
    "need_gib",
    "usable_gib",
]

_HOMES = {
    "FitResult": "results",
    "LargestModel": "results",
    "MemoryEstimate": "results",
    "Region": "results",
    "Trick": "results",
    "TrickPlan": "results",
    "Verdict": "results",
    "check_fit": "fit",
    "estimate_memory": "estimate",
    "fit_estimate": "fit",
    "largest_batch": "inverse",
    "largest_model": "inverse",
    "largest_seq": "inverse",
    "memory_tricks": "tricks",
    "need_gib": "estimate",
    "usable_gib": "fit",
}

__getattr__ = names_from(__name__, _HOMES)
