"""Different cards in one machine: what lockstep costs, what memory counts, whether one CUDA serves them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from advisor.errors import AdvisorError
from advisor.memory.bands import probability_of_fit
from advisor.memory.figure import figure_of
from advisor.memory.fit import band_in, usable_gib, verdict_of
from advisor.models import Method, MlModel, Precision, Workload
from advisor.speed.contest import Side
from advisor.speed.mixed import MixedEstimate, mixed
from advisor.speed.uses import LADDER, largest_held
from bot.answers.choose.mixed_lines import Held, Mixed, blocks_of, headline_of, lines_of
from bot.answers.choose.side_jobs import trains
from bot.answers.common import NamedGpu, elicit_gpu, job_for, models_of, named_gpus, source_refs, step_sources
from bot.answers.documents.passages import passage_answer
from bot.answers.memory.sizing import is_llm
from bot.answers.speed.pace import GENERATING, counts_of, filled, job_that_fits, jobs_for, variant_notes
from bot.core.answers import Answer, Decline, Outcome, answer_with
from bot.core.line import Figure
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
    try:
        told = _mix(request, models.models[0] if models.models else None, cards)
    except AdvisorError:
        return passage_answer(request, _INTENT) or elicit_gpu()
    return _answer(request, cards, told)


def _mix(request: Request, model: MlModel | None, cards: list[NamedGpu]) -> Mixed:
    """The speeds of a mix, and of a language model that it only runs whether it holds it. Raises AdvisorError."""
    sides = [Side(card.gpu, n) for card, n in zip(cards, counts_of(request, cards), strict=True)]
    job = filled(request, job_that_fits(request, model, sides), sides) if model else None
    made = mixed(sides, jobs_for(request, job)[0].workloads[0])
    runs = _only_runs(request, model)
    held = held_together(request, model, sides) if runs and model is not None and is_llm(model) else None
    return Mixed(made, runs=runs, held=held)


def _only_runs(request: Request, model: MlModel | None) -> bool:
    """A language model that only runs is split by layers: nobody waits for a step of the others."""
    engines = _ENGINES.intersection(request.heard.sides("programs"))
    named = model is not None and is_llm(model) and not trains(request)
    open_use = model is None and not request.heard.speaks_of("training", "finetuning") and not trains(request)
    pooled = open_use and request.heard.speaks_of("vram", "pooling", "language_model")
    return (
        named or pooled or request.slot("method") == "inference" or request.slot("task") in GENERATING or bool(engines)
    )


def held_together(request: Request, model: MlModel, sides: Sequence[Side]) -> Held | None:
    """Whether cards of one maker hold a model that is split over them by layers; None where a size is not known.

    In 4 bit, where no other format is said; each card takes as much as where so many equal ones share the model.
    """
    work = _in_its_format(request, job_for(request, model).workload)
    sizes = [usable_gib(side.gpu, side.gpu.vram_gib) * side.n for side in sides if side.gpu.vram_gib]
    if work.method is not Method.INFERENCE or len(sizes) < len(sides):
        return None
    n, usable = sum(side.n for side in sides), sum(sizes)
    each = figure_of(work.model_copy(update={"n_gpus": n, "parallel": None}))
    verdict = verdict_of(each.value * n, probability_of_fit(each.value * n, band_in(each), usable), usable)
    ladder = [request.services.catalog.get_ml_model(name) for name in LADDER]
    whole = sides[0].gpu.model_copy(update={"vram_gib": usable})
    by_size = sorted(sides, key=lambda side: side.gpu.vram_gib or 0.0)
    names = (by_size[-1].gpu.name, by_size[0].gpu.name)
    need = Figure(each.value * n, "GiB", low=each.low * n, high=each.high * n)
    form = work.quant or (work.precision or Precision.INT4).value
    return Held(model.name, form, need, usable, verdict, largest_held(whole, ladder), *names)


def _in_its_format(request: Request, work: Workload) -> Workload:
    """The work in the format that was said, else in 4 bit."""
    return work if request.slot("precision") else work.model_copy(update={"precision": Precision.INT4, "quant": None})


def _answer(request: Request, cards: list[NamedGpu], told: Mixed) -> Answer:
    made = told.made
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
