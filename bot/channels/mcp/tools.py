"""The tools, as plain functions: names in, results with their sources and days out. Nothing here knows the protocol.

A docstring is what an assistant reads before it calls; a parameter's description is the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Annotated, Final, Literal

from pydantic import Field
from pydantic.fields import FieldInfo

from advisor.errors import OutOfRange
from advisor.named import choosing, comparing, fitting, listing, owning, pacing, paying, running
from advisor.named.asking import JobWords
from advisor.named.bills import Cost, Prices, RentOrBuy
from advisor.named.results import Advice, Comparison, Fit, Listing, Memory, Runs, Speed, Time
from advisor.named.shown import Cell
from advisor.named.values import Source
from bot.channels.markup import plain_text
from bot.core.message import IncomingMessage, Reply


def told(description: str, **bounds: float) -> FieldInfo:
    """A parameter as the schema tells it. Bounds are for the reader: the functions check them, in one line each."""
    info: FieldInfo = Field(description=description, json_schema_extra=dict(bounds))
    return info


Method = Literal["full", "lora", "qlora", "ptuning", "pretrain", "train", "inference"]
Card = Annotated[str, told("Name of a card, such as RTX 4090 or A100.", maxLength=80)]
Model = Annotated[str, told("Name of a model, such as Qwen2.5-14B, or a size: 7b.", maxLength=80)]
MaybeModel = Annotated[str | None, told("Name of a model; leave out for the usual one.", maxLength=80)]
Cards = Annotated[
    list[str],
    told("Two to eight cards; a count stands before a name: '2x RTX 3090'.", maxLength=8),
]
Gpus = Annotated[int, told("How many cards share the job.", minimum=1, maximum=4096)]
MaybeMethod = Annotated[Method | None, told("What is done with the model; the usual way without it.")]
MaybeTask = Annotated[str | None, told("llm_inference, llm_finetune, image_generation ...", maxLength=40)]
Format = Annotated[str | None, told("bf16, fp8, int8, int4, q4_k_m, nf4 ...", maxLength=20)]
Batch = Annotated[int | None, told("Samples per card and step.", minimum=1, maximum=10**6)]
SeqLen = Annotated[int | None, told("Context or sample length in tokens.", minimum=1, maximum=10**8)]
Users = Annotated[int | None, told("People who use it at the same time.", minimum=1, maximum=10**6)]
Memory_ = Annotated[float | None, told("GB of one card, where it is sold with several sizes.", exclusiveMinimum=0)]
DataSet = Annotated[str | None, told("A known data set, such as alpaca-52k.", maxLength=80)]
Samples = Annotated[float | None, told("Training samples of a round.", exclusiveMinimum=0)]
Tokens = Annotated[float | None, told("Training tokens of a round.", exclusiveMinimum=0)]
Epochs = Annotated[float | None, told("Rounds.", exclusiveMinimum=0)]
Currency = Annotated[str, told("ISO code; CNY means the market of mainland China.", maxLength=3)]
Search = Annotated[str, told("Words of a name, maker or series; empty for all.", maxLength=80)]
_MOST_LISTED: Final = 100
_LONGEST: Final = 2000
"""Characters of a question in words."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of an answer."""

    name: str
    value: Cell
    low: float | None
    high: float | None
    unit: str


@dataclass(frozen=True, slots=True)
class Answered:
    """What is said to a question in words."""

    text: str
    decision: str
    """answer | ask (something is missing) | clarify | fallback (not understood)"""
    choices: tuple[str, ...]
    figures: tuple[Figure, ...]
    sources: tuple[Source, ...]


Respond = Callable[[IncomingMessage], Reply]
"""Answers one message that stands alone."""


def _job(
    method: str | None = None,
    precision: str | None = None,
    batch: int | None = None,
    seq_len: int | None = None,
    users: int | None = None,
    dataset: str | None = None,
    epochs: float | None = None,
) -> JobWords:
    """What was said of the job; what was not is left open."""
    return {
        "method": method,
        "precision": precision,
        "batch": batch,
        "seq_len": seq_len,
        "users": users,
        "dataset": dataset,
        "epochs": epochs,
    }


def fit(
    gpu: Card,
    model: Model,
    gpus: Gpus = 1,
    memory_gb: Memory_ = None,
    method: MaybeMethod = None,
    precision: Format = None,
    batch: Batch = None,
    seq_len: SeqLen = None,
    users: Users = None,
) -> Fit:
    """Whether a model fits the memory of a card: verdict, need with its 90 % band, what is left, every other way."""
    job = _job(method, precision, batch, seq_len, users)
    return fitting.fit(gpu, model, gpus=gpus, memory_gb=memory_gb, **job)


def memory(
    model: Model,
    gpus: Gpus = 1,
    method: MaybeMethod = None,
    precision: Format = None,
    batch: Batch = None,
    seq_len: SeqLen = None,
    users: Users = None,
) -> Memory:
    """GPU memory that a model takes to run or train, by part, with its 90 % band."""
    return fitting.memory_of(model, gpus=gpus, **_job(method, precision, batch, seq_len, users))


def speed(
    gpu: Card,
    model: Model,
    gpus: Gpus = 1,
    method: MaybeMethod = None,
    precision: Format = None,
    batch: Batch = None,
    seq_len: SeqLen = None,
    users: Users = None,
) -> Speed:
    """How fast a card runs or trains a model: tokens, pictures or samples a second, with its 90 % band."""
    return pacing.speed_of(gpu, model, gpus=gpus, **_job(method, precision, batch, seq_len, users))


def training_time(
    gpu: Card,
    model: Model,
    gpus: Gpus = 1,
    method: MaybeMethod = None,
    precision: Format = None,
    batch: Batch = None,
    seq_len: SeqLen = None,
    dataset: DataSet = None,
    samples: Samples = None,
    tokens: Tokens = None,
    epochs: Epochs = None,
) -> Time:
    """How long a training run takes. Name the data: dataset, samples or tokens."""
    job = _job(method, precision, batch, seq_len, None, dataset, epochs)
    return pacing.time_of(gpu, model, gpus=gpus, samples=samples, tokens=tokens, **job)


def rental_cost(
    gpu: Card,
    hours: Annotated[
        float | None, told("On the clock; or a model with its data.", exclusiveMinimum=0, maximum=10**6)
    ] = None,
    gpus: Gpus = 1,
    currency: Currency = "USD",
    provider: Annotated[str | None, told("Only this one.", maxLength=80)] = None,
    model: MaybeModel = None,
    method: MaybeMethod = None,
    dataset: DataSet = None,
    samples: Samples = None,
    tokens: Tokens = None,
    epochs: Epochs = None,
) -> Cost:
    """What renting a card costs, by provider with dated prices, for hours or for a whole training run."""
    job = _job(method, None, None, None, None, dataset, epochs)
    return paying.cost_of(
        gpu, model, hours=hours, gpus=gpus, currency=currency, provider=provider, samples=samples, tokens=tokens, **job
    )


def rent_or_buy(
    gpu: Card,
    hours_per_week: Annotated[float | None, told("Hours of use a week.", minimum=0, maximum=168)] = None,
    months: Annotated[float, told("How far to look ahead.", exclusiveMinimum=0, maximum=1200)] = 12,
    gpus: Gpus = 1,
    currency: Currency = "USD",
    buy_price: Annotated[float | None, told("Of one card, where it is known better.", exclusiveMinimum=0)] = None,
    rent_price: Annotated[float | None, told("Of one card and hour.", exclusiveMinimum=0)] = None,
    kwh_price: Annotated[float | None, told("Of electricity.", exclusiveMinimum=0)] = None,
) -> RentOrBuy:
    """Whether renting or owning a card is cheaper for so much use, and when owning pays."""
    return owning.rent_or_buy_of(
        gpu, hours_per_week=hours_per_week, months=months, gpus=gpus, currency=currency, buy_price=buy_price,
        rent_price=rent_price, kwh_price=kwh_price,
    )  # fmt: skip


def recommend(
    model: MaybeModel = None,
    task: Annotated[str | None, told("llm_inference, llm_finetune, image_generation ...", maxLength=40)] = None,
    budget: Annotated[float | None, told("Money to spend, in the currency.", exclusiveMinimum=0)] = None,
    period: Annotated[
        Literal["once", "hour", "day", "week", "month", "year"], told("What the budget is counted over.")
    ] = "once",
    currency: Currency = "USD",
    deploy: Annotated[Literal["rent", "buy"] | None, told("The better one without it.")] = None,
    method: MaybeMethod = None,
    precision: Format = None,
    gpus: Annotated[int | None, told("How many cards.", minimum=1, maximum=512)] = None,
    memory_gb: Annotated[float | None, told("Least memory of a card.", exclusiveMinimum=0)] = None,
    users: Users = None,
    exclude: Annotated[list[str] | None, told("Cards that are not wanted.", maxLength=20)] = None,
    used: Annotated[bool, told("Used cards are welcome.")] = True,
) -> Advice:
    """Which card to rent or buy for a model or a task, within a budget, with dated prices."""
    said = _job(method, precision, None, None, users)
    if task:
        said["task"] = task
    wish: choosing.WishWords = {
        **said,
        "budget": budget,
        "period": period,
        "currency": currency,
        "deploy": deploy or "",
        "objective": "",
        "gpus": gpus,
        "memory_gb": memory_gb,
        "hours_per_week": None,
        "vendor": "",
        "exclude": exclude or (),
        "used": used,
        "on": None,
    }
    return choosing.advise(model, **wish)


def compare(
    gpus: Cards,
    model: MaybeModel = None,
    method: MaybeMethod = None,
    precision: Format = None,
    currency: Currency = "USD",
) -> Comparison:
    """Cards side by side: memory, bandwidth, power, prices, relative speed, and which one to take."""
    return comparing.compare(*gpus, model=model, currency=currency, **_job(method, precision))


def prices(gpu: Card, currency: Currency = "USD") -> Prices:
    """Every price of a card on record: rents by provider, new, used, at launch; each with its day and source."""
    return paying.prices_of(gpu, currency=currency)


def what_runs(
    gpu: Annotated[str, told("Name of a card; or only memory_gb.", maxLength=80)] = "",
    gpus: Gpus = 1,
    memory_gb: Memory_ = None,
) -> Runs:
    """What a card, or an amount of memory, can do: usual models to run, fine-tune, draw with, train."""
    return running.runs_on(gpu, gpus=gpus, memory_gb=memory_gb)


def find_gpus(search: Search = "") -> Listing:
    """Cards on record with their figures, at most a hundred: look up a name here before using it elsewhere."""
    return _short(listing.gpus_of(search))


def find_models(search: Search = "") -> Listing:
    """Models on record, at most a hundred: look up a name here before using it elsewhere."""
    return _short(listing.models_of(search))


def _short(found: Listing) -> Listing:
    return Listing(found.kind, found.records[:_MOST_LISTED])


TOOLS: Final[tuple[Callable[..., object], ...]] = (
    fit,
    memory,
    speed,
    training_time,
    rental_cost,
    rent_or_buy,
    recommend,
    compare,
    prices,
    what_runs,
    find_gpus,
    find_models,
)


def asking(respond: Respond) -> Callable[..., Answered]:
    """The tool that answers a question in words."""

    def ask(
        question: Annotated[str, told("In Chinese or English; it stands alone.", maxLength=2000)],
        language: Annotated[Literal["zh", "en"] | None, told("Of the answer; the question's without it.")] = None,
    ) -> Answered:
        """Any other question about GPUs for learning: drivers, CUDA, power supplies, platforms, terms, trouble."""
        if len(question) > _LONGEST:
            raise OutOfRange(f"a question has at most {_LONGEST:,} characters", name="question", value=len(question))
        message = IncomingMessage(
            channel="mcp", event_id="1", chat_id="", user_id="", text=question, received_at=datetime.now(UTC),
            language=language or "",
        )  # fmt: skip
        return _answered(respond(message))

    return ask


def _answered(reply: Reply) -> Answered:
    return Answered(
        text=plain_text(reply.text),
        decision=reply.decision,
        choices=tuple(one.label for one in reply.choices) if reply.decision in {"ask", "clarify"} else (),
        figures=tuple(Figure(one.name, one.value, one.low, one.high, one.unit) for one in reply.facts),
        sources=tuple(Source(one.id, one.title, one.url or None, _day(one.as_of)) for one in reply.sources),
    )


def _day(text: str) -> date | None:
    """The day of a source; None where it names a year only."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
