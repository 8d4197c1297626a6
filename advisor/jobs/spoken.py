"""What was said of a job, of what it would run on, and of the means: as said, nothing filled in.

None always means "not said". Money is in the currency that was named, memory in GB as printed on cards, power in watts.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Amount:
    """Money as named. `currency` is an ISO code, "" where none was said."""

    value: Decimal
    currency: str = ""


@dataclass(frozen=True, slots=True)
class Spoken:
    """The job. Names are canonical (catalogue) where known, as typed otherwise."""

    models: tuple[str, ...] = ()
    task: str | None = None
    methods: tuple[str, ...] = ()
    precisions: tuple[str, ...] = ()
    batch: int | None = None
    seq_len: int | None = None
    resolution: tuple[int, int] | None = None
    frames: int | None = None
    dataset: str | None = None
    samples: int | None = None
    epochs: float | None = None
    steps: int | None = None
    people: int | None = None
    """How many use it at the same time."""
    software: str | None = None
    cache: str | None = None
    """Number format of the KV cache."""
    optimizer: str | None = None
    recompute: bool | None = None
    """Whether activations are worked out again in the backward pass."""
    lora_rank: int | None = None
    scratch: bool = False
    """Whether training begins at the first token."""
    critic: bool = False
    """Whether a value model is spoken of (PPO)."""
    settings: tuple[str, ...] = ()
    """Settings of a program that were named (`advisor.jobs.switches`)."""


class SideKind(StrEnum):
    """What the job would run on."""

    CARD = "card"
    GENERIC = "generic"
    """A name that leaves the variant open ("A100")."""
    MEMORY = "memory"
    """An amount of memory without a name ("24 GB")."""
    MACHINE = "machine"
    NOTEBOOK = "notebook"
    MAC = "mac"


class PriceUnit(StrEnum):
    """What a stated price is the price of."""

    CARD = "card"
    CARD_HOUR = "card_hour"
    MACHINE = "machine"
    MACHINE_HOUR = "machine_hour"


@dataclass(frozen=True, slots=True)
class OwnPrice:
    """A price that the asker named for one side."""

    amount: Amount
    unit: PriceUnit


@dataclass(frozen=True, slots=True)
class Side:
    """One candidate to run the job on. Count, condition, price and limits are its own, not the message's."""

    kind: SideKind
    name: str = ""
    """Canonical name; "" for an amount of memory."""
    count: int | None = None
    memory_gb: float | None = None
    """Of one card."""
    memory_total_gb: float | None = None
    """Of all cards together, when a total was named."""
    condition: str | None = None
    """new | used | modded"""
    price: OwnPrice | None = None
    power_limit_w: float | None = None
    wall_w: float | None = None
    """Measured at the socket, of the whole machine."""
    ram_gb: float | None = None
    role: str = ""
    """own | wanted | compared"""
    id: str = ""
    """Links mentions of a message to this entry."""


class Period(StrEnum):
    """What a budget or an amount of hours is counted over."""

    ONCE = "once"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class Budget:
    """Money to spend. `bound`: "max" at most, "min" at least, "" about."""

    amount: Amount
    period: Period = Period.ONCE
    bound: str = "max"


@dataclass(frozen=True, slots=True)
class Hours:
    """Hours of use in each `per`; ONCE for hours in all."""

    amount: float
    per: Period = Period.ONCE


@dataclass(frozen=True, slots=True)
class Means:
    """What may be spent, used and taken; what is ruled out."""

    budget: Budget | None = None
    hours: Hours | None = None
    """How long it is used."""
    utilization: float | None = None
    """Share of all hours, 0 to 1; 0 is a value."""
    span_days: float | None = None
    """Over which time the sum is made."""
    deadline_hours: float | None = None
    electricity: Amount | None = None
    """Price of a kWh."""
    deploy: str | None = None
    """rent | buy"""
    providers: tuple[str, ...] = ()
    region: str | None = None
    currency: str | None = None
    """Currency to answer in."""
    excluded: tuple[tuple[str, str], ...] = ()
    """Pairs of kind and value: ("vendor", "AMD"), ("condition", "used"), ("gpu", "RTX 3090"), ("deploy", "rent")."""
    bounds: tuple[tuple[str, str], ...] = ()
    """Pairs of a field and "min" or "max", for values that were said as bounds."""
