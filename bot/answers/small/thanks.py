"""Takes thanks, praise and goodbyes."""

from __future__ import annotations

from bot.core.answers import Outcome, answer_with
from bot.core.line import Line
from bot.core.request import Request


def handle(request: Request) -> Outcome:
    """A short line; varied by the turn so that a group does not read the same one twice in a row.

    Who nods, laughs or praises has not thanked, and is not told that he is welcome.
    """
    thanked = "thanks.later" if request.conversation.turn % 2 else "thanks.luck"
    return answer_with(
        headline=(Line(thanked if request.heard.shows("talk", "thanks") else "thanks.noted"),), is_talk=True
    )
