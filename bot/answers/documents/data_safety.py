"""Whether data are safe from who lends the machine."""

from __future__ import annotations

from typing import Final

from bot.answers.documents.passages import answer_from
from bot.core.answers import Outcome
from bot.core.request import Request

_TOLD: Final = "vast-data-safety"


def handle(request: Request) -> Outcome:
    """Who can see what, and how to keep it to oneself."""
    return answer_from(request, [request.services.library.get(_TOLD)])
