"""What a smaller KV cache gives on a card: the longest context in each format, or whether the one said fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from advisor.memory import MemoryEstimate, Verdict, estimate_memory, fit_estimate, largest_batch, largest_seq
from advisor.models import Method, MlModel, Precision, Workload
from bot.answers.common import Job, job_for, models_of, source_refs
from bot.answers.memory.cards import Card, for_model_and_card, gives
from bot.answers.memory.kv_size import cache_of
from bot.answers.memory.sizing import format_code, is_llm, source_ids
from bot.answers.phrases import NamedWay, in_turn, model_named, used_way
from bot.core.answers import Decline, Outcome, answer_with
from bot.core.line import Figure, Label, Line, Worded, gib
from bot.core.message import fact_of
from bot.core.request import Request

_USUAL: Final = ("fp16", "int8")
"""Formats that are set side by side where fewer than two are named: the one a cache has anyway first."""
_CERTAINTY: Final = 0.7
_KILO: Final = 1024
_OF_GAIN: Final = ("compare", "differs", "or_word", "exceeds", "worth")
_SIDES: Final = 2


@dataclass(frozen=True, slots=True)
class _Tried:
    """A job with its cache in one format."""

    name: str
    work: Workload
    need: MemoryEstimate
    verdict: Verdict
    cache: float
    """GiB of the cache; 0 where no context was said."""


def is_asked(request: Request) -> bool:
    """Whether formats of the cache are weighed for a model and a place that are named."""
    heard = request.heard
    if not (heard.caches or heard.shows("technique", "kv_quantization")) or not _runs(request):
        return False
    if not (request.slot("gpu") or request.slot("vram_gb")) or request.slot("users"):
        return False
    return len(heard.caches) >= _SIDES or heard.shows("form", "how_much") or heard.speaks_of(*_OF_GAIN)


def _runs(request: Request) -> bool:
    named = models_of(request)
    if isinstance(named, Decline) or not named.models:
        return False
    return is_llm(named.models[0]) and request.slot("method") in (None, Method.INFERENCE.value)


def handle(request: Request) -> Outcome:
    """The contexts that there is room for, or the verdicts at the one that was said."""
    return for_model_and_card(request, _answer)


def _answer(request: Request, model: MlModel, card: Card) -> Outcome:
    job = job_for(request, model, Method.INFERENCE)
    tried = [_tried(job, one, card, said=bool(request.slot("seq_len"))) for one in _formats(request)]
    said = request.slot("seq_len")
    served = request.heard.shows("job", "served") or request.heard.speaks_of("many_users")
    first = _at_once(tried, card) if served else _verdicts(tried, card) if said else _contexts(tried, card)
    return answer_with(
        headline=(first,),
        lines=(Line("kv.quality"),),
        facts=tuple(
            fact_of(name=f"vram_needed:kv_{one.name}", value=one.need.total.value, unit="GiB") for one in tried
        ),
        trace=tuple(one.need.total.trace for one in tried),
        sources=source_refs(request, source_ids([one.need for one in tried])),
        assumptions=tuple(one for one in job.assumptions if one.slot != "seq_len" or said),
    )


def _formats(request: Request) -> tuple[str, ...]:
    named = request.heard.caches
    return named if len(named) >= _SIDES else tuple(dict.fromkeys((*_USUAL[:1], *(named or _USUAL[1:]))))


def _tried(job: Job, name: str, card: Card, *, said: bool) -> _Tried:
    precision = None if name == "fp16" else Precision(name)
    work = job.workload.model_copy(update={"kv_precision": precision})
    need = estimate_memory(work)
    cache = float(cache_of(need).value or 0.0) if said else 0.0
    return _Tried(name, work, need, fit_estimate(need, card.gpu, card.vram).verdict, cache)


def _way(tried: Sequence[_Tried]) -> Line:
    work = tried[0].work
    return used_way(NamedWay(work.method.value, format_code(work)))


def _shared(tried: Sequence[_Tried], card: Card) -> dict[str, Worded]:
    work = tried[0].work
    return {"model": model_named(work.ml_model.name), "way": _way(tried), "gives": gives(card, work.n_gpus)}


def _contexts(tried: Sequence[_Tried], card: Card) -> Line:
    """The longest context in each format that most likely fits."""
    longest = [largest_seq(one.work, card.gpu, card.vram, certainty=_CERTAINTY) for one in tried]
    if not any(longest):
        return Line("kv.room.none", _shared(tried, card))
    limit = tried[0].work.ml_model.max_seq
    rows = [
        Line("kv.room.at", {"length": Figure(float(one // _KILO), "ktoken"), "format": Label(way.name, "bits")})
        for one, way in zip(longest, tried, strict=True)
    ]
    capped = bool(limit) and min(longest) >= int(limit or 0)
    return Line("kv.room.capped" if capped else "kv.room", {**_shared(tried, card), "sizes": in_turn(rows)})


def _at_once(tried: Sequence[_Tried], card: Card) -> Line:
    """How many requests of the length each format most likely holds."""
    most = [largest_batch(one.work, card.gpu, card.vram, certainty=_CERTAINTY) for one in tried]
    if not any(most):
        return Line("kv.room.none", _shared(tried, card))
    rows = [
        Line("kv.room.served", {"most": one, "format": Label(way.name, "bits")})
        for one, way in zip(most, tried, strict=True)
    ]
    length = Figure((tried[0].work.seq_len or 0) / _KILO, "ktoken")
    return Line("kv.room.at_once", {**_shared(tried, card), "sizes": in_turn(rows), "length": length})


def _verdicts(tried: Sequence[_Tried], card: Card) -> Line:
    """What all takes at the context that was said, format by format, and whether that fits."""
    rows = [
        Line(
            "kv.room.need",
            {
                "format": Label(one.name, "bits"),
                "cache": gib(one.cache),
                "need": gib(one.need.total.value),
                "held": Line(f"kv.held.{one.verdict.value}"),
            },
        )
        for one in tried
    ]
    best = next((one for one in tried if one.verdict is Verdict.FITS), None)
    tight = next((one for one in tried if one.verdict is Verdict.TIGHT), None)
    found = best or tight
    code = "fits" if best else "tight" if tight else "no"
    length = Figure((tried[0].work.seq_len or 0) / _KILO, "ktoken")
    values = {**_shared(tried, card), "rows": in_turn(rows), "length": length}
    return Line(f"kv.said.{code}", {**values, "format": Label(found.name, "bits") if found else None})
