"""Whether the card that would be bought does the job at all, and the one that would be rented instead."""

from __future__ import annotations

from advisor.jobs.plan import Chosen, Place, chosen_on
from advisor.models import Gpu
from bot.answers.choose.wishes import read_wish
from bot.answers.phrases import cards_named, model_named
from bot.core.answers import Decline
from bot.core.line import Line, Worded, gib
from bot.core.request import Request


def too_small(request: Request, gpu: Gpu, n: int, rented: Gpu) -> tuple[Line, ...]:
    """That the card to buy does not hold the job that is named, and whether the one to rent does; else nothing.

    Args:
        request: the question.
        gpu: the card that would be bought.
        n: how many of it, and of the other.
        rented: the card that would be rented.
    """
    if not request.slot("model"):
        return ()
    wish = read_wish(request)
    if isinstance(wish, Decline) or not wish.ladder:
        return ()
    bought, other = (chosen_on(wish.ladder, [Place(one, n)])[0] for one in (gpu, rented))
    if bought.verdict.usable is None or bought.verdict.runs:
        return ()
    values: dict[str, Worded] = {
        "gpu": cards_named(gpu.name, n),
        "rented": cards_named(rented.name, n),
        "model": model_named(bought.way.workload.ml_model.name),
        **_figures(bought),
    }
    return (Line("rb.small.rented" if other.verdict.runs else "rb.small.both", values),)


def _figures(held: Chosen) -> dict[str, Worded]:
    usable = held.verdict.usable or 0.0
    return {"need": gib(held.verdict.need), "usable": gib(usable)}
