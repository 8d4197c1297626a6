"""Whether a language model writes as fast as people read."""

from __future__ import annotations

from typing import Final

from bot.answers.phrases import model_named, used_way
from bot.answers.speed.time_lines import Run, short, told
from bot.core.line import Figure, Line, Worded
from bot.core.request import Request

READS: Final = 8.0
"""Tokens a second that a quick reader takes in: some 300 words a minute at 1.3 tokens a word."""


_DAY_S: Final = 86_400.0


def asked_first(request: Request, run: Run) -> Line | None:
    """What is asked for before how fast it writes: reading of prompts, or all that a day comes to; None else."""
    return prompts_read(request, run) or _in_a_day(request, run)


def _in_a_day(request: Request, run: Run) -> Line | None:
    """All that is written in a day without a break."""
    if run.kind != "generate" or not request.heard.shows("asked", "tokens_a_day"):
        return None
    rate = run.rate
    amount = Figure(rate.value * _DAY_S / 1e6, "", low=rate.low * _DAY_S / 1e6, high=rate.high * _DAY_S / 1e6)
    return Line("time.in_a_day", {"millions": amount})


def prompts_read(request: Request, run: Run) -> Line | None:
    """How fast prompts are read, where that is asked for before how fast it writes; None else."""
    if run.prefill is None or not request.heard.shows("asked", "prompts"):
        return None
    values: dict[str, Worded] = {
        "rate": told(run.prefill, "token/s"),
        "card": run.card,
        "model": model_named(run.model),
    }
    length = request.slot("seq_len")
    if length:
        values["seconds"] = Figure(short(float(length) / run.prefill.value), "second")
        values["length"] = Figure(float(length), "token")
    return Line("time.reads", {"seconds": None, "length": None, **values, "way": used_way(run)})


def bearable(request: Request, run: Run) -> tuple[Line, ...]:
    """The verdict on a pace of writing, where it is asked for."""
    if run.kind != "generate" or not request.heard.shows("asked", "bearable"):
        return ()
    pace = run.per_user or run.rate.value
    return (Line("time.bearable" if pace >= READS else "time.slow_reading"),)
