"""Takes thanks, praise and goodbyes."""

from __future__ import annotations

from bot.core.answers import Answer, Outcome
from bot.core.request import Request


def handle(request: Request) -> Outcome:
    """A short line; varied by the turn so that a group does not read the same one twice in a row."""
    return Answer(template="thanks", extra={"variant": request.conversation.turn % 2})
