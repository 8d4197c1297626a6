"""Cards side by side, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Unpack

from advisor.catalog import Catalog
from advisor.errors import AdvisorError
from advisor.jobs.filling import filled_batch
from advisor.jobs.plan import Chosen, Place, Plan
from advisor.jobs.spoken import Spoken
from advisor.jobs.verdict import judge
from advisor.memory.figure import figure_of
from advisor.models import Estimate, Gpu, Method, Precision, Step, Workload
from advisor.named.asking import (
    JobWords,
    card_named,
    card_source,
    gpus_counted,
    job_said,
    model_named,
    named_text,
    planned,
    range_of,
    shipped,
    sources_of,
    step_sources,
    today,
)
from advisor.named.pacing import paced
from advisor.named.paying import currency_named, offered, priced, purchase, region_of
from advisor.named.results import Compared, Comparison
from advisor.named.shown import short
from advisor.named.values import Range, counted
from advisor.recommend import Need
from advisor.recommend.market import market, rent_quote
from advisor.recommend.models import Quote
from advisor.speed.contest import Contender, JobSet, Side, contest
from advisor.speed.uses import generation_job

_LEAST_SIDES: Final = 2
_MOST_SIDES: Final = 8
_GENERATED: Final = ("llm-70b", "llm-32b", "llm-14b", "llm-8b")
"""Language models to compare cards on, the largest first."""
_TRAINED: Final = (("resnet50", 64, None), ("bert-base-uncased", 32, 384))
"""Model, batch and length of the jobs behind "training" when none is named."""


def compare(
    *gpus: str,
    model: str | None = None,
    currency: str = "USD",
    on: date | None = None,
    catalog: Catalog | None = None,
    **job: Unpack[JobWords],
) -> Comparison:
    """Cards side by side: `compare("3090", "4090")`, `compare("2x 3090", "4090", model="qwen2.5-32b")`.

    Args:
        gpus: names of two to eight cards; a count stands before a name ("2x 3090").
        model: the job to compare on; training and text generation without it.
        currency: ISO code of the prices; yuan means the market of mainland China.
        on: the day to ask for, today without it.
        catalog: another catalogue than the shipped one.
        job: see `JobWords`.

    Raises:
        UnknownName, OutOfRange, TypeError: as in `fit`; fewer than two cards.
    """
    books, said = catalog or shipped(), job_said(job, "compare")
    if not _LEAST_SIDES <= len(gpus) <= _MOST_SIDES:
        raise TypeError(f"compare() takes two to eight cards, such as compare('3090', '4090'); got {len(gpus)}")
    cards = [_side(books, name) for name in gpus]
    plan = None if model is None else _plan(books, said, model, cards)
    jobs = _usual_jobs(books, cards) if plan is None else (_named_job(plan, said, cards),)
    made = contest(cards, jobs)
    unit, day = currency_named(books, currency), on or today()
    judged = _judged(plan, jobs, said, len(cards))
    asked = zip(cards, made.sides, judged, strict=True)
    rows = tuple(_compared(books, side, one, unit, day, jobs, there) for side, one, there in asked)
    return Comparison(
        sides=rows,
        jobs=made.jobs,
        way="" if plan is None else plan.way.code,
        winner="" if made.winner is None else counted(rows[made.winner].gpu, rows[made.winner].gpus),
        reason=made.reason,
        margin=None if made.margin is None else range_of(made.margin, "x"),
        sources=sources_of(books, _compared_by(made.trace, cards, rows)),
    )


def _compared_by(trace: Step, sides: Sequence[Side], rows: Sequence[Compared]) -> list[str]:
    """Source ids behind a comparison: of its steps, of the cards, of the prices."""
    cards = [source for side in sides for source in card_source(side.gpu)]
    return [*step_sources(trace), *cards, *(offer.source for row in rows for offer in row.offers)]


def _side(books: Catalog, name: object) -> Side:
    """A card with the count before its name."""
    text = named_text(name, "compare", "a card")
    head, _, tail = text.partition(" ")
    number = head.lower().rstrip("x*\u00d7")
    if tail and number.isdigit() and number != head.lower() and books.find_gpu(text) is None:
        return Side(card_named(books, tail.strip()).gpu, gpus_counted(int(number)))
    return Side(card_named(books, text).gpu)


def _plan(books: Catalog, said: Spoken, model: str, sides: Sequence[Side]) -> Plan:
    """The named job on all sides: one way for all of them."""
    asked = model_named(books, named_text(model, "compare", "a model"))
    return planned(said, asked, [Place(side.gpu, side.n) for side in sides])


def _named_job(plan: Plan, said: Spoken, sides: Sequence[Side]) -> JobSet:
    work = plan.way.workload
    if said.batch is None:
        batch = min(filled_batch(work, side.gpu, side.n) for side in sides)
        work = work.model_copy(update={"batch": batch}) if work.batch else work
    return JobSet("yours", (work,))


def _usual_jobs(books: Catalog, sides: Sequence[Side]) -> tuple[JobSet, ...]:
    """Training and the largest language model that all sides hold, where no job was named."""
    written = [generation_job(books.get_ml_model(name)) for name in _GENERATED]
    held = next((work for work in written if all(_holds(work, side) for side in sides)), written[-1])
    trained = tuple(
        Workload(
            ml_model=books.get_ml_model(name),
            method=Method.TRAIN,
            precision=Precision.FP16_MIXED,
            batch=batch,
            seq_len=length,
        )
        for name, batch, length in _TRAINED
    )
    return JobSet("train", trained), JobSet("generate", (held,))


def _holds(work: Workload, side: Side) -> bool:
    try:
        return judge(figure_of(work.model_copy(update={"n_gpus": side.n})), side.gpu, side.n).runs
    except AdvisorError:
        return True  # what cannot be worked out for a side decides nothing


def _quotes(books: Catalog, gpu: Gpu, currency: str, day: date) -> tuple[Quote | None, Quote | None]:
    need = Need(currency=currency, region=region_of(currency))
    return rent_quote(market(books, day, currency), gpu, need), purchase(books, gpu, currency, day)


@dataclass(frozen=True, slots=True)
class _Judged:
    """How the named job goes on one side; nothing without one."""

    fits: str = ""
    margin: float | None = None
    rate: Range | None = None


def _judged(plan: Plan | None, jobs: Sequence[JobSet], said: Spoken, sides: int) -> list[_Judged]:
    """On each side."""
    if plan is None:
        return [_Judged()] * sides
    work, users = jobs[0].workloads[0], said.people or 1
    return [_Judged(one.verdict.word.value, one.verdict.margin, _rate(work, one, users)) for one in plan.chosen]


def _rate(work: Workload, chosen: Chosen, users: int) -> Range | None:
    try:
        return paced(work, chosen, users).rate
    except AdvisorError:
        return None


def _compared(
    books: Catalog,
    side: Side,
    one: Contender,
    currency: str,
    day: date,
    jobs: Sequence[JobSet],
    judged: _Judged,
) -> Compared:
    rent, buy = _quotes(books, side.gpu, currency, day)
    speeds = {result.code: result.factor for result in one.results}
    return Compared(
        gpu=side.gpu.name,
        gpus=side.n,
        vram_gib=one.vram_gib,
        bandwidth_gb_per_s=one.bandwidth_gb_per_s,
        fp16_tflops=one.fp16_tflops,
        power_w=one.power_w,
        year=one.year,
        rent=None if rent is None else priced(rent, side.n, currency),
        buy=None if buy is None else priced(buy, side.n, currency),
        offers=tuple(offered(quote, currency) for quote in (rent, buy) if quote is not None),
        speeds=tuple((job.code, _middle(speeds.get(job.code))) for job in jobs),
        fits=judged.fits,
        margin_gib=None if judged.margin is None else short(judged.margin),
        rate=judged.rate,
    )


def _middle(factor: Estimate | None) -> float | None:
    return None if factor is None else short(factor.value)
