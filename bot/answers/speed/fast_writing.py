"""Why a language model writes as fast as it does: what each token reads, and how fast the card reads."""

from __future__ import annotations

from typing import Final

from bot.answers.common import elicit_gpu, fact, source_refs, step_sources
from bot.answers.phrases import cards_named, model_named, used_way
from bot.answers.speed.slow_writing import Pace, pace_of, slow_answer
from bot.answers.speed.time_lines import told
from bot.core.answers import Outcome, answer_with
from bot.core.line import Figure, Line, Worded, measured
from bot.core.request import Request

_HALF: Final = 0.5
"""Of a mixture of experts less than this share of the parameters is read for a token."""


def is_asked(request: Request) -> bool:
    """Whether the reason for a high pace is asked."""
    heard = request.heard
    return heard.shows("pace", "quick") and heard.shows("form", "why") and not heard.speaks_of("slow")


def handle(request: Request) -> Outcome:
    """The pace of the model and card spoken of, by what is read for each token."""
    pace = pace_of(request)
    if pace is None:
        return elicit_gpu()
    if pace.spilt is not None:
        return slow_answer(request) or elicit_gpu()
    return answer_with(
        headline=(_headline(request, pace),),
        facts=(*pace.facts, fact("tokens_per_second", pace.rate)),
        trace=(pace.rate.trace,),
        sources=source_refs(request, step_sources(pace.rate.trace)),
        assumptions=pace.assumptions,
    )


def _headline(request: Request, pace: Pace) -> Line:
    """What is read for each token: the active part of a mixture of experts, else all weights in few bits."""
    gpu, n = pace.side.gpu, pace.side.n
    model = pace.model
    active = model.active_parameters
    values: dict[str, Worded] = {
        "card": cards_named(gpu.name, n),
        "model": model_named(model.name),
        "way": used_way(pace.way),
        "rate": told(pace.rate, "token/s"),
        "bandwidth": measured(gpu.memory_bandwidth_gb_per_s, "GB/s") if gpu.memory_bandwidth_gb_per_s else None,
        "parameters": Figure(float(model.parameters), "parameter"),
    }
    if not request.heard.shows("form", "why"):
        return Line("fast.bound", values)
    if active is not None and active < _HALF * model.parameters:
        return Line("fast.experts", {**values, "active": Figure(float(active), "parameter")})
    return Line("fast.read", values)
