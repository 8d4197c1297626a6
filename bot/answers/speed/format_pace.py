"""How much faster one number format writes than another, for a model on a card."""

from __future__ import annotations

from typing import Final

from advisor.errors import AdvisorError
from advisor.speed import tokens_per_second
from bot.answers.asked_job import gguf_of
from bot.answers.common import decline_error, models_of, named_gpus, source_refs, step_sources
from bot.answers.memory.formats import formats_named, label_of, run_in
from bot.answers.phrases import cards_named, model_named
from bot.answers.speed.time_lines import told
from bot.core.answers import Decline, Outcome, answer_with, assumption_of
from bot.core.line import Figure, Line
from bot.core.message import fact_of
from bot.core.request import Request

_SIDES: Final = 2
_USUAL_MODEL: Final = "llm-8b"
_USUAL_CARD: Final = "RTX 3090"
"""What two kinds of files are set side by side on where nothing is named: the ratio hardly depends on it."""
_ALIKE: Final = 0.05


def is_asked(request: Request) -> bool:
    """Whether two formats of a model are set side by side by their pace on a card, and none is trained."""
    heard = request.heard
    if len(formats_named(request)) != _SIDES or not (heard.shows("effect", "speed") or heard.shows("asked", "time")):
        return False
    return bool(heard.wished("gpu") and heard.wished("model")) or len(gguf_of(request)) == _SIDES


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
        lines=(Line("format_pace.why"),),
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
