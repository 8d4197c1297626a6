"""Settings of the recommendation and the typical job of each task, from data/recommend.yaml and data/tasks.yaml."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import lru_cache

from advisor.datafiles import read_data
from advisor.models import Frozen, Method, Precision


class TaskDefaults(Frozen):
    """The job people usually mean when they name only a task."""

    model: str
    method: Method
    batch: int | None = None
    seq_len: int | None = None
    resolution: tuple[int, int] | None = None
    precision: Precision | None = None
    quant: str | None = None
    offload: bool = False
    """The parts of a diffusion model take turns on the card, as the usual tools do."""
    rollouts: bool = False
    """The model writes what it learns from (GRPO, PPO)."""
    guide_gib: float | None = None
    headroom_gib: float | None = None
    """Memory for the jobs that usually come next."""
    rows: tuple[str, ...] = ()
    why: str


class Usage(Frozen):
    """Share of the week in which the GPU works."""

    utilization: float
    rows: tuple[str, ...] = ()


class Base(Frozen):
    """Price of the computer around the card."""

    amount: Decimal
    currency: str
    as_of: date
    source: str
    rows: tuple[str, ...] = ()


class Region(Frozen):
    """What can be had in one market."""

    currency: str
    providers: tuple[str, ...]
    not_sold_new: tuple[str, ...] = ()
    made_for: tuple[str, ...] = ()
    export_variants: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


class Servers(Frozen):
    """How a budget becomes servers."""

    host_share: float
    """Share of the money for everything but the cards."""
    most_cards: int
    least_usd: float
    """Budget from which servers are meant rather than a card."""
    least_gib: float
    """Memory of a card below which nobody builds a server with it."""


class Room(Frozen):
    """Bounds that are meant where somebody speaks of a place and gives no figure."""

    other_w: float
    """Watts that a power supply keeps for processor and board."""
    other_share: float
    """The most that these take of a supply: small machines take less."""
    quiet_w: float
    """Watts up to which a card of today is cooled quietly."""
    small_mm: float
    """Longest card in a small case."""
    low_mm: float
    """Longest card of half height on record."""
    rows: tuple[str, ...] = ()


class Settings(Frozen):
    """Everything in data/recommend.yaml."""

    base_system: Base
    usage: dict[str, Usage]
    rental_hours_floor: float
    indicative_margin: float
    home_most_usd: Decimal
    regions: dict[str, Region]
    server: Servers
    room: Room
    not_places: tuple[str, ...] = ()
    not_tiers: tuple[str, ...] = ()

    def hours_per_week(self, persona: str | None) -> float:
        """Typical hours of GPU work a week of a kind of user."""
        usage = self.usage.get(persona or "default") or self.usage["default"]
        return usage.utilization * 168

    def variants(self) -> frozenset[str]:
        """Gpu.id of the cards that exist for one market only."""
        return frozenset(gpu for region in self.regions.values() for gpu in (*region.made_for, *region.export_variants))

    def usage_rows(self, persona: str | None) -> tuple[str, ...]:
        """Rows of the fact list behind `hours_per_week`."""
        return (self.usage.get(persona or "default") or self.usage["default"]).rows


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Settings of the recommendation."""
    result: Settings = read_data("recommend.yaml", Settings)
    return result


@lru_cache(maxsize=1)
def tasks() -> dict[str, TaskDefaults]:
    """Typical job by task."""
    result: dict[str, TaskDefaults] = read_data("tasks.yaml", dict[str, TaskDefaults])
    return result
