"""What a card must have to serve a need: memory as computed, as asked for, or as the guide for the task has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from advisor.errors import OutOfRange, UnknownName
from advisor.models import Banded, Estimate, Gpu, Method, Precision, Workload
from advisor.recommend.models import Need, Requirement
from advisor.recommend.settings import TaskDefaults, tasks

if TYPE_CHECKING:
    from advisor.catalog import Catalog

COUNTS = (1, 2, 4, 8)
"""Numbers of cards that people put into one machine (rows 000-041 to 000-045)."""


class Totalled(Protocol):
    """Parts of a need that add up."""

    @property
    def total(self) -> Estimate:
        """GiB per card."""


Speeds = dict[tuple[str, int], tuple[Gpu, float | None]]
"""By id and number of cards the card and its speed at one job; None where no estimate is supported."""


@dataclass(frozen=True, slots=True)
class Models:
    """The two estimates a recommendation rests on; tests put their own in."""

    memory: Callable[[Workload, int], Totalled]
    """Workload, number of cards -> result with `.total`: an Estimate of GiB per card."""
    speed: Callable[[Workload, Gpu, int], float | None]
    """Work per second on all cards together, or None when nothing supports an estimate."""
    gib: Callable[[Workload, int], float]
    """Only the middle of `memory`, for searches."""
    usable: Callable[[Gpu], float] = lambda gpu: gpu.vram_gib or 0.0
    """GiB of one card that a job can get; rises with the card's memory."""
    sure: Callable[[Banded, float], bool] = lambda need, usable: usable >= need.high
    """Whether an estimate fits a usable amount with certainty; never turns false when there is more."""
    along: Callable[[Workload, int, str], Callable[[int], float]] | None = None
    """`gib` as a function of one count of the job (its batch, its seq_len), for searches along it."""
    figure: Callable[[Workload, int], Banded] | None = None
    """`memory` in numbers alone, for the many counts that are not shown; None: taken from `memory`."""
    speeds: Callable[[Workload], Speeds] | None = None
    """What `speed` gave so far for a job; None: it is asked again for each wish."""

    def known_speeds(self, job: Workload | None) -> Speeds:
        """What is known of the speeds of a job, to be filled."""
        return self.speeds(job) if self.speeds is not None and job is not None else {}


def check_need(need: Need) -> None:
    """Refuse numbers that no market can have.

    Raises:
        OutOfRange: a budget, an amount of memory, a count or hours outside sensible bounds.
    """
    if need.budget is not None and not 0 < need.budget.amount < 10**12:
        raise _out_of_range("budget", float(need.budget.amount), 0.0, 1e12, need.budget.currency)
    for name, value, low, high, unit in (
        ("vram_gib", need.vram_gib, 0.1, 100_000, "GiB"),
        ("gpu_count", need.gpu_count, 1, 512, ""),
        ("hours_per_week", need.hours_per_week, 0.01, 168, "h"),
        ("horizon_months", need.horizon_months, 0.1, 240, "months"),
        ("deadline_hours", need.deadline_hours, 0.001, 1e6, "h"),
    ):
        if value is not None and not low <= value <= high:
            raise _out_of_range(name, value, low, high, unit)


def _out_of_range(name: str, value: float, low: float, high: float, unit: str) -> OutOfRange:
    return OutOfRange(
        f"{name} must lie between {low:g} and {high:g} {unit}", name=name, value=value, low=low, high=high, unit=unit
    )


def plainly(need: Need) -> Need | None:
    """The same wish without prices of its own and a count, whose quotes differ for few cards; None where it is it."""
    if not need.prices and not need.gpu_count:
        return None
    return need.model_copy(update={"prices": (), "gpu_count": None})


def task_defaults(need: Need) -> TaskDefaults | None:
    """The typical job of the task, if the task is known."""
    return tasks().get(need.task) if need.task else None


def typical_workload(task: TaskDefaults, catalog: Catalog) -> Workload | None:
    """The job people usually mean when they name only this task."""
    try:
        ml_model = catalog.get_ml_model(task.model)
    except UnknownName:
        return None
    return Workload(
        ml_model=ml_model,
        method=task.method,
        precision=task.precision or _usual_precision(task.method),
        quant=task.quant,
        batch=task.batch,
        seq_len=task.seq_len,
        resolution=task.resolution,
        offload=task.offload,
        rollouts=task.rollouts,
        checkpointing=True if task.method in (Method.LORA, Method.QLORA) else None,
    )


def _usual_precision(method: Method) -> Precision:
    if method is Method.INFERENCE:
        return Precision.FP16
    if method is Method.LORA:
        return Precision.BF16
    return Precision.INT4 if method is Method.QLORA else Precision.FP16_MIXED


def job_of(need: Need, catalog: Catalog) -> Workload | None:
    """The workload that decides memory and speed: stated, or typical for the task."""
    if need.workload is not None:
        return need.workload
    task = task_defaults(need)
    return typical_workload(task, catalog) if task else None


def guide_of(need: Need) -> tuple[float | None, tuple[str, ...]]:
    """Memory that the guide of 2020 asks for this kind of work.

    It speaks of Transformers and CNNs of its day (rows 002-122 to 002-126), so it is not applied to adapters and
    quantised inference of large language models, where the computed need decides alone.
    """
    task = task_defaults(need)
    if task is not None and task.guide_gib is not None:
        return task.guide_gib, task.rows
    job = need.workload
    if job is None:
        return None, ()
    trained = job.method in (Method.FULL, Method.TRAIN, Method.PRETRAIN)
    modality = job.ml_model.modality
    if trained and modality in {"text-encoder", "text-enc-dec"}:
        return 11.0, ("002-122", "002-133")
    if trained and modality == "vision":
        return 10.0, ("002-126",)
    return None, ()


def want_of(need: Need, job: Workload | None, models: Models, n: int = 1) -> Banded | float:
    """Memory per card on `n` cards in numbers: the computed need, or what was asked for where there is no job."""
    if job is None:
        return float(need.vram_gib or guide_of(need)[0] or 0.0)
    if models.figure is not None:
        return models.figure(job, n)
    total: Banded = models.memory(job, n).total
    return total


def requirement(need: Need, job: Workload | None, models: Models, n: int = 1) -> Requirement:
    """Memory per card on `n` cards: the larger of the computed need and what was asked for."""
    guide, rows = guide_of(need)
    stated = need.vram_gib or 0.0
    if job is not None:
        result = models.memory(job, n)
        total: Estimate = result.total
        return Requirement(
            gib=max(total.value, stated),
            low=max(total.low, stated),
            high=max(total.high, stated),
            estimate=total,
            breakdown=result,
            guide_gib=guide,
            headroom_gib=need.headroom_gib,
            guide_rows=rows,
            guide_source="seed-002" if rows else "",
            basis="computed" if total.value >= stated else "stated",
        )
    floor = stated or guide or 0.0
    return Requirement(
        gib=floor,
        low=floor,
        high=floor,
        guide_gib=guide,
        headroom_gib=need.headroom_gib,
        guide_rows=rows,
        guide_source="seed-002" if rows else "",
        basis="stated" if stated else "guide",
    )
