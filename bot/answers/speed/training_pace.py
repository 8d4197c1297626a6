"""A training run on one set-up: its pace, its hours where data are known, and the way that fits where it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from advisor.jobs.plan import Plan
from advisor.jobs.verdict import Verdict
from advisor.memory.results import Verdict as Word
from advisor.models import Estimate, Method, MlModel, Note, Workload, note_of
from advisor.speed import Dataset, estimate_throughput, estimate_time, rate_of
from advisor.speed.clusters import divided_over
from advisor.speed.contest import Side
from advisor.speed.pretrain import tokens_at_peak
from advisor.speed.rate import draws
from advisor.speed.results import SpeedEstimate
from bot.answers.common import Job, job_of
from bot.answers.speed.pace import filled, plan_on
from bot.answers.speed.time_lines import ROUND_SAMPLES, ROUND_STEPS, Run
from bot.core.request import Request

_LESS: Final = {"train": ("lora", "qlora"), "full": ("lora", "qlora"), "lora": ("qlora",)}
"""Ways of tuning a language model that take less memory than another, the most thorough first."""


_MACHINES: Final = (8, 16, 32, 64, 128, 256, 512, 1024)
"""Cards of as many full machines as such a run is given."""


def smaller_run(
    request: Request, model: MlModel, sides: list[Side], run: Run, dataset: Dataset | None, samples: float | None
) -> tuple[Run, Job] | None:
    """The same training in the most thorough way that fits the first set-up, where it does not, and its job."""
    found = lesser_way(request, model, sides, run.method) if run.too_big and run.kind == "train" else None
    if found is None:
        return None
    asked, planned = found
    job = filled(asked, job_of(asked, planned.way), sides)
    return training_run(asked, job.workload, sides[0], planned.chosen[0].verdict, dataset, samples), job


def lesser_way(request: Request, model: MlModel, sides: list[Side], method: str) -> tuple[Request, Plan] | None:
    """The question with the most thorough lesser way of tuning that fits the first set-up, and its plan.

    None where the model is no language model, no way takes less than this one, or none fits.
    """
    for lesser in _LESS.get(method, ()) if model.modality.startswith("text") else ():
        asked = replace(request, slots={**request.slots, "method": lesser})
        planned = plan_on(asked, model, sides)
        if planned.chosen[0].verdict.word is not Word.NO:
            return asked, planned
    return None


def many_enough(
    request: Request, sides: list[Side], planned: Plan, plan_for: Callable[[list[Side]], Plan]
) -> list[Side]:
    """So many of the cards that training from the first token on fits, where one does not and nobody said how many.

    Args:
        request: the question.
        sides: what was named.
        planned: the plan on it.
        plan_for: makes the plan on other sides.
    """
    if request.slot("gpu_count") or len(sides) > 1 or planned.chosen[0].verdict.word is not Word.NO:
        return sides
    counts = (Side(sides[0].gpu, n) for n in _MACHINES)
    return next(([one] for one in counts if plan_for([one]).chosen[0].verdict.word is not Word.NO), sides)


def _share_of_peak(
    request: Request, work: Workload, side: Side, made: SpeedEstimate
) -> tuple[tuple[Note, ...], float | None]:
    """The MFU of training from the first token on, and how much faster than estimated one that was said makes it."""
    if work.method not in FROM_SCRATCH or made.unit != "tok":
        return (), None
    peak, stated = tokens_at_peak(work, side.gpu, side.n), request.heard.mfu
    if not peak:
        return (), None
    share = stated or made.rate.value / peak
    note = note_of("speed_mfu", {"share": share, "stated": stated is not None})
    return (note,), stated * peak / made.rate.value if stated else None


def _times(value: Estimate, factor: float | None) -> Estimate:
    """An estimate scaled by what was said, so without a band; as it is where nothing was."""
    if factor is None:
        return value
    scaled = value.value * factor
    return value.model_copy(update={"value": scaled, "low": scaled, "high": scaled})


def _as_long(note: Note, hours: Estimate) -> Note:
    """A remark on how long a run takes, with the hours that it takes as told."""
    return note_of(note.code, {**note.values, "days": hours.value / 24}) if "days" in note.values else note


FROM_SCRATCH: Final = (Method.PRETRAIN, Method.TRAIN)


def fit_notes(verdict: Verdict) -> list[Note]:
    """That the pace supposes more memory than there is, where it does not fit."""
    if verdict.word is not Word.NO or verdict.gpu is None:
        return []
    return [note_of("speed_no_fit", {"gpu": verdict.gpu.name, "n": verdict.n, "need": verdict.need})]


def epochs_of(request: Request, dataset: Dataset | None) -> float:
    """How often the data are gone through: as said, else as is usual with them, else once."""
    stated = epochs_stated(request)
    return float(stated) if stated else float(dataset.usual_epochs) if dataset else 1.0


def epochs_stated(request: Request) -> float | None:
    """How often the data are said to be gone through; None where nobody said it."""
    stated = request.slot("epochs") or request.heard.epochs
    return float(stated) if stated else None


def training_run(
    request: Request, work: Workload, side: Side, verdict: Verdict, dataset: Dataset | None, samples: float | None
) -> Run:
    """The pace of training on one set-up, with its hours on the data, or on so many samples where none are known."""
    shared = divided_over(work, side.n)
    made: SpeedEstimate = estimate_throughput(shared, side.gpu, side.n)
    epochs = epochs_of(request, dataset)
    run = Run(
        gpu=side.gpu.name,
        n=side.n,
        model=work.ml_model.name,
        method=work.method.value,
        format=work.quant or (work.precision.value if work.precision else ""),
        kind="train",
        rate=made.rate,
        unit=made.unit,
        bound=rate_of(shared, side.gpu, side.n).bound,
        fits=verdict.word.value,
        trace=made.rate.trace,
        notes=(*fit_notes(verdict), *made.notes),
    )
    share, faster = _share_of_peak(request, shared, side, made)
    run = replace(run, rate=_times(made.rate, faster), notes=(*run.notes, *share))
    if dataset is None and samples is None:
        steps = draws(work.ml_model)
        amount = ROUND_STEPS * (work.batch or 1) * side.n if steps else ROUND_SAMPLES
        hours = estimate_time(shared, side.gpu, side.n, samples=amount).hours
        return replace(run, in_steps=steps, round_hours=_times(hours, 1.0 / faster if faster else None))
    timed = estimate_time(shared, side.gpu, side.n, samples=samples, dataset=dataset, epochs=epochs)
    hours = _times(timed.hours, 1.0 / faster if faster else None)
    remarks = timed.notes if faster is None else tuple(_as_long(note, hours) for note in timed.notes)
    return replace(run, hours=hours, trace=hours.trace, notes=(*fit_notes(verdict), *remarks, *share))
