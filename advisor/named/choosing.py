"""Choices by name: which card to take for a job, and which of several named ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final, Unpack

from advisor.catalog import Catalog
from advisor.jobs.filling import filled_batch
from advisor.jobs.spoken import Spoken
from advisor.jobs.ways import Way, ways_of
from advisor.models import Method, Money, Workload
from advisor.named.asking import (
    JobWords,
    assumed_of,
    card_named,
    gpus_counted,
    job_said,
    model_named,
    named_text,
    one_of,
    positive,
    shipped,
    sources_of,
    step_sources,
    today,
)
from advisor.named.paying import currency_named, priced, region_of
from advisor.named.results import Advice, Picked
from advisor.named.shown import short
from advisor.named.values import Assumed, Range
from advisor.recommend import Channel, Need, Objective, Recommendation
from advisor.recommend import recommend as recommended
from advisor.recommend.models import Option
from advisor.recommend.settings import tasks

_PERIODS: Final = ("once", "hour", "day", "week", "month", "year")
_GENERAL: Final = "general_dl"
_AT_HOME: Final = 4
"""Cards up to which somebody may buy for a computer at home."""
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
    vendor: str | Sequence[str] | None
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
    need, way, found = advised(model, books, **wish)
    winner, want = found.winner, found.requirement
    return Advice(
        model=way.workload.ml_model.called,
        way=way.code,
        need=Range(short(want.gib), short(want.low), short(want.high), "GiB"),
        channel=found.channel.value if winner else "",
        picks=tuple(_picked(role, option, speed, need.currency) for role, option, speed in _picks(found)),
        nearest=() if winner else tuple(note.code for note in found.nearest),
        assumed=(*_model_assumed(model, way), *assumed_of(way)),
        sources=sources_of(books, advised_by(found)),
    )


def advised(model: str | None, books: Catalog, **wish: Unpack[WishWords]) -> tuple[Need, Way, Recommendation]:
    """What was wished for, the way to do the job that was settled on, and all that does it. Errors as in `advise`."""
    said = job_said({name: value for name, value in wish.items() if name not in _WISHES}, "recommend")
    day = wish.get("on") or today()
    ladder = _ladder(books, said, model)
    need = _need(books, said, wish, has_model=model is not None)
    larger = _largest(books, said, need, day) if model is None else None
    return (need, *(larger or _on_ladder(books, need, ladder, day, open_batch=said.batch is None)))


def _picks(found: Recommendation) -> list[tuple[str, Option, float | None]]:
    """Role, option and speed beside the first of what is recommended, the best by the other way last."""
    picks: list[tuple[str, Option, float | None]] = [(pick.role, pick.option, pick.speed_ratio) for pick in found.picks]
    if found.other_way is not None:
        picks.append(("other_way", found.other_way.option, found.other_way.speed_ratio))
    return picks


def advised_by(found: Recommendation) -> list[str]:
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


def _vendors(books: Catalog, names: str | Sequence[str] | None) -> tuple[str, ...]:
    known = {gpu.vendor for gpu in books.gpus.values()}
    return tuple(one_of("vendor", name, known) for name in ([names] if isinstance(names, str) else names or ()) if name)


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
        price=priced(quote, option.paid, currency),
        provider=quote.provider_name,
        terms=quote.terms if not quote.tier else f"{quote.terms}, {quote.tier}",
        as_of=quote.as_of,
        source=quote.source,
        vram_gib=option.vram_gib,
        sure=option.sure,
        speed=None if speed is None else short(speed),
    )
