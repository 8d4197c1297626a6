"""Cards for people who ask one language model at the same time: as many as hold their context and write fast enough."""

from __future__ import annotations

from typing import Final

from advisor.errors import AdvisorError
from advisor.machine.rules import rules
from advisor.models import Frozen, Gpu, Step, Workload
from advisor.speed.serving import serving_throughput
from bot.answers.asked_job import people_of
from bot.answers.speed.reading_pace import READS
from bot.core.line import Figure, Line, Worded
from bot.core.request import Request

_COUNTS: Final = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
_SEVERAL: Final = 2


class Service(Frozen):
    """So many cards for so many requests at once."""

    n: int
    at_once: int
    """Requests in work at once."""
    per_user: float
    """Tokens a second that each gets."""
    by_pace: bool
    """More cards than memory asks for."""
    trace: Step


def service_on(request: Request, work: Workload, gpu: Gpu, least: int | None) -> Service | None:
    """Cards on which everybody who asks at once gets the wanted pace.

    Args:
        request: holds the people.
        work: the model as it is served.
        gpu: the card.
        least: cards that hold the model with the context of all requests; None where no number does.

    Returns:
        None where nobody is counted, or no number of cards keeps the pace.
    """
    at_once = people_of(request) or 0
    if least is None or at_once < _SEVERAL:
        return None
    pace = rules().cluster.pace_tokens.number
    for n in (least, *(count for count in _COUNTS if count > least)):
        try:
            made = serving_throughput(work, gpu, n, users=at_once)
        except AdvisorError:
            continue
        if made.per_user >= pace:
            return Service(n=n, at_once=at_once, per_user=made.per_user, by_pace=n > least, trace=made.output.trace)
    return None


def pace_on(request: Request, work: Workload, gpu: Gpu, n: int) -> float | None:
    """Tokens a second of each who asks at once on so many cards; None where nobody is counted or none can be told."""
    at_once = people_of(request) or 0
    if at_once < _SEVERAL:
        return None
    try:
        return serving_throughput(work, gpu, n, users=at_once).per_user
    except AdvisorError:
        return None


def is_too_slow(pace: float | None) -> bool:
    """Whether people would read faster than so many tokens a second."""
    return pace is not None and pace < READS


def service_line(request: Request, found: Service) -> Line:
    """What the number of cards rests on: who asks at once, and what each gets."""
    people = int(request.slot("users") or found.at_once)
    values: dict[str, Worded] = {
        "people": people,
        "at_once": found.at_once,
        "each": Figure(found.per_user, "token/s"),
        "share": Figure(rules().cluster.active_share.number, "share"),
    }
    return Line("count.service" if people != found.at_once else "count.service.all", values)
