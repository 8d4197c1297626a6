"""What to do after a program said that memory ran out, by its own figures, where no model is named to count for."""

from __future__ import annotations

from typing import Final

from advisor.memory import TrickPlan
from bot.answers.common import source_refs
from bot.answers.phrases import in_turn
from bot.core.answers import Answer, answer_with, offered_of
from bot.core.line import Line, Listing, Worded, gib
from bot.core.message import Choice, fact_of
from bot.core.ran_out import RanOut
from bot.core.request import Request

_GUIDE: Final = "seed-002"
_SHOWN: Final = 5


def as_seen(request: Request, plan: TrickPlan, choices: tuple[Choice, ...]) -> Answer | None:
    """What was missing and what to try in turn; None without such a message.

    Args:
        request: the question with the message that was pasted.
        plan: ways to need less of a typical job; only their order and names are told.
        choices: models to count for.
    """
    seen = request.heard.ran_out
    tricks = [one.costs for one in plan.tricks if not (one.code == "batch" and request.slot("batch") == 1)]
    if seen is None or not tricks:
        return None
    facts = [fact_of(name="short_by", value=seen.short, unit="GiB", basis="as pasted")] if seen.short else []
    return answer_with(
        headline=(Line("reduce.short_of" if seen.short else "reduce.scattered", _values(seen, tricks[0])),),
        lines=(Line("reduce.then", {"steps": in_turn(tricks[1:_SHOWN])}),) if tricks[1:] else (),
        blocks=(Listing((Line("reduce.checks"),)),),
        facts=tuple(facts),
        sources=source_refs(request, (_GUIDE,)),
        asks=offered_of(slot="model"),
        choices=choices,
    )


def _values(seen: RanOut, first: Worded) -> dict[str, Worded]:
    known = {"tried": seen.tried, "total": seen.total, "used": seen.used, "free": seen.left, "short": seen.short}
    values: dict[str, Worded] = {name: gib(value) if value is not None else None for name, value in known.items()}
    return {**values, "first": first}
