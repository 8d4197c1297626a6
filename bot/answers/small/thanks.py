"""Takes thanks, praise and goodbyes."""

from __future__ import annotations

from bot.core.answers import Outcome, answer_with
from bot.core.line import Line
from bot.core.request import Request


def handle(request: Request) -> Outcome:
    """A short line; varied by the turn so that a group does not read the same one twice in a row."""
    return answer_with(
        headline=(Line("thanks.later" if request.conversation.turn % 2 else "thanks.luck"),), is_talk=True
    )
