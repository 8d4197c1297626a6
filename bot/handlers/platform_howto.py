"""How a rental platform works: billing, retention, resources, paths, steps. From passages, each with its year."""

from __future__ import annotations

from bot.core.answers import Outcome
from bot.core.request import Request
from bot.handlers.passages import not_in_documents, passage_answer

_CLEAR = 0.45
"""Below this score the documents say nothing about the rule asked for."""


def handle(request: Request) -> Outcome:
    """Answer from the passages about platforms."""
    answer = passage_answer(request, "platform_howto", floor=_CLEAR, template="platform_howto")
    return answer or not_in_documents(request, "platform_howto")
