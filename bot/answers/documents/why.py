"""Shows how the last answer, or a single number of it, came about."""

from __future__ import annotations

from typing import Any

from advisor.models import Step
from bot.core.answers import Outcome, answer_with
from bot.core.conversation import Episode
from bot.core.numbers import figure
from bot.core.request import Request

_SHORT_DEPTH, _FULL_DEPTH = 1, 4
_SHORT_LINES, _FULL_LINES = 8, 60


def _lines(step: Step, depth: int, limit: int, out: list[dict[str, Any]]) -> None:
    out.append({"step": step, "depth": depth})
    if depth < limit:
        for part in step.inputs:
            _lines(part, depth + 1, limit, out)


def _numbers(request: Request) -> list[float]:
    return [value for found in request.heard.numbers if (value := figure(found)) is not None]


def _matches(step: Step, wanted: list[float]) -> bool:
    if isinstance(step.value, bool) or not isinstance(step.value, (int, float)):
        return False
    value = float(step.value)
    return any(abs(value - number) <= max(0.051, 0.006 * abs(number)) for number in wanted)


def _find(steps: tuple[Step, ...], wanted: list[float]) -> Step | None:
    """The first step, outermost first, whose value the user named."""
    level = list(steps)
    while level:
        for step in level:
            if _matches(step, wanted):
                return step
        level = [part for step in level for part in step.inputs]
    return None


def handle(request: Request) -> Outcome:
    """Unfold the trace of the answer that the message is about; of one number when it names one."""
    episode: Episode | None = request.subject
    if episode is None or not (episode.trace or episode.details):
        return answer_with(template="why", extra={"nothing": True})
    wanted = _numbers(request) if not request.act else []
    single = _find(episode.trace, wanted) if wanted else None
    roots = (single,) if single else episode.trace
    short: list[dict[str, Any]] = []
    full: list[dict[str, Any]] = []
    for root in roots:
        _lines(root, 0, _SHORT_DEPTH, short)
        _lines(root, 0, _FULL_DEPTH, full)
    extra = {
        "nothing": False,
        "single": single is not None,
        "short": short[:_SHORT_LINES],
        "full": full[:_FULL_LINES],
        "details": episode.details,
        "case": episode.case,
    }
    return answer_with(template="why", facts=episode.facts, trace=roots, sources=episode.sources, extra=extra)
