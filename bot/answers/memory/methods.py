"""Which of several ways to train that a message names to take on a card: the fullest that surely fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from advisor.memory import Verdict
from advisor.models import MlModel
from bot.answers.memory.cards import Card, gives
from bot.answers.memory.fit_job import Tried, tried_on
from bot.answers.phrases import model_named
from bot.core.line import Label, Line, Worded, gib
from bot.core.request import Request

_FULLEST_FIRST: Final = ("full", "lora", "qlora")
_SEVERAL: Final = 2
_CODES: Final = {Verdict.FITS: "methods.fits", Verdict.TIGHT: "methods.tight", Verdict.NO: "methods.none"}
_BESIDE: Final = {Verdict.FITS: "methods.too", Verdict.TIGHT: "methods.hardly", Verdict.NO: "methods.not"}


def methods_named(request: Request) -> tuple[str, ...]:
    """Ways to train that a message names, the fullest first."""
    heard = request.heard
    said = set(heard.sides("technique"))
    return tuple(one for one in _FULLEST_FIRST if one in said or (one == "full" and heard.shows("job", one)))


def is_chosen(request: Request) -> bool:
    """Whether it is asked which of several named ways to take."""
    heard = request.heard
    if len(methods_named(request)) < _SEVERAL or heard.shows("effect", "speed"):
        return False
    which = heard.speaks_of("or_word", "compare", "differs") or heard.shows("form", "which")
    return which or heard.shows("job", "apart")


def taken(request: Request, model: MlModel, cards: Sequence[Card]) -> tuple[Request, Line] | None:
    """The request with the way to take, and the line that says so; None where no choice is asked for.

    Args:
        request: names the ways.
        model: what is trained.
        cards: the card that it is trained on; the first counts.
    """
    if not is_chosen(request) or not cards:
        return None
    tried = [_tried(request, model, cards[0], name) for name in methods_named(request)]
    best = _best(tried)
    others = tuple(_beside(one) for one in tried if one is not best)
    values: dict[str, Worded] = {
        **_values(best),
        "model": model_named(model.name),
        "gives": gives(cards[0], best.figure.n_gpus),
        "others": others,
        "each": Line("fit.each", {"total": None}) if best.figure.n_gpus > 1 else None,
    }
    return _with_method(request, best.job.workload.method.value), Line(_CODES[best.fit.verdict], values)


def _best(tried: Sequence[Tried]) -> Tried:
    """The first that surely fits, else the first that is tight, else the last, which takes least."""
    for verdict in (Verdict.FITS, Verdict.TIGHT):
        found = next((one for one in tried if one.fit.verdict is verdict), None)
        if found is not None:
            return found
    return tried[-1]


def _tried(request: Request, model: MlModel, card: Card, name: str) -> Tried:
    tried = tried_on(_with_method(request, name), model, [card])
    return next(one for one in tried if one.meant)


def _with_method(request: Request, name: str) -> Request:
    return replace(request, slots={**request.slots, "method": name})


def _values(one: Tried) -> dict[str, Worded]:
    return {"way": Label(one.job.workload.method.value, "method"), "need": gib(one.row.need)}


def _beside(one: Tried) -> Line:
    return Line(_BESIDE[one.fit.verdict], _values(one))
