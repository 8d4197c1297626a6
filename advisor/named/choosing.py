"""Choices by name: which card to take for a job, and which of several named ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final, Unpack

from advisor.catalog import Catalog
from advisor.errors import AdvisorError
from advisor.jobs.filling import filled_batch
from advisor.jobs.plan import Place
from advisor.jobs.spoken import Spoken
from advisor.jobs.verdict import judge
from advisor.jobs.ways import Way, ways_of
from advisor.memory.figure import figure_of
from advisor.models import Estimate, Gpu, Method, Money, Precision, Step, Workload
from advisor.named.asking import (
    Card,
    JobWords,
    assumed_of,
    card_named,
    card_source,
    gpus_counted,
    job_said,
    model_named,
    named_text,
    one_of,
    planned,
    positive,
    range_of,
    shipped,
    sources_of,
    step_sources,
    today,
)
from advisor.named.paying import currency_named, purchase, region_of
from advisor.named.results import Advice, Compared, Comparison, Picked
from advisor.named.shown import short
from advisor.named.values import Assumed, Range, counted
from advisor.recommend import Channel, Need, Objective, Recommendation
from advisor.recommend import recommend as recommended
from advisor.recommend.market import market, rent_quote
from advisor.recommend.models import Option, Quote
from advisor.recommend.settings import tasks
from advisor.speed.contest import Contender, JobSet, Side, contest
from advisor.speed.uses import generation_job

_PERIODS: Final = ("once", "hour", "day", "week", "month", "year")
_GENERAL: Final = "general_dl"
_AT_HOME: Final = 4
"""Cards up to which somebody may buy for a computer at home."""
_LEAST_SIDES: Final = 2
_MOST_SIDES: Final = 8
_GENERATED: Final = ("llm-70b", "llm-32b", "llm-14b", "llm-8b")
"""Language models to compare cards on, the largest first."""
_TRAINED: Final = (("resnet50", 64, None), ("bert-base-uncased", 32, 384))
"""Model, batch and length of the jobs behind "training" when none is named."""
_REFERENCE: Final = "rtx-4090"
_ASKS: Final = frozenset({"llm_inference", "rag"})
_SIZES: Final = ("llm-70b", "llm-32b", "llm-14b")
"""Language models that people run at home, the largest first; smaller ones are what the task means."""
_FEW_CARDS: Final = 2


class WishWords(JobWords, total=False):
    """What may be said of a wish beside the job."""

    budget: float | None
    period: str
    """once | hour | day | week | month | year: what the budget is counted over"""
    currency: str
    deploy: str
    """rent | buy; whichever is better without it"""
    objective: str
    """cheapest | fastest | balanced | frugal | most"""
    gpus: int | None
    memory_gb: float | None
    """Least memory of a card."""
    hours_per_week: float | None
    vendor: str
    exclude: Sequence[str]
    """Cards that are not wanted."""
    used: bool
    """False: no used cards."""
    on: date | None


_WISHES: Final = tuple(name for name in WishWords.__annotations__ if name not in JobWords.__annotations__)


def advise(model: str | None = None, *, catalog: Catalog | None = None, **wish: Unpack[WishWords]) -> Advice:
    """Which card to take: `recommend("qwen2.5-14b", method="lora", budget=2000)`, `recommend(task="llm_inference")`.

    Args:
        model: name of a model; the typical one of `task` without it.
        catalog: another catalogue than the shipped one.
        wish: see `WishWords` and `JobWords`.

    Raises:
        UnknownName: a model, task, card or currency that nobody knows.
        OutOfRange: a number that no market can have.
        TypeError: something that is no name or number.
    """
    books = catalog or shipped()
    said = job_said({name: value for name, value in wish.items() if name not in _WISHES}, "recommend")
    day = wish.get("on") or today()
    ladder = _ladder(books, said, model)
    need = _need(books, said, wish, has_model=model is not None)
    larger = _largest(books, said, need, day) if model is None else None
    way, found = larger or _on_ladder(books, need, ladder, day, open_batch=said.batch is None)
    winner, want = found.winner, found.requirement
    return Advice(
        model=way.workload.ml_model.called,
        way=way.code,
        need=Range(short(want.gib), short(want.low), short(want.high), "GiB"),
        channel=found.channel.value if winner else "",
        picks=tuple(_picked(role, option, speed, need.currency) for role, option, speed in _picks(found)),
        nearest=() if winner else tuple(note.code for note in found.nearest),
        assumed=(*_model_assumed(model, way), *assumed_of(way)),
        sources=sources_of(books, _advised_by(found)),
    )


def _picks(found: Recommendation) -> list[tuple[str, Option, float | None]]:
    """Role, option and speed beside the first of what is recommended, the best by the other way last."""
    picks: list[tuple[str, Option, float | None]] = [(pick.role, pick.option, pick.speed_ratio) for pick in found.picks]
    if found.other_way is not None:
        picks.append(("other_way", found.other_way.option, found.other_way.speed_ratio))
    return picks


def _advised_by(found: Recommendation) -> list[str]:
    """Source ids behind a recommendation: of its steps, then of the prices."""
    estimate = found.requirement.estimate
    steps = (found.trace, estimate.trace) if estimate else (found.trace,)
    return [*step_sources(*steps), *(option.quote.source for _, option, _ in _picks(found))]


def _model_assumed(model: str | None, way: Way) -> tuple[Assumed, ...]:
    return () if model is not None else (Assumed("model", way.workload.ml_model.called),)


def _ladder(books: Catalog, said: Spoken, model: str | None) -> tuple[Way, ...]:
    """The ways of the job that is named, or of the typical job of the task."""
    if model is not None:
        return ways_of(said, model_named(books, named_text(model, "recommend", "a model"))).ladder
    return _typical(books, said)


def _typical(books: Catalog, said: Spoken, name: str = "") -> tuple[Way, ...]:
    """The usual ways to do the typical job of a task; `name`: with another model."""
    usual = tasks()[said.task or _GENERAL]
    job = replace(
        said,
        methods=said.methods or (usual.method.value,),
        batch=said.batch or usual.batch,
        seq_len=said.seq_len or usual.seq_len,
        resolution=said.resolution or usual.resolution,
    )
    return ways_of(job, books.get_ml_model(name or usual.model)).ladder


def _largest(books: Catalog, said: Spoken, need: Need, day: date) -> tuple[Way, Recommendation] | None:
    """Who wants a language model, names none and names money gets the largest that a card or two surely hold for it."""
    if said.task not in _ASKS or need.budget is None:
        return None
    for name in _SIZES:
        way = _typical(books, said, name)[0]
        found = recommended(need.model_copy(update={"workload": way.workload}), books, day, with_flips=False)
        if found.winner is not None and _settled(need, found) and found.winner.option.n <= _FEW_CARDS:
            return way, found
    return None


def _need(books: Catalog, said: Spoken, wish: WishWords, *, has_model: bool) -> Need:
    task = None if has_model else said.task or _GENERAL
    count = wish.get("gpus")
    money = _money_of(books, wish)
    return money.model_copy(
        update={
            "task": task,
            "vram_gib": _at_most("memory_gb", wish.get("memory_gb"), 10**6),
            "headroom_gib": tasks()[task].headroom_gib if task else None,
            "gpu_count": None if count is None else gpus_counted(count),
            "hours_per_week": _at_most("hours_per_week", wish.get("hours_per_week"), 168),
            "vendors": _vendors(books, wish.get("vendor")),
            "excluded_gpus": tuple(card_named(books, name).gpu.id for name in wish.get("exclude") or ()),
            "excluded_terms": ("purchase_used",) if wish.get("used") is False else (),
            "home": (count or 1) <= _AT_HOME,
        }
    )


def _money_of(books: Catalog, wish: WishWords) -> Need:
    """Budget, market and what the best is by."""
    currency = currency_named(books, wish.get("currency") or "USD")
    budget, deploy = wish.get("budget"), wish.get("deploy")
    usually = Objective.BALANCED if budget is None else Objective.MOST
    goals = [one.value for one in Objective]
    return Need(
        budget=None if budget is None else _budget(budget, currency),
        budget_period=one_of("period", wish.get("period") or "once", _PERIODS),
        currency=currency,
        region=region_of(currency),
        deploy=Channel(one_of("deploy", deploy, [one.value for one in Channel])) if deploy else None,
        objective=Objective(one_of("objective", wish.get("objective") or usually.value, goals)),
    )


def _at_most(name: str, value: float | None, most: float) -> float | None:
    return None if value is None else positive(name, value, most)


def _vendors(books: Catalog, name: str | None) -> tuple[str, ...]:
    known = {gpu.vendor for gpu in books.gpus.values()}
    return (one_of("vendor", name, known),) if name else ()


def _budget(amount: float, currency: str) -> Money:
    return Money(amount=Decimal(str(positive("budget", amount, 10**12))), currency=currency)


def _on_ladder(
    books: Catalog, need: Need, ladder: Sequence[Way], day: date, *, open_batch: bool
) -> tuple[Way, Recommendation]:
    """The recommendation for the first way that some card surely does for the money, else for the usual one."""
    tried: list[tuple[Way, Recommendation]] = []
    for way in ladder:
        batch = _speed_batch(books, way.workload) if open_batch else None
        asked = need.model_copy(update={"workload": way.workload, "speed_batch": batch})
        tried.append((way, recommended(asked, books, day, with_flips=False)))
        if _settled(asked, tried[-1][1]):
            return tried[-1]
    return next((one for one in tried if one[1].winner is not None and one[1].winner.option.sure), tried[0])


def _settled(need: Need, found: Recommendation) -> bool:
    """A card surely does the job, and is bought where a sum is named to spend once."""
    if found.winner is None or not found.winner.option.sure:
        return False
    once = need.budget is not None and need.budget_period == "once"
    return not once or need.deploy is not None or found.channel is Channel.BUY


def _speed_batch(books: Catalog, work: Workload) -> int | None:
    """A batch that fills a card, for comparing cards on a training job whose batch nobody named."""
    reference = books.gpus.get(_REFERENCE)
    if reference is None or work.method is Method.INFERENCE or not work.batch:
        return None
    filled = filled_batch(work, reference)
    return filled if filled != work.batch else None


def _picked(role: str, option: Option, speed: float | None, currency: str) -> Picked:
    quote = option.quote
    return Picked(
        role=role,
        gpu=option.gpu.name,
        gpus=option.n,
        channel=quote.channel.value,
        price=_range(quote, option.paid, currency),
        provider=quote.provider_name,
        terms=quote.terms if not quote.tier else f"{quote.terms}, {quote.tier}",
        as_of=quote.as_of,
        source=quote.source,
        vram_gib=option.vram_gib,
        sure=option.sure,
        speed=None if speed is None else short(speed),
    )


def _range(quote: Quote, n: int, currency: str) -> Range:
    unit = f"{currency}/h" if quote.channel is Channel.RENT else currency
    return Range(short(quote.price * n), short(quote.low * n), short(quote.high * n), unit)


# --- side by side ----------------------------------------------------------------------------------------------------


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
    sides = [_side(books, name) for name in gpus]
    cards = [Side(card.gpu, n) for card, n in sides]
    jobs = _jobs(books, said, model, cards)
    made = contest(cards, jobs)
    unit, day = currency_named(books, currency), on or today()
    rows = tuple(
        _compared(books, side, one, unit, day, jobs, named=model is not None)
        for side, one in zip(cards, made.sides, strict=True)
    )
    quotes = [quote for side in cards for quote in _quotes(books, side.gpu, unit, day)]
    ids = _compared_by(made.trace, cards, quotes)
    winner = "" if made.winner is None else counted(rows[made.winner].gpu, rows[made.winner].gpus)
    margin = None if made.margin is None else range_of(made.margin, "x")
    return Comparison(rows, made.jobs, winner, made.reason, margin, sources_of(books, ids))


def _compared_by(trace: Step, sides: Sequence[Side], quotes: Sequence[Quote | None]) -> list[str]:
    """Source ids behind a comparison: of its steps, of the cards, of the prices."""
    cards = [source for side in sides for source in card_source(side.gpu)]
    return [*step_sources(trace), *cards, *(quote.source for quote in quotes if quote is not None)]


def _side(books: Catalog, name: object) -> tuple[Card, int]:
    """A card with the count before its name."""
    text = named_text(name, "compare", "a card")
    head, _, tail = text.partition(" ")
    number = head.lower().rstrip("x*\u00d7")
    if tail and number.isdigit() and number != head.lower() and books.find_gpu(text) is None:
        return card_named(books, tail.strip()), gpus_counted(int(number))
    return card_named(books, text), 1


def _jobs(books: Catalog, said: Spoken, model: str | None, sides: Sequence[Side]) -> tuple[JobSet, ...]:
    if model is not None:
        asked = model_named(books, named_text(model, "compare", "a model"))
        work = planned(said, asked, [Place(side.gpu, side.n) for side in sides]).way.workload
        if said.batch is None:
            batch = min(filled_batch(work, side.gpu, side.n) for side in sides)
            work = work.model_copy(update={"batch": batch}) if work.batch else work
        return (JobSet("yours", (work,)),)
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


def _compared(
    books: Catalog, side: Side, one: Contender, currency: str, day: date, jobs: Sequence[JobSet], *, named: bool
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
        rent=None if rent is None else _range(rent, side.n, currency),
        buy=None if buy is None else _range(buy, side.n, currency),
        speeds=tuple((job.code, _middle(speeds.get(job.code))) for job in jobs),
        fits=next((result.fits for result in one.results), "") if named else "",
    )


def _middle(factor: Estimate | None) -> float | None:
    return None if factor is None else short(factor.value)
