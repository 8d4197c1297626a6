"""Everything that could serve a need before money is looked at: cards, how many of each, how they can be had.

The steps are the documents' own: purpose, memory, then value, then the other limits (rows 002-128 to 002-131).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from advisor.errors import AdvisorError
from advisor.models import Gpu, Method, Note, Workload
from advisor.recommend.market import buy_quotes, market, rent_quote
from advisor.recommend.models import Need, Option, Quote, Requirement
from advisor.recommend.need import COUNTS, Models, job_of, requirement
from advisor.recommend.settings import settings

if TYPE_CHECKING:
    from advisor.catalog import Catalog

_SEVERAL_FROM_GIB = 24.0  # below this, two cards are a worse way to memory than one larger card of the same price


@dataclass(slots=True)
class Prepared:
    """Options and exclusions of one need; budget, hours and objective have not been looked at yet."""

    job: Workload | None
    needs: dict[int, Requirement]
    """Memory need by number of cards."""
    options: list[Option] = field(default_factory=list)
    fallbacks: list[Option] = field(default_factory=list)
    """Cards without Tensor Cores: only when nothing else can be had (row 002-025)."""
    unpriced: list[str] = field(default_factory=list)
    excluded: dict[str, list[Gpu]] = field(default_factory=dict)
    """Reason code -> cards."""
    base: float = 0.0
    """Price of the computer around a bought card, in the currency of the need."""
    base_as_of: date | None = None

    @property
    def work_shrinks(self) -> bool:
        """A faster card is paid for fewer hours: true for training, not for serving."""
        return self.job is None or self.job.method is not Method.INFERENCE

    def exclude(self, code: str, gpu: Gpu) -> None:
        """Leave a card out for a reason."""
        self.excluded.setdefault(code, []).append(gpu)


def prepare(need: Need, catalog: Catalog, today: date, models: Models) -> Prepared:
    """Options for a need, from every card of the catalogue."""
    job = job_of(need, catalog)
    counts = (need.gpu_count,) if need.gpu_count else COUNTS
    made = Prepared(job, {counts[0]: requirement(need, job, models, counts[0])})
    base = settings().base_system
    made.base = float(base.amount * catalog.rate(base.currency, need.currency, today).value)
    made.base_as_of = base.as_of
    quotes = market(catalog, today, need.currency)
    for gpu in sorted(catalog.gpus.values(), key=lambda g: g.id):
        reason = _unsuitable(gpu, need, today)
        if reason:
            made.exclude(reason, gpu)
            continue
        fitted = _count_for(gpu, need, made, models, counts)
        if fitted is None:
            made.exclude("too_small", gpu)
            continue
        n, sure, ample = fitted
        offers = [q for q in (rent_quote(quotes, gpu, need), *buy_quotes(quotes, gpu, need)) if q]
        if not offers:
            made.unpriced.append(gpu.name)
            continue
        speed = models.speed(job, gpu, n) if job else None
        if _too_slow(need, speed):
            made.exclude("too_slow", gpu)
            continue
        kept = made.fallbacks if is_legacy(gpu) else made.options
        kept.extend(_option(gpu, n, quote, speed, sure, ample) for quote in offers)
    return made


def is_legacy(gpu: Gpu) -> bool:
    """An NVIDIA card without Tensor Cores."""
    return gpu.vendor == "NVIDIA" and gpu.tensor_core_gen is None and not (gpu.bf16_supported or False)


def _option(gpu: Gpu, n: int, quote: Quote, speed: float | None, sure: bool, ample: bool) -> Option:
    return Option(gpu, n, quote, float(quote.price) * n, gpu.vram_gib or 0.0, speed, sure, ample)


def _unsuitable(gpu: Gpu, need: Need, today: date) -> str | None:
    """Why a card is out before memory and money are looked at, or None."""
    if gpu.id in need.excluded_gpus or gpu.vendor in need.excluded_vendors:
        return "excluded"
    if gpu.id in need.owned:
        return "owned"
    if gpu.release_date and gpu.release_date > today:
        return "not_released"
    if need.vendors and gpu.vendor not in need.vendors:
        return "other_vendor"
    if need.families and not _in_family(gpu, need.families):
        return "other_family"
    if not need.vendors and gpu.vendor != "NVIDIA":
        return "other_stack"
    if gpu.vram_gib is None:
        return "memory_unknown"
    if need.max_power_w and (gpu.board_power_w or 0.0) > need.max_power_w:
        return "too_much_power"
    return None


def _in_family(gpu: Gpu, families: tuple[str, ...]) -> bool:
    names = {gpu.family.lower(), gpu.series.lower(), gpu.architecture.lower()}
    return any(family.lower() in names for family in families)


def _count_for(
    gpu: Gpu, need: Need, made: Prepared, models: Models, counts: tuple[int, ...]
) -> tuple[int, bool, bool] | None:
    """Smallest number of cards that holds the job, whether surely, and whether the guide is met too."""
    vram = gpu.vram_gib or 0.0
    if need.vram_gib and vram < need.vram_gib:
        return None
    for n in counts:
        if n > 1 and not need.gpu_count and vram < _SEVERAL_FROM_GIB:
            return None
        if n not in made.needs:
            if made.job is None:
                return None
            try:
                made.needs[n] = requirement(need, made.job, models, n)
            except AdvisorError:
                return None
        want = made.needs[n]
        if vram >= want.gib:
            ample = want.guide_gib is None or vram * n >= want.guide_gib
            return n, vram >= want.high, ample
    return None


def _too_slow(need: Need, speed: float | None) -> bool:
    if not need.deadline_hours or not need.samples or not speed:
        return False
    return need.samples / speed / 3600 > need.deadline_hours


def exclusion_notes(made: Prepared, need: Need) -> list[tuple[Note, tuple[str, ...]]]:
    """Reasons with the cards they hit, most telling first."""
    order = (
        "too_small",
        "over_budget",
        "too_slow",
        "too_much_power",
        "other_stack",
        "excluded",
        "owned",
        "other_vendor",
        "other_family",
        "memory_unknown",
        "not_released",
    )
    found = []
    for code in order:
        gpus = made.excluded.get(code)
        if gpus:
            names = tuple(gpu.name for gpu in sorted(gpus, key=_fame))
            found.append((Note(f"out_{code}", {"count": len(names), "names": list(names[:3])}), names))
    return found


def _fame(gpu: Gpu) -> tuple[int, int, float, str]:
    """Recent consumer and data-centre cards first: those are the ones people ask about."""
    year = gpu.release_date.year if gpu.release_date else 0
    return (0 if gpu.vendor == "NVIDIA" else 1, -year, -(gpu.vram_gib or 0.0), gpu.id)
