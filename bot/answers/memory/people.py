"""What each of several people gets who ask a model at the same time, beside whether their contexts fit."""

from __future__ import annotations

from typing import Final

from advisor.errors import AdvisorError
from advisor.speed.serving import serving_throughput
from bot.answers.asked_job import people_of
from bot.answers.memory.fit_job import Judgement
from bot.answers.memory.sizing import is_llm
from bot.answers.speed.reading_pace import READS
from bot.core.answers import Answer
from bot.core.line import Figure, Line
from bot.core.message import fact_of
from bot.core.request import Request

_SEVERAL: Final = 2


def with_people(request: Request, made: Answer, found: Judgement) -> Answer:
    """An answer that a model fits, with the pace that each who asks at once gets; as it is where nobody is counted."""
    head, people = found.head, people_of(request) or 0
    gpu, work = head.card.gpu, head.figure.workload
    if people < _SEVERAL or gpu is None or not head.fits or not head.runs or not is_llm(work.ml_model):
        return made
    try:
        pace = serving_throughput(work, gpu, found.n, users=people).per_user
    except AdvisorError:
        return made
    slow = pace < READS
    line = Line("fit.each_gets.slow" if slow else "fit.each_gets", {"n": people, "pace": Figure(pace, "token/s")})
    fact = fact_of(name="tokens_per_second_each", value=pace, unit="token/s", basis="all at once")
    return made.model_copy(update={"lines": (line, *made.lines), "facts": (*made.facts, fact)})
