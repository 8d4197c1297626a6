"""How a card that changes hands is looked over before it is paid for, or on the day it comes."""

from __future__ import annotations

from typing import Final

from bot.answers.documents.passages import answer_from
from bot.core.answers import Outcome
from bot.core.request import Request

_TOLD: Final = "used-gpu-checks"


def handle(request: Request) -> Outcome:
    """The steps, whichever card it is."""
    return answer_from(request, [request.services.library.get(_TOLD)])
