"""Different cards in one machine: what lockstep costs, what memory counts, whether one CUDA serves them all."""

from __future__ import annotations

from typing import Final

from advisor.errors import AdvisorError
from advisor.speed.contest import Side
from advisor.speed.mixed import MixedEstimate, mixed
from bot.answers.choose.mixed_lines import Mixed, blocks_of, headline_of, lines_of
from bot.answers.common import NamedGpu, elicit_gpu, models_of, named_gpus, source_refs, step_sources
from bot.answers.documents.passages import passage_answer
from bot.answers.speed.pace import GENERATING, counts_of, filled, job_that_fits, jobs_for, variant_notes
from bot.core.answers import Answer, Decline, Outcome, answer_with
from bot.core.message import Fact, fact_of
from bot.core.request import Request

_INTENT: Final = "mixed_gpu_types"
_BASIS: Final = {True: ("seed-002",), False: ("by-vulkan-cuda",)}
"""What is known of cards of one maker in one machine, and of those of two."""
_ENGINES: Final = frozenset({"llama.cpp", "exllama", "vllm", "sglang", "tensorrt-llm", "ktransformers"})
"""Programs that only run models."""


def handle(request: Request) -> Outcome:
    """Judge the named mix; without two cards answer from the documents."""
    cards = named_gpus(request)
    if isinstance(cards, Decline):
        return cards
    models = models_of(request)
    if isinstance(models, Decline):
        return models
    if len(cards) < 2:
        return passage_answer(request, _INTENT) or elicit_gpu()
    sides = [Side(card.gpu, n) for card, n in zip(cards, counts_of(request, cards), strict=True)]
    try:
        job = filled(request, job_that_fits(request, models.models[0], sides), sides) if models.models else None
        made = mixed(sides, jobs_for(request, job)[0].workloads[0])
    except AdvisorError:
        return passage_answer(request, _INTENT) or elicit_gpu()
    return _answer(request, cards, made)


def _only_runs(request: Request) -> bool:
    """A language model that only runs is split by layers: nobody waits for a step of the others."""
    engines = _ENGINES.intersection(request.heard.sides("programs"))
    return request.slot("method") == "inference" or request.slot("task") in GENERATING or bool(engines)


def _answer(request: Request, cards: list[NamedGpu], made: MixedEstimate) -> Answer:
    told = Mixed(made, runs=_only_runs(request))
    return answer_with(
        headline=(headline_of(told),),
        lines=lines_of(told),
        blocks=blocks_of(told),
        facts=_facts(made),
        trace=(made.trace,),
        sources=source_refs(request, (*_BASIS[made.one_vendor], *step_sources(made.trace))),
        notes=(*variant_notes(cards), *made.notes),
        result=made,
    )


def _facts(made: MixedEstimate) -> tuple[Fact, ...]:
    facts = [
        fact_of(name="mixed_speed", value=made.together, unit="x", basis="cards x slowest / fastest"),
        fact_of(name="separate_speed", value=made.apart, unit="x", basis="each card on its own job"),
        fact_of(name="fastest_over_slowest", value=made.ratio, unit="x", basis="calibrated roofline"),
    ]
    if made.smallest_gib is not None:
        facts.append(fact_of(name="vram_per_card", value=made.smallest_gib, unit="GiB", basis="smallest card"))
    if made.total_gib is not None:
        facts.append(fact_of(name="vram_total", value=made.total_gib, unit="GiB", basis="sum, when split by layers"))
    if made.last_cuda:
        facts.append(fact_of(name="last_cuda", value=made.last_cuda, basis=made.limited_by))
    return tuple(facts)
