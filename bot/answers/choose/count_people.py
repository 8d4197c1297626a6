"""How many cards people need who each run a job of their own: one job each at the same time, or in turns by hours."""

from __future__ import annotations

from math import ceil
from typing import Final

from advisor.machine.rules import rules
from advisor.models import Step, step_of
from advisor.periods import HOURS_A_DAY, HOURS_A_WEEK
from bot.answers.asked_job import usage_for
from bot.answers.choose.count_lines import Counted, CountRow, way_of
from bot.answers.common import NamedGpu
from bot.answers.phrases import cards_named, model_named
from bot.core.answers import Answer, answer_with, offered_of
from bot.core.line import Figure, Line, Worded, gib
from bot.core.message import fact_of
from bot.core.request import Request

_SEVERAL: Final = 2
_DAYS: Final = 7


def people_of(request: Request) -> int:
    """People who each have a job of their own; 1 where nobody is counted."""
    return int(request.slot("users") or 1)


def in_turns(request: Request, people: int, each: int = 1) -> int | None:
    """Cards that do where people take turns, at the usual share of a busy cluster; None where no hours were said.

    Args:
        request: holds the hours of use of one person.
        people: how many they are.
        each: cards of one job.

    Raises:
        OutOfRange: more hours than a day has.
    """
    week = usage_for(request).week
    if week is None:
        return None
    return max(each, ceil(people * each * week / (HOURS_A_WEEK * rules().cluster.busy_share.number)))


def people_line(request: Request, found: Counted, row: CountRow) -> Line | None:
    """One job for each of several people; None where one job is shared or no card holds it."""
    people = people_of(request)
    if people < _SEVERAL or found.generates or not row.count:
        return None
    turns = in_turns(request, people, row.count)
    values: dict[str, Worded] = {
        "cards": cards_named(row.gpu, people * row.count),
        "people": people,
        "each": cards_named(row.gpu, row.count),
        "model": model_named(found.model),
        "way": way_of(found, row),
        "need": gib(row.need_gib) if row.need_gib else None,
        "fewer": row.fewer,
        "turns": turns,
        "hours": _hours(request),
    }
    return Line("count.people", values)


def without_job(request: Request, cards: list[NamedGpu]) -> Answer | None:
    """The count for people who use cards so many hours, whatever they run; None where one of both is missing."""
    people = people_of(request)
    turns = in_turns(request, people) if people >= _SEVERAL else None
    if turns is None:
        return None
    gpu = cards[0].gpu.name if cards else ""
    values: dict[str, Worded] = {
        "gpu": gpu or None,
        "people": people,
        "turns": turns,
        "hours": _hours(request),
        "share": Figure(rules().cluster.busy_share.number, "share"),
    }
    return answer_with(
        headline=(Line("count.turns", values),),
        facts=(
            fact_of(name="cards_in_turns", value=turns, basis="people x hours / (hours of all x busy share)"),
            fact_of(name="cards_at_once", value=people, basis="one each"),
        ),
        trace=(_turns_step(request, people, turns),),
        asks=offered_of(slot="model"),
    )


def _turns_step(request: Request, people: int, turns: int) -> Step:
    return step_of(
        name="cards_in_turns",
        value=turns,
        unit="cards",
        how="people x hours a week / (168 x share that shared machines are busy)",
        inputs=(
            step_of(name="people", value=people, how="given"),
            step_of(name="hours_a_week", value=usage_for(request).week or 0.0, unit="h", how="given"),
            rules().cluster.busy_share.step("busy_share"),
        ),
    )


def _hours(request: Request) -> Figure | None:
    week = usage_for(request).week
    if week is None:
        return None
    return Figure(week / _DAYS, "hour/day") if week / _DAYS <= HOURS_A_DAY else None
