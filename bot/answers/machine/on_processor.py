"""Whether a named model needs a graphics card at all, or runs on the processor."""

from __future__ import annotations

from bot.answers.common import Named, models_of
from bot.answers.machine import processor
from bot.core.answers import Decline, Outcome
from bot.core.request import Request


def is_asked(request: Request) -> bool:
    """Whether it is doubted that a named model needs a card, none is named, and it is not trained."""
    doubted = request.heard.shows("wish", "no_card")
    named = isinstance(models_of(request), Named) and bool(request.slot("model"))
    return doubted and named and request.slot("method") in {None, "inference"}


def handle(request: Request) -> Outcome:
    """What the model takes without a card; `Decline` for one that nobody knows."""
    named = models_of(request)
    return named if isinstance(named, Decline) else processor.answer(request, named)
