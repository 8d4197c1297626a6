"""The jobs that sides are compared on when none was named: large enough to show what the cards differ in.

A small model at batch 1 waits for kernel launches on a fast card and makes all of them look alike, so the language
model is the largest of the usual sizes that every side holds, and the training job of big cards grows with them too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from advisor.errors import AdvisorError
from advisor.memory import Verdict
from advisor.memory.fit import fit_of
from advisor.models import MlModel, Workload
from advisor.speed.contest import JobSet, Side
from advisor.speed.uses import generation_job
from bot.answers.common import Job
from bot.answers.speed.pace import BIG_CARD_GIB, GENERATING, Needs, lora_job, qlora_job, small_training
from bot.core.request import Request

_RUNS = "inference"
_GENERATED = ("llm-70b", "llm-32b", "llm-14b", "llm-8b")
_TUNED = ("llm-32b", "llm-14b", "llm-7b")


@dataclass(frozen=True, slots=True)
class SideJob:
    """One row of a comparison with what has to be said of it."""

    code: str
    """train | lora | tune | generate | yours"""
    models: tuple[str, ...]
    row: JobSet


def jobs_of_sides(request: Request, sides: Sequence[Side], job: Job | None) -> tuple[SideJob, ...]:
    """The named job, or training and language model inference; what was said of the use comes first."""
    if job is not None:
        return (SideJob("yours", (job.workload.ml_model.name,), JobSet("yours", (job.workload,))),)
    running, training = _generate(request, sides), _train(request, sides)
    if request.slot("task") in GENERATING or request.slot("method") == "inference" or runs_language_models(request):
        return (running, training)
    if request.slot("task") == "llm_finetune" or request.slot("method") in {"lora", "qlora"}:
        return (_qlora(request), running)
    return (training, running)


def runs_language_models(request: Request) -> bool:
    """Whether language models are what the cards are for by the words, and nothing is said of training."""
    heard = request.heard
    runs = heard.shows("programs", "llama.cpp") and not heard.shows("programs", "comfyui")
    spoken = heard.speaks_of("language_model") or runs
    return spoken and not heard.speaks_of("finetuning", "training", "pretraining") and not request.slot("method")


def trains(request: Request) -> bool:
    """Whether something is to be trained or tuned."""
    method = request.slot("method")
    heard = request.heard
    tuned = heard.speaks_of("finetuning", "training", "pretraining") or heard.shows("job", "tuning")
    return method != _RUNS and (bool(method) or tuned)


_DRAWN: Final = frozenset({"image_generation", "video_generation"})


def draws(request: Request, models: Sequence[MlModel]) -> bool:
    """Whether pictures or clips are to be made, by the task or by the model that is named."""
    named = any(model.modality == "image-gen" for model in models)
    return named or request.slot("task") in _DRAWN or request.heard.shows("programs", "comfyui")


def _generate(request: Request, sides: Sequence[Side]) -> SideJob:
    work = _largest(sides, [generation_job(model) for model in _models(request, _GENERATED)])
    return SideJob("generate", (work.ml_model.name,), JobSet("generate", (work,)))


def _train(request: Request, sides: Sequence[Side]) -> SideJob:
    if all((side.gpu.vram_gib or 0) >= BIG_CARD_GIB for side in sides):
        work = _largest(sides, [lora_job(model) for model in _models(request, _TUNED)])
        return SideJob("lora", (work.ml_model.name,), JobSet("train", (work,)))
    jobs = small_training(request)
    return SideJob("train", tuple(work.ml_model.name for work in jobs), JobSet("train", jobs))


def _qlora(request: Request) -> SideJob:
    model = request.services.catalog.get_ml_model("llm-7b")
    return SideJob("tune", (model.name,), JobSet("tune", (qlora_job(model),)))


def _models(request: Request, names: Sequence[str]) -> list[MlModel]:
    return [request.services.catalog.get_ml_model(name) for name in names]


def _largest(sides: Sequence[Side], works: Sequence[Workload]) -> Workload:
    """The first of these jobs, the largest before the smaller ones, that every side holds; else the last."""
    for work in works[:-1]:
        needs = Needs(work)
        if all(_holds(needs, side) for side in sides):
            return work
    return works[-1]


def _holds(needs: Needs, side: Side) -> bool:
    try:
        fit = fit_of(needs.on(side.n), side.gpu)
    except AdvisorError:
        return True  # what cannot be worked out for a side decides nothing
    return fit.verdict is not Verdict.NO
