"""What programs are answered. Every figure has its unit, every price its date, every answer its sources."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from pydantic import BaseModel, ConfigDict, Field

from advisor.models import Source


class Made(BaseModel):
    """An answer or a part of one."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)


@dataclass(frozen=True, slots=True)
class Picture:
    """An answer that is no JSON."""

    body: bytes
    media_type: str


class SourceOut(Made):
    """Where figures come from."""

    id: str
    """Stable name"""
    title: str
    """Title as shown to people"""
    url: str | None = None
    """Address of the page"""
    as_of: date | None = None
    """Day its figures hold for"""

    @classmethod
    def of(cls, source: Source) -> SourceOut:
        """A source of the catalogue."""
        return cls(id=source.id, title=source.title, url=source.url, as_of=source.as_of or source.read_on)


class Answer(Made):
    """What all answers have."""

    data_version: str
    """Version of the data that it was computed from"""
    sources: list[SourceOut]
    """Where the figures come from"""


class Figure(Made):
    """A figure with its band: nine of ten true values lie within."""

    value: float
    """The figure"""
    low: float
    """Lower end of the band"""
    high: float
    """Upper end of the band"""
    unit: str = Field(examples=["GiB"])
    """Unit of all three"""


class PartOut(Made):
    """One part of a need."""

    name: str = Field(examples=["weights"])
    """What it is"""
    gib: float
    """Its size"""


class Settings(Made):
    """What the figure rests on, every open value filled in."""

    model: str
    """Model as it is called on record"""
    method: str
    """What is done with it"""
    precision: str | None
    """Number format"""
    quant: str | None
    """Weight format"""
    batch: int | None
    """Samples per card and step"""
    context: int | None
    """Tokens of context or sequence"""
    assumed: list[str]
    """Members that were not given and are usual values"""


class MemoryOut(Answer):
    """Memory that a job needs, of each card."""

    need: Figure
    """In all"""
    parts: list[PartOut]
    """What it is made of; they add up to the need"""
    supported: bool
    """False: few measurements stand behind the figure"""
    settings: Settings
    """What it rests on"""
    way: str = Field(examples=["int4"])
    """Code of the way to do the job that is meant: lora, qlora, int4, fp16 ..."""


class WayOut(Made):
    """One way to do a job on a card."""

    way: str = Field(examples=["qlora"])
    """Its code"""
    verdict: str
    """fits | tight | no | unknown"""
    need_gib: float
    """Memory of each card"""
    margin_gib: float | None
    """Usable less need"""


class FitOut(MemoryOut):
    """Whether a job fits on a card."""

    verdict: str = Field(examples=["fits"])
    """fits (95 % sure or more) | tight | no (under 25 %) | unknown"""
    probability: float | None
    """That it fits"""
    gpu: str
    """Card as it is called on record"""
    cards: int
    """How many"""
    usable_gib: float | None
    """Memory of a card that a job can have"""
    margin_gib: float | None
    """Usable less need, negative where it lacks"""
    ways: list[WayOut]
    """Every way to do the job there"""
    instead: str | None
    """The first way that fits where the one that was named does not"""


class SpeedOut(Answer):
    """How fast a job runs."""

    gpu: str
    """Card as it is called on record"""
    cards: int
    """How many"""
    model: str
    """Model as it is called on record"""
    rate: Figure
    """In all: tokens/s when generating, samples or tokens a second when training"""
    prefill: Figure | None = None
    """Prompt tokens a second, when generating"""
    bound: str | None = Field(examples=["memory"])
    """What limits it: compute, memory, launch, exchange; null where it is not split"""
    way: str = Field(examples=["int4"])
    """Code of the way to do the job that is meant"""
    verdict: str
    """fits | tight | no | unknown: whether it fits the memory of the card"""
    seconds: float | None
    """Of one picture or clip"""
    in_ram_gib: float | None
    """Of the weights, in the machine's memory because the card does not hold them"""
    settings: Settings
    """What it rests on"""


class TimeOut(Answer):
    """How long a training run takes."""

    gpu: str
    """Card as it is called on record"""
    cards: int
    """How many"""
    model: str
    """Model as it is called on record"""
    hours: Figure
    """On the clock"""
    gpu_hours: float
    """Hours of cards"""
    rate: Figure
    """Speed of the run"""
    way: str = Field(examples=["qlora"])
    """Code of the way to do the job that is meant"""
    verdict: str
    """fits | tight | no | unknown: whether it fits the memory of the card"""
    settings: Settings
    """What it rests on"""


class Price(Made):
    """An amount of money with its range."""

    value: float
    """The price to count with"""
    low: float
    """Lowest"""
    high: float
    """Highest"""
    currency: str
    """ISO code"""
    as_of: date | None
    """Day it was asked; null for a price of your own"""
    terms: str
    """on_demand | spot | purchase_new | purchase_used ..., user for a price of your own"""
    provider: str
    """Who asks it"""
    source: str
    """Id of the source"""


class BillOut(Made):
    """What one offer would cost."""

    hourly: Price
    """One card for one hour"""
    total: float
    """All cards, all hours, in the currency of the price"""
    paid_cards: int
    """Cards that are billed: more than asked for where only whole nodes are let"""


class CostOut(Answer):
    """Rental of some cards for some hours."""

    gpu: str
    """Card as it is called on record"""
    cards: int
    """How many"""
    hours: float
    """On the clock"""
    bills: list[BillOut]
    """Prices that may be counted on first, then by total"""


class RentOrBuyOut(Answer):
    """Where buying overtakes renting."""

    verdict: str = Field(examples=["rent"])
    """buy | rent | close"""
    gpu: str
    """Card as it is called on record"""
    cards: int
    """How many"""
    capital: Figure
    """Cards and computer"""
    rent_per_hour: Figure
    """All cards"""
    electricity_per_hour: Figure
    """Of one's own machine"""
    hours_per_week: float
    """Hours of use that were counted"""
    break_even_days: Figure | None
    """Calendar days at this use; null: never"""
    cost_rent: Figure
    """Over the months that were asked for"""
    cost_buy: Figure
    """Over the months that were asked for"""
    purchase: Price | None
    """Price of one card that was counted; null for your own"""


class PickOut(Made):
    """One recommended way to have cards."""

    role: str = Field(examples=["best"])
    """best | cheapest | fastest | roomier | alternative"""
    gpu: str
    """Card"""
    cards: int
    """How many"""
    deploy: str
    """rent | buy"""
    price: Price
    """Of one card: an hour of it, or the card"""
    total: float
    """All cards that are paid for, in the currency of the price"""
    vram_gib: float
    """Memory of one card"""
    sure: bool
    """It holds the upper end of the band of the need"""
    speed_ratio: float | None
    """Against the best"""


class RecommendOut(Answer):
    """Which card."""

    model: str
    """Model that the job was counted for"""
    way: str
    """Code of the way to do it"""
    need_gib: Figure
    """Memory that the job needs"""
    picks: list[PickOut]
    """The best first; none when nothing can be had"""
    ranked: list[PickOut]
    """Everything that would do, best first"""


class SideOut(Made):
    """One card of a comparison."""

    gpu: str
    """Card as it is called on record"""
    vram_gib: float | None
    """Memory"""
    bandwidth_gb_per_s: float | None
    """Memory bandwidth"""
    fp16_tflops: float | None
    """Tensor cores, FP16 with FP32 accumulation, dense"""
    board_power_w: float | None
    """Board power"""
    rent: Price | None
    """An hour of it"""
    buy: Price | None
    """The card"""
    fit: str | None
    """fits | tight | no, when a job was named"""
    margin_gib: float | None
    """Usable less need, when a job was named"""
    speed: Figure | None
    """Speed of the job, when one was named and can be estimated"""
    cards: int
    """How many of it"""
    times: dict[str, float | None]
    """Speed against the slowest side: of the named job (yours), else training (train) and writing text (generate)"""


class CompareOut(Answer):
    """How cards differ."""

    sides: list[SideOut]
    """In the order they were named"""
    way: str | None
    """Code of the way to do the named job, one for all sides"""
    winner: str | None
    """Card to take; null when even or open"""
    reason: str
    """only_one_fits | faster | even | even_fewer_cards | even_more_memory | none_fits | more_memory | unknown"""
    margin: Figure | None
    """Speed of the winner over the next"""


class OfferOut(Made):
    """A price that somebody asked on a day."""

    id: str
    """Stable name"""
    price: Price
    """In the currency it was asked in"""
    unit: str = Field(examples=["gpu_hour"])
    """gpu_hour | card | month | machine ..."""
    market: str
    """CN | US | EU | UK | INTL"""
    confidence: str
    """A price list, B copied by a third party, C old document or memory"""


class PricesOut(Answer):
    """Offers of a card."""

    gpu: str
    """Card as it is called on record"""
    offers: list[OfferOut]
    """The newest first"""
