"""Everything that could serve a need before money is looked at: cards, how many of each, how they can be had.

The steps are the documents' own: purpose, memory, then value, then the other limits (rows 002-128 to 002-131).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from advisor.errors import AdvisorError
from advisor.models import Gpu, Method, Note, Workload
from advisor.recommend.market import quotes_for
from advisor.recommend.models import Channel, Need, Objective, Option, Quote, Requirement, paid_cards
from advisor.recommend.need import COUNTS, Models, job_of, requirement
from advisor.recommend.rank import rank
from advisor.recommend.settings import settings

if TYPE_CHECKING:
    from advisor.catalog import Catalog

_SEVERAL_FROM_GIB = 24.0  # below this, two cards are a worse way to memory than one larger card of the same price
_NEEDS_TENSOR_CORES = frozenset({Method.LORA, Method.QLORA, Method.PTUNING, Method.PRETRAIN})
"""Kinds of work whose common software assumes fast half precision."""
_REASONS = (
    "too_small",
    "over_budget",
    "too_slow",
    "no_tensor_cores",
    "too_much_power",
    "other_stack",
    "excluded",
    "owned",
    "other_vendor",
    "other_family",
    "memory_unknown",
    "not_released",
)


@dataclass(slots=True)
class Prepared:
    """Options of one need; budget, hours and objective have not been looked at yet."""

    job: Workload | None
    needs: dict[int, Requirement | None]
    """Memory need by number of cards; None where no estimate is supported."""
    options: list[Option] = field(default_factory=list)
    fallbacks: list[Option] = field(default_factory=list)
    """Cards without Tensor Cores: only when nothing else can be had (row 002-025)."""
    base: float = 0.0
    """Price of the computer around a bought card, in the currency of the need."""
    best_too_slow: float = 0.0
    """Speed of the fastest option that misses the deadline."""
    orders: dict[tuple[Channel, Objective], tuple[list[Option], list[Option]]] = field(default_factory=dict)

    @property
    def work_shrinks(self) -> bool:
        """A faster card is paid for fewer hours: true for training, not for serving."""
        return self.job is None or self.job.method is not Method.INFERENCE

    def need_on(self, n: int) -> Requirement:
        """Memory need per card on `n` cards."""
        return self.needs.get(n) or next(kept for kept in self.needs.values() if kept is not None)

    def ordered(self, channel: Channel, objective: Objective) -> tuple[list[Option], list[Option]]:
        """Options and fallbacks of a channel, best first; sorted once."""
        key = (channel, objective)
        if key not in self.orders:
            base = self.base if channel is Channel.BUY else 0.0
            modern, legacy = (
                rank(
                    (option for option in pool if option.quote.channel is channel),
                    objective,
                    base=base,
                    work_shrinks=self.work_shrinks,
                )
                for pool in (self.options, self.fallbacks)
            )
            self.orders[key] = (modern, legacy)
        return self.orders[key]


def prepare(need: Need, catalog: Catalog, today: date, models: Models) -> Prepared:
    """Options for a need, from every card that can be had."""
    job = job_of(need, catalog)
    counts = (need.gpu_count,) if need.gpu_count else COUNTS
    made = Prepared(job, {counts[0]: requirement(need, job, models, counts[0])})
    paced = at_speed_batch(need, job)
    base = settings().base_system
    made.base = float(base.amount * catalog.rate(base.currency, need.currency, today).value)
    for gpu_id, quotes in quotes_for(catalog, today, need).items():
        gpu = catalog.gpus[gpu_id]
        if unsuitable(gpu, need, today) or not _software_fits(gpu, job):
            continue
        fitted = _count_for(gpu, need, made, models, counts)
        if fitted is None:
            continue
        n, sure, ample = fitted
        speed = models.speed(paced, gpu, n) if paced else None
        while _too_slow(need, speed):
            larger = next((m for m in counts if m > n and m <= _most(gpu)), None)
            again = _count_for(gpu, need, made, models, (larger,), several=True) if larger else None
            if again is None or paced is None:
                break
            n, sure, ample = again
            speed = models.speed(paced, gpu, n)
        if _too_slow(need, speed):
            made.best_too_slow = max(made.best_too_slow, speed or 0.0)
            continue
        kept = made.fallbacks if is_legacy(gpu) else made.options
        kept.extend(_option(gpu, n, quote, speed, sure, ample) for quote in quotes)
    return made


def at_speed_batch(need: Need, job: Workload | None) -> Workload | None:
    """The job at the batch at which speeds are compared."""
    if job is None or need.speed_batch is None or (job.batch or 0) >= need.speed_batch:
        return job
    return job.model_copy(update={"batch": need.speed_batch})


def is_legacy(gpu: Gpu) -> bool:
    """An NVIDIA card without Tensor Cores."""
    return gpu.tensor_core_gen is None and gpu.vendor == "NVIDIA" and not gpu.bf16_supported


def _software_fits(gpu: Gpu, job: Workload | None) -> bool:
    return job is None or job.method not in _NEEDS_TENSOR_CORES or not is_legacy(gpu)


def _option(gpu: Gpu, n: int, quote: Quote, speed: float | None, sure: bool, ample: bool) -> Option:
    key = (gpu.id, n, quote.channel.value, quote.offer or quote.terms)
    paid = paid_cards(n, quote)
    return Option(gpu, n, quote, float(quote.price) * paid, gpu.vram_gib or 0.0, speed, sure, ample, paid, key)


def unsuitable(gpu: Gpu, need: Need, today: date) -> str | None:
    """Why a card is out before memory and money are looked at, or None."""
    if gpu.form_factor == "laptop":
        return "laptop"
    if need.vendors:
        if gpu.vendor not in need.vendors:
            return "other_vendor"
    elif gpu.vendor != "NVIDIA":
        return "excluded" if gpu.vendor in need.excluded_vendors else "other_stack"
    if gpu.id in need.excluded_gpus or gpu.vendor in need.excluded_vendors:
        return "excluded"
    if gpu.id in need.owned:
        return "owned"
    if gpu.release_date and gpu.release_date > today:
        return "not_released"
    if need.families and not _in_family(gpu, need.families):
        return "other_family"
    if gpu.vram_gib is None:
        return "memory_unknown"
    if need.max_power_w and (gpu.board_power_w or 0.0) > need.max_power_w:
        return "too_much_power"
    return None


def _in_family(gpu: Gpu, families: tuple[str, ...]) -> bool:
    names = {gpu.family.lower(), gpu.series.lower(), gpu.architecture.lower(), gpu.vendor.lower()}
    return any(family.lower() in names for family in families)


def _count_for(
    gpu: Gpu, need: Need, made: Prepared, models: Models, counts: Iterable[int], *, several: bool = False
) -> tuple[int, bool, bool] | None:
    """Smallest number of cards that holds the job, whether surely, and whether the guide is met too.

    `several`: more cards are taken for speed, so small ones count too.
    """
    vram = gpu.vram_gib or 0.0
    if need.vram_gib and vram < need.vram_gib:
        return None
    usable = models.usable(gpu)
    for n in counts:
        if n > 1 and not need.gpu_count and ((vram < _SEVERAL_FROM_GIB and not several) or n > _most(gpu)):
            return None
        want = _want(need, made, models, n)
        if want is None or (want.estimate is None and vram < want.gib):
            return None
        if want.estimate is None or usable >= want.estimate.value:
            ample = want.guide_gib is None or vram * n >= want.guide_gib
            return n, want.estimate is None or models.sure(want.estimate, usable), ample
    return None


def _want(need: Need, made: Prepared, models: Models, n: int) -> Requirement | None:
    if n not in made.needs:
        try:
            made.needs[n] = requirement(need, made.job, models, n) if made.job else None
        except AdvisorError:
            made.needs[n] = None
    return made.needs[n]


def _most(gpu: Gpu) -> int:
    """Cards of a kind that are put together without being asked for.

    More than four GeForce cards lose much to the exchange between them (E08), and several old cards are no way out.
    """
    return 1 if is_legacy(gpu) else 4 if gpu.family == "GeForce" else max(COUNTS)


def _too_slow(need: Need, speed: float | None) -> bool:
    if not need.deadline_hours or not need.samples or not speed:
        return False
    return need.samples / speed / 3600 > need.deadline_hours


# --- what was left out -----------------------------------------------------------------------------------------------


def exclusions(
    need: Need, catalog: Catalog, today: date, models: Models, made: Prepared, over: Iterable[Option]
) -> tuple[list[tuple[Note, tuple[str, ...]]], tuple[str, ...]]:
    """Reasons with the cards they hit, most telling first; and cards that would do but have no price."""
    counts = (need.gpu_count,) if need.gpu_count else COUNTS
    dear = {option.gpu.id for option in over}
    quotes = quotes_for(catalog, today, need)
    had = {option.gpu.id for option in (*made.options, *made.fallbacks)}
    groups: dict[str, list[Gpu]] = {}
    unpriced: list[str] = []
    for gpu in catalog.gpus.values():
        reason = unsuitable(gpu, need, today)
        if reason is None and gpu.id in had:
            reason = "over_budget" if gpu.id in dear else None
        elif reason is None and not _software_fits(gpu, made.job):
            reason = "no_tensor_cores"
        elif reason is None and _count_for(gpu, need, made, models, counts) is None:
            reason = "too_small"
        elif reason is None:
            if gpu.id in quotes:
                reason = "too_slow"
            elif not is_legacy(gpu):
                unpriced.append(gpu.name)
        if reason is not None:
            groups.setdefault(reason, []).append(gpu)
    found = []
    for code in _REASONS:
        if groups.get(code):
            names = tuple(gpu.name for gpu in sorted(groups[code], key=_fame))
            found.append((Note(f"out_{code}", {"count": len(names), "names": list(names[:3])}), names))
    return found, tuple(sorted(unpriced))


def _fame(gpu: Gpu) -> tuple[int, int, float, str]:
    """Recent consumer and data-centre cards first: those are the ones people ask about."""
    year = gpu.release_date.year if gpu.release_date else 0
    return (0 if gpu.vendor == "NVIDIA" else 1, -year, -(gpu.vram_gib or 0.0), gpu.id)
