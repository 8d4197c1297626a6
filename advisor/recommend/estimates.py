"""The advisor's own memory and speed estimates in the shape a recommendation asks for."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from advisor.errors import AdvisorError
from advisor.models import Gpu, Workload
from advisor.recommend.need import Models


def memory_on(workload: Workload, n: int) -> Any:
    """Memory per card when `n` cards share the job."""
    from advisor.memory import estimate_memory

    return estimate_memory(workload.model_copy(update={"n_gpus": n}))


def speed_on(workload: Workload, gpu: Gpu, n: int) -> float | None:
    """Work per second on `n` cards together; None when no published figure supports an estimate."""
    from advisor.speed import estimate_throughput

    try:
        return estimate_throughput(workload, gpu, n).value
    except AdvisorError:
        return None


@lru_cache(maxsize=1)
def default_models() -> Models:
    """Estimates of the advisor."""
    return Models(memory=memory_on, speed=speed_on)
