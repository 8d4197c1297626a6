"""Whether the card that is named does the job, said before the one that is picked: both were asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from advisor.jobs.plan import Place, chosen_on
from advisor.memory import Verdict
from advisor.recommend import Recommendation
from bot.answers.choose.wishes import Wish
from bot.answers.phrases import cards_named, model_named
from bot.core.line import Line, Worded, gib
from bot.core.message import Fact, fact_of
from bot.core.request import Request

VERDICT_OF_NAMED: Final = "verdict:named"
"""Fact of an answer that said whether the card that is named does the job."""
_WHETHER: Final = ("yes_no", "enough", "fits")
"""Ideas of asking whether something does."""


@dataclass(frozen=True, slots=True)
class Named:
    """The verdict on a card, in words' place and as a fact."""

    line: Line
    fact: Fact
    settles: bool
    """Whether no other card is needed."""


def named_verdict(request: Request, wish: Wish, found: Recommendation) -> Named | None:
    """The verdict on the one card that is named with its job; None where neither is asked or it is the pick itself."""
    if len(wish.named) != 1 or wish.job is None or not wish.ladder or not request.heard.speaks_of(*_WHETHER):
        return None
    gpu = wish.named[0].gpu
    if any(pick.option.gpu.id == gpu.id for pick in found.picks[:1]):
        return None
    n = int(request.slot("gpu_count") or 1)
    held = chosen_on(wish.ladder, [Place(gpu, n)])[0]
    if held.verdict.usable is None:
        return None
    values: dict[str, Worded] = {
        "card": cards_named(gpu.name, n),
        "model": model_named(held.way.workload.ml_model.name),
        "need": gib(held.verdict.need),
        "usable": gib(held.verdict.usable),
    }
    word = held.verdict.word
    settles = word is Verdict.FITS and wish.need.budget is None
    fact = fact_of(name=VERDICT_OF_NAMED, value=word.value, basis=gpu.name)
    return Named(Line(f"rec.named.{word.value}", values), fact, settles)
