"""How several people share one card: processes by turns, instances in hardware, or one server for all."""

from __future__ import annotations

from typing import Final

from bot.answers.documents.passages import answer_from
from bot.core.answers import Outcome
from bot.core.request import Request

_TOLD: Final = "share-one-card-among-people"


def handle(request: Request) -> Outcome:
    """The passage on sharing, whatever the people want to do with the card."""
    return answer_from(request, [request.services.library.get(_TOLD)])


__all__ = ["handle"]
