"""What programs may ask, one class for each endpoint. Unknown members are refused."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from advisor.models import Method, Optimizer, Precision, PricingModel
from advisor.recommend import Channel

Currency = Annotated[
    str, Field(pattern="^[A-Z]{3}$", description="ISO code of the currency of all amounts", examples=["USD", "CNY"])
]
GpuName = Annotated[
    str, Field(min_length=1, max_length=80, description="Name of a card, any usual spelling", examples=["RTX 4090"])
]
ModelName = Annotated[
    str,
    Field(min_length=1, max_length=120, description="Name of a model, or a size", examples=["Qwen2.5-14B", "7B"]),
]
Cards = Annotated[int, Field(ge=1, le=1024, description="Cards at the same time", examples=[1])]
Positive = Annotated[float, Field(gt=0, le=1e15, allow_inf_nan=False)]
Hours = Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False, description="Hours", examples=[20.0])]
Amount = Annotated[float, Field(ge=0.0001, le=1e9, allow_inf_nan=False)]


class Shape(BaseModel):
    """A request or a part of one."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Job(Shape):
    """One job: a model and what is done with it. What is left out is assumed, and the answer says what."""

    model: ModelName
    method: Method | None = Field(default=None, examples=["lora"])
    """What is done with the model; left out: it is run"""
    precision: Precision | None = None
    """Number format"""
    quant: str | None = Field(default=None, max_length=20, pattern="^[a-z0-9_-]+$", examples=["q4_k_m"])
    """Weight format when quantised: nf4, awq, gptq, q4_k_m, int8; left out with precision: as people usually run it"""
    optimizer: Optimizer | None = None
    """Optimizer of a training run"""
    batch: int | None = Field(default=None, ge=1, le=100_000)
    """Samples per card and step"""
    context: int | None = Field(default=None, ge=1, le=10_000_000, examples=[8192])
    """Tokens of context, or length of a training sequence"""
    checkpointing: bool | None = None
    """Gradient checkpointing"""
    lora_rank: int | None = Field(default=None, ge=1, le=4096)
    """Rank of LoRA matrices"""
    users: int | None = Field(default=None, ge=1, le=10_000)
    """Requests at the same time, when serving"""


class MemoryIn(Job):
    """How much memory does a job need?"""

    cards: Cards = 1


class FitIn(Job):
    """Does a job fit on a card?"""

    gpu: GpuName
    cards: Cards = 1


class SpeedIn(FitIn):
    """How fast does a job run on a card?"""


class TimeIn(FitIn):
    """How long does a training run take?"""

    method: Method | None = Field(default=None, examples=["lora"])
    """What is done with the model; left out: it is fine-tuned, networks for pictures are trained"""
    samples: Positive | None = Field(default=None, examples=[10000])
    """Samples of the data set; or give tokens or dataset"""
    tokens: Positive | None = None
    """Tokens of the data set"""
    dataset: str | None = Field(default=None, min_length=1, max_length=120)
    """A data set whose size is known, such as alpaca-52k"""
    epochs: float | None = Field(default=None, gt=0, le=10_000)
    """Passes over the data; left out: one, or as usual for the data set"""


class CostIn(Shape):
    """What does renting a card cost?"""

    gpu: GpuName
    hours: Hours
    cards: Cards = 1
    currency: Currency = "USD"
    providers: list[Annotated[str, Field(max_length=60)]] = Field(default=[], max_length=20)
    """Only these providers (ids or names)"""


class RentOrBuyIn(Shape):
    """Rent a card or buy it?"""

    gpu: GpuName
    hours_per_week: float = Field(default=20.0, ge=0.01, le=168, examples=[20])
    """Hours of use in a week"""
    months: float = Field(default=12.0, ge=0.1, le=600)
    """How long the comparison looks ahead"""
    cards: Cards = 1
    currency: Currency = "USD"
    card_price: Amount | None = None
    """Own price of one card; left out: the catalogue's"""
    rent_per_hour: Amount | None = None
    """Own price of one card and hour; left out: the cheapest to count on"""
    electricity_price: float | None = Field(default=None, ge=0, le=100)
    """Price of a kWh; left out: that of households in the market of the currency"""
    host_price: float | None = Field(default=None, ge=0, le=1e7)
    """Price of the computer around the cards, 0 with one at hand; left out: a plain one"""


class RecommendIn(Shape):
    """Which card? Give a model or a task; a budget narrows it."""

    model: ModelName | None = None
    """Name of a model, or a size"""
    method: Method | None = None
    """What is done with the model"""
    task: str | None = Field(default=None, max_length=40, pattern="^[a-z0-9_]+$", examples=["llm_inference"])
    """Kind of work when no model is known: llm_inference, llm_finetune, image_generation, cv, nlp, learning ..."""
    quant: str | None = Field(default=None, max_length=20, pattern="^[a-z0-9_-]+$")
    """Weight format when quantised; left out: as people usually run it"""
    context: int | None = Field(default=None, ge=1, le=10_000_000)
    """Tokens of context, or length of a training sequence"""
    batch: int | None = Field(default=None, ge=1, le=100_000)
    """Samples per card and step"""
    budget: Amount | None = Field(default=None, examples=[1000])
    """Most money to spend"""
    budget_period: Literal["once", "hour", "day", "week", "month", "year"] = "once"
    """What the budget pays for"""
    currency: Currency = "USD"
    deploy: Channel | None = None
    """rent | buy; left out: whatever is better"""
    cards: int | None = Field(default=None, ge=1, le=64)
    """Number of cards, when it is fixed"""
    min_vram_gib: float | None = Field(default=None, gt=0, le=4096)
    """Least memory per card in GiB"""
    hours_per_week: float | None = Field(default=None, ge=0.01, le=168)
    """Hours of use in a week"""
    vendors: list[Annotated[str, Field(max_length=40)]] = Field(default=[], max_length=10, examples=[["NVIDIA"]])
    """Only these makers"""


class CompareIn(Shape):
    """How do cards differ?"""

    gpus: list[GpuName] = Field(min_length=2, max_length=6, examples=[["RTX 3090", "RTX 4090"]])
    """The cards; a count may stand before a name: 2x RTX 3090"""
    model: ModelName | None = None
    """Model of a job to hold them against"""
    method: Method | None = None
    """What is done with the model; left out: it is run"""
    quant: str | None = Field(default=None, max_length=20, pattern="^[a-z0-9_-]+$", examples=["q4_k_m"])
    """Weight format when quantised: q4_k_m, nf4, awq, int8; left out: as people usually run it"""
    context: int | None = Field(default=None, ge=1, le=10_000_000)
    """Tokens of context, or length of a training sequence"""
    currency: Currency = "USD"


class Paged(Shape):
    """A part of a list."""

    q: str = Field(default="", max_length=120)
    """Words that the name holds"""
    limit: int = Field(default=50, ge=1, le=200)
    """Entries at most"""
    offset: int = Field(default=0, ge=0, le=100_000)
    """Entries to leave out at the start"""


class GpusQuery(Paged):
    """Which cards are on record?"""

    vendor: str = Field(default="", max_length=40, examples=["NVIDIA"])
    """Only this maker"""
    min_vram_gib: float = Field(default=0, ge=0, le=100_000)
    """Least memory in GiB"""


class ModelsQuery(Paged):
    """Which models are on record?"""

    modality: str = Field(default="", max_length=40, examples=["text-decoder"])
    """Only this kind"""


class PricesQuery(Shape):
    """What is a card offered for?"""

    gpu: GpuName
    terms: PricingModel | None = None
    """Only this way to pay"""
    market: str = Field(default="", max_length=8, pattern="^[A-Z]*$", examples=["CN"])
    """Only this market: CN, US, EU, UK, INTL"""
    historical: bool = False
    """Prices of their time too"""


class PassagesQuery(Shape):
    """What do the documents say?"""

    q: str = Field(min_length=1, max_length=300, examples=["what is LoRA"])
    """A question or a few words"""
    language: Literal["zh", "en"] = "en"
    """Language of the passages"""
    limit: int = Field(default=3, ge=1, le=10)
    """Passages at most"""


class ChartQuery(Shape):
    """A picture: memory by part, price against speed, break-even over months, scaling, speed by context."""

    about: Literal["memory", "price-speed", "break-even", "scaling", "context"] = Field(examples=["memory"])
    """What it shows; memory needs a model, break-even a card, scaling and context both"""
    model: str | None = Field(default=None, min_length=1, max_length=120, examples=["Qwen2.5-14B"])
    """Name of a model, or a size"""
    gpu: str | None = Field(default=None, min_length=1, max_length=80, examples=["RTX 4090"])
    """Name of a card"""
    method: Method | None = Field(default=None, examples=["lora"])
    """What is done with the model; left out: it is run"""
    task: str | None = Field(default=None, max_length=40, pattern="^[a-z0-9_]+$")
    """Kind of work when no model is known"""
    quant: str | None = Field(default=None, max_length=20, pattern="^[a-z0-9_-]+$")
    """Weight format when quantised"""
    context: int | None = Field(default=None, ge=1, le=10_000_000)
    """Tokens of context, or length of a training sequence"""
    batch: int | None = Field(default=None, ge=1, le=100_000)
    """Samples per card and step"""
    budget: float | None = Field(default=None, ge=0.0001, le=1e9, allow_inf_nan=False)
    """Most money to spend"""
    currency: Currency = "USD"
    deploy: Channel | None = None
    """rent | buy"""
    hours_per_week: float = Field(default=20.0, ge=0.01, le=168)
    """Hours of use in a week"""
    months: float = Field(default=12.0, ge=0.1, le=600)
    """How long the comparison looks ahead"""
    lang: Literal["zh", "en"] = "en"
    """Language of the words"""
    theme: Literal["light", "dark"] = "light"
    """Colours"""
    format: Literal["svg", "png"] = "svg"
    """Kind of picture"""
