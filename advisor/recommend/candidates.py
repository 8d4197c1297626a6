"""Everything that could serve a need before money is looked at: cards, how many of each, how they can be had.

The steps are the documents' own: purpose, memory, then value, then the other limits (rows 002-128 to 002-131).
Speeds and places are worked out for those that compete with each other, when they first do.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from math import inf
from typing import TYPE_CHECKING, Final

from advisor.errors import AdvisorError
from advisor.models import Banded, Gpu, Method, Note, Workload, note_of
from advisor.recommend.ground import Alike, Fitted, Ground, Group, Stock, ground_for, is_past
from advisor.recommend.home import TOGETHER, for_home, pace_of, together
from advisor.recommend.models import Channel, Need, Objective, Option, Prospect, Requirement, paid_cards
from advisor.recommend.need import COUNTS, Models, Speeds, guide_of, job_of, requirement, want_of
from advisor.recommend.rank import PlaceOf, order_key, undefeated
from advisor.recommend.settings import settings

if TYPE_CHECKING:
    from advisor.catalog import Catalog

_SEVERAL_FROM_GIB: Final = 24.0
"""Below this, two cards are a worse way to memory than one larger card of the same price."""
_NEEDS_TENSOR_CORES: Final = (Method.LORA, Method.QLORA, Method.PTUNING, Method.PRETRAIN)
"""Kinds of work whose common software assumes fast half precision."""
_UNPACED: Final = frozenset({"image-gen", "speech"})
"""Kinds of work of which few speeds are on record, so that cards are ordered by their arithmetic."""
_REASONS: Final = (
    "too_small",
    "over_budget",
    "too_slow",
    "no_tensor_cores",
    "not_home",
    "too_much_power",
    "too_large",
    "other_stack",
    "excluded",
    "owned",
    "other_vendor",
    "other_family",
    "memory_unknown",
    "not_released",
)

_BEST_FIRST: Final[dict[bool, tuple[Group, ...]]] = {
    renting: tuple((renting, legacy, firmness) for legacy in (False, True) for firmness in (0, 1, 2))
    for renting in (False, True)
}
"""Groups of buying and of renting in the order in which they answer."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Options of a group, best first, with what they were sorted by."""

    keys: list[tuple[object, ...]]
    options: list[Option]


@dataclass(slots=True)
class Prepared:
    """Options of one need; budget, hours and objective have not been looked at yet."""

    need: Need
    job: Workload | None
    models: Models
    paced: Workload | None
    """The job at the batch at which speeds are compared."""
    ground: Ground
    base: float = 0.0
    """Price of the computer around a bought card, in the currency of the need."""
    home_limit: float = 0.0
    """The most that people spend on a card at home, in the currency of the need."""
    groups: dict[Group, list[Prospect]] = field(default_factory=dict)
    """Cards without Tensor Cores stand apart: only when nothing else can be had (row 002-025)."""
    guide_gib: float | None = None
    """Memory of all cards together that the guide for the task, or the headroom for what comes next, asks for."""
    best_too_slow: float = 0.0
    """Speed of the fastest option that misses the deadline."""
    wants: dict[int, Banded | float | None] = field(default_factory=dict)
    """Memory need by number of cards: estimated, or a bare number; None where no estimate is supported."""
    surely: dict[int, tuple[float, float]] = field(default_factory=dict)
    """By number of cards: up to which usable memory the need is known not to be held surely, and from which it is."""
    had: set[str] = field(default_factory=set)
    """Ids of the cards that are an option."""
    counted: dict[tuple[float, float, int], Fitted | None] = field(default_factory=dict)
    """Answers of `_count_for` by what they depend on of a card: many cards share one."""
    speeds: Speeds = field(default_factory=dict)
    rankings: dict[tuple[Group, Objective], Ranking] = field(default_factory=dict)

    @property
    def work_shrinks(self) -> bool:
        """A faster card is paid for fewer hours: true for training, not for serving, and unknown without a job."""
        return self.job is not None and self.job.method is not Method.INFERENCE

    @property
    def prospects(self) -> Iterable[Prospect]:
        """All options, in no particular order."""
        return (one for group in self.groups.values() for one in group)

    def modern(self) -> bool:
        """Whether any card with Tensor Cores holds the job."""
        return not all(legacy for _, legacy, _ in self.groups)

    def need_on(self, n: int) -> Requirement:
        """Memory need per card on `n` cards, with its trail."""
        known = n if self.wants.get(n) is not None else next(m for m, kept in self.wants.items() if kept is not None)
        return requirement(self.need, self.job, self.models, known)

    def want(self, n: int) -> Banded | float | None:
        """Memory need per card on `n` cards in numbers; None where no estimate is supported."""
        if n not in self.wants:
            try:
                self.wants[n] = want_of(self.need, self.job, self.models, n) if self.job else None
            except AdvisorError:
                self.wants[n] = None
        return self.wants[n]

    def sure(self, n: int, want: Banded, usable: float) -> bool:
        """Whether cards with this much usable memory hold the need with certainty."""
        doubtful, held = self.surely.get(n, (-inf, inf))
        if doubtful < usable < held:
            if self.models.sure(want, usable):
                held = usable
            else:
                doubtful = usable
            self.surely[n] = (doubtful, held)
        return usable >= held

    def ample(self, gib: float) -> bool:
        """Whether this much memory meets the guide for the task."""
        return self.guide_gib is None or gib >= self.guide_gib

    def speed(self, gpu: Gpu, n: int) -> float | None:
        """Speed of the job on `n` cards."""
        if self.paced is None:
            return None
        key = (gpu.id, n)
        if key not in self.speeds or self.speeds[key][0] is not gpu:
            self.speeds[key] = gpu, self.models.speed(self.paced, gpu, n)
        return self.speeds[key][1]

    def ranked(self, group: Group, objective: Objective) -> Ranking:
        """Options of a group, best first; sorted once."""
        found = self.rankings.get((group, objective))
        if found is None:
            place = self.place(Channel.RENT if group[0] else Channel.BUY, objective)
            options = self._options(group)
            pairs = sorted((place(option), at) for at, option in enumerate(options))
            found = Ranking([key for key, _ in pairs], [options[at] for _, at in pairs])
            self.rankings[(group, objective)] = found
        return found

    def place(self, channel: Channel, objective: Objective) -> PlaceOf:
        """Sort key of the options of a channel."""
        base = self.base if channel is Channel.BUY else 0.0
        return order_key(objective, base=base, work_shrinks=self.work_shrinks)

    def affordable(self, channel: Channel, objective: Objective, limit: float | None) -> tuple[Option, ...]:
        """What a limit allows, best first: older prices and older cards only when nothing else is left."""
        group = self.firmest(channel, limit)
        if group is None:
            return ()
        options = self.ranked(group, objective).options
        return undefeated(options if limit is None else [option for option in options if option.cost <= limit])

    def firmest(self, channel: Channel, limit: float | None) -> Group | None:
        """The group that answers within a limit, None when there is none."""
        for group in _BEST_FIRST[channel is Channel.RENT]:
            kept = self.groups.get(group)
            if kept and (limit is None or any(one.cost <= limit for one in kept)):
                return group
        return None

    def dearer(self, option: Option, factor: float, objective: Objective) -> Prepared:
        """The same options with the price of one, as it is ranked here, multiplied; for reading winners only."""
        channel = option.quote.channel
        group = (channel is Channel.RENT, is_past(option.gpu, channel), option.quote.firmness)
        moved = moved_in_price(option, factor)
        key = self.place(channel, objective)(moved)
        old = self.ranked(group, objective)
        at = next(number for number, one in enumerate(old.options) if one is option)
        keys, options = [*old.keys[:at], *old.keys[at + 1 :]], [*old.options[:at], *old.options[at + 1 :]]
        to = bisect_left(keys, key)
        keys.insert(to, key)
        options.insert(to, moved)
        prospects = [
            one._replace(cost=moved.cost) if one.quote is option.quote and one.n == option.n else one
            for one in self.groups[group]
        ]
        return replace(
            self,
            groups={**self.groups, group: prospects},
            rankings={**self.rankings, (group, objective): Ranking(keys, options)},
        )

    def _options(self, group: Group) -> list[Option]:
        """Options of a group in no order, with what they are ordered by where no speed of the job is on record."""
        found = [self._option(one) for one in self.groups[group]]
        known = self.job is None or (self.job.ml_model.modality not in _UNPACED and any(one.speed for one in found))
        return found if known else [replace(one, pace=pace_of(one.gpu, one.n)) for one in found]

    def _option(self, one: Prospect) -> Option:
        speed = self.speed(one.gpu, one.n)
        vram = one.gpu.vram_gib or 0.0
        return Option(one.gpu, one.n, one.quote, one.cost, vram, speed, one.sure, one.ample, one.paid, one.key)


def moved_in_price(option: Option, factor: float) -> Option:
    """The same option at another price."""
    return replace(option, cost=option.cost * factor)


def _counts(need: Need) -> tuple[int, ...]:
    """Numbers of cards to try, the fewest first."""
    return (need.gpu_count,) if need.gpu_count else TOGETHER if need.several else COUNTS


def prepare(need: Need, catalog: Catalog, today: date, models: Models) -> Prepared:
    """Options for a need, from every card that can be had."""
    job, counts = job_of(need, catalog), _counts(need)
    made = Prepared(need, job, models, at_speed_batch(need, job), ground_for(catalog, today, need, models.usable))
    made.speeds = models.known_speeds(made.paced)
    made.guide_gib = max(guide_of(need)[0] or 0.0, need.headroom_gib or 0.0) or None
    made.wants[counts[0]] = want_of(need, job, models, counts[0])
    base = settings().base_system
    rate = catalog.rate(base.currency, need.currency, today).value
    made.base = float(base.amount * rate) * (not need.owned)  # who has a card has the computer around it
    made.home_limit = float(settings().home_most_usd * rate)
    modern_only = _needs_tensor_cores(job)
    for alike in made.ground.alike:
        stock = alike.stocks[0]
        fitted = None if stock.legacy and modern_only else _fewest(stock, need, made, counts)
        if fitted is None:
            continue
        if need.deadline_hours and need.samples:
            for stock in alike.stocks:
                _add_in_time(stock, need, made, counts, fitted)
        else:
            _add_all(made, alike, fitted)
    return made


def _in_time(stock: Stock, need: Need, made: Prepared, counts: tuple[int, ...], fitted: Fitted) -> Fitted | None:
    """As many cards as the deadline takes; None when even the most are too slow."""
    gpu = stock.gpu
    speed = made.speed(gpu, fitted[0])
    while _too_slow(need, speed):
        larger = next((m for m in counts if m > fitted[0] and m <= stock.most), None)
        again = _count_for(stock, need, made, (larger,), several=True) if larger else None
        if again is None or made.paced is None:
            break
        fitted = again
        speed = made.speed(gpu, fitted[0])
    if _too_slow(need, speed):
        made.best_too_slow = max(made.best_too_slow, speed or 0.0)
        return None
    return fitted


def _add_in_time(stock: Stock, need: Need, made: Prepared, counts: tuple[int, ...], fitted: Fitted) -> None:
    """Offer as many of one card as meet the deadline; how fast they are differs among cards that hold the same."""
    timed = _in_time(stock, need, made, counts, fitted)
    if timed is None:
        return
    for group, prospect in _offered(stock, timed):
        made.groups.setdefault(group, []).append(prospect)
    made.had.add(stock.gpu.id)


def _add_all(made: Prepared, alike: Alike, fitted: Fitted) -> None:
    """Offer all cards that hold the same."""
    offered = alike.offered.get(fitted)
    if offered is None:
        groups: dict[Group, list[Prospect]] = {}
        for stock in alike.stocks:
            for group, prospect in _offered(stock, fitted):
                groups.setdefault(group, []).append(prospect)
        offered = alike.offered[fitted] = tuple((group, tuple(listed)) for group, listed in groups.items())
    for group, prospects in offered:
        made.groups.setdefault(group, []).extend(prospects)
    made.had |= alike.ids


def _offered(stock: Stock, fitted: Fitted) -> tuple[tuple[Group, Prospect], ...]:
    """What is offered of one card, worked out once."""
    offered = stock.offered.get(fitted)
    if offered is None:
        n, sure, ample = fitted
        paid = [paid_cards(n, quote) for _, _, quote in stock.quotes]
        offered = stock.offered[fitted] = tuple(
            (group, Prospect(stock.gpu, n, quote, price * cards, sure, ample, cards))
            for (group, price, quote), cards in zip(stock.quotes, paid, strict=True)
        )
    return offered


def at_speed_batch(need: Need, job: Workload | None) -> Workload | None:
    """The job at the batch at which speeds are compared."""
    if job is None or need.speed_batch is None or (job.batch or 0) >= need.speed_batch:
        return job
    return job.model_copy(update={"batch": need.speed_batch})


def _needs_tensor_cores(job: Workload | None) -> bool:
    return job is not None and job.method in _NEEDS_TENSOR_CORES


def _fewest(stock: Stock, need: Need, made: Prepared, counts: tuple[int, ...]) -> Fitted | None:
    """`_count_for`, asked once for all cards of a size."""
    if stock.size not in made.counted:
        made.counted[stock.size] = _count_for(stock, need, made, counts)
    return made.counted[stock.size]


def _most_taken(stock: Stock, need: Need, *, several: bool) -> float:
    """Cards of a kind that are tried: any number that was asked for; several small ones only for speed."""
    if need.gpu_count:
        return inf
    if several or stock.size[0] >= _SEVERAL_FROM_GIB:
        return stock.most
    return min(stock.most, together(stock.size[0])) if need.several else 1


def _count_for(
    stock: Stock, need: Need, made: Prepared, counts: Iterable[int], *, several: bool = False
) -> Fitted | None:
    """Smallest number of cards that holds the job, whether surely, and whether the guide is met too.

    `several`: more cards are taken for speed, so small ones count too.
    """
    vram, most = stock.size[0], _most_taken(stock, need, several=several)
    if vram < (need.vram_gib or 0.0):
        return None
    for n in counts:
        want = made.want(n) if n <= most else None
        if want is None or (isinstance(want, float) and vram < want):
            return None
        fitted = _fitted(stock, made, n, want)
        if fitted is not None:
            return fitted
    return None


def _fitted(stock: Stock, made: Prepared, n: int, want: Banded | float) -> Fitted | None:
    """So many cards, whether they hold an estimate surely and meet the guide; a bare number is held by any memory."""
    vram, usable, _ = stock.size
    if isinstance(want, float):
        return n, True, made.ample(vram * n)
    return (n, made.sure(n, want, usable), made.ample(vram * n)) if usable >= want.value else None


def _too_slow(need: Need, speed: float | None) -> bool:
    if not need.deadline_hours or not need.samples or not speed:
        return False
    return need.samples / speed / 3600 > need.deadline_hours


def _out(stock: Stock, need: Need, made: Prepared) -> str:
    """Why a card that suits the wish is no option, a key of `_REASONS`."""
    if stock.legacy and _needs_tensor_cores(made.job):
        return "no_tensor_cores"
    if _fewest(stock, need, made, _counts(need)) is None:
        return "too_small"
    if stock.quotes:
        return "too_slow"
    return "not_home" if need.home and not for_home(stock.gpu) else _NO_PRICE


_NO_PRICE: Final = "no_price"
"""Told apart from the other reasons: cards that would do."""


def exclusions(
    need: Need, made: Prepared, over: Iterable[Prospect]
) -> tuple[list[tuple[Note, tuple[str, ...]]], tuple[str, ...]]:
    """Reasons with the cards they hit, most telling first; then cards that would do, without a price."""
    dear = {one.gpu.id for one in over}
    groups: dict[str, list[Stock]] = {}
    for stock in made.ground.suited:
        if stock.gpu.id not in made.had:
            groups.setdefault(_out(stock, need, made), []).append(stock)
        elif stock.gpu.id in dear:
            groups.setdefault("over_budget", []).append(stock)
    found = []
    for code in _REASONS:
        names = tuple(stock.gpu.name for stock in groups.get(code, ())) or made.ground.out.get(code)
        if names:
            found.append((note_of(f"out_{code}", {"count": len(names), "names": list(names[:3])}), names))
    return found, tuple(stock.gpu.name for stock in groups.get(_NO_PRICE, ()) if not stock.legacy)
