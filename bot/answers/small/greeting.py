"""Says hello, and in one line what it is for."""

from __future__ import annotations

from bot.core.answers import Outcome, answer_with
from bot.core.request import Request


def handle(request: Request) -> Outcome:
    """A greeting; with an open question the dialogue repeats that afterwards."""
    return answer_with(template="greeting", extra={"known": bool(request.conversation.episodes)})
