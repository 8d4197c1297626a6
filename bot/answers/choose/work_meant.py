"""Which work a card is chosen for: the task that was named, the other work beside it, or what is usual."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from advisor.jobs.plan import figure_on
from advisor.jobs.ways import Way
from advisor.models import Method, MlModel
from advisor.recommend.settings import TaskDefaults, tasks
from bot.core.request import Request

_ADAPTERS: Final = frozenset({Method.LORA.value, Method.QLORA.value})
"""Ways to tune that language models are known for: whoever names no model means one of them."""
_UNIVERSAL, _LANGUAGE, _LEARNING, _KAGGLE = "general_dl", "llm_inference", "learning", "kaggle"
THRIFTY: Final = frozenset({"beginner", "student", "hobbyist", "kaggler"})
"""People who start with the least money that does the usual jobs."""
LEARNED: Final = frozenset({"learning", "kaggle"})
_BESIDE: Final = frozenset({"image_generation", "video_generation", "object_detection", "speech"})
"""Kinds of work that people name beside language models, which then decide how much memory the card has."""
_MOST_OTHERS: Final = 2
_TEAM: Final = 5
_OF_A_TEAM: Final = "llm-32b"
"""What people who share one machine run for code and papers: the largest size that one card holds in 4 bit."""
_ENCODER_TASKS: Final = frozenset({"nlp", "text_classification", "ner"})
_TEXT: Final = "text-decoder"
_NOT_LANGUAGE: Final = frozenset({"image-gen", "speech", "vision"})
"""Modalities of models that are no language models."""


def task_meant(request: Request) -> str | None:
    """The task as read; work with a language model goes before the subject of its text, and before drawing."""
    task: str | None = request.slot("task")
    if task in _BESIDE and _names_language_model(request):
        return "llm_finetune" if request.heard.speaks_of("finetuning") else _LANGUAGE
    if not request.heard.speaks_of("language_model"):
        return task
    if task in _ENCODER_TASKS:
        return "llm_finetune" if request.heard.speaks_of("finetuning") else task
    return _LANGUAGE if task in _BESIDE else task


def others_meant(request: Request, named: Sequence[MlModel]) -> tuple[MlModel, ...]:
    """What the card is for beside the work that decides: the smaller models, or what is not of language at all.

    Where a language model is spoken of and none is named, it decides how much memory the card has.
    """
    beside = _usual_beside(request)
    if not named or beside:
        return beside
    if request.heard.speaks_of("language_model") and all(one.modality in _NOT_LANGUAGE for one in named):
        return tuple(named)
    largest = max(named, key=lambda m: m.parameters)
    return tuple(one for one in named if one is not largest)[:_MOST_OTHERS]


def _usual_beside(request: Request) -> tuple[MlModel, ...]:
    """The usual model of the task that was named, where the work that decides is another."""
    other = request.slot("task")
    usual = tasks()[other].model if task_meant(request) != other and other in _BESIDE else ""
    model = request.services.catalog.find_ml_model(usual)
    return (model,) if model is not None else ()


def _names_language_model(request: Request) -> bool:
    """Whether every model that is named writes text."""
    catalog = request.services.catalog
    found = [catalog.find_ml_model(str(name)) for name in request.slot("model") or ()]
    return bool(found) and all(one is not None and one.modality == _TEXT for one in found)


def unnamed_task(request: Request) -> str:
    """What is taken for the job of somebody who names none: for a sum of money what most ask for, a language model."""
    if request.slot("method") in _ADAPTERS:
        return "llm_finetune"
    if request.heard.speaks_of("language_model"):
        return _LANGUAGE
    if _names_a_sum_alone(request):
        return _LANGUAGE
    if request.heard.shows("wish", "kaggle"):
        return _KAGGLE
    return _LEARNING if request.slot("persona") in THRIFTY else _UNIVERSAL


def _names_a_sum_alone(request: Request) -> bool:
    """Whether somebody says what to spend, and nothing of what "best" means to them."""
    said = request.heard.shows("wish", "strongest") or any(request.slot(name) for name in ("method", "objective"))
    return bool(request.slot("budget")) and not said and request.slot("persona") not in THRIFTY


def usual_model(request: Request, defaults: TaskDefaults) -> str:
    """The model that a task usually means; a team that shares a language model wants a larger one than one person."""
    shared = (request.slot("users") or 1) >= _TEAM
    return _OF_A_TEAM if shared and defaults.model == tasks()[_LANGUAGE].model else defaults.model


def headroom(defaults: TaskDefaults | None, besides: Sequence[Sequence[Way]]) -> float | None:
    """Memory that is preferred: for what usually comes next, and for the other work in its usual way."""
    named = [figure_on(ladder[0], 1).value / _FILLED for ladder in besides if ladder]
    usual = defaults.headroom_gib if defaults is not None else None
    return max((*named, *((usual,) if usual else ())), default=None)


_FILLED: Final = 0.9
"""Share of a card's memory that a job may take without being tight."""


_SWIFT: Final = frozenset({"speech", "tts"})
"""Work that any card does faster than it is spoken: more speed is worth no money."""


def counts_money_alone(request: Request, task: str | None) -> bool:
    """Whether the least money is asked for, or more speed is worth none."""
    if task in _SWIFT and request.slot("method") != Method.TRAIN.value:
        return True
    wish = request.heard.sides("wish")
    return "cheapest" in wish or (request.heard.speaks_of("cheap") and "value" not in wish)
