"""What the handlers about speed share: typical jobs, counts beside cards, prices as tables show them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from advisor.errors import AdvisorError
from advisor.memory import Verdict, check_fit
from advisor.models import Estimate, Frozen, Gpu, Method, MlModel, Money, Note, Precision, Workload
from advisor.recommend.market import Market, buy_quotes, market, rent_quote
from advisor.recommend.models import Need, Quote, Standing
from advisor.speed.contest import JobSet, Side
from advisor.speed.results import PublishedFigure
from bot.core.answers import Assumption
from bot.core.message import Fact
from bot.core.request import Request
from bot.handlers.common import Job, NamedGpu, job_for, step_sources
from bot.handlers.sizing import is_llm
from bot.handlers.wishes import currency_of, region_of

GENERATING = frozenset({"llm_inference", "rag"})
_TRAINING = (("resnet50", 64, None), ("bert-base-uncased", 32, 384))
"""Model, batch and length of the jobs behind "training" when no job was named."""


def typical_jobs(request: Request) -> tuple[JobSet, ...]:
    """Training and language model inference, for questions that name no job; what was said of the use comes first."""
    catalog = request.services.catalog
    train = JobSet(
        "train",
        tuple(
            Workload(
                ml_model=catalog.get_ml_model(name),
                method=Method.TRAIN,
                precision=Precision.FP16_MIXED,
                batch=batch,
                seq_len=length,
            )
            for name, batch, length in _TRAINING
        ),
    )
    small = catalog.get_ml_model("llm-7b")
    generate = JobSet(
        "generate",
        (
            Workload(
                ml_model=small, method=Method.INFERENCE, precision=Precision.INT4, quant="q4_k_m", batch=1, seq_len=2048
            ),
        ),
    )
    tune = JobSet(
        "tune",
        (
            Workload(
                ml_model=small,
                method=Method.QLORA,
                precision=Precision.INT4,
                quant="nf4",
                batch=2,
                seq_len=1024,
                checkpointing=True,
            ),
        ),
    )
    if request.slot("task") in GENERATING or request.slot("method") == "inference":
        return (generate, train)
    if request.slot("task") == "llm_finetune" or request.slot("method") in {"lora", "qlora"}:
        return (tune, generate)
    return (train, generate)


def jobs_for(request: Request, models: tuple[MlModel, ...], sides: Sequence[Side]) -> tuple[JobSet, ...]:
    """The named job, or the typical ones."""
    if not models:
        return typical_jobs(request)
    return (JobSet("yours", (job_that_fits(request, models[0], sides).workload,)),)


def job_that_fits(request: Request, model: MlModel, sides: Sequence[Side]) -> Job:
    """The job of the slots; a language model whose format nobody named is run in 4 bits when 16 bits fit nowhere."""
    job = job_for(request, model, n_gpus=1)
    if not is_llm(model) or request.slot("precision") or job.workload.method is not Method.INFERENCE:
        return job
    if any(_holds(job.workload, side) for side in sides):
        return job
    smaller = job.workload.model_copy(update={"precision": Precision.INT4, "quant": "q4_k_m"})
    kept = tuple(one for one in job.assumptions if one.slot != "precision")
    return Job(smaller, (*kept, Assumption(slot="precision", value=Precision.INT4.value)))


def _holds(workload: Workload, side: Side) -> bool:
    try:
        return check_fit(workload, side.gpu, side.n).verdict is not Verdict.NO
    except AdvisorError:
        return False


def counts_of(request: Request, cards: list[NamedGpu]) -> list[int]:
    """How many of each card are meant: a count stands right before its card ("one 4090 or four 4060 Ti")."""
    counts = [1] * len(cards)
    understanding = request.understanding
    stated = request.slot("gpu_count")
    if understanding is None:
        return [int(stated)] * len(cards) if stated and len(cards) == 1 else counts
    beside = {
        found.value: found.count for found in understanding.slots if found.slot == "gpu" and found.count is not None
    }
    if not beside:
        return [int(stated)] * len(cards) if stated else counts
    return [beside.get(card.asked, 1) for card in cards]


class PriceView(Frozen):
    """One price as a table shows it."""

    price: Money
    low: Money
    high: Money
    ranged: bool
    channel: str
    """rent | buy"""
    terms: str
    standing: str
    dated: str
    source: str
    solid: bool
    as_of: date | None = None

    @property
    def launch(self) -> bool:
        """Only the price of the day it came out is known."""
        return self.standing == Standing.LAUNCH.value


class Prices:
    """Today's rental and purchase prices of cards, in the currency of the question."""

    def __init__(self, request: Request) -> None:
        """Open the market of the question's currency."""
        self.currency = currency_of(request)
        self._need = Need(currency=self.currency, region=region_of(self.currency))
        self._market: Market = market(request.services.catalog, request.now.date(), self.currency)

    def rent(self, gpu: Gpu, n: int = 1) -> PriceView | None:
        """Cheapest rental of n cards an hour."""
        return self._view(rent_quote(self._market, gpu, self._need), n)

    def buy(self, gpu: Gpu, n: int = 1) -> PriceView | None:
        """Purchase of n cards: a price of today if there is one, else the record that is known."""
        quotes = buy_quotes(self._market, gpu, self._need)
        best = next((one for one in quotes if one.standing.solid), quotes[0] if quotes else None)
        return self._view(best, n)

    def _view(self, quote: Quote | None, n: int) -> PriceView | None:
        if quote is None:
            return None
        old = quote.standing in {Standing.LAUNCH, Standing.EXPIRED}
        day = quote.as_of
        return PriceView(
            price=self._money(quote.price * n),
            low=self._money(quote.low * n),
            high=self._money(quote.high * n),
            ranged=quote.ranged,
            channel=quote.channel.value,
            terms=quote.terms,
            standing=quote.standing.value,
            dated="" if day is None else str(day.year) if old else day.isoformat(),
            source=quote.source,
            solid=quote.standing.solid,
            as_of=day,
        )

    def _money(self, amount: Decimal) -> Money:
        return Money(amount=amount, currency=self.currency)


def price_facts(name: str, view: PriceView) -> Fact:
    """A price as a fact."""
    return Fact(
        name=name,
        value=float(view.price.amount),
        low=float(view.low.amount) if view.ranged else None,
        high=float(view.high.amount) if view.ranged else None,
        unit=f"{view.price.currency}/h" if view.channel == "rent" else view.price.currency,
        basis=f"{view.terms} {view.standing}",
        sources=(view.source,) if view.source else (),
        as_of=view.as_of,
    )


def figure_fact(figure: PublishedFigure) -> Fact:
    """A figure of a document, as what it is."""
    return Fact(
        name=figure.code,
        value=figure.value,
        low=figure.low,
        high=figure.high,
        unit=figure.unit,
        basis=f"as published, {figure.year}",
        sources=step_sources(figure.trace),
        as_of=figure.as_of,
    )


def variant_notes(cards: list[NamedGpu]) -> tuple[Note, ...]:
    """Which variant of an open name was taken, for each card."""
    return tuple(card.note for card in cards if card.note is not None)


def hours_text(hours: float) -> tuple[str, float]:
    """A duration in the unit people would use: code of the unit and the number."""
    for code, size in (("month", 730.0), ("day", 24.0), ("hour", 1.0), ("minute", 1 / 60)):
        if hours >= size * (2 if code in {"month", "day"} else 1):
            return code, hours / size
    return "second", hours * 3600


class Span(Frozen):
    """A duration with its band, in one unit."""

    unit: str
    value: float
    low: float
    high: float


def span_of_hours(hours: float) -> Span:
    """A bare number of hours in the unit people would use."""
    unit, value = hours_text(hours)
    return Span(unit=unit, value=value, low=value, high=value)


def span_of(hours: Estimate) -> Span:
    """An estimate of hours in the unit people would use."""
    unit, value = hours_text(hours.value)
    scale = value / hours.value
    return Span(unit=unit, value=value, low=hours.low * scale, high=hours.high * scale)
