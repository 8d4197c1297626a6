"""Speed and time by name: tokens, pictures or samples a second, and how long a training run takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Unpack

from advisor.catalog import Catalog
from advisor.errors import UnsupportedCombination
from advisor.jobs.filling import filled_batch, keeping_activations, roomy
from advisor.jobs.plan import Chosen, Place
from advisor.jobs.usual import Does
from advisor.memory.results import Verdict as Word
from advisor.models import Estimate, Gpu, Method, MlModel, Step, Workload
from advisor.named.asking import (
    Card,
    JobWords,
    assumed_of,
    card_source,
    gpus_counted,
    job_said,
    pair_named,
    planned,
    positive,
    range_of,
    settings_of,
    shipped,
    sources_of,
    step_sources,
)
from advisor.named.results import Speed, Time
from advisor.named.shown import short
from advisor.named.values import Assumed, Range, Source
from advisor.speed import (
    Dataset,
    estimate_throughput,
    estimate_time,
    find_dataset,
    offloaded_generation,
    pictures_per_minute,
    speech_real_time,
    tokens_per_second,
)
from advisor.speed.clusters import divided_over
from advisor.speed.datasets import DATASETS
from advisor.speed.hosts import host_of, is_server, processor_in
from advisor.speed.rate import generates

_TOKENS: Final = "tokens/s"
_UNITS: Final = {"tok": _TOKENS, "img": "images/s", "seq": "sequences/s"}


@dataclass(slots=True)
class Paced:
    """One kind of figure: its rate, and what stands beside it."""

    rate: Range
    trail: Step
    bound: str = ""
    """What the time mostly goes to; empty where it is not split."""
    prompt: Range | None = None
    per_user: float | None = None
    seconds: float | None = None
    in_ram: float | None = None

    @classmethod
    def of(cls, rate: Estimate, unit: str, bound: str = "") -> Paced:
        """An estimate with its unit."""
        return cls(range_of(rate, unit), rate.trace, bound)


def speed_of(
    gpu: str, model: str, *, gpus: int = 1, ram: str = "", catalog: Catalog | None = None, **job: Unpack[JobWords]
) -> Speed:
    """How fast a card does a job: `estimate_speed("4090", "qwen2.5-7b")`.

    Args:
        gpu: as in `fit`, like all that is not named here.
        model: as in `fit`.
        gpus: as in `fit`.
        ram: memory and processor of the machine, which set the pace of what the card does not hold: "DDR4-3200",
            "2 x EPYC 9654, DDR5", "DDR5, 8 channels"; a usual machine when empty.
        catalog: as in `fit`.
        job: as in `fit`. Errors are those of `fit`.
    """
    books, said = catalog or shipped(), job_said(job, "estimate_speed")
    card, asked = pair_named(books, gpu, model, "estimate_speed")
    plan = planned(said, asked, [Place(card.gpu, gpus_counted(gpus))])
    chosen = plan.chosen[0]
    work, batch = busy(chosen, said.batch)
    made = paced(work, chosen, said.people or 1, ram)
    return Speed(
        gpu=card.gpu.name,
        gpus=chosen.verdict.n,
        model=asked.called,
        way=chosen.way.code,
        verdict=chosen.verdict.word.value,
        rate=made.rate,
        per_user=made.per_user,
        prompt=made.prompt,
        seconds=made.seconds,
        bound=made.bound,
        in_ram_gib=made.in_ram,
        settings=settings_of(work),
        assumed=_with_batch(assumed_of(chosen.way), batch),
        sources=_sources(books, card, step_sources(made.trail)),
    )


def time_of(
    gpu: str,
    model: str,
    *,
    gpus: int = 1,
    samples: float | None = None,
    tokens: float | None = None,
    catalog: Catalog | None = None,
    **job: Unpack[JobWords],
) -> Time:
    """How long a training run takes: `estimate_time("4090", "qwen2.5-7b", dataset="alpaca-52k", method="lora")`.

    Args:
        gpu: as in `fit`, like all that is not named here.
        model: as in `fit`.
        gpus: as in `fit`.
        samples: of one round; or
        tokens: of one round; or `dataset`, whose size is known.
        catalog: as in `fit`.
        job: as in `fit`; `epochs` is the data set's usual number when left open, else 1.

    Raises:
        UnsupportedCombination: no amount of data was named, or the job trains nothing.
    """
    books, said = catalog or shipped(), job_said(job, "estimate_time")
    card, asked = pair_named(books, gpu, model, "estimate_time")
    data = _data(said.dataset)
    if data is None and samples is None and tokens is None:
        raise UnsupportedCombination("name how much data there is: dataset=, samples= or tokens=", missing="dataset")
    plan = planned(said, asked, [Place(card.gpu, gpus_counted(gpus))], does=doing(said.methods, asked))
    chosen = plan.chosen[0]
    work, batch = busy(chosen, said.batch)
    if work.method is Method.INFERENCE:
        raise UnsupportedCombination("time is worked out for training; estimate_speed tells how fast a model answers")
    made = estimate_time(
        divided_over(work, chosen.verdict.n),
        card.gpu,
        chosen.verdict.n,
        samples=None if samples is None else positive("samples", samples),
        tokens=None if tokens is None else positive("tokens", tokens),
        dataset=data,
        epochs=said.epochs,
    )
    rounds = () if said.epochs is not None else (Assumed("epochs", f"{made.epochs:g}"),)
    return Time(
        gpu=card.gpu.name,
        gpus=chosen.verdict.n,
        model=asked.called,
        way=chosen.way.code,
        verdict=chosen.verdict.word.value,
        hours=range_of(made.hours, "h"),
        gpu_hours=short(made.gpu_hours),
        rate=range_of(made.speed.rate, _unit(made.speed.unit)),
        samples=short(made.samples),
        epochs=made.epochs,
        settings=settings_of(work),
        assumed=(*_with_batch(assumed_of(chosen.way), batch), *rounds),
        sources=_sources(books, card, step_sources(made.hours.trace)),
    )


def _data(name: str | None) -> Dataset | None:
    if name is None:
        return None
    found = find_dataset(name)
    if found is None:
        known = ", ".join(one.name for one in DATASETS)
        raise UnsupportedCombination(f"the size of {name!r} is not on record: give samples=; known are {known}")
    return found


def doing(methods: tuple[str, ...], model: MlModel) -> Does | None:
    """What is done with a model where data are named and no method."""
    if methods:
        return None
    return Does.TRAIN if model.modality == "vision" else Does.TUNE


def busy(chosen: Chosen, batch: int | None) -> tuple[Workload, int | None]:
    """The job at a batch that keeps the cards busy where nobody named one, and that batch where it differs."""
    work, gpu, n = chosen.way.workload, chosen.place.gpu, chosen.place.n
    if gpu is None:
        return work, None
    work = keeping_activations(work, n, lambda job: roomy(job, gpu, n))
    if batch is not None:
        return work, None
    filled = filled_batch(work, gpu, n)
    if filled == work.batch:
        return work, None
    return work.model_copy(update={"batch": filled}), filled


def _with_batch(assumed: tuple[Assumed, ...], batch: int | None) -> tuple[Assumed, ...]:
    if batch is None:
        return assumed
    return (*(one for one in assumed if one.field != "batch"), Assumed("batch", str(batch)))


def paced(work: Workload, chosen: Chosen, users: int, ram: str = "") -> Paced:
    """How fast a job goes where its way was chosen. Raises AdvisorError for what cannot be worked out."""
    gpu, n = chosen.place.gpu, chosen.place.n
    if gpu is None:
        raise UnsupportedCombination("a card is needed")
    runs = work.method is Method.INFERENCE
    if runs and work.ml_model.modality == "image-gen":
        return _drawing(work, gpu)
    if runs and work.ml_model.modality == "speech":
        heard = speech_real_time(work, gpu)
        return Paced.of(heard.times_real_time, "x real time")
    if generates(work):
        return _writing(work, chosen, gpu, users, ram)
    made = estimate_throughput(divided_over(work, n), gpu, n)
    return Paced.of(made.rate, _unit(made.unit), made.bound)


def _unit(unit: str) -> str:
    return _UNITS.get(unit, f"{unit}/s")


def _drawing(work: Workload, gpu: Gpu) -> Paced:
    made = pictures_per_minute(work, gpu)
    paced = Paced.of(made.per_minute, made.per_minute.unit)
    paced.seconds = short(made.seconds)
    return paced


def _writing(work: Workload, chosen: Chosen, gpu: Gpu, users: int, ram: str) -> Paced:
    """Tokens a second; what the card does not hold is read from the machine's memory."""
    verdict = chosen.verdict
    made = tokens_per_second(work, gpu, verdict.n, users=users)
    if verdict.word is Word.NO and users == 1 and not gpu.unified_memory:
        lacks = -verdict.n * min(0.0, verdict.margin or 0.0)
        host = host_of(processor_in(ram), ram, server=is_server(verdict.nominal, lacks)) if ram else None
        shared = offloaded_generation(work, gpu, verdict.n, host=host, vram_gib=verdict.nominal)
        paced = Paced.of(shared.decode, _TOKENS, "memory")
        paced.in_ram = short(shared.in_ram_gb)
        return paced
    paced = Paced.of(made.decode, _TOKENS, made.bound)
    paced.per_user = short(made.per_user) if users > 1 else None
    paced.prompt = None if made.prefill is None else range_of(made.prefill, _TOKENS)
    return paced


def _sources(books: Catalog, card: Card, ids: tuple[str, ...]) -> tuple[Source, ...]:
    rate = card_source(card.gpu, "memory_bandwidth_gb_per_s")
    return sources_of(books, (*ids, *rate))
