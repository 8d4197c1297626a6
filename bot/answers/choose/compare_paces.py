"""How fast each compared side does the job that was named: tokens a second, or the time of a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from advisor.models import Method, Workload
from advisor.speed.contest import Contender
from advisor.speed.rate import draws, generates
from bot.answers.choose.compare_sides import side_named
from bot.answers.choose.side_jobs import SideJob
from bot.answers.phrases import in_turn
from bot.answers.speed.pace import span_of_hours
from bot.answers.speed.time_lines import short
from bot.core.line import Figure, Line

_NAMED: Final = "yours"
_TOO_SMALL: Final = "no"
_HOUR: Final = 3600.0


def paces(jobs: Sequence[SideJob], sides: Sequence[Contender]) -> Iterator[Line]:
    """The pace of each side at the first job, where that was named; none of a side that does not hold it."""
    work = jobs[0].row.workloads[0] if jobs and jobs[0].code == _NAMED else None
    known = [(side, rate) for side in sides if (rate := _rate(side))]
    if work is None or not known or not _is_paced(work):
        return
    each = [Line("cmp.paced", {"side": side_named(side), "pace": _told(work, rate)}) for side, rate in known]
    yield Line("cmp.pace.text" if generates(work) else "cmp.pace.picture", {"each": in_turn(each)})


def _rate(side: Contender) -> float | None:
    """What a side does a second at the first job; None where it does not hold it."""
    first = side.results[0] if side.results else None
    return first.rate if first is not None and first.fits != _TOO_SMALL else None


def _is_paced(work: Workload) -> bool:
    """Whether a job writes text or draws."""
    return generates(work) or (draws(work.ml_model) and work.method is Method.INFERENCE)


def _told(work: Workload, rate: float) -> Figure:
    """Tokens a second, else the time that one takes."""
    if generates(work):
        return Figure(short(rate), "token/s")
    span = span_of_hours(1.0 / rate / _HOUR)
    return Figure(short(span.value), span.unit)
