"""Says hello, and in one line what it is for."""

from __future__ import annotations

from bot.core.answers import Outcome, answer_with
from bot.core.line import Line
from bot.core.request import Request


def handle(request: Request) -> Outcome:
    """A greeting; with an open question the dialogue repeats that afterwards."""
    known = bool(request.conversation.episodes)
    return answer_with(headline=(Line("greeting.again" if known else "greeting.first"),), is_talk=True)
