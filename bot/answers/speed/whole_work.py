"""Sound to be written down, or requests to be answered: how long all of it takes, and how many cards by a deadline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from advisor.errors import AdvisorError
from advisor.jobs.plan import Plan
from advisor.models import Estimate, Gpu, MlModel, Note, Workload, step_of
from advisor.speed import speech_real_time
from advisor.speed.contest import Side
from advisor.speed.engines import engine_of
from advisor.speed.serving import serving_throughput
from bot.answers.asked_job import plan_facts
from bot.answers.common import fact, job_of, source_refs, step_sources
from bot.answers.phrases import cards_named, model_named
from bot.answers.speed.pace import plan_on
from bot.answers.speed.speech_pace import listens
from bot.answers.speed.time_lines import hours_told
from bot.core.answers import Answer, Assumption, answer_with, assumption_of
from bot.core.line import Figure, Line, Listing, Worded
from bot.core.message import fact_of
from bot.core.request import Request

_AT_ONCE: Final = 64
"""Requests of a pile that an engine works on together, as far as they fit (vLLM joins up to 256)."""
_PROMPT: Final = 500
"""Tokens of a request where nobody said them."""
_PER_HOUR: Final = 3600.0
_SPEECH: Final = "faster-whisper"


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be got through."""

    amount: float
    """Hours of sound, or requests."""
    prompt: float = 0.0
    """Tokens that each request is read with; 0 for sound."""
    output: float = 0.0
    """Tokens that each is answered with."""
    deadline: float | None = None
    """Hours that there are."""

    @property
    def kind(self) -> str:
        """sound | requests"""
        return "requests" if self.output else "sound"


@dataclass(frozen=True, slots=True)
class Done:
    """All of the work on so many of a card."""

    side: Side
    hours: Estimate


def whole_work(request: Request, model: MlModel) -> Work | None:
    """The pile of work that was said to wait for a model; None where none was."""
    stated = request.slot("deadline_hours")
    deadline = float(stated) if stated else None
    if listens(request, model) and request.slot("sound_hours"):
        return Work(float(request.slot("sound_hours")), deadline=deadline)
    amount, output = request.slot("requests_total"), request.slot("tokens_out")
    if not (amount and output and model.modality.startswith("text")):
        return None
    return Work(float(amount), float(request.slot("tokens_in") or _PROMPT), float(output), deadline)


def work_answer(
    request: Request, model: MlModel, sides: Sequence[Side], work: Work, notes: tuple[Note, ...]
) -> Answer | None:
    """How long all of it takes on each set-up; None where no pace can be worked out on any."""
    planned, job, assumed = _job(request, model, sides, work)
    done = list(_done(job, sides, work))
    if not done:
        return None
    traces = tuple(one.hours.trace for one in done)
    return answer_with(
        headline=(_headline(done[0], job, work),),
        lines=tuple(_other(one) for one in done[1:]),
        blocks=(Listing((Line(f"work.counted.{work.kind}"),)),),
        facts=(*plan_facts(planned), *(fact(f"hours:{one.side.n} x {one.side.gpu.name}", one.hours) for one in done)),
        trace=traces,
        sources=source_refs(request, step_sources(*traces)),
        assumptions=assumed,
        notes=notes,
        result=tuple(one.hours for one in done),
    )


def cards_answer(
    request: Request, model: MlModel, gpus: Sequence[Gpu], work: Work, notes: tuple[Note, ...]
) -> Answer | None:
    """How many of each card get it done in time; None without a deadline or a pace."""
    if not work.deadline:
        return None
    ones = [Side(gpu, 1) for gpu in gpus]
    _, job, assumed = _job(request, model, ones, work)
    single = list(_done(job, ones, work))
    if not single:
        return None
    counts = [max(1, ceil(one.hours.value / work.deadline)) for one in single]
    traces = tuple(one.hours.trace for one in single)
    return answer_with(
        headline=(_counted(single[0], counts[0], job, work),),
        lines=tuple(
            Line("work.cards.other", {"cards": cards_named(one.side.gpu.name, n)})
            for one, n in zip(single[1:], counts[1:], strict=True)
        ),
        blocks=(Listing((Line(f"work.counted.{work.kind}"),)),),
        facts=tuple(fact_of(name=f"gpus:{one.side.gpu.name}", value=n) for one, n in zip(single, counts, strict=True)),
        trace=traces,
        sources=source_refs(request, step_sources(*traces)),
        assumptions=assumed,
        notes=notes,
        result=tuple(one.hours for one in single),
    )


def hours_of(
    request: Request, model: MlModel, side: Side, work: Work
) -> tuple[Estimate, Line, tuple[Assumption, ...]] | None:
    """Hours for all of it on one set-up, the work in words, and what was assumed; None where no pace can be had."""
    _, job, assumed = _job(request, model, (side,), work)
    done = next(iter(_done(job, (side,), work)), None)
    return (done.hours, _amount(work), assumed) if done is not None else None


def _job(
    request: Request, model: MlModel, sides: Sequence[Side], work: Work
) -> tuple[Plan, Workload, tuple[Assumption, ...]]:
    """The job as it is planned, and what was assumed of it."""
    planned = plan_on(request, model, list(sides))
    job = job_of(request, planned.way)
    told = [one for one in job.assumptions if one.slot == "precision"]
    if work.kind == "sound":
        told = [assumption_of(slot="precision", value="fp16")]
    if work.kind == "requests" and not request.slot("tokens_in"):
        told.append(assumption_of(slot="seq_len", value=_PROMPT))
    return planned, job.workload, tuple(told)


def _done(job: Workload, sides: Iterable[Side], work: Work) -> Iterable[Done]:
    for side in sides:
        try:
            yield Done(side, _hours(job, side, work))
        except AdvisorError:
            continue


def _hours(job: Workload, side: Side, work: Work) -> Estimate:
    """Hours for all of it; the band of the pace turned round."""
    if work.kind == "sound":
        pace = speech_real_time(job, side.gpu, engine=_SPEECH).times_real_time
        units, how = work.amount / side.n, "hours of sound / times real time / cards"
    else:
        engine = engine_of(job.framework or "")
        at_once = _AT_ONCE if engine is None or engine.batches else 1
        users = max(1, min(round(work.amount), at_once))
        made = serving_throughput(
            job, side.gpu, side.n, users=users, prompt_tokens=round(work.prompt), output_tokens=round(work.output)
        )
        pace, how = made.output, "requests x tokens of an answer / tokens a second of all at once"
        units = work.amount * work.output / _PER_HOUR
    trace = step_of(name="hours", value=units / pace.value, unit="h", how=how, inputs=(pace.trace,))
    return Estimate(
        value=units / pace.value,
        low=units / pace.high,
        high=units / pace.low,
        unit="h",
        basis=pace.basis,
        trace=trace,
    )


def _headline(done: Done, job: Workload, work: Work) -> Line:
    values = {**_named(job, work), "card": cards_named(done.side.gpu.name, done.side.n)}
    values["hours"] = hours_told(done.hours)
    if work.deadline is None:
        return Line(f"work.takes.{work.kind}", values)
    verdict = "yes" if done.hours.high <= work.deadline else "no" if done.hours.value > work.deadline else "likely"
    return Line(f"work.in_time.{verdict}", {**values, "deadline": Figure(work.deadline, "hour")})


def _counted(one: Done, n: int, job: Workload, work: Work) -> Line:
    values = {**_named(job, work), "cards": cards_named(one.side.gpu.name, n), "one": hours_told(one.hours)}
    sure = max(1, ceil(one.hours.high / (work.deadline or 1.0)))
    return Line(
        "work.cards",
        {**values, "deadline": Figure(work.deadline or 0.0, "hour"), "sure": Figure(sure) if sure > n else None},
    )


def _named(job: Workload, work: Work) -> dict[str, Worded]:
    """The model, and the work with its tokens."""
    return {"model": model_named(job.ml_model.name), "work": _amount(work)}


def _amount(work: Work) -> Line:
    if work.kind == "sound":
        return Line("work.sound", {"amount": Figure(work.amount, "hour")})
    tokens = {"prompt": Figure(work.prompt, "token"), "output": Figure(work.output, "token")}
    return Line("work.requests", {"amount": Figure(work.amount), **tokens})


def _other(one: Done) -> Line:
    return Line("work.other", {"card": cards_named(one.side.gpu.name, one.side.n), "hours": hours_told(one.hours)})


__all__ = ["Work", "cards_answer", "whole_work", "work_answer"]
