"""What a card can hold, when nobody said which job: the largest well-known models of each way to use one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, Generic, TypeVar
from weakref import WeakKeyDictionary

from advisor.memory import Verdict
from advisor.memory.figure import Figure, figure_of
from advisor.memory.fit import fit_of
from advisor.models import Estimate, Method, Precision
from bot.answers.common import fact, job_for, source_refs
from bot.answers.memory.capacity_use import asks_which, compute_of, is_for_training, pace_of, paced, training_headline
from bot.answers.memory.cards import Card, gives, sources_of, usable_step
from bot.answers.memory.rows import Row, by_verdict, row_of
from bot.answers.memory.sizing import ladder, open_jobs
from bot.answers.phrases import in_turn, model_named, used_way
from bot.core.answers import Answer, answer_with, offered_of
from bot.core.line import Line
from bot.core.message import Fact, choice_of, fact_of
from bot.core.request import Request

if TYPE_CHECKING:
    from advisor.catalog import Catalog

_CAPACITY_FORMAT: Final = {Method.QLORA: "nf4", Method.FULL: "bf16-mixed"}
_FORMATS: Final[tuple[tuple[Precision | None, str | None], ...]] = (
    (Precision.INT4, "int4"),
    (Precision.INT8, "int8"),
    (Precision.FP16, None),
)
_OWN: Final[tuple[tuple[Precision | None, str | None], ...]] = ((None, None),)
_METHODS: Final = (Method.INFERENCE, Method.QLORA, Method.LORA, Method.FULL)
_SMALL_JOBS: Final = (
    ("bert-base-uncased", Method.FULL),
    ("resnet50", Method.TRAIN),
    ("yolov8m", Method.TRAIN),
    ("stable-diffusion-xl-base-1-0", Method.INFERENCE),
    ("flux-1-dev", Method.INFERENCE),
)
"""Jobs that people ask about most beside language models; shown for a card when no job was named."""
_SHORT: Final = 1024
"""Tokens of a sample to which QLoRA is cut before a larger card is bought (data/usual.yaml)."""
_RANK: Final = {Verdict.FITS: 0, Verdict.TIGHT: 1, Verdict.NO: 2, Verdict.UNKNOWN: 3}
_MOST_KEPT: Final = 1024
_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class Capacity:
    """The largest well-known language models that a card holds in one way of use."""

    method: str
    format: str
    model: str = ""
    """Surely fits; empty where none does."""
    tight: str = ""
    """A larger one that may just fit; empty where there is none."""
    by_turns: bool = False
    cached: bool = False
    length: int | None = None


def answer(request: Request, cards: Sequence[Card]) -> Answer:
    """What the first card can hold, or so many of it."""
    card = cards[0]
    n = int(request.slot("gpu_count") or 1)
    held = _said_first(request, _capacities(request, card, n))
    alone = n == 1 and not card.shares_ram and not (request.heard.speaks_of("language_model") or asks_which(request))
    small = _small_jobs(request, card) if alone and not request.slot("seq_len") else ()
    usable = fact_of(name="vram_usable", value=card.usable, unit="GiB", basis="nominal less reserve")
    best = held[0]
    rate = pace_of(request, best, card, n)
    return answer_with(
        headline=(_first_line(request, held, card, n, rate),),
        lines=(*_beside(request, held, card), *_jobs_line(small)),
        facts=(usable, *(_fact(one) for one in _in_order(held)), *_pace_fact(rate)),
        trace=(usable_step(card, card.usable),),
        sources=source_refs(request, (*sources_of(card.gpu), "memory-cases")),
        notes=tuple(one.note for one in cards if one.note),
        asks=offered_of(slot="model"),
        choices=tuple(choice_of(label=one.upper(), key=f"set:model=llm-{one}") for one in ("7b", "14b", "32b", "70b")),
    )


def _first_line(request: Request, held: Sequence[Capacity], card: Card, n: int, rate: Estimate | None) -> Line:
    """Whether it trains where that is asked, the largest model with its pace where that is; else the model alone."""
    if is_for_training(request):
        power = compute_of(request, card)
        trained = training_headline(held, card, n, slow=power is not None and power[1])
        if trained is not None:
            return trained
    return paced(held[0], card, n, rate) if rate is not None else _headline(held[0], card, n)


def _beside(request: Request, held: Sequence[Capacity], card: Card) -> list[Line]:
    """Other ways to use it; of a card to train with its throughput."""
    if not is_for_training(request) or not any(one.model for one in held):
        return _others(held)
    power = compute_of(request, card)
    return [power[0]] if power is not None else []


# --- lines -----------------------------------------------------------------------------------------------------------


def _headline(best: Capacity, card: Card, n: int) -> Line:
    if not (best.model or best.tight):
        return Line("capacity.none", {"way": used_way(best), "gives": gives(card, n)})
    values = {"way": used_way(best), "gives": gives(card, n)}
    if not best.model:
        return Line("capacity.only_tight", {**values, "model": model_named(best.tight)})
    tight = model_named(best.tight) if best.tight else None
    return Line("capacity.up_to", {**values, "model": model_named(best.model), "tight": tight})


def _others(held: Sequence[Capacity]) -> list[Line]:
    """The other formats in one line, training in another."""
    found = []
    running = [_phrase(one) for one in held[1:] if one.method == Method.INFERENCE.value]
    training = [_phrase(one) for one in held[1:] if one.method != Method.INFERENCE.value]
    if running:
        found.append(Line("capacity.running", {"ways": in_turn(running)}))
    if training:
        found.append(Line("capacity.training", {"ways": in_turn(training)}))
    return found


def _phrase(one: Capacity) -> Line:
    way = used_way(one)
    if one.model:
        tight = model_named(one.tight) if one.tight else None
        return Line("capacity.holds", {"way": way, "model": model_named(one.model), "tight": tight})
    if one.tight:
        return Line("capacity.holds_tight", {"way": way, "model": model_named(one.tight)})
    return Line("capacity.holds_none", {"way": way})


def _jobs_line(jobs: Sequence[Row]) -> list[Line]:
    return [Line("capacity.jobs", by_verdict(jobs, named=True))] if jobs else []


def _pace_fact(rate: Estimate | None) -> tuple[Fact, ...]:
    return (fact("tokens_per_second", rate),) if rate is not None else ()


def _fact(one: Capacity) -> Fact:
    return fact_of(name=f"largest_{one.method}_{one.format}", value=one.model, basis="largest that fits")


def _in_order(held: Sequence[Capacity]) -> list[Capacity]:
    """The formats from the plainest on, as programs read them."""
    running = [one for one in held if one.method == Method.INFERENCE.value]
    return [*reversed(running), *(one for one in held if one.method != Method.INFERENCE.value)]


# --- the largest models ----------------------------------------------------------------------------------------------


def largest(request: Request, card: Card, method: Method, n: int) -> Capacity:
    """The largest model in the least demanding format of one way to use it."""
    return _by_method(_plain(request), card, method, n)[0]


def _capacities(request: Request, card: Card, n: int) -> tuple[Capacity, ...]:
    """Those of every way that the question is about, the first one to be told first."""
    plain = _plain(request)
    return tuple(one for method in _methods(request, card) for one in _by_method(plain, card, method, n))


def _said_first(request: Request, held: tuple[Capacity, ...]) -> tuple[Capacity, ...]:
    """The format that was said before the others."""
    said = request.first("precision")
    return tuple(sorted(held, key=lambda one: one.format != said)) if said else held


def _methods(request: Request, card: Card) -> tuple[Method, ...]:
    stated = request.slot("method")
    if stated == Method.TRAIN.value or is_for_training(request):
        return (Method.QLORA, Method.LORA, Method.FULL)
    named = [method for method in _METHODS if method.value == stated]
    # a context is said of a model that writes, and which model one takes is asked of those that are run
    runs = card.shares_ram or request.slot("seq_len") or asks_which(request)
    return tuple(named) or ((Method.INFERENCE,) if runs else _METHODS)


def _by_method(request: Request, card: Card, method: Method, n: int) -> tuple[Capacity, ...]:
    """Each format of one way to use a model: the same for the same memory and wishes."""
    said = sorted(request.slots.items())
    make = partial(_worked_out, request, card, method, n)
    return _SIZES.once(request.services.catalog, (method, card.usable, n, *said), make)


def _worked_out(request: Request, card: Card, method: Method, n: int) -> tuple[Capacity, ...]:
    ways = _FORMATS if method is Method.INFERENCE else _OWN
    held = tuple(
        replace(_held(request, card, method, precision, quant, n), length=request.slot("seq_len"))
        for precision, quant in ways
    )
    if method is not Method.QLORA or request.slot("seq_len"):
        return held
    short = replace(request, slots={**request.slots, "seq_len": _SHORT})
    shorter = _held(short, card, method, None, None, n)
    larger = _size(request, shorter.model) > _size(request, held[0].model)
    return (replace(shorter, length=_SHORT),) if larger else held


def _size(request: Request, name: str) -> float:
    """Parameters of a model by its name; none where there is no such model."""
    model = request.services.catalog.find_ml_model(name) if name else None
    return model.parameters if model is not None else 0.0


def _held(
    request: Request, card: Card, method: Method, precision: Precision | None, quant: str | None, n: int
) -> Capacity:
    """The largest well-known model that the card holds, by the sum that answers a question about it alone.

    `request`: with no slots but those that hold for every model.
    """
    code = _CAPACITY_FORMAT.get(method) or quant or (precision.value if precision else "bf16")
    catalog, tight = request.services.catalog, ""
    for ident in reversed(ladder().models):
        model = catalog.ml_models.get(ident)
        if model is None:
            continue
        work = job_for(request, model, method, n).workload
        if precision is not None:
            work = work.model_copy(update={"precision": precision, "quant": quant})
        verdict = fit_of(figure_of(work), card.gpu, card.vram).verdict
        if verdict is Verdict.FITS:
            return Capacity(method.value, code, model.name, tight)
        if verdict is Verdict.TIGHT:
            tight = tight or model.name
    return Capacity(method.value, code, "", tight)


def _plain(request: Request) -> Request:
    """The request with nothing but what holds for every model."""
    said = {name: value for name, value in request.slots.items() if name in ("seq_len", "batch")}
    return replace(request, slots=said, heard=request.heard.unread)


# --- small jobs ------------------------------------------------------------------------------------------------------


def _small_figures(request: Request) -> tuple[tuple[Figure, ...], ...]:
    """What the usual small jobs need, with what is assumed for each when it is asked about alone.

    Pictures are drawn in one of several formats, the best one first.
    """
    plain, catalog = replace(request, slots={}, heard=request.heard.unread), request.services.catalog
    figures = []
    for ident, method in _SMALL_JOBS:
        model = catalog.ml_models.get(ident)
        if model is None:
            continue
        ways = open_jobs(plain, model) if model.modality == "image-gen" else None
        jobs = [job for job in ways or () if job.workload.method is method] or [job_for(plain, model, method)]
        figures.append(tuple(figure_of(job.workload) for job in jobs))
    return tuple(figures)


def _small_jobs(request: Request, card: Card) -> tuple[Row, ...]:
    """Verdicts on the jobs people ask about most: the same on all cards of one usable memory."""
    catalog = request.services.catalog

    def judged() -> tuple[Row, ...]:
        rows = []
        for ways in _FIGURES.once(catalog, "usual", partial(_small_figures, request)):
            fits = [(figure, fit_of(figure, card.gpu, card.vram)) for figure in ways]
            shown = min(fits, key=lambda one: _RANK[one[1].verdict])
            rows.append(row_of(request, *shown, with_cards=False))
        return tuple(rows)

    return _SMALL.once(catalog, card.usable, judged)


# --- what is worked out once -----------------------------------------------------------------------------------------


class _Kept(Generic[_Made]):
    """What follows from a catalogue and a key alone: worked out once, the newest kept."""

    def __init__(self) -> None:
        self._made: WeakKeyDictionary[Catalog, dict[Hashable, _Made]] = WeakKeyDictionary()

    def once(self, catalog: Catalog, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """What was made for a key; made now where it is new."""
        known = self._made.setdefault(catalog, {})
        found = known.get(key)
        if found is None:
            if len(known) >= _MOST_KEPT:
                known.clear()
            found = known[key] = make()
        return found


_SIZES: Final[_Kept[tuple[Capacity, ...]]] = _Kept()
_FIGURES: Final[_Kept[tuple[tuple[Figure, ...], ...]]] = _Kept()
_SMALL: Final[_Kept[tuple[Row, ...]]] = _Kept()
