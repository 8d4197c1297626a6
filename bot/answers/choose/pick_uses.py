"""What else a pick does: the largest language models that it holds, and the other kind of work that was named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from advisor.jobs.plan import Place, chosen_on
from advisor.recommend import Recommendation
from bot.answers.choose.wishes import Wish
from bot.answers.choose.worth import holds
from bot.answers.phrases import model_named
from bot.core.line import Figure, Label, Line, Worded, gib
from bot.core.request import Request

_OPEN: Final = frozenset({"llm_inference", "rag", "general_dl"})
"""Tasks that leave open how large a model is meant."""


def uses_of_pick(request: Request, wish: Wish, found: Recommendation) -> tuple[Line, ...]:
    """What the pick holds where no model was named, and whether it does the other work, too."""
    if not found.picks:
        return ()
    return tuple(_lines(request, wish, found))


def _lines(request: Request, wish: Wish, found: Recommendation) -> Iterator[Line]:
    option = found.picks[0].option
    if wish.job is None and wish.task in _OPEN and option.n == 1:
        held = holds(request.services.catalog, option.gpu)
        if held.run:
            tune = Figure(float(held.tune)) if held.tune else None
            yield Line("rec.holds", {"run": Figure(float(held.run)), "tune": tune})
    place = Place(option.gpu, option.n)
    for one in (chosen for ladder in wish.besides for chosen in chosen_on(ladder, [place])):
        need = one.verdict.need
        values: dict[str, Worded] = {
            "model": model_named(one.way.workload.ml_model.name),
            "fits": Label(one.verdict.word.value, "verdict"),
            "need": gib(need) if need is not None else None,
        }
        yield Line("rec.besides", values)
