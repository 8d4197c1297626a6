"""How long a picture or a clip takes: by card, with whether the way it is drawn in fits there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from advisor.jobs.plan import Plan
from advisor.jobs.verdict import Verdict
from advisor.models import Estimate, Frozen, Method, MlModel, Note, step_of
from advisor.speed.contest import Side
from advisor.speed.results import PictureEstimate
from bot.answers.asked_job import assumptions_of, plan_facts
from bot.answers.common import fact, source_refs, step_sources
from bot.answers.memory.rows import Row, row_of
from bot.answers.memory.run_notes import drawn, how_run
from bot.answers.phrases import model_named, way_named
from bot.answers.speed.pace import plan_on
from bot.answers.speed.time_lines import short
from bot.core.answers import Answer, Assumption, answer_with
from bot.core.line import Figure, Label, Line, Worded, gib
from bot.core.message import Fact, fact_of
from bot.core.request import Request


class PictureLine(Frozen):
    """One card at drawing."""

    gpu: str
    video: bool
    seconds: float
    low: float
    high: float
    per_minute: Estimate
    width: int
    height: int
    frames: int
    steps: int
    row: Row
    """Memory in the way that it is drawn in."""


def draws(request: Request, model: MlModel) -> bool:
    """Whether pictures or clips are asked for, and not the training of such a model."""
    made = request.slot("method") in (None, Method.INFERENCE.value) and not request.heard.speaks_of(*_TAUGHT)
    return model.modality == "image-gen" and made


def picture_answer(request: Request, model: MlModel, sides: Sequence[Side], notes: tuple[Note, ...]) -> Answer | None:
    """Seconds of a picture on each card; None where no pace can be worked out on any."""
    planned = plan_on(_without_data(request), model, sides)
    pairs = [(one.verdict, drawn(one.verdict, one.way, request.heard.steps)) for one in planned.chosen]
    lines = [_of(request, planned, verdict, made) for verdict, made in pairs if made is not None]
    if not lines:
        return None
    traces = tuple(line.per_minute.trace for line in lines)
    several = _several(request)
    first = planned.chosen[0]
    said = tuple(one for one in how_run(first.verdict, first.way) if one.code == "plan_block_swap")
    return answer_with(
        headline=(_with_swap(_first(request, lines[0], several), lines[0]),),
        lines=_lines(lines, several or 1),
        facts=(*plan_facts(planned), *_facts(lines, several)),
        trace=traces,
        sources=source_refs(request, (*step_sources(*traces), *planned.ways.kind.sources)),
        assumptions=assumptions_of(planned.way),
        notes=(*notes, *said),
        result=tuple(lines),
    )


def hours_of(request: Request, model: MlModel, side: Side) -> tuple[Estimate, Line, tuple[Assumption, ...]] | None:
    """Hours for all pictures or clips that are to be made, on the cards one each; None where that is not said."""
    several = _several(request)
    if not several or not draws(request, model):
        return None
    planned = plan_on(_without_data(request), model, (Side(side.gpu, 1),))
    chosen = planned.chosen[0]
    made = drawn(chosen.verdict, chosen.way, request.heard.steps)
    if made is None:
        return None
    line = _of(request, planned, chosen.verdict, made)
    share = several / 3600.0 / side.n
    trace = step_of(name="hours", value=line.seconds * share, unit="h", how=_HOW, inputs=(made.per_minute.trace,))
    hours = Estimate(
        value=line.seconds * share,
        low=line.low * share,
        high=line.high * share,
        unit="h",
        basis=made.per_minute.basis,
        trace=trace,
    )
    size: dict[str, Worded] = {
        "n": Figure(several),
        "size": f"{line.width}x{line.height}",
        "steps": Figure(line.steps, "step"),
    }
    return hours, Line("work.clips" if line.video else "work.pictures", size), assumptions_of(planned.way)


def _of(request: Request, planned: Plan, verdict: Verdict, made: PictureEstimate) -> PictureLine:
    scale = made.seconds * made.per_minute.value
    return PictureLine(
        gpu=made.gpu,
        video=made.video,
        seconds=made.seconds,
        low=scale / made.per_minute.high,
        high=scale / made.per_minute.low,
        per_minute=made.per_minute,
        width=made.size[0],
        height=made.size[1],
        frames=made.frames,
        steps=made.steps,
        row=row_of(request, verdict.figure, verdict.as_fit, with_cards=False),
    )


def _first(request: Request, line: PictureLine, several: int | None) -> Line:
    """The time of one or of so many; where it is asked how many there are in some time, that number."""
    if several:
        return _of_several(line, several)
    seen = seconds_seen(request)
    if seen:
        return _judged(line, seen)
    return _rate(request, line) if request.heard.shows("asked", "rate") else _headline(line)


def seconds_seen(request: Request) -> float | None:
    """How long one takes as somebody measured it, who asks whether that is as it should be; None where nobody does."""
    heard = request.heard
    if not (heard.shows("asked", "normal") or heard.speaks_of("normal_speed", "slow")):
        return None
    told = ((heard.amounts_of(unit), seconds) for unit, seconds, _ in _UNITS)
    return next((amounts[0] * seconds for amounts, seconds in told if amounts), None)


def _judged(line: PictureLine, seen: float) -> Line:
    """Whether a time that was seen is as it should be."""
    slow = seen > line.high
    values: dict[str, Worded] = {
        "seen": Figure(short(seen / _scale(seen)[1]), _scale(seen)[0]),
        "said": _headline(line),
    }
    return Line("picture.slow" if slow else "picture.usual", values)


def _scale(seconds: float) -> tuple[str, float]:
    return next((unit, size) for unit, size, least in _UNITS if seconds >= least)


def _rate(request: Request, line: PictureLine) -> Line:
    """How many in the time that was named; in an hour where not even one is done in it."""
    period = next((one for one in ("day", "hour") if request.heard.shows("asked", f"in_{one}")), "minute")
    if line.seconds > _PERIODS[period]:
        period = "hour" if line.seconds <= _PERIODS["hour"] else "day"
    number = (_PERIODS[period] / one for one in (line.seconds, line.high, line.low))
    value, low, high = (short(one) for one in number)
    values: dict[str, Worded] = {
        "n": Figure(value, low=low, high=high),
        "each": _time(line),
        "card": line.gpu,
        "model": model_named(line.row.model),
        "size": f"{line.width}x{line.height}",
        "steps": Figure(line.steps, "step"),
    }
    return Line(f"{'clips' if line.video else 'pictures'}.{period}", values)


def _headline(line: PictureLine) -> Line:
    values: dict[str, Worded] = {
        "time": _time(line),
        "card": line.gpu,
        "model": model_named(line.row.model),
        "size": f"{line.width}x{line.height}",
        "steps": Figure(line.steps, "step"),
    }
    if line.video:
        return Line("picture.clip", {**values, "frames": line.frames})
    return Line("picture.one", values)


def _with_swap(headline: Line, line: PictureLine) -> Line:
    """A pace that holds with a part of the model in RAM only says so."""
    if line.row.verdict not in _BEYOND or not line.row.usable:
        return headline
    values: dict[str, Worded] = {"said": headline, "way": way_named(line.row), "need": gib(line.row.need)}
    return Line("picture.swapped", {**values, "usable": gib(line.row.usable)})


def _without_data(request: Request) -> Request:
    """The question without the pictures that are to be made, which are no data to train on."""
    if _several(request) is None:
        return request
    return replace(request, slots={name: value for name, value in request.slots.items() if name != "dataset"})


def _several(request: Request) -> int | None:
    """How many pictures or clips are to be made; the number of cards is none of them."""
    said = request.heard.drawn
    return None if said == request.slot("gpu_count") else said


def _facts(lines: Sequence[PictureLine], several: int | None) -> tuple[Fact, ...]:
    """Pace and time of one on each card, and of all on the first."""
    facts = [fact(f"throughput:{line.gpu}", line.per_minute) for line in lines]
    facts += [
        fact_of(name=f"seconds:{line.gpu}", value=line.seconds, low=line.low, high=line.high, unit="s")
        for line in lines
    ]
    facts += [
        fact_of(name=f"minutes:{line.gpu}", value=line.seconds / 60, low=line.low / 60, high=line.high / 60, unit="min")
        for line in lines
    ]
    return (*facts, *((_all_of(lines[0], several),) if several else ()))


def _all_of(line: PictureLine, n: int) -> Fact:
    return fact_of(
        name=f"time_of_{n}:{line.gpu}", value=line.seconds * n, low=line.low * n, high=line.high * n, unit="s"
    )


def _of_several(line: PictureLine, n: int) -> Line:
    values: dict[str, Worded] = {
        "time": _time(line, n),
        "n": n,
        "each": _time(line),
        "card": line.gpu,
        "model": model_named(line.row.model),
        "size": f"{line.width}x{line.height}",
        "steps": Figure(line.steps, "step"),
    }
    return Line("picture.clips" if line.video else "picture.several", values)


def _lines(lines: Sequence[PictureLine], n: int) -> tuple[Line, ...]:
    """Other cards, and whether the way it is drawn in fits on the first."""
    others = tuple(Line("picture.other", {"card": line.gpu, "time": _time(line, n)}) for line in lines[1:])
    row = lines[0].row
    usable = gib(row.usable) if row.usable else None
    need = gib(row.need) if row.usable else None
    verdict = Label(row.verdict, "verdict")
    values: dict[str, Worded] = {"way": way_named(row), "need": need, "usable": usable, "verdict": verdict}
    told = () if row.verdict in _BEYOND and row.usable else (Line("picture.memory", values),)
    return (*others, *told)


def _time(line: PictureLine, n: int = 1) -> Figure:
    """Of so many: seconds below a hundred of them, then minutes, then hours."""
    value, low, high = (n * one for one in (line.seconds, line.low, line.high))
    unit, scale = next((unit, size) for unit, size, least in _UNITS if value >= least)
    return Figure(short(value / scale), unit, low=short(low / scale), high=short(high / scale))


_PERIODS: Final = {"minute": 60.0, "hour": 3600.0, "day": 86_400.0}
_BEYOND: Final = frozenset({"no", "over"})
_TAUGHT: Final = ("finetuning", "training")
_HOW: Final = "pictures x seconds of one / cards"
_UNITS: Final = (("hour", 3600.0, 7200.0), ("minute", 60.0, 100.0), ("second", 1.0, 0.0))
"""Unit, its seconds, and the seconds from which it is told."""
