"""A notebook for a job: its cards carry other memory than their desktop namesakes, so what to look for is said."""

from __future__ import annotations

from typing import Final

from advisor.models import Gpu
from advisor.recommend import Channel, Recommendation
from advisor.recommend.estimates import usable
from bot.answers.choose.offer_lines import offer_of
from bot.answers.choose.offers import Shown, price_fact, shown
from bot.answers.choose.recommend_told import asks_of
from bot.answers.choose.wishes import Wish
from bot.answers.common import fact, source_refs, step_sources
from bot.core.answers import Answer, answer_with
from bot.core.line import Figure, Line, gib
from bot.core.message import Fact, fact_of
from bot.core.request import Request

_NOTEBOOKS: Final = 3
_ENOUGH: Final = "laptop.enough"


def laptop_answer(request: Request, wish: Wish, found: Recommendation) -> Answer:
    """The memory that a notebook's card must have, notebook cards that have it, and what renting takes instead."""
    rented = found.winner if found.channel is Channel.RENT else found.other_way
    view = shown(request, rented.option, wish.need.currency, rented) if rented else None
    need = found.requirement
    cards = _notebooks(request, need.gib, need.guide_gib or 0.0)
    size = min((gpu.vram_gib for gpu in cards if gpu.vram_gib), default=None)
    sources = step_sources(need.estimate.trace) if need.estimate else ()
    needed = gib(need.estimate or need.gib)
    lines = _lines(cards, size, needed, view, _judged(request, wish, need.gib, needed))
    return answer_with(
        headline=lines[:1],
        lines=lines[1:],
        facts=tuple(_facts(found, cards, size, view)),
        trace=(need.estimate.trace,) if need.estimate else (),
        sources=source_refs(request, (*sources, *((view.source,) if view else ()))),
        assumptions=wish.assumptions,
        asks=asks_of(request, wish),
        result=found,
    )


def _lines(
    cards: list[Gpu], size: float | None, needed: Figure, view: Shown | None, judged: Line | None
) -> tuple[Line, ...]:
    """The verdict on the card that is named, the memory to look for, cards that have it, and renting."""
    take = Line("laptop.take", {"size": Figure(size, "GB"), "need": needed}) if size else None
    heads = [judged] if judged is not None else []
    if take is not None and (judged is None or judged.say != _ENOUGH):
        heads.append(take)
    heads = heads or [Line("laptop.none", {"need": needed})]
    return (*heads, *_named(cards), *_rented(view), Line("laptop.no_prices"))


def _named(cards: list[Gpu]) -> tuple[Line, ...]:
    """Notebook cards that hold the job."""
    if not cards:
        return ()
    listed = tuple(Line("laptop.card", {"name": gpu.name, "vram": Figure(gpu.vram_gib or 0.0, "GB")}) for gpu in cards)
    return (Line("laptop.cards", {"cards": listed}), Line("laptop.by_memory"))


def _rented(view: Shown | None) -> tuple[Line, ...]:
    """What renting takes instead."""
    return (Line("laptop.rent", {"offer": offer_of(view)}),) if view is not None else ()


def _judged(request: Request, wish: Wish, need: float, needed: Figure) -> Line | None:
    """Whether the notebook card that is named holds the job; None where none is named."""
    named = next((_of_notebook(request, one.gpu) for one in wish.named), None)
    if named is None or not named.vram_gib:
        return None
    code = _ENOUGH if usable(named) >= need else "laptop.too_small"
    return Line(code, {"name": named.name, "vram": Figure(named.vram_gib, "GB"), "need": needed})


def _of_notebook(request: Request, gpu: Gpu) -> Gpu | None:
    """The notebook card of that name."""
    if gpu.form_factor == "laptop":
        return gpu
    return next(iter(request.services.catalog.gpu_variants(f"{gpu.name} Laptop")), None)


def _facts(found: Recommendation, cards: list[Gpu], size: float | None, view: Shown | None) -> list[Fact]:
    facts = [fact("vram_needed", found.requirement.estimate)] if found.requirement.estimate else []
    if size is not None:
        facts.append(fact_of(name="laptop_vram", value=size, unit="GiB", basis="next size above the need"))
    facts += [fact_of(name="laptop_gpu", value=gpu.name) for gpu in cards]
    if view is not None:
        facts.append(fact_of(name="other_way", value=view.name, basis=view.channel))
        facts.append(price_fact("other_way_price", view))
    return facts


def _notebooks(request: Request, need: float, guide: float) -> list[Gpu]:
    """Notebook cards that hold the job, newest series first, the smallest that does first within it."""
    cards = [
        gpu
        for gpu in request.services.catalog.gpus.values()
        if gpu.form_factor == "laptop" and usable(gpu) >= need and (gpu.vram_gib or 0.0) >= guide
    ]
    return sorted(cards, key=lambda gpu: (-_generation(gpu), gpu.vram_gib or 0.0, gpu.id))[:_NOTEBOOKS]


def _generation(gpu: Gpu) -> float:
    return float(gpu.compute_capability or 0)
