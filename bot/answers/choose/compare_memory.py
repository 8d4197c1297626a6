"""Which of two sides holds what is wanted where the other does so hardly or not at all: memory before speed."""

from __future__ import annotations

from typing import Final

from advisor.jobs.plan import Plan, judged
from advisor.jobs.verdict import Verdict as JobVerdict
from advisor.memory import Verdict
from advisor.speed.contest import Contender
from bot.answers.choose.compare_lines import Compared
from bot.answers.choose.compare_sides import job_named, side_named
from bot.core.line import Figure, Line, Worded, gib
from bot.core.request import Request

_NAMED: Final = "yours"
_MEMORY: Final = "cmp.memory."
_STATED: Final = "cmp.memory.stated"
STEADY: Final = "cmp.steady"
"""The line that takes a side for what it is made of, and tells its speed."""
_NEARLY: Final = 0.8
"""Share of a card's memory from which a job is short of it, and not only its estimate wide."""
_APART: Final = {Verdict.FITS.value, Verdict.TIGHT.value}
"""Verdicts of two sides one of which surely holds a job; in the order of their names the sure one comes first."""
_EVEN: Final = 1.07
"""Speeds that differ by less are called the same."""
_MUCH_FASTER: Final = 1.6
"""So many times the speed outweigh a job that is tight."""


def by_memory(request: Request, told: Compared) -> Line | None:
    """The side that holds the amount of memory, or the job, that is named; None where both do, or neither.

    Of one card against one, and not where it is asked which is the faster.
    """
    if any(side.n > 1 for side in told.made.sides) or request.heard.shows("contest", "speed"):
        return None
    return _stated(request, told) or _usually(told) or _surely(told)


def behind(asked: Line | None, verdict: Line) -> tuple[Line, ...]:
    """The verdict where another line leads; as that of what both hold where memory does."""
    if asked is None:
        return ()
    return (Line("cmp.memory.both", {"verdict": verdict}),) if asked.say == _STATED else _unless_held(asked, verdict)


def _unless_held(asked: Line, verdict: Line) -> tuple[Line, ...]:
    """The verdict, where the line that leads has not told of its speed."""
    return () if is_of_memory(asked) or asked.say == STEADY else (verdict,)


def is_of_memory(line: Line) -> bool:
    """Whether a line takes a side for its memory."""
    return line.say.startswith(_MEMORY)


def in_the_usual_way(planned: Plan | None) -> tuple[JobVerdict | None, ...]:
    """Of a job that is planned in a lighter way than the usual one, the verdict on each side in that one; else none."""
    if planned is None or planned.way is planned.usual:
        return ()
    return tuple(judged(planned.usual, one.place) for one in planned.chosen)


def _stated(request: Request, told: Compared) -> Line | None:
    """An amount that the work takes, which one side has and the other lacks: no side's own size."""
    need, sides = request.slot("vram_gb"), told.made.sides
    sizes = [side.vram_gib for side in sides]
    if not isinstance(need, (int, float)) or need in sizes or None in sizes:
        return None
    roomy = [side for side in sides if _room(side) >= need]
    if len(roomy) != 1:
        return None
    short = next(side for side in sides if side is not roomy[0])
    return Line(_STATED, {**_rooms(roomy[0], short), "need": Figure(float(need), "GB")})


def _usually(told: Compared) -> Line | None:
    """Of a job that both hold in a lighter way, the one side that holds it in the usual one."""
    sides = told.made.sides
    known = [(side, one) for side, one in zip(sides, told.usual, strict=False) if one is not None]
    held = [(side, one) for side, one in known if one.runs]
    if len(known) != len(sides) or len(held) != 1:
        return None
    (side, verdict), other = held[0], next(one for one, found in known if not found.runs)
    if _is_for_speed(side, other):
        return None
    return Line("cmp.memory.usual", {**_ahead(told, side, other), "need": gib(verdict.need)})


def _ahead(told: Compared, side: Contender, other: Contender) -> dict[str, Worded]:
    """Two sides with their memory, the job, and by how much the other is the faster one."""
    times = _speed(other) / _speed(side) if _speed(side) else 1.0
    pace = Line("cmp.memory.pace", {"other": side_named(other), "times": Figure(times, "times")})
    return {**_rooms(side, other), "job": job_named(told.jobs[0]), "pace": pace if times > _EVEN else None}


def _surely(told: Compared) -> Line | None:
    """A named job that one side surely holds and the other may: the first, unless the other is far faster."""
    sides = told.made.sides
    if told.jobs[0].code != _NAMED or {_fits(side) for side in sides} != _APART:
        return None
    sure, tight = sorted(sides, key=_fits)
    need = sure.results[0].need_gib or 0.0
    if need < _NEARLY * _room(tight) or _is_for_speed(sure, tight):
        return None
    return Line("cmp.memory.sure", {**_ahead(told, sure, tight), "need": gib(need)})


def _is_for_speed(side: Contender, other: Contender) -> bool:
    """Whether memory is no reason to take a side: the other is far faster, or the only one that is still supported."""
    return _speed(other) > _MUCH_FASTER * _speed(side) or (side.past and not other.past)


def _rooms(first: Contender, other: Contender) -> dict[str, Worded]:
    """Two sides with their memory."""
    return {
        "side": side_named(first),
        "other": side_named(other),
        "more": Figure(_room(first), "GB"),
        "less": Figure(_room(other), "GB"),
    }


def _room(side: Contender) -> float:
    return side.vram_gib or 0.0


def _fits(side: Contender) -> str:
    return side.results[0].fits if side.results else ""


def _speed(side: Contender) -> float:
    factor = side.results[0].factor if side.results else None
    return float(factor.value) if factor is not None else 0.0
