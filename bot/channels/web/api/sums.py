"""Memory, fit, speed and time of a job: the named functions of the advisor, in the shape that programs rely on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from advisor.named.asking import JobWords
from advisor.named.fitting import fit as fit_named
from advisor.named.fitting import memory_of
from advisor.named.pacing import speed_of, time_of
from advisor.named.results import Part
from advisor.named.values import Assumed
from advisor.named.values import Settings as Rests
from bot.channels.web.api.inputs import FitIn, Job, MemoryIn, SpeedIn, TimeIn
from bot.channels.web.api.outputs import FitOut, MemoryOut, PartOut, Settings, SpeedOut, TimeOut, WayOut
from bot.channels.web.api.shelf import Shelf, cited, figure, round_to

_CALLED: Final = {"seq_len": "context"}


def words_of(job: Job) -> JobWords:
    """What was said of a job; what was not is left open."""
    return {
        "method": job.method.value if job.method else None,
        "precision": job.quant or (job.precision.value if job.precision else None),
        "optimizer": job.optimizer.value if job.optimizer else None,
        "batch": job.batch,
        "seq_len": job.context,
        "checkpointing": job.checkpointing,
        "lora_rank": job.lora_rank,
        "users": job.users,
    }


def memory(shelf: Shelf, asked: MemoryIn) -> MemoryOut:
    """Memory that a job needs, of each card. Raises AdvisorError for what cannot be worked out."""
    found = memory_of(asked.model, gpus=asked.cards, catalog=shelf.catalog, **words_of(asked))
    return MemoryOut(
        data_version=shelf.catalog.version,
        sources=cited(found.sources),
        need=figure(found.need),
        parts=_parts(found.parts),
        supported=found.supported,
        settings=settings_of(found.model, found.settings, found.assumed),
        way=found.way,
    )


def fit(shelf: Shelf, asked: FitIn) -> FitOut:
    """Whether a job fits on a card. Raises AdvisorError for what cannot be worked out."""
    found = fit_named(asked.gpu, asked.model, gpus=asked.cards, catalog=shelf.catalog, **words_of(asked))
    return FitOut(
        data_version=shelf.catalog.version,
        sources=cited(found.sources),
        need=figure(found.need),
        parts=_parts(found.parts),
        supported=found.supported,
        settings=settings_of(found.model, found.settings, found.assumed),
        way=found.way,
        verdict=found.verdict,
        probability=None if found.probability is None else round(found.probability, 4),
        gpu=found.gpu,
        cards=found.gpus,
        usable_gib=found.usable_gib,
        margin_gib=None if found.margin_gib is None else round_to(found.margin_gib),
        ways=[
            WayOut(
                way=one.way,
                verdict=one.verdict,
                need_gib=round_to(one.need_gib),
                margin_gib=None if one.margin_gib is None else round_to(one.margin_gib),
            )
            for one in found.ways
        ],
        instead=found.instead or None,
    )


def _parts(found: Iterable[Part]) -> list[PartOut]:
    return [PartOut(name=one.name, gib=round_to(one.gib)) for one in found]


def settings_of(model: str, rests: Rests, assumed: Iterable[Assumed]) -> Settings:
    """The filled-in job, and what was not given."""
    return Settings(
        model=model,
        method=rests.method,
        precision=rests.precision,
        quant=rests.quant,
        batch=rests.batch,
        context=rests.seq_len,
        assumed=[_CALLED.get(one.field, one.field) for one in assumed],
    )


def speed(shelf: Shelf, asked: SpeedIn) -> SpeedOut:
    """How fast a job runs. Raises AdvisorError for what cannot be worked out."""
    found = speed_of(asked.gpu, asked.model, gpus=asked.cards, catalog=shelf.catalog, **words_of(asked))
    return SpeedOut(
        data_version=shelf.catalog.version,
        sources=cited(found.sources),
        gpu=found.gpu,
        cards=found.gpus,
        model=found.model,
        rate=figure(found.rate),
        prefill=figure(found.prompt) if found.prompt else None,
        bound=found.bound or None,
        way=found.way,
        verdict=found.verdict,
        seconds=found.seconds,
        in_ram_gib=found.in_ram_gib,
        settings=settings_of(found.model, found.settings, found.assumed),
    )


def time(shelf: Shelf, asked: TimeIn) -> TimeOut:
    """How long a training run takes. Raises AdvisorError for what cannot be worked out."""
    words = words_of(asked)
    words |= {"epochs": asked.epochs, "dataset": asked.dataset}
    found = time_of(
        asked.gpu,
        asked.model,
        gpus=asked.cards,
        samples=asked.samples,
        tokens=asked.tokens,
        catalog=shelf.catalog,
        **words,
    )
    return TimeOut(
        data_version=shelf.catalog.version,
        sources=cited(found.sources),
        gpu=found.gpu,
        cards=found.gpus,
        model=found.model,
        hours=figure(found.hours),
        gpu_hours=round_to(found.gpu_hours),
        rate=figure(found.rate),
        way=found.way,
        verdict=found.verdict,
        settings=settings_of(found.model, found.settings, found.assumed),
    )
