"""Why a model takes the memory that it takes: bytes for each parameter first, then what comes on top."""

from __future__ import annotations

from typing import Final

from advisor.errors import AdvisorError
from advisor.memory import MemoryEstimate
from advisor.models import Method
from bot.answers.asked_job import plan_of
from bot.answers.common import Job, job_of, models_of, named_gpus, source_refs, task_of
from bot.answers.memory.breakdown import breakdown, sum_line
from bot.answers.memory.cards import Card, gives
from bot.answers.memory.sizing import declined, elicit_model, estimated, is_llm, need_facts, source_ids
from bot.answers.phrases import NamedWay, model_named, used_way
from bot.core.answers import Answer, Decline, Outcome, answer_with
from bot.core.line import Figure, Line, Worded, gib, measured
from bot.core.request import Request

_GIB: Final = 1.073741824
_OF_MEMORY: Final = ("vram", "vram_amount", "memory", "ram")
_OTHERWISE: Final = ("slow", "rate_words", "out_of_memory", "compare", "exceeds", "scaling")
"""Ideas of a reason for something else."""
_STATES: Final = frozenset({"weights", "gradients", "optimizer"})
"""Parts that grow with the number of parameters alone."""
_NEAR: Final = 0.35
"""A figure that is said is that of a way whose need differs by no more than this share."""


def is_asked(request: Request) -> bool:
    """Whether the reason is asked for what a named model takes, and no card is weighed."""
    heard = request.heard
    about = heard.speaks_of(*_OF_MEMORY) or bool(heard.gigabytes)
    about = bool(request.slot("gpu_count")) if request.slot("gpu") else about
    asks = heard.shows("form", "why") and not heard.shows("form", "why_not")
    return asks and about and not heard.speaks_of(*_OTHERWISE)


def handle(request: Request) -> Outcome:
    """The way whose need is nearest to the figure that was said, else the plainest, taken apart."""
    named = models_of(request)
    if isinstance(named, Decline):
        return named
    if not named.models:
        return elicit_model()
    try:
        planned = plan_of(request, named.models[0], task=task_of(request))
        jobs = [job_of(request, way) for way in planned.ways.all]
        return _answer(request, jobs)
    except AdvisorError as error:
        return declined(error)


def _answer(request: Request, jobs: list[Job]) -> Answer:
    needs = [(estimated(request, job), job) for job in jobs]
    meant, job = _meant(request, needs)
    smallest = min((one for one, _ in needs if _same_use(one, meant)), key=lambda one: one.total.value)
    parts = breakdown(meant, short=True)
    return answer_with(
        headline=(_headline(meant),),
        lines=(
            *_shares(request, meant),
            sum_line(parts, round(meant.total.value, 1)),
            *((_less(smallest),) if _is_clearly_less(smallest, meant) else ()),
        ),
        facts=need_facts([meant]),
        trace=(meant.total.trace,),
        sources=source_refs(request, source_ids([meant])),
        assumptions=job.assumptions,
    )


def _shares(request: Request, meant: MemoryEstimate) -> tuple[Line, ...]:
    """That one card of those that are named does not hold it."""
    cards = named_gpus(request)
    if isinstance(cards, Decline) or not cards or not cards[0].gpu.vram_gib:
        return ()
    largest = max((cards[0].gpu, *cards[0].others), key=lambda gpu: gpu.vram_gib or 0.0)
    card = Card(largest, None)
    code = "reason.shared" if meant.total.value > card.usable else "reason.one_does"
    return (Line(code, {"need": gib(meant.total), "gives": gives(card)}),)


def _meant(request: Request, needs: list[tuple[MemoryEstimate, Job]]) -> tuple[MemoryEstimate, Job]:
    """The way that a stated figure is nearest to, by its need or its weights alone; without one the largest."""
    said = request.slot("vram_gb")
    if request.slot("precision"):
        return needs[0]
    if not said:
        runs = [one for one in needs if one[0].workload.method is Method.INFERENCE]
        return max(runs or needs, key=lambda one: one[0].total.value)
    return min(needs, key=lambda one: min(abs(one[0].total.value / said - 1), abs(_states_gb(one[0]) / said - 1)))


def _states_gb(estimate: MemoryEstimate) -> float:
    """GB of what grows with the parameters."""
    return sum(float(step.value or 0.0) for step in estimate.components if step.name in _STATES) * _GIB


def _same_use(one: MemoryEstimate, other: MemoryEstimate) -> bool:
    return (one.workload.method is Method.INFERENCE) == (other.workload.method is Method.INFERENCE)


def _named_way(estimate: MemoryEstimate) -> Line:
    work = estimate.workload
    return used_way(NamedWay(work.done, work.quant or (work.precision.value if work.precision else "")))


def _headline(meant: MemoryEstimate) -> Line:
    work = meant.workload
    states, parameters = _states_gb(meant), work.ml_model.parameters
    values: dict[str, Worded] = {
        "model": model_named(work.ml_model.name),
        "parameters": Figure(float(parameters), "parameter"),
        "way": _named_way(meant),
        "bytes": Figure(states * 1e9 / parameters, "byte"),
        "states": measured(states, "GB"),
        "gib": gib(states / _GIB),
        "need": gib(meant.total),
    }
    if not is_llm(work.ml_model):
        return Line("reason.parts", values)
    if work.method is Method.INFERENCE:
        return Line("reason.run", values)
    return Line("reason.full" if work.method is Method.FULL else "reason.trained", values)


def _is_clearly_less(smallest: MemoryEstimate, meant: MemoryEstimate) -> bool:
    return is_llm(meant.workload.ml_model) and smallest.total.value < meant.total.value * (1 - _NEAR)


def _less(smallest: MemoryEstimate) -> Line:
    return Line("reason.less", {"way": _named_way(smallest), "need": gib(smallest.total)})
