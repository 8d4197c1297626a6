"""What a card can do: usual jobs of each kind, each in the way that is meant there."""

from __future__ import annotations

from typing import Final

from advisor.catalog import Catalog
from advisor.errors import AdvisorError
from advisor.jobs.plan import Chosen, Place
from advisor.jobs.spoken import Spoken
from advisor.named.asking import (
    Card,
    card_named,
    card_source,
    gpus_counted,
    named_text,
    planned,
    positive,
    range_of,
    shipped,
    sources_of,
    with_memory,
)
from advisor.named.pacing import speed_of
from advisor.named.results import RunRow, Runs
from advisor.named.shown import short
from advisor.named.values import Range
from advisor.speed.hosts import usual_host
from advisor.speed.offload import processor_generation

_JOBS: Final = (
    ("run", "llm-8b", "inference"),
    ("run", "llm-14b", "inference"),
    ("run", "llm-32b", "inference"),
    ("run", "llm-70b", "inference"),
    ("run", "llm-120b", "inference"),
    ("tune", "llm-7b", "qlora"),
    ("tune", "llm-14b", "qlora"),
    ("tune", "llm-32b", "qlora"),
    ("draw", "stable-diffusion-xl-base-1.0", "inference"),
    ("draw", "FLUX.1-dev", "inference"),
    ("draw", "Wan2.2-TI2V-5B", "inference"),
    ("train", "resnet50", "train"),
    ("tune", "bert-base-uncased", "full"),
)
"""Kind of work, a model that stands for it, and the method."""
_SMALL: Final = (("run", "qwen2.5-3b", "inference"),)
_FOR_MODELS: Final = 0.8
"""Share of a machine's memory that the system leaves."""


def runs_on(gpu: str = "", *, gpus: int = 1, memory_gb: float | None = None, catalog: Catalog | None = None) -> Runs:
    """What a card, or an amount of memory without a name, can do: `what_runs("3060")`, `what_runs(memory_gb=16)`.

    Raises:
        UnknownName, OutOfRange, TypeError: as in `fit`; neither a name nor an amount.
    """
    books, n = catalog or shipped(), gpus_counted(gpus)
    card = _card(books, gpu, memory_gb)
    place = Place(card.gpu, n) if card else Place(None, n, positive("memory_gb", memory_gb))
    rows = [_row(books, place, *job) for job in _JOBS]
    return Runs(
        gpu=card.gpu.name if card else "",
        gpus=n,
        memory_gib=card.gpu.vram_gib if card else memory_gb,
        jobs=tuple(row for row in rows if row is not None),
        also=card.also if card else (),
        sources=sources_of(books, card_source(card.gpu) if card else ()),
    )


def runs_on_processor(ram_gib: float, *, catalog: Catalog | None = None) -> Runs:
    """What a machine without a card can write: language models in its memory, at the pace of a usual processor.

    Args:
        ram_gib: memory of the machine; the system keeps a fifth of it.
        catalog: as in `runs_on`.

    Raises:
        OutOfRange, TypeError: as in `fit`.
    """
    books = catalog or shipped()
    place = Place(None, 1, positive("ram_gib", ram_gib) * _FOR_MODELS)
    rows = [_row(books, place, *job, alone=True) for job in (*_SMALL, *_JOBS) if job[0] == "run"]
    return Runs(
        gpu="",
        gpus=1,
        memory_gib=short(ram_gib),
        jobs=tuple(row for row in rows if row is not None),
        also=(),
        sources=(),
    )


def _card(books: Catalog, name: str, memory_gb: float | None) -> Card | None:
    """The card with so much memory; None where only an amount was named."""
    if not name and memory_gb is not None:
        return None
    return with_memory(card_named(books, named_text(name, "what_runs", "a card")), memory_gb)


def _row(books: Catalog, place: Place, task: str, model: str, method: str, *, alone: bool = False) -> RunRow | None:
    """One job; `alone`: in the memory of a machine without a card."""
    asked = books.find_ml_model(model)
    if asked is None:
        return None
    try:
        chosen = planned(Spoken(methods=(method,)), asked, [place]).chosen[0]
    except (AdvisorError, LookupError):
        return None
    verdict = chosen.verdict
    rate = None
    if verdict.runs:
        rate = _written(chosen) if alone else _pace(books, place, asked.name, method)
    need, unit = short(verdict.need), rate.unit if rate else ""
    return RunRow(task, asked.name, chosen.way.code, verdict.word.value, need, rate.value if rate else None, unit)


def _written(chosen: Chosen) -> Range | None:
    """The pace of a usual processor."""
    try:
        return range_of(processor_generation(chosen.way.workload, usual_host()), "tokens/s")
    except AdvisorError:
        return None


def _pace(books: Catalog, place: Place, model: str, method: str) -> Range | None:
    if place.gpu is None:
        return None
    try:
        return speed_of(place.gpu.name, model, gpus=place.n, method=method, catalog=books).rate
    except AdvisorError:
        return None
