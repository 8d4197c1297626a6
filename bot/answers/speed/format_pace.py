"""How much faster one number format writes than another, for a model on a card."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from advisor.errors import AdvisorError
from advisor.memory import Verdict, estimate_memory, fit_estimate
from advisor.models import Gpu, MlModel
from advisor.speed import tokens_per_second
from bot.answers.asked_job import gguf_of
from bot.answers.common import decline_error, models_of, named_gpus, source_refs, step_sources
from bot.answers.memory.formats import formats_named, label_of, quality_told, run_in
from bot.answers.phrases import cards_named, model_named
from bot.answers.speed.time_lines import told
from bot.core.answers import Decline, Outcome, answer_with, assumption_of
from bot.core.line import Figure, Line, gib
from bot.core.message import fact_of
from bot.core.request import Request

_SIDES: Final = 2
_USUAL_MODEL: Final = "llm-8b"
_USUAL_CARD: Final = "RTX 3090"
"""What two kinds of files are set side by side on where nothing is named: the ratio hardly depends on it."""
_ALIKE: Final = 0.05
_RUN: Final = frozenset({None, "inference"})
_WIDE: Final = frozenset({"fp32", "tf32", "fp16", "bf16", "mixed"})
"""Formats that models are trained in, so that two of them are weighed for that."""


def is_asked(request: Request) -> bool:
    """Whether two formats of a model are set side by side by their pace on a card, and none is trained."""
    heard, named = request.heard, set(formats_named(request))
    quick = heard.shows("effect", "speed") or heard.shows("asked", "time") or heard.speaks_of("rate_words")
    if len(named) != _SIDES or not quick:
        return False
    if (heard.wished("gpu") and heard.wished("model")) or len(gguf_of(request)) == _SIDES:
        return True
    return bool(heard.wished("gpu")) and _is_run(request) and not named <= _WIDE


def _is_run(request: Request) -> bool:
    """Whether nothing speaks of training, and nothing that was seen is to be explained."""
    heard = request.heard
    trained = heard.speaks_of("training", "finetuning", "pretraining") or request.slot("method") not in _RUN
    return not (trained or heard.shows("form", "why") or heard.speaks_of("slow", "why_ask"))


def handle(request: Request) -> Outcome:
    """How many times as fast the quicker one is, with both paces."""
    named, cards = models_of(request), named_gpus(request)
    if isinstance(named, Decline):
        return named
    if isinstance(cards, Decline):
        return cards
    catalog = request.services.catalog
    model = named.models[0] if named.models else catalog.get_ml_model(_USUAL_MODEL)
    gpu = cards[0].gpu if cards else catalog.get_gpu(_USUAL_CARD)
    try:
        paces = {name: tokens_per_second(run_in(model, name), gpu, 1).decode for name in formats_named(request)}
    except AdvisorError as error:
        return decline_error(error)
    (quick, fast), (slow, less) = sorted(paces.items(), key=lambda one: -one[1].value)
    times = fast.value / less.value
    values = {
        "quick": label_of(quick),
        "slow": label_of(slow),
        "times": Figure(times, "times"),
        "fast": told(fast, "token/s"),
        "less": told(less, "token/s"),
        "model": model_named(model.name),
        "card": cards_named(gpu.name),
    }
    return answer_with(
        headline=(Line("format_pace.same" if times - 1 < _ALIKE else "format_pace.faster", values),),
        lines=(*_too_big(model, gpu, paces), *_quality(request, model, quick, slow), Line("format_pace.why")),
        facts=tuple(
            fact_of(name=f"tokens_per_second:{name}", value=one.value, low=one.low, high=one.high, unit="token/s")
            for name, one in paces.items()
        ),
        trace=(fast.trace, less.trace),
        sources=source_refs(request, step_sources(fast.trace, less.trace)),
        assumptions=(
            *(() if named.models else (assumption_of(slot="model", value=model.name),)),
            *(() if cards else (assumption_of(slot="gpu", value=gpu.name),)),
        ),
    )


def _quality(request: Request, model: MlModel, narrow: str, wide: str) -> tuple[Line, ...]:
    """What the fewer bits cost, where quality is spoken of, too."""
    heard = request.heard
    asked = heard.speaks_of("lossy", "quality") or heard.shows("effect", "quality")
    return quality_told(request, model, wide, narrow) if asked else ()


def _too_big(model: MlModel, gpu: Gpu, formats: Iterable[str]) -> tuple[Line, ...]:
    """The formats that the card does not hold, so that their pace is one of a larger card."""
    needs = {name: estimate_memory(run_in(model, name)) for name in formats}
    short = [name for name, need in needs.items() if fit_estimate(need, gpu, None).verdict is Verdict.NO]
    return tuple(
        Line("format_pace.too_big", {"format": label_of(name), "need": gib(needs[name].total.value), "card": gpu.name})
        for name in short
    )
