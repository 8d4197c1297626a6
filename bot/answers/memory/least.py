"""Whether so much memory is the least that work takes, as was put up: what the least is, and what the amount gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from advisor.jobs.plan import Chosen, Place, chosen_on
from advisor.memory import Verdict as Word
from advisor.memory.estimate import brief
from advisor.models import MlModel
from bot.answers.asked_job import plan_of, verdict_facts
from bot.answers.common import models_of, task_of
from bot.answers.memory.sizing import USUAL_SIZES, format_code
from bot.answers.phrases import NamedWay, model_named, used_way
from bot.answers.premise import is_put_up
from bot.core.answers import Answer, Decline, Outcome, answer_with
from bot.core.line import Figure, Line, Worded, gib
from bot.core.request import Request

_SIZES: Final = (4.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0, 24.0, 32.0, 48.0, 80.0, 96.0, 141.0)
"""Memory that cards are sold with, in GB."""
_DRAWN: Final = ("stable-diffusion-v1-5", "stable-diffusion-xl-base-1.0", "FLUX.1-dev")
"""Models that pictures are drawn with, the smallest first."""
_DRAWING: Final = "image_generation"


def is_asked(request: Request) -> bool:
    """Whether an amount of memory is put up as the least that work takes."""
    return is_put_up(request) and request.heard.shows("wish", "least") and not request.slot("gpu")


@dataclass(frozen=True, slots=True)
class _Least:
    """A job and the smallest card that holds it."""

    chosen: Chosen
    size: float


def handle(request: Request) -> Outcome:
    """Confirm or refuse the amount: the smallest card for the job that was named, else for the smallest usual one."""
    said = float(str(request.slot("vram_gb")))
    models = _models(request)
    if isinstance(models, Decline):
        return models
    found = [one for model in models if (one := _least(request, model)) is not None]
    return _told(found, said)


def _models(request: Request) -> Sequence[MlModel] | Decline:
    """The models that were named, else those that people usually mean, the smallest first."""
    named = models_of(request)
    if isinstance(named, Decline) or named.models:
        return named if isinstance(named, Decline) else named.models
    usual = _DRAWN if task_of(request) == _DRAWING else USUAL_SIZES
    catalog = request.services.catalog
    return [model for name in usual if (model := catalog.find_ml_model(name)) is not None]


def _least(request: Request, model: MlModel) -> _Least | None:
    """The smallest size of card that surely holds a model in one of its usual ways."""
    ladder = plan_of(request, model, task=task_of(request)).ways.ladder
    for size in _SIZES:
        chosen = chosen_on(ladder, [Place(None, 1, size)])[0]
        if chosen.verdict.word is Word.FITS:
            return _Least(chosen, size)
    return None


def _told(found: Sequence[_Least], said: float) -> Answer:
    smallest = min(found, key=lambda one: one.size)
    held = [one for one in found if one.size <= said]
    largest = max(held, key=lambda one: one.size) if held else None
    code = "least.exact" if smallest.size == said else "least.lower" if smallest.size < said else "least.higher"
    lines = (Line("least.threshold", _values(largest, said)),) if largest is not None and len(found) > 1 else ()
    return answer_with(
        headline=(Line(code, _values(smallest, said)),),
        lines=(*lines, *(Line("least.each", _values(one, said)) for one in found if one not in (smallest, largest))),
        facts=verdict_facts(smallest.chosen.verdict, smallest.chosen.way),
    )


def _values(one: _Least, said: float) -> dict[str, Worded]:
    job = one.chosen.way.workload
    return {
        "said": Figure(said, "GB"),
        "model": model_named(job.ml_model.name),
        "way": used_way(NamedWay(job.done, format_code(job), by_turns=job.offload)),
        "need": gib(brief(one.chosen.verdict.figure)),
        "size": Figure(one.size, "GB"),
    }
