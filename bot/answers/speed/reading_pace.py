"""Whether a language model writes as fast as people read."""

from __future__ import annotations

from typing import Final

from bot.answers.speed.time_lines import Run
from bot.core.line import Line
from bot.core.request import Request

_READS: Final = 8.0
"""Tokens a second that a quick reader takes in: some 300 words a minute at 1.3 tokens a word."""


def bearable(request: Request, run: Run) -> tuple[Line, ...]:
    """The verdict on a pace of writing, where it is asked for."""
    if run.kind != "generate" or not request.heard.shows("asked", "bearable"):
        return ()
    pace = run.per_user or run.rate.value
    return (Line("time.bearable" if pace >= _READS else "time.slow_reading"),)
