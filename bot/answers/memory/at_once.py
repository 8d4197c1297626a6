"""Several models on one card at the same time: each in the format said of it, and what they take together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import hypot
from typing import Final

from advisor.memory.fit import Fit, fit_of
from advisor.memory.results import Verdict
from advisor.models import Estimate, MlModel, step_of
from advisor.models.trail import estimate_of
from bot.answers.memory.cards import gives
from bot.answers.memory.fit_job import Judgement, Tried
from bot.answers.memory.rows import holding_cards
from bot.answers.memory.sizing import is_llm
from bot.answers.phrases import added, model_named, used_way
from bot.core.answers import Answer
from bot.core.line import Line, Worded, gib
from bot.core.message import fact_of
from bot.core.request import Request
from bot.core.understanding import SlotValue

_SEVERAL: Final = 2
_APART: Final = ("or_word", "compare")
"""Ideas by which one of several models is meant to run, and not all of them."""
_REPLACED: Final = frozenset({"vram_needed", "vram_margin", "verdict"})


def in_own_format(request: Request, model: MlModel) -> Request:
    """The request with the number format that stands beside this one of several models.

    One format that is said of a language model says nothing of a model that hears or draws.
    """
    models = _said(request, "model")
    formats = _said(request, "precision")
    if len(models) < _SEVERAL:
        return request
    if not formats:  # a kind of file, which is one of language models
        return request if is_llm(model) else replace(request, heard=request.heard.unread)
    own = _own(request, _owners(models, formats), formats, model)
    slots = {name: value for name, value in request.slots.items() if name != "precision"}
    if own is not None:
        slots["precision"] = own.value
    return replace(request, slots=slots, heard=request.heard.unread)


def _own(request: Request, owners: dict[int, str], formats: Sequence[SlotValue], model: MlModel) -> SlotValue | None:
    """The format that belongs to a model; the only one that is said also to others of the same kind."""
    own = next((found for found in formats if owners[found.span.start] == model.name), None)
    only = formats[0]
    return own or (only if len(formats) == 1 and _alike(request, owners[only.span.start], model) else None)


def _said(request: Request, slot: str) -> list[SlotValue]:
    found = [one for one in request.heard.named(slot) if not one.negated]
    return sorted(found, key=lambda one: one.span.start)


def _owners(models: Sequence[SlotValue], formats: Sequence[SlotValue]) -> dict[int, str]:
    """Start of each format -> its model: the one before it, or the one behind where the first format leads."""
    ahead = formats[0].span.start < models[0].span.start
    owners = {}
    for one in formats:
        start = one.span.start
        if ahead:
            owner = next((model for model in models if model.span.start > start), models[-1])
        else:
            owner = next((left for left, right in pairwise(models) if start < right.span.start), models[-1])
        owners[start] = str(owner.value)
    return owners


def _alike(request: Request, owner: str, model: MlModel) -> bool:
    """Whether a model is of the kind of the one that a format was said of."""
    found = request.services.catalog.find_ml_model(owner)
    return found is not None and found.modality == model.modality


def with_all(request: Request, made: Answer, found: Judgement) -> Answer:
    """An answer about several models that opens with what they take together, where they are to run at the same time.

    Where nobody says so, that is told last; nothing is added where one of them is to be chosen.
    """
    if not _are_several(found) or request.heard.speaks_of(*_APART):
        return made
    heads = found.heads
    need = _sum(heads)
    fit = fit_of(need, found.head.card.gpu, found.head.card.vram)
    facts = (
        fact_of(name="vram_needed", value=need.value, low=need.low, high=need.high, unit="GiB", basis="all at once"),
        fact_of(name="verdict", value=fit.verdict.value, basis="90 % band"),
    )
    if not is_at_once(request):
        line = Line(f"fit.besides.{fit.verdict.value}", {"need": gib(need)})
        return made.model_copy(update={"lines": (*made.lines, line)})
    kept = tuple(fact for fact in made.facts if fact.name not in _REPLACED)
    alone = tuple(one for one in (*made.headline, *made.lines) if fit.verdict is Verdict.NO)
    more = () if fit.verdict is Verdict.FITS else _holding(request, need)
    changed = {"headline": (_line(heads, need, fit),), "lines": (*more, *alone), "facts": (*facts, *kept)}
    return made.model_copy(update={**changed, "trace": (need.trace, *made.trace)})


def _are_several(found: Judgement) -> bool:
    """Whether it is about several models on one card whose memory is known; one model on several cards is not."""
    models = {one.row.model for one in found.heads}
    return len(models) >= _SEVERAL and found.n == 1 and found.head.row.usable is not None


def is_at_once(request: Request) -> bool:
    """Whether several jobs are said to run at the same time."""
    return request.heard.speaks_of("together") or request.heard.shows("job", "beside")


def _sum(heads: Sequence[Tried]) -> Estimate:
    """Needs of programs that run beside each other; their errors are taken as independent."""
    value = sum(one.row.need.value for one in heads)
    below = hypot(*(one.row.need.value - one.row.need.low for one in heads))
    above = hypot(*(one.row.need.high - one.row.need.value for one in heads))
    trace = step_of(
        name="memory_at_once",
        value=value,
        unit="GiB",
        how="sum over the models, each a program of its own",
        inputs=tuple(one.row.need.trace for one in heads),
    )
    return estimate_of(value, max(0.0, value - below), value + above, "GiB", "calibrated:sum", trace)


def _line(heads: Sequence[Tried], need: Estimate, fit: Fit) -> Line:
    parts = [
        Line(
            "fit.part_of_all",
            {"model": model_named(one.row.model), "way": used_way(one.row), "need": gib(one.row.need)},
        )
        for one in heads
    ]
    values: dict[str, Worded] = {"need": gib(need), "parts": added(parts), "gives": gives(heads[0].card)}
    return Line(f"fit.all.{fit.verdict.value}", values)


def _holding(request: Request, need: Estimate) -> tuple[Line, ...]:
    cards = holding_cards(request, need)
    return (Line("fit.all.larger", {"card": cards[0]}),) if cards else ()
