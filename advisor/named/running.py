"""What a card can do: usual jobs of each kind, each in the way that is meant there."""

from __future__ import annotations

from typing import Final

from advisor.catalog import Catalog
from advisor.errors import AdvisorError
from advisor.jobs.plan import Place
from advisor.jobs.spoken import Spoken
from advisor.models import Gpu
from advisor.named.asking import (
    Card,
    card_named,
    card_source,
    gpus_counted,
    named_text,
    planned,
    positive,
    shipped,
    sources_of,
    with_memory,
)
from advisor.named.pacing import speed_of
from advisor.named.results import RunRow, Runs
from advisor.named.shown import short

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


def _card(books: Catalog, name: str, memory_gb: float | None) -> Card | None:
    """The card with so much memory; None where only an amount was named."""
    if not name and memory_gb is not None:
        return None
    return with_memory(card_named(books, named_text(name, "what_runs", "a card")), memory_gb)


def _row(books: Catalog, place: Place, task: str, model: str, method: str) -> RunRow | None:
    asked = books.find_ml_model(model)
    if asked is None:
        return None
    try:
        chosen = planned(Spoken(methods=(method,)), asked, [place]).chosen[0]
    except (AdvisorError, LookupError):
        return None
    verdict = chosen.verdict
    rate, unit = _pace(books, place.gpu, place.n, asked.name, method) if verdict.runs else (None, "")
    return RunRow(task, asked.name, chosen.way.code, verdict.word.value, short(verdict.need), rate, unit)


def _pace(books: Catalog, gpu: Gpu | None, n: int, model: str, method: str) -> tuple[float | None, str]:
    if gpu is None:
        return None, ""
    try:
        made = speed_of(gpu.name, model, gpus=n, method=method, catalog=books)
    except AdvisorError:
        return None, ""
    return made.rate.value, made.rate.unit
