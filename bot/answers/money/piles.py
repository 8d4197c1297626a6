"""Work that waits to be got through (sound, requests, pictures) as something to pay for: its hours and its words."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.models import Estimate, Gpu, MlModel
from advisor.speed.contest import Side
from bot.answers.common import models_of
from bot.answers.speed.estimate_time import without_datasets
from bot.answers.speed.picture_pace import hours_of as hours_of_pictures
from bot.answers.speed.whole_work import hours_of, whole_work
from bot.core.answers import Assumption, Decline
from bot.core.line import Line
from bot.core.request import Request


@dataclass(frozen=True, slots=True)
class Pile:
    """All of the work on the cards that are billed."""

    model: MlModel
    wall: Estimate
    """Hours."""
    work: Line
    """The work in words."""
    assumptions: tuple[Assumption, ...]


def pile_of(request: Request, gpu: Gpu, n: int) -> Pile | None:
    """The work that was said to wait, on so many of a card; None where none was, or no pace can be worked out."""
    named = models_of(without_datasets(request))
    if isinstance(named, Decline) or not named.models:
        return None
    model, side = named.models[0], Side(gpu, n)
    work = whole_work(request, model)
    found = hours_of(request, model, side, work) if work is not None else hours_of_pictures(request, model, side)
    return Pile(model, *found) if found is not None else None
