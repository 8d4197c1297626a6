"""A run that was timed on one card, told for another: its hours by how much faster that card is."""

from __future__ import annotations

from typing import Final

from advisor.errors import AdvisorError
from advisor.speed.compare import relative_speed
from advisor.speed.contest import Side
from advisor.speed.results import RelativeSpeed
from bot.answers.asked_job import usage_for
from bot.answers.choose.compare_sides import job_named
from bot.answers.choose.side_jobs import SideJob, jobs_of_sides
from bot.answers.common import NamedGpu, fact, source_refs, step_sources
from bot.core.answers import Answer, answer_with
from bot.core.line import Figure, Line, measured
from bot.core.message import fact_of
from bot.core.request import Request

_BOTH: Final = 2


def timed_elsewhere(request: Request, cards: list[NamedGpu]) -> Answer | None:
    """The hours that a run timed on the first card takes on the second; None where none was told or none compare."""
    hours = usage_for(request).period
    if not hours or len(cards) != _BOTH or not request.heard.is_timed:
        return None
    old, new = (card.gpu for card in cards)
    job = jobs_of_sides(request, [Side(old, 1), Side(new, 1)], None)[0]
    try:
        ratio = relative_speed(new, old, job.row.workloads[0])
    except AdvisorError:
        return None
    return _told(request, cards, hours, ratio, job)


def _told(request: Request, cards: list[NamedGpu], hours: float, ratio: RelativeSpeed, job: SideJob) -> Answer:
    factor = ratio.factor
    value, low, high = (hours / end for end in (factor.value, factor.high, factor.low))
    old, new = (card.gpu.name for card in cards)
    return answer_with(
        headline=(
            Line(
                "time.elsewhere",
                {
                    "hours": Figure(value, "hour", low=low, high=high),
                    "new": new,
                    "old": old,
                    "took": Figure(hours, "hour"),
                    "factor": measured(factor, "times"),
                    "job": job_named(job),
                },
            ),
        ),
        facts=(
            fact_of(name="hours", value=value, low=low, high=high, unit="h", basis="measured hours / relative speed"),
            fact("relative_speed", factor),
        ),
        trace=(factor.trace,),
        sources=source_refs(request, step_sources(factor.trace)),
        notes=tuple(card.note for card in cards if card.note),
        result=ratio,
    )
