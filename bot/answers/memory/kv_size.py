"""How much the KV cache of a model takes, for the context that was said and for the usual ones."""

from __future__ import annotations

from typing import Final

from advisor.memory import MemoryEstimate, estimate_memory
from advisor.models import Method, MlModel, Precision, Step, Workload, step_of
from bot.answers.asked_job import people_of
from bot.answers.common import models_of, source_refs, step_sources
from bot.answers.memory.sizing import for_first_model
from bot.answers.phrases import in_turn, model_named
from bot.core.answers import Decline, Outcome, answer_with
from bot.core.line import Figure, Label, Line, Worded, gib
from bot.core.message import Fact, fact_of
from bot.core.request import Request

_USUAL: Final = (8_192, 32_768, 131_072)
"""Contexts that people think in."""
_CACHE: Final = "kv_cache"
_TOKENS: Final = 1024
_WHOLE: Final = "fp16"
_FORMATS: Final = frozenset({"fp8", "int8", "int4"})
"""Formats in which a cache is kept smaller."""


def is_asked(request: Request) -> bool:
    """Whether the size of the cache of a model that writes is asked for, and no card judged."""
    heard = request.heard
    named = models_of(request)
    if isinstance(named, Decline) or not named.models or not heard.speaks_of("kv_cache"):
        return False
    judged = bool(request.slot("vram_gb")) and heard.speaks_of("fits", "enough")
    judged = judged or bool(request.slot("gpu")) or _is_setting(request)
    return named.models[0].modality == "text-decoder" and not judged


def _is_setting(request: Request) -> bool:
    """Whether the format of the cache is a setting beside that of the weights: all of the memory is asked for."""
    held = request.slot("kv_precision")
    weights, caches = request.slot("precision"), request.heard.caches or ((held,) if held else ())
    return bool(caches) and isinstance(weights, str) and weights not in caches


def handle(request: Request) -> Outcome:
    """The cache at the context that was said, else for each thousand tokens; then at the usual ones."""
    return for_first_model(request, _answer)


def _answer(request: Request, model: MlModel) -> Outcome:
    several = _compared(request)
    if several:
        return _difference(request, model, *several)
    said = request.slot("seq_len")
    steps = {length: _cache(model, length) for length in _lengths(model, said)}
    others = in_turn([_at(length, step) for length, step in steps.items() if length != said])
    values: dict[str, Worded] = {"model": model_named(model.name), "sizes": others}
    if said:
        values |= _at(said, steps[said]).values
    first = next(iter(steps.values()))
    narrow = _in_formats(request, model, said or _USUAL[1])
    return answer_with(
        headline=(narrow or _usual(request, values, first),),
        lines=(Line("kv.less"),) if narrow is None else (Line("kv.less_than"),),
        facts=tuple(_fact(length, step) for length, step in steps.items()),
        trace=(first,),
        sources=source_refs(request, step_sources(first)),
    )


def _usual(request: Request, values: dict[str, Worded], first: Step) -> Line:
    """The cache in the usual format: of all at once, of one at the context that was said, or at the usual ones."""
    if not request.slot("seq_len"):
        return Line("kv.usual", values)
    people = people_of(request) or 1
    shared: dict[str, Worded] = {**values, "people": people, "all": gib(people * float(first.value or 0.0))}
    return Line("kv.people", shared) if people > 1 else Line("kv.said", values)


def _in_formats(request: Request, model: MlModel, length: int) -> Line | None:
    """The cache in the formats that are named; None where none but the usual one is."""
    named = request.heard.caches or _format_said(request)
    if not named or named == (_WHOLE,):
        return None
    sizes = [
        Line("kv.in", {"size": gib(float(_cache(model, length, one).value or 0.0)), "format": Label(one, "bits")})
        for one in dict.fromkeys((_WHOLE, *named))
    ]
    ordered = sizes[1:] if _WHOLE not in named else sizes
    values: dict[str, Worded] = {
        "model": model_named(model.name),
        "length": Figure(length / _TOKENS, "ktoken"),
        "sizes": in_turn(ordered),
        "whole": sizes[0] if _WHOLE not in named else None,
    }
    return Line("kv.formats", values)


def _format_said(request: Request) -> tuple[str, ...]:
    """The format that is spoken of: the size of the cache asks for none of the weights."""
    said = request.slot("precision")
    return (said,) if isinstance(said, str) and said in _FORMATS else ()


_SIDES: Final = 2
_OF_COMPARING: Final = ("compare", "differs", "or_word")


def are_compared(request: Request) -> bool:
    """Whether two contexts of a named model are set side by side by the memory that they take."""
    if request.slot("gpu") or not _compared(request):
        return False
    named = models_of(request)
    return not isinstance(named, Decline) and bool(named.models) and named.models[0].modality == "text-decoder"


def _compared(request: Request) -> tuple[int, ...]:
    """Two contexts that are set side by side, the shorter first; empty without two."""
    lengths = sorted({_full(one) for one in request.heard.lengths if one >= _TOKENS})
    return tuple(lengths) if len(lengths) == _SIDES and request.heard.speaks_of(*_OF_COMPARING) else ()


def _full(length: int) -> int:
    """Tokens of a context that was told in thousands."""
    return length // 1000 * _TOKENS if length % 1000 == 0 else length


def _difference(request: Request, model: MlModel, short: int, long: int) -> Outcome:
    """How much more the longer context takes; weights are the same."""
    less, more = _cache(model, short), _cache(model, long)
    by = float(more.value or 0.0) - float(less.value or 0.0)
    values: dict[str, Worded] = {
        "model": model_named(model.name),
        "by": gib(by),
        "short": _at(short, less),
        "long": _at(long, more),
    }
    return answer_with(
        headline=(Line("kv.differ", values),),
        lines=(Line("kv.less"),),
        facts=(_fact(short, less), _fact(long, more), fact_of(name="difference", value=by, unit="GiB")),
        trace=(more,),
        sources=source_refs(request, step_sources(more)),
    )


def _lengths(model: MlModel, said: int | None) -> list[int]:
    """The context that was said, if any, then the usual ones that the model reads."""
    limit = model.max_seq or _USUAL[-1]
    usual = [length for length in _USUAL if length <= limit] or [limit]
    return list(dict.fromkeys((*([said] if said else ()), *usual)))


def _at(length: int, step: Step) -> Line:
    return Line("kv.at", {"length": Figure(length / _TOKENS, "ktoken"), "size": gib(float(step.value or 0.0))})


def _fact(length: int, step: Step) -> Fact:
    return fact_of(name=f"kv_cache_{length}", value=step.value, unit="GiB", basis=step.how)


def _cache(model: MlModel, length: int, kept_in: str = "") -> Step:
    """The cache of one request at a length, in GiB: in 16 bits, or in the format it is kept in."""
    work = Workload(
        ml_model=model,
        method=Method.INFERENCE,
        precision=Precision.FP16,
        batch=1,
        seq_len=length,
        kv_precision=Precision(kept_in) if kept_in and kept_in != _WHOLE else None,
    )
    return cache_of(estimate_memory(work))


def cache_of(made: MemoryEstimate) -> Step:
    """The part of an estimate that the cache takes."""
    found = next((step for step in made.components if step.name == _CACHE), None)
    return found or step_of(name=_CACHE, value=0.0, unit="GiB", how="none")
