"""The advisor's own memory and speed estimates in the shape a recommendation asks for."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from advisor.errors import AdvisorError
from advisor.kept import kept, kept_by
from advisor.memory import MemoryEstimate, estimate_memory, usable_gib
from advisor.memory.bands import probability_of_fit
from advisor.memory.figure import Figure, figure_of, gib_along, gib_of
from advisor.memory.fit import SURE, band_in
from advisor.models import Banded, Gpu, Workload
from advisor.models.workload import job_key
from advisor.recommend.need import Models, Speeds
from advisor.speed.card import card_rates
from advisor.speed.decode import decode_time
from advisor.speed.demand import asked
from advisor.speed.rate import draws, generates, rate_of
from advisor.speed.step import exchange_rate, several, step_time


def _shared(workload: Workload, n: int) -> Workload:
    return workload if n == workload.n_gpus else workload.model_copy(update={"n_gpus": n})


def memory_on(workload: Workload, n: int) -> MemoryEstimate:
    """Memory per card when `n` cards share the job."""
    return estimate_memory(_shared(workload, n))


def gib_on(workload: Workload, n: int) -> float:
    """Middle of the same estimate, without its trail."""
    return gib_of(_shared(workload, n))


def gib_along_on(workload: Workload, n: int, axis: str) -> Callable[[int], float]:
    """The same figure as a function of the batch or the length."""
    return gib_along(_shared(workload, n), axis)


def figure_on(workload: Workload, n: int) -> Figure:
    """The same estimate in numbers alone."""
    return figure_of(_shared(workload, n))


def speed_on(workload: Workload, gpu: Gpu, n: int) -> float | None:
    """Work per second on `n` cards together; None when no published figure supports an estimate.

    The figure is that of `advisor.speed.rate.rate_of` with the cards working at once.
    """
    try:
        card = card_rates(gpu)
        if draws(workload.ml_model):
            return rate_of(workload, gpu, n).per_second
        if generates(workload):
            users = workload.users or workload.batch or 1
            return decode_time(card, workload, n_gpus=n, users=users, split="tensor").tokens_per_s
        demand = asked(workload)
        step = step_time(card, demand)
        seconds = several(step, demand, exchange_rate(card, n) if n > 1 else 1.0, n)
    except AdvisorError:
        return None
    return n * demand.batch * demand.units_per_sample / seconds


@kept_by(job_key, most=128)
def speeds_of(_: Workload) -> Speeds:
    """The table of a job's speeds, filled as cards are asked for: most jobs are asked about again."""
    return {}


def surely(need: Banded, usable: float) -> bool:
    """Whether the job fits with the certainty at which the memory model says so."""
    return probability_of_fit(need.value, band_in(need), usable) >= SURE


@kept(most=1024)
def usable(gpu: Gpu) -> float:
    """Memory a job can get from a card."""
    return usable_gib(gpu, gpu.vram_gib or 0.0)


@lru_cache(maxsize=1)
def default_models() -> Models:
    """Estimates of the advisor."""
    return Models(
        memory=memory_on,
        speed=speed_on,
        gib=gib_on,
        usable=usable,
        sure=surely,
        figure=figure_on,
        along=gib_along_on,
        speeds=speeds_of,
    )
