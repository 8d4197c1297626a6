"""What the functions that take names answer with. Memory is in GiB of each card, money in the currency it names."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from advisor.named.shown import Cell, Row, Shown
from advisor.named.values import Assumed, PriceRow, Range, Settings, Source, band, counted, day_text, record


@dataclass(frozen=True, slots=True)
class WayRow:
    """One way to do the job on this card."""

    way: str
    verdict: str
    """fits | tight | no | unknown"""
    need_gib: float
    margin_gib: float | None


@dataclass(frozen=True, slots=True)
class Part:
    """One share of the memory."""

    name: str
    gib: float


@dataclass(frozen=True, slots=True, repr=False)
class Fit(Shown):
    """Whether a job fits so many of a card."""

    gpu: str
    gpus: int
    model: str
    way: str
    """Code of the way that is meant: lora, qlora, int4, fp16 ..."""
    verdict: str
    """fits | tight | no | unknown"""
    probability: float | None
    """That it fits, from the error band."""
    need: Range
    parts: tuple[Part, ...]
    """They add up to the need."""
    supported: bool
    """False: few measurements stand behind the figure."""
    usable_gib: float | None
    margin_gib: float | None
    """Usable less need; negative where it lacks."""
    ways: tuple[WayRow, ...]
    instead: str
    """The first way that fits where the one that was named does not; empty where there is none or none is needed."""
    settings: Settings
    assumed: tuple[Assumed, ...]
    also: tuple[str, ...]
    """Other cards that the name may mean."""
    sources: tuple[Source, ...]

    @property
    def brief(self) -> str:
        """Card, verdict, what is left."""
        left = "" if self.margin_gib is None else f", {self.margin_gib:+.1f} GiB"
        return f"{counted(self.gpu, self.gpus)}: {self.verdict}{left}"

    @property
    def rows(self) -> tuple[Row, ...]:
        """One a way."""
        return tuple(record(way=one.way, verdict=one.verdict, need_gib=one.need_gib, margin_gib=one.margin_gib)
                     for one in self.ways)  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)
class Memory(Shown):
    """What a job takes of each card."""

    model: str
    gpus: int
    way: str
    need: Range
    parts: tuple[Part, ...]
    """They add up to the need."""
    ways: tuple[tuple[str, float], ...]
    """Every way with its need."""
    supported: bool
    settings: Settings
    assumed: tuple[Assumed, ...]
    sources: tuple[Source, ...]

    @property
    def brief(self) -> str:
        """Model, way, need."""
        return f"{self.model}, {self.way}: {band(self.need)}"

    @property
    def rows(self) -> tuple[Row, ...]:
        """One a part."""
        return tuple(record(part=one.name, gib=one.gib) for one in self.parts)


@dataclass(frozen=True, slots=True, repr=False)
class Speed(Shown):
    """How fast a job runs."""

    gpu: str
    gpus: int
    model: str
    way: str
    verdict: str
    rate: Range
    """Per second unless the unit says otherwise."""
    per_user: float | None
    prompt: Range | None
    """Prompt tokens read per second, for language models."""
    seconds: float | None
    """Of one picture or clip."""
    bound: str
    """What the time mostly goes to: compute | memory | launch | exchange; empty where it is not split."""
    in_ram_gib: float | None
    """Of the weights, in the machine's memory because the card does not hold them."""
    settings: Settings
    assumed: tuple[Assumed, ...]
    sources: tuple[Source, ...]

    @property
    def brief(self) -> str:
        """Card, model, rate."""
        return f"{counted(self.gpu, self.gpus)}, {self.model}, {self.way}: {band(self.rate)}"

    @property
    def rows(self) -> tuple[Row, ...]:
        """One."""
        return (
            record(
                gpu=self.gpu, gpus=self.gpus, model=self.model, way=self.way, verdict=self.verdict,
                rate=self.rate.value, low=self.rate.low, high=self.rate.high, unit=self.rate.unit,
            ),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)
class Time(Shown):
    """How long a training run takes."""

    gpu: str
    gpus: int
    model: str
    way: str
    verdict: str
    hours: Range
    gpu_hours: float
    rate: Range
    """Speed of the run."""
    samples: float
    """All rounds together."""
    epochs: float
    settings: Settings
    assumed: tuple[Assumed, ...]
    sources: tuple[Source, ...]

    @property
    def brief(self) -> str:
        """Card, model, hours."""
        return f"{counted(self.gpu, self.gpus)}, {self.model}, {self.way}: {band(self.hours)}"

    @property
    def rows(self) -> tuple[Row, ...]:
        """One."""
        return (
            record(
                gpu=self.gpu, gpus=self.gpus, model=self.model, way=self.way, verdict=self.verdict,
                hours=self.hours.value, low=self.hours.low, high=self.hours.high, gpu_hours=self.gpu_hours,
            ),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Picked:
    """One recommended option."""

    role: str
    """best | cheapest | fastest | roomier | alternative | other_way"""
    gpu: str
    gpus: int
    channel: str
    """rent | buy"""
    price: Range
    """Of all cards: for an hour (rent) or outright."""
    provider: str
    terms: str
    as_of: date | None
    source: str
    vram_gib: float
    sure: bool
    """It holds the upper end of the memory band."""
    speed: float | None
    """Against the first pick."""


@dataclass(frozen=True, slots=True, repr=False)
class Advice(Shown):
    """Which card to take."""

    model: str
    way: str
    need: Range
    channel: str
    picks: tuple[Picked, ...]
    """First choice first; empty when nothing can be had."""
    nearest: tuple[str, ...]
    """Codes of what comes closest where nothing can be had."""
    assumed: tuple[Assumed, ...]
    sources: tuple[Source, ...]

    @property
    def brief(self) -> str:
        """The pick with its price."""
        if not self.picks:
            return "nothing fits"
        first = self.picks[0]
        return f"{first.channel} {counted(first.gpu, first.gpus)}, {band(first.price)}"

    @property
    def rows(self) -> tuple[Row, ...]:
        """One a pick."""
        return tuple(
            record(
                role=one.role, gpu=counted(one.gpu, one.gpus), channel=one.channel, price=one.price.value,
                unit=one.price.unit, provider=one.provider, terms=one.terms, as_of=day_text(one.as_of),
                vram_gib=one.vram_gib, speed=one.speed,
            )
            for one in self.picks
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Compared:
    """One side of a comparison."""

    gpu: str
    gpus: int
    vram_gib: float | None
    bandwidth_gb_per_s: float | None
    fp16_tflops: float | None
    power_w: float | None
    year: int | None
    rent: Range | None
    """An hour of all of them."""
    buy: Range | None
    offers: tuple[PriceRow, ...]
    """What one card costs, with its day: to rent, to buy."""
    speeds: tuple[tuple[str, float | None], ...]
    """(job, times the slowest side)"""
    fits: str
    """Verdict on the named job; empty without one."""
    margin_gib: float | None
    rate: Range | None
    """Speed of the named job."""


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Shown):
    """Cards side by side."""

    sides: tuple[Compared, ...]
    jobs: tuple[str, ...]
    way: str
    """Of the named job, one for all sides; empty without one."""
    winner: str
    """Name of the side to take; empty when even or open."""
    reason: str
    """only_one_fits | faster | even | even_fewer_cards | even_more_memory | even_supported | none_fits | more_memory |
    unknown"""
    margin: Range | None
    """Speed of the winner over the next."""
    sources: tuple[Source, ...]

    @property
    def brief(self) -> str:
        """Sides and who wins."""
        names = " / ".join(counted(one.gpu, one.gpus) for one in self.sides)
        margin = f" x {self.margin.value:.3g}" if self.margin else ""
        return f"{names}: {self.winner or 'open'} ({self.reason}{margin})"

    @property
    def rows(self) -> tuple[Row, ...]:
        """One a side."""
        return tuple(
            {
                "gpu": counted(one.gpu, one.gpus),
                "vram_gib": one.vram_gib,
                "bandwidth_gb_per_s": one.bandwidth_gb_per_s,
                "fp16_tflops": one.fp16_tflops,
                "power_w": one.power_w,
                "year": one.year,
                "rent": one.rent.value if one.rent else None,
                "buy": one.buy.value if one.buy else None,
                **{f"speed_{job}": speed for job, speed in one.speeds},
                "fits": one.fits,
            }
            for one in self.sides
        )


@dataclass(frozen=True, slots=True)
class RunRow:
    """How one usual job goes."""

    task: str
    """run | tune | draw | train"""
    model: str
    way: str
    verdict: str
    need_gib: float
    rate: float | None
    unit: str


@dataclass(frozen=True, slots=True, repr=False)
class Runs(Shown):
    """What a card can do."""

    gpu: str
    """Empty for an amount of memory without a name."""
    gpus: int
    memory_gib: float | None
    jobs: tuple[RunRow, ...]
    also: tuple[str, ...]
    sources: tuple[Source, ...]

    @property
    def brief(self) -> str:
        """Card, and how many of the usual jobs it does."""
        able = sum(one.verdict in ("fits", "tight") for one in self.jobs)
        return f"{counted(self.gpu or f'{self.memory_gib:g} GB', self.gpus)}: {able} of {len(self.jobs)} usual jobs"

    @property
    def rows(self) -> tuple[Row, ...]:
        """One a job."""
        return tuple(
            record(
                task=one.task, model=one.model, way=one.way, verdict=one.verdict, need_gib=one.need_gib,
                rate=one.rate, unit=one.unit,
            )
            for one in self.jobs
        )  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)
class Listing(Shown):
    """Records of the catalogue."""

    kind: str
    """gpus | models"""
    records: tuple[dict[str, Cell], ...]

    @property
    def brief(self) -> str:
        """How many of what."""
        return f"{len(self.records)} {self.kind}"

    @property
    def rows(self) -> tuple[Row, ...]:
        """One a record."""
        return self.records
