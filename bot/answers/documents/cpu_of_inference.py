"""What processor a language model wants that lies on the card."""

from __future__ import annotations

from typing import Final

from bot.answers.documents.passages import answer_from
from bot.core.answers import Outcome
from bot.core.request import Request

_TOLD: Final = "cpu-for-llm-on-gpu"


def handle(request: Request) -> Outcome:
    """Hardly any, and where it does matter."""
    return answer_from(request, [request.services.library.get(_TOLD)])
