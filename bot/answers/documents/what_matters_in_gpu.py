"""Which properties to look at when choosing a card, and which of two matters more."""

from __future__ import annotations

from bot.answers.documents.passages import answer_from, passage_answer
from bot.core.answers import Outcome
from bot.core.request import Request

_GENERAL = "metric-priority"
_CLEAR = 0.42
"""Below this score the question is taken as the general one: what should I look at."""


def handle(request: Request) -> Outcome:
    """The passage about the property asked for; without a clear one, the order of properties by network type."""
    answer = passage_answer(request, "what_matters_in_gpu", floor=_CLEAR, template="what_matters_in_gpu", only=True)
    if answer is not None:
        return answer
    return answer_from(request, [request.services.library.get(_GENERAL)], "what_matters_in_gpu")
