"""Memory by name: whether a model fits a card, and what it takes."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

from advisor.catalog import Catalog
from advisor.jobs.plan import Chosen, Place
from advisor.jobs.spoken import Spoken
from advisor.jobs.verdict import Verdict
from advisor.jobs.ways import does_of
from advisor.memory.estimate import brief, estimate_memory
from advisor.memory.figure import figure_of
from advisor.memory.results import MemoryEstimate
from advisor.memory.results import Verdict as Word
from advisor.models import MlModel
from advisor.named.asking import (
    JobWords,
    assumed_of,
    card_source,
    gpus_counted,
    job_said,
    model_named,
    named_text,
    pair_named,
    planned,
    range_of,
    settings_of,
    shipped,
    sources_of,
    step_sources,
    with_memory,
)
from advisor.named.results import Fit, Memory, Part, WayRow
from advisor.named.shown import short


def fit(
    gpu: str,
    model: str,
    *,
    gpus: int = 1,
    memory_gb: float | None = None,
    catalog: Catalog | None = None,
    **job: Unpack[JobWords],
) -> Fit:
    """Whether a model fits a card: `fit("4090", "qwen2.5-14b", method="lora")`.

    Args:
        gpu: name of the card; card and model may change places.
        model: name of the model, or a size such as "7b".
        gpus: cards that share the job.
        memory_gb: of one card, for machines sold with several sizes and modified cards.
        catalog: another catalogue than the shipped one.
        job: see `JobWords`; what is left open is chosen as people usually do it, and listed in `assumed`.

    Raises:
        UnknownName: a card, model, method or task that nobody knows, with the nearest names.
        OutOfRange: a number that no machine has.
        UnsupportedCombination: nothing published supports an estimate.
        TypeError: something that is no name or number.
    """
    books, said = catalog or shipped(), job_said(job, "fit")
    card, asked = pair_named(books, gpu, model, "fit")
    card = with_memory(card, memory_gb)
    plan = planned(said, asked, [Place(card.gpu, gpus_counted(gpus))])
    chosen = plan.chosen[0]
    verdict = chosen.verdict
    detail = estimate_memory(chosen.way.on(verdict.n), card.gpu)
    ids = (*step_sources(detail.total.trace), *card_source(card.gpu), *plan.ways.kind.sources)
    return Fit(
        gpu=card.gpu.name,
        gpus=verdict.n,
        model=asked.called,
        way=chosen.way.code,
        verdict=verdict.word.value,
        probability=None if verdict.probability is None else short(verdict.probability),
        need=range_of(brief(verdict.figure), "GiB"),
        parts=_parts(detail),
        supported=detail.supported,
        usable_gib=_short(verdict.usable),
        margin_gib=_short(verdict.margin),
        ways=tuple(_way_row(way.code, one) for way, one in plan.table(chosen.place)),
        instead=_instead(said, asked, chosen),
        settings=settings_of(detail.workload),
        assumed=assumed_of(chosen.way),
        also=card.also,
        sources=sources_of(books, ids),
    )


def memory_of(model: str, *, gpus: int = 1, catalog: Catalog | None = None, **job: Unpack[JobWords]) -> Memory:
    """Memory that a model takes of each card: `estimate_memory("Qwen2.5-14B", method="lora")`.

    Args and errors as in `fit`.
    """
    books, said = catalog or shipped(), job_said(job, "estimate_memory")
    asked = model_named(books, named_text(model, "estimate_memory", "a model, such as 'Qwen2.5-14B', or a Workload"))
    plan = planned(said, asked)
    n = gpus_counted(gpus)
    made = estimate_memory(plan.way.on(n))
    return Memory(
        model=asked.called,
        gpus=n,
        way=plan.way.code,
        need=range_of(made.total, "GiB"),
        parts=_parts(made),
        ways=tuple((way.code, short(figure_of(way.on(n)).value)) for way in plan.ways.all),
        supported=made.supported,
        settings=settings_of(made.workload),
        assumed=assumed_of(plan.way),
        sources=sources_of(books, (*step_sources(made.total.trace), *plan.ways.kind.sources)),
    )


def _parts(made: MemoryEstimate) -> tuple[Part, ...]:
    return tuple(Part(one.name, short(float(str(one.value)))) for one in made.components)


def _instead(said: Spoken, model: MlModel, chosen: Chosen) -> str:
    """A way that fits where the one that was named does not."""
    if chosen.verdict.word is not Word.NO or not (said.methods or said.precisions):
        return ""
    open_job = replace(said, methods=(), precisions=())
    other = planned(open_job, model, [chosen.place], does=does_of(said, model)).chosen[0]
    return other.way.code if other.verdict.word is Word.FITS else ""


def _way_row(code: str, verdict: Verdict) -> WayRow:
    return WayRow(code, verdict.word.value, short(verdict.need), _short(verdict.margin))


def _short(value: float | None) -> float | None:
    return None if value is None else short(value)
