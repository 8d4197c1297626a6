"""A run that was timed on one card, told for others: its hours by how much faster those are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from advisor.errors import AdvisorError
from advisor.models import Gpu, MlModel
from advisor.speed.compare import relative_speed
from advisor.speed.contest import Side
from advisor.speed.rate import rate_of
from advisor.speed.results import RelativeSpeed
from bot.answers.asked_job import usage_for
from bot.answers.choose.compare_sides import job_named
from bot.answers.choose.side_jobs import SideJob, jobs_of_sides
from bot.answers.common import Job, NamedGpu, fact, job_of, named_gpus, source_refs, step_sources
from bot.answers.phrases import cards_named
from bot.answers.speed.pace import plan_on
from bot.core.answers import Answer, Decline, answer_with
from bot.core.line import Figure, Line, measured
from bot.core.message import fact_of
from bot.core.request import Request

_BOTH: Final = 2
_DAYS: Final = 72.0
"""Hours from which a run told in days is told in days."""


@dataclass(frozen=True, slots=True)
class _Timed:
    """What was measured, and for which cards it is to be told."""

    gpu: Gpu
    hours: float
    other: NamedGpu
    n: int


def is_asked(request: Request) -> bool:
    """Whether a run was timed on one card, and it is asked how long it takes on another that is named."""
    cards = named_gpus(request)
    if isinstance(cards, Decline) or not request.heard.speaks_of("time_question"):
        return False
    return len(cards) > 1 and _said(request, cards) is not None


def measured_elsewhere(
    request: Request, cards: list[NamedGpu], named: tuple[MlModel, ...], models: tuple[MlModel, ...]
) -> Answer | None:
    """What was measured on one card, told for another: hours of a run without a model's name, or a rate.

    Args:
        request: the message.
        cards: the cards that it names.
        named: the models that it names.
        models: these, or what goes with the data or the task.
    """
    timed = None if named else timed_elsewhere(request, cards)
    return timed or rate_elsewhere(request, cards, models[0] if models else None)


def timed_elsewhere(request: Request, cards: list[NamedGpu]) -> Answer | None:
    """The hours that a run timed on one card takes on another; None where none was told or none compare.

    A later message may name more or other cards for the same run.
    """
    timed = _said(request, cards) or _said_before(request, cards)
    if timed is None:
        return None
    new = timed.other.gpu
    job = jobs_of_sides(request, [Side(timed.gpu, 1), Side(new, 1)], None)[0]
    work = job.row.workloads[0]
    try:
        ratio = relative_speed(new, timed.gpu, work)
        gain = rate_of(work, new, timed.n).per_second / rate_of(work, new).per_second
    except AdvisorError:
        return None
    return _told(request, timed, ratio, gain, job)


def rate_elsewhere(request: Request, cards: list[NamedGpu], model: MlModel | None) -> Answer | None:
    """A rate that was measured on one card, told for another; None where none was told or none compare.

    Args:
        request: the message; the card that is named first is the one that was measured.
        cards: the two cards.
        model: the model that ran, if one is named.
    """
    rate = request.heard.rate
    if rate is None or len(cards) != _BOTH:
        return None
    old, new = (one.gpu for one in cards)
    job = jobs_of_sides(request, [Side(old, 1), Side(new, 1)], _job(request, model, old, new))[0]
    try:
        ratio = relative_speed(new, old, job.row.workloads[0])
    except AdvisorError:
        return None
    value, unit = rate
    factor = ratio.factor
    return answer_with(
        headline=(
            Line(
                "time.rate_elsewhere",
                {
                    "rate": Figure(value * factor.value, unit, low=value * factor.low, high=value * factor.high),
                    "new": new.name,
                    "old": old.name,
                    "measured": Figure(value, unit),
                    "factor": measured(factor, "times"),
                    "job": job_named(job),
                },
            ),
        ),
        facts=(
            fact_of(
                name="rate",
                value=value * factor.value,
                low=value * factor.low,
                high=value * factor.high,
                unit=unit,
                basis="measured rate x relative speed",
            ),
            fact("relative_speed", factor),
        ),
        trace=(factor.trace,),
        sources=source_refs(request, step_sources(factor.trace)),
        notes=tuple(one.note for one in cards if one.note),
        result=ratio,
    )


def _job(request: Request, model: MlModel | None, old: Gpu, new: Gpu) -> Job | None:
    """The named model's job on both cards."""
    if model is None:
        return None
    planned = plan_on(request, model, [Side(old, 1), Side(new, 1)])
    return job_of(request, planned.way)


_UNITS: Final = {"minute": 1 / 60, "hour": 1.0, "day": 24.0}
"""Units of a run's time, in hours."""


def _time_said(request: Request) -> float | None:
    """The one time that is said, in hours."""
    times = [value * hours for unit, hours in _UNITS.items() for value in request.heard.amounts_of(unit)]
    return times[0] if len(times) == 1 else None


def _said(request: Request, cards: list[NamedGpu]) -> _Timed | None:
    """A time beside two cards, unless it is one to keep to."""
    hours = request.heard.rounds_hours or usage_for(request).period or _time_said(request)
    if not hours or len(cards) != _BOTH or request.heard.has_deadline:
        return None
    return _Timed(cards[0].gpu, hours, cards[1], request.heard.counts_of("gpu").get(cards[1].asked, 1))


def _said_before(request: Request, cards: list[NamedGpu]) -> _Timed | None:
    """The run of the last answer on the card that is named now."""
    facts = {one.name: one.value for one in request.subject.facts} if request.subject is not None else {}
    hours, before = facts.get("timed_hours"), request.services.catalog.find_gpu(str(facts.get("timed_gpu", "")))
    if not isinstance(hours, (int, float)) or before is None or not cards:
        return None
    return _Timed(before, float(hours), cards[-1], int(request.slot("gpu_count") or 1))


def _told(request: Request, timed: _Timed, ratio: RelativeSpeed, gain: float, job: SideJob) -> Answer:
    factor = ratio.factor
    value, low, high = (timed.hours / end / gain for end in (factor.value, factor.high, factor.low))
    unit = "day" if timed.hours >= _DAYS and request.heard.amounts_of("day") else "hour"
    each = _UNITS[unit]
    return answer_with(
        headline=(
            Line(
                "time.elsewhere",
                {
                    "hours": Figure(value / each, unit, low=low / each, high=high / each),
                    "new": cards_named(timed.other.gpu.name, timed.n),
                    "old": timed.gpu.name,
                    "took": Figure(timed.hours / each, unit),
                    "factor": measured(factor, "times")
                    if timed.n == 1
                    else Figure(factor.value * gain, "times", low=factor.low * gain, high=factor.high * gain),
                    "job": job_named(job),
                },
            ),
        ),
        facts=(
            fact_of(name="hours", value=value, low=low, high=high, unit="h", basis="measured hours / relative speed"),
            fact_of(name="timed_hours", value=timed.hours, unit="h", basis="as told"),
            fact_of(name="timed_gpu", value=timed.gpu.name, basis="as told"),
            fact("relative_speed", factor),
        ),
        trace=(factor.trace,),
        sources=source_refs(request, step_sources(factor.trace)),
        notes=(timed.other.note,) if timed.other.note else (),
        result=ratio,
    )
