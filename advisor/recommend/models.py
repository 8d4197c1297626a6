"""What goes into a recommendation and what comes out of it.

Prices are in the currency of the need; `price` is per hour for renting and per purchase for buying, for all cards of
the option together. Speeds are relative to the winner of the same recommendation unless said otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple

from advisor.ageing import Stands
from advisor.models import Estimate, Frozen, Gpu, Money, Note, Step, Workload


class Channel(StrEnum):
    """How a card is had."""

    RENT = "rent"
    BUY = "buy"


class Objective(StrEnum):
    """What "best" means."""

    CHEAPEST = "cheapest"
    FRUGAL = "frugal"
    """The least money that also meets the guide or the headroom of the task."""
    FASTEST = "fastest"
    BALANCED = "balanced"
    MOST = "most"
    """What the money allows: the fastest within the budget, where a tenth more speed is worth twice the price."""


class Standing(StrEnum):
    """How much a price may be trusted to decide: only the first four may decide a ranking."""

    USER = "user"
    FRESH = "fresh"
    AGEING = "ageing"
    STALE = "stale"
    EXPIRED = "expired"
    LAUNCH = "launch"

    @property
    def solid(self) -> bool:
        """The price may decide."""
        return self is not Standing.EXPIRED and self is not Standing.LAUNCH


class UserPrice(Frozen):
    """A price the user named: it wins over every price of the catalogue."""

    gpu: str
    """Gpu.id"""
    money: Money
    unit: str
    """hour | card"""
    terms: str = "user"
    """user, or chat_used | chat_new | chat_rent: told by members of the asker's group."""
    as_of: date | None = None
    """Day it was told; None for one that the message itself names."""


class Need(Frozen):
    """One wish, in the advisor's terms. Everything is optional; what is missing is assumed and said."""

    workload: Workload | None = None
    task: str | None = None
    """Key of data/tasks.yaml: brings a memory guide, and a typical job when no workload is given."""
    vram_gib: float | None = None
    """Memory per card that the user insists on."""
    headroom_gib: float | None = None
    """Memory of all cards together that leaves room for later jobs: preferred like the guide's, not insisted on."""
    gpu_count: int | None = None
    budget: Money | None = None
    budget_period: str = "once"
    """once | hour | day | week | month | year"""
    hours_per_week: float | None = None
    horizon_months: float = 12
    deadline_hours: float | None = None
    samples: float | None = None
    """Size of the job in the unit of its throughput (samples, images, tokens); needed to judge a deadline."""
    persona: str | None = None
    owned: tuple[str, ...] = ()
    """Gpu.id of cards at hand: never recommended again."""
    providers: tuple[str, ...] = ()
    currency: str = "USD"
    region: str = ""
    """CN, or empty for the rest of the world."""
    vendors: tuple[str, ...] = ()
    """Only these vendors, when named."""
    families: tuple[str, ...] = ()
    """Only these families or series, when named ("RTX 40")."""
    excluded_vendors: tuple[str, ...] = ()
    excluded_gpus: tuple[str, ...] = ()
    excluded_terms: tuple[str, ...] = ()
    """Pricing models that are not wanted, such as purchase_used, spot."""
    deploy: Channel | None = None
    objective: Objective = Objective.BALANCED
    prices: tuple[UserPrice, ...] = ()
    speed_batch: int | None = None
    """Batch at which cards are compared in speed when the batch of the job was only assumed: one that fills them."""
    max_power_w: float | None = None
    max_length_mm: float | None = None
    """Longest card that the case takes."""
    max_slots: float | None = None
    """Most slots that a card may take."""
    unplugged: bool = False
    """Only cards that draw all their power from the slot."""
    several: bool = False
    """Smaller cards may hold the job together, too, where a sum buys none that does it alone."""
    owns: bool = False
    """Whoever asks wants a card of their own where one does the job for a sum that people spend at home."""
    home: bool = False
    """A person at home buys: no cards for server boards, none without a fan, none that current toolkits left out."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A price of one card in the currency of the need, with where it comes from."""

    gpu: str
    channel: Channel
    price: Decimal
    low: Decimal
    high: Decimal
    standing: Standing
    provider: str
    provider_name: str
    terms: str
    as_of: date | None
    source: str
    tier: str = ""
    """list | member | community ... within the provider's terms."""
    original: Money | None = None
    currency: str = ""
    """Of `price`, `low` and `high`."""
    offer: str = ""
    day: str = ""
    """`as_of` as exactly as it is known: a day, a month or a year; empty where it is not known."""

    together: int = 1
    """Cards that are only let as one node; the price stays that of one card."""
    market: str = ""
    """CN | US | EU | UK | INTL: where it was asked; empty for a price the user named."""
    stands: Stands | None = None
    """How it stands on the day, in its own currency; None for a price the user named."""
    firmness: int = 0
    """0: a price of today to count on; 1: an ageing copy, a marketplace figure, or a
    modified card; 2: a record of its time."""

    @property
    def year(self) -> int | None:
        """Year of the price."""
        return self.as_of.year if self.as_of else None

    @property
    def ranged(self) -> bool:
        """The source gives a range, or the age of the price makes it one."""
        return self.low != self.high

    @property
    def converted(self) -> bool:
        """The price is of another market's currency."""
        return self.original is not None and self.currency != "" and self.original.currency != self.currency


def firmness_of(standing: Standing, terms: str, channel: Channel) -> int:
    """How much a price can be counted on, as kept in `Quote.firmness`."""
    if not standing.solid:
        return 2
    loose = standing is Standing.STALE or terms in {"marketplace", "spot"}
    return 1 if loose and channel is Channel.RENT else 0


def paid_cards(n: int, quote: Quote) -> int:
    """Cards that have to be rented to use `n` of them."""
    return -(-n // quote.together) * quote.together


class Prospect(NamedTuple):
    """A number of equal cards that hold the job, at a price; how fast they are has not been asked yet."""

    gpu: Gpu
    n: int
    quote: Quote
    cost: float
    sure: bool
    ample: bool
    paid: int

    @property
    def key(self) -> tuple[str, int, str, str]:
        """See `Option.key`."""
        quote = self.quote
        return (self.gpu.id, self.n, quote.channel, quote.offer or quote.terms)

    @property
    def money(self) -> Decimal:
        """Price of all cards that are paid for."""
        return self.quote.price * self.paid


@dataclass(frozen=True, slots=True)
class Option:
    """A number of equal cards that hold the job, at a price."""

    gpu: Gpu
    n: int
    quote: Quote
    cost: float
    """Price of all `n` cards, as a float for ranking."""
    vram_gib: float
    """Of one card."""
    speed: float | None
    """In the unit of the speed model, all cards together; None when no estimate is supported."""
    sure: bool
    """The card holds the upper end of the memory band, not only its middle."""
    ample: bool
    """The card also meets the memory guide for the task."""
    paid: int
    """Cards that have to be paid for: more than `n` when only whole nodes are let."""
    key: tuple[str, int, str, str]
    """Identity that does not depend on the order of anything."""
    pace: float | None = None
    """What cards are ordered by where no speed of the job is on record; no figure to show."""

    @property
    def fast(self) -> float:
        """Speed, or what stands for it in an order; 0 where nothing is known."""
        return self.speed or self.pace or 0.0

    @property
    def total_vram_gib(self) -> float:
        """Memory of all cards."""
        return self.vram_gib * self.n

    @property
    def money(self) -> Decimal:
        """Price of all cards that are paid for."""
        return self.quote.price * self.paid


class Requirement(Frozen):
    """What a card must have."""

    gib: float
    """Memory per card on one card."""
    low: float
    high: float
    estimate: Estimate | None = None
    """The memory estimate, when it was computed from a workload."""
    breakdown: Any = None
    """The full result of the memory model (parts that add up)."""
    guide_gib: float | None = None
    headroom_gib: float | None = None
    guide_rows: tuple[str, ...] = ()
    guide_source: str = ""
    basis: str = "computed"
    """computed | guide | stated"""


class Pick(Frozen):
    """One recommended option with its reasons."""

    role: str
    """best | cheapest | fastest | roomier | alternative"""
    option: Option
    speed_ratio: float | None = None
    """Against the winner; 1 for the winner."""
    price_ratio: float | None = None
    extra_gib: float = 0.0
    reasons: tuple[Note, ...] = ()


class RuledOut(Frozen):
    """Cards that were left out for one reason."""

    reason: Note
    gpus: tuple[str, ...]
    """Names, best known first."""

    @property
    def count(self) -> int:
        """How many."""
        return len(self.gpus)


class Flip(Frozen):
    """The nearest change along one axis that gives another winner; verified on both sides."""

    axis: str
    """budget | hours_per_week | price | batch | seq_len | model"""
    direction: str
    """up | down"""
    at: float
    """First value with the new winner."""
    last: float
    """Last value checked with the old winner."""
    unit: str = ""
    label: str = ""
    """Name of the value when it is not a number (a model)."""
    winner: str
    """Name of the new winner; empty when nothing fits any more."""
    channel: Channel | None = None
    n: int = 1


class Recommendation(Frozen):
    """Three picks with reasons, everything that was ranked, what was ruled out, and what would change the verdict."""

    need: Need
    workload: Workload | None
    requirement: Requirement
    channel: Channel
    picks: tuple[Pick, ...]
    """Winner first; empty when nothing can be had."""
    other_way: Pick | None = None
    """The best option of the other channel."""
    ranked: tuple[Option, ...] = ()
    """All feasible options of the chosen channel, best first."""
    unpriced: tuple[str, ...] = ()
    """Cards that would do but have no price."""
    ruled_out: tuple[RuledOut, ...] = ()
    flips: tuple[Flip, ...] = ()
    nearest: tuple[Note, ...] = ()
    """When nothing fits the wish: the nearest things that work."""
    notes: tuple[Note, ...] = ()
    hours_per_week: float
    """Stated, or assumed from the persona."""
    hours_assumed: bool = True
    trace: Step

    @property
    def winner(self) -> Pick | None:
        """The first pick."""
        return self.picks[0] if self.picks else None
