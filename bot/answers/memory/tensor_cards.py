"""Whether tensor parallelism works over a number of cards: by the heads of the model, then by what each card holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from advisor.memory import MemoryEstimate, estimate_memory, fit_estimate
from advisor.models import Gpu, Method, MlModel
from bot.answers.common import Job, job_for, models_of, most_of, source_refs
from bot.answers.memory.cards import Card, for_model_and_card
from bot.answers.memory.sizing import format_code, is_llm, source_ids
from bot.answers.phrases import NamedWay, in_turn, model_named, used_way
from bot.core.answers import Decline, Outcome, answer_with
from bot.core.line import Line, Single, Worded, gib
from bot.core.message import fact_of
from bot.core.request import Request

_LEAST: Final = 2
_MOST: Final = 64
_SOURCES: Final = ("by-vllm-parallelism",)


@dataclass(frozen=True, slots=True)
class _Count:
    """A number of cards, whether the heads divide over it, and what each card takes."""

    n: int
    splits: bool
    job: Job
    need: MemoryEstimate


def splits_over(model: MlModel, n: int) -> bool:
    """Whether the attention heads, and keys and values shared or repeated, divide over so many cards.

    Source: vLLM wants a whole number of heads a card; of fewer keys and values than cards each is kept several times.
    """
    heads, kv = model.heads or 0, model.kv_heads or model.heads or 0
    if not heads or heads % n:
        return False
    return kv % n == 0 if kv >= n else n % kv == 0


def is_asked(request: Request) -> bool:
    """Whether tensor parallelism of a model over a number of cards is asked about."""
    if not request.heard.shows("switch", "tensor_parallel"):
        return False
    named = models_of(request)
    if isinstance(named, Decline) or not named.models:
        return False
    model = named.models[0]
    one_kind = len(request.heard.wished("gpu")) < _LEAST and not request.heard.shows("asked", "time")
    one_kind = one_kind and not most_of(request)
    asked = bool({"whether", "open"} & set(request.heard.sides("form"))) or request.heard.speaks_of("able", "fits")
    return one_kind and asked and is_llm(model) and bool(model.heads and _counts(request))


def handle(request: Request) -> Outcome:
    """Which of the numbers of cards work, and what each card holds; the way by layers for those that do not."""
    return for_model_and_card(request, _answer)


def _answer(request: Request, model: MlModel, card: Card) -> Outcome:
    counts = [_counted(request, model, n) for n in _counts(request)]
    return answer_with(
        headline=(_headline(model, counts),),
        lines=(*_memory(request, counts, card.gpu), *_shape(model), *_layers(counts)),
        facts=tuple(fact_of(name=f"splits_over:{one.n}", value=one.splits) for one in counts),
        trace=tuple(one.need.total.trace for one in counts),
        sources=source_refs(request, (*source_ids([one.need for one in counts]), *_SOURCES)),
        assumptions=counts[0].job.assumptions,
    )


def _memory(request: Request, counts: Sequence[_Count], gpu: Gpu | None) -> tuple[Line, ...]:
    """What each card takes, where it is known what a card has."""
    stated = request.slot("vram_gb")
    if gpu is None and not stated:
        return ()
    vram = float(stated) if stated else None
    held = [_held(one, fit_estimate(one.need, gpu, vram).verdict.value) for one in counts]
    return (Line("tp.each", _each(counts, held)),)


def _shape(model: MlModel) -> tuple[Line, ...]:
    """Whose heads are counted, where a size stands for a model."""
    if not model.generic:
        return ()
    return (Line("tp.like", {"model": model.shaped_like}) if model.shaped_like else Line("tp.typical"),)


def _layers(counts: Sequence[_Count]) -> tuple[Line, ...]:
    """The other way to split, where the heads do not divide."""
    return () if all(one.splits for one in counts) else (Line("tp.layers"),)


def _counts(request: Request) -> tuple[int, ...]:
    """The numbers of cards that are named, else the one that holds."""
    said = request.heard.amounts_of("card") or ((request.slot("gpu_count"),) if request.slot("gpu_count") else ())
    return tuple(dict.fromkeys(int(n) for n in said if _LEAST <= n <= _MOST))


def _counted(request: Request, model: MlModel, n: int) -> _Count:
    job = job_for(request, model, Method.INFERENCE, n)
    return _Count(n, splits_over(model, n), job, estimate_memory(job.workload))


def _headline(model: MlModel, counts: Sequence[_Count]) -> Line:
    values: dict[str, Worded] = {"model": model_named(model.name), "heads": model.heads, "kv": model.kv_heads}
    able, unable = ([one.n for one in counts if one.splits is works] for works in (True, False))
    if not able or not unable:
        return Line("tp.yes" if able else "tp.no", {**values, "n": _listed(able or unable)})
    return Line("tp.some", {**values, "able": _listed(able), "unable": _listed(unable)})


def _listed(numbers: Sequence[int]) -> Single:
    return in_turn([Line("tp.count", {"n": n}) for n in numbers])


def _each(counts: Sequence[_Count], held: Sequence[Line]) -> dict[str, Worded]:
    work = counts[0].job.workload
    way = used_way(NamedWay(work.done, format_code(work)))
    return {"way": way, "rows": in_turn(held)}


def _held(one: _Count, verdict: str) -> Line:
    return Line("tp.row", {"n": one.n, "need": gib(one.need.total.value), "held": Line(f"kv.held.{verdict}")})
