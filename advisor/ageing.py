"""How a price of a past day stands today: as it is, or as a range widened by how its market moves.

One rule for every answer. A price of at most 60 days that a price list or several reports give stands as it is. An
older one, or one that a single report gives, stands as a range around the figure of its day; past 180 days it also has
to be checked first. Records of their time (list prices of old, what is older than a year) are told with their year and
are not widened: they stand for nothing today.

How far is fitted on pairs of prices of the same thing by the same method (data/price_pairs.csv): the logarithm of a
change grows with the square root of the time, and its spread differs by market segment (data/ageing.yaml). In a thin
market, where a price is what a single listing asks, two readings differ by which board was at hand, however little time
lies between: there that part is told from the drift and does not grow. The range that a source states is a spread of
its own; what the market does comes beside it, as independent spreads do (the root of the sum of their squares).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache
from math import exp, hypot, log, sqrt
from typing import Final

from advisor.datafiles import DATA, read_data
from advisor.models import Frozen, Gpu, Offer, PricingModel
from advisor.periods import DAYS_A_MONTH

FRESH_DAYS: Final = 60
AGEING_DAYS: Final = 180
STALE_DAYS: Final = 365
"""Steps of the ladder: a price counts as today's for two months, stands as a range for half a year, has to be checked
first after that, and is a record after a year."""

UNDATED: Final = "unknown"
"""Precision of the day of a copy that bears none."""
ONE_REPORT: Final = "C"
"""Confidence of a price that one report names."""
_COMPANION_DAYS: Final = 180
"""How far apart two reports of one seller may lie to bracket what it asks."""
_NO_COMPANION: Final = frozenset({"minimum", "from"})
_SELF: Final = frozenset({"purchase", "market"})
"""Providers that stand for many sellers."""
_LOOSE: Final = frozenset({PricingModel.MARKETPLACE, PricingModel.SPOT})
_BOUGHT_NEW: Final = frozenset({PricingModel.PURCHASE_NEW, PricingModel.LAUNCH_PRICE})
_FINE: Final = 1000
"""Amounts below it keep their digits when converted: an hour is told to the cent."""
_SERVERS: Final = frozenset({"machine_month"})
_COMPLETE: Final = frozenset({"machine", "system_share"})
_RENTED: Final = frozenset({"gpu_hour", "gpu_month", "hour", "month"})
_QUIET_GIB: Final = 16.0
_CONSUMER: Final = frozenset({"GeForce", "Radeon", "Arc"})
"""Families that are sold to people at home."""
BOARDS: Final = frozenset({"Tesla / data center", "Instinct"})
"""Families that are made for data centres."""


class Segment(Frozen):
    """How fast the prices of a market segment move."""

    monthly: float
    """Spread of the logarithm of a price after a month."""
    reading: float = 0.0
    """Spread of the logarithm between two readings of one day; only where the segment is thin."""
    thin: bool = False
    """Whether a price is what a single listing asks: readings differ whatever time lies between."""
    floor: float = 0.0
    like: str = ""


class Ageing(Frozen):
    """Everything in data/ageing.yaml."""

    fitted_on: date
    source: str
    segments: dict[str, Segment]


@dataclass(frozen=True, slots=True)
class Stands:
    """How a price stands on a day, in its own currency and unit."""

    low: Decimal
    high: Decimal
    value: Decimal
    """The price a comparison uses: the middle of what the source states, or of the reports that the range spans."""
    stated: tuple[Decimal, Decimal]
    """Low and high end as the source states them."""
    widened: bool = False
    """The range is wider than what the source states."""
    check_first: bool = False
    """Too old to act on without asking, or of an unknown day."""
    one_report: bool = False
    """A single report names it."""
    since: date | None = None
    """Day of the oldest report that the range spans, where it spans several of one seller."""
    segment: str = ""
    factor: float = 1.0
    """How far the range goes either way of the stated price."""


@lru_cache(maxsize=1)
def ageing() -> Ageing:
    """The fitted spreads."""
    result: Ageing = read_data("ageing.yaml", Ageing)
    return result


def segment_of(offer: Offer, gpu: Gpu | None) -> str:
    """The market segment that a price moves with; an unknown card counts with the faster one of its kind."""
    if offer.unit in _SERVERS:
        return "rent_server_month"
    if offer.unit in _COMPLETE:
        return "machine"
    if offer.unit in _RENTED:
        if offer.pricing_model in _LOOSE:
            return "rent_marketplace"
        return "rent_list_consumer" if gpu is not None and gpu.family in _CONSUMER else "rent_list_datacentre"
    if offer.pricing_model in _BOUGHT_NEW:
        return "new"
    return _resale(gpu)


def _resale(gpu: Gpu | None) -> str:
    """Boards of data centres swing most, cards that no model wants hardly at all."""
    if gpu is None:
        return "resale_current"
    plain = gpu.vendor == "Intel" or (gpu.vendor == "NVIDIA" and gpu.tensor_core_gen is None)
    if plain and (gpu.vram_gib or 0.0) <= _QUIET_GIB:
        return "resale_quiet"
    return "resale_datacentre" if gpu.family in BOARDS else "resale_current"


def spread(segment: str, days: int) -> float:
    """Factor either way within which a price of a segment lies after some days.

    A month counts at least. Past half a year the range grows no further: hardly a pair is that far apart, and such a
    price has to be checked first in any case.
    """
    known = ageing().segments[segment]
    months = min(max(days, DAYS_A_MONTH), AGEING_DAYS) / DAYS_A_MONTH
    return exp(hypot(known.reading, known.monthly * sqrt(months)))


def stands(offer: Offer, gpu: Gpu | None, on: date, others: Sequence[Offer] = ()) -> Stands:
    """How an offer stands on a day.

    Args:
        offer: the price with its day and confidence.
        gpu: the card it is of, for its market segment.
        on: the day it is used.
        others: further offers of the same card: two reports of one seller bracket what it asks.
    """
    days = (on - offer.as_of).days
    said = (offer.low, offer.high)
    middle = (offer.low + offer.high) / 2
    if offer.historical or days > STALE_DAYS:
        return Stands(*said, middle, said, check_first=True)
    single = offer.confidence == ONE_REPORT
    if days <= FRESH_DAYS and not single and offer.as_of_precision != UNDATED:
        return Stands(*said, middle, said)
    return _bracketed(offer, gpu, days, others) if single else _widened(offer, gpu, days)


def _bracketed(offer: Offer, gpu: Gpu | None, days: int, others: Iterable[Offer]) -> Stands:
    """A price of one report between it and the newest other report of its seller; without one it is widened."""
    both = _bracket(offer, others)
    if not both:
        return _widened(offer, gpu, days)
    low, high = min(one.low for one in both), max(one.high for one in both)
    since = min(one.as_of for one in both)
    late = days > AGEING_DAYS
    said = (offer.low, offer.high)
    return Stands(low, high, (low + high) / 2, said, low != high, late, True, since, segment_of(offer, gpu))


def _widened(offer: Offer, gpu: Gpu | None, days: int) -> Stands:
    """A price as the range into which its market may have moved it since its day."""
    undated = offer.as_of_precision == UNDATED
    segment = segment_of(offer, gpu)
    factor = _beyond(offer, spread(segment, AGEING_DAYS if undated else days))
    wide = Decimal(repr(factor))
    low, high = rounded(offer.low / wide, ROUND_FLOOR), rounded(offer.high * wide, ROUND_CEILING)
    middle, said = (offer.low + offer.high) / 2, (offer.low, offer.high)
    late, single = undated or days > AGEING_DAYS, offer.confidence == ONE_REPORT
    return Stands(low, high, middle, said, True, late, single, None, segment, factor)


def _beyond(offer: Offer, moved: float) -> float:
    """How far a range goes beyond the ends that were stated, where the market may have moved by a factor either way."""
    stated = log(offer.high / offer.low) / 2 if offer.low > 0 else 0.0
    return exp(hypot(stated, log(moved)) - stated)


def _bracket(offer: Offer, others: Iterable[Offer]) -> tuple[Offer, ...]:
    """The offer with the newest other report of its seller on the same terms, where there is one of the same months."""
    if offer.provider in _SELF or offer.unit not in _RENTED:
        return ()
    kin = [
        one
        for one in others
        if one.id != offer.id
        and (one.provider, one.gpu, one.pricing_model, one.unit, one.currency)
        == (offer.provider, offer.gpu, offer.pricing_model, offer.unit, offer.currency)
        and one.tier not in _NO_COMPANION
        and not one.historical
        and one.as_of_precision != UNDATED
        and abs((offer.as_of - one.as_of).days) <= _COMPANION_DAYS
    ]
    return (offer, max(kin, key=lambda one: (one.as_of, one.id))) if kin else ()


def rounded_range(held: Stands, factor: Decimal) -> tuple[Decimal, Decimal]:
    """The ends of a price in another currency; those of a widened range are no finer for being converted."""
    low, high = held.low * factor, held.high * factor
    if factor == 1:
        return low, high
    if not held.widened:
        return three_digits(low), three_digits(high)
    return rounded(low, ROUND_FLOOR), rounded(high, ROUND_CEILING)


def three_digits(amount: Decimal) -> Decimal:
    """An amount from 1,000 on to three digits: a converted price is no finer than its rate."""
    if abs(amount) < _FINE:
        return amount
    step = Decimal(1).scaleb(amount.adjusted() - 2)
    return (amount / step).to_integral_value() * step


def rounded(amount: Decimal, how: str) -> Decimal:
    """A bound of a widened range, to two digits (three where the first is a 1): no finer than it is known."""
    digits = 2 if str(amount.normalize().as_tuple().digits[0]) != "1" else 3
    step = Decimal(1).scaleb(amount.adjusted() - digits + 1)
    return (amount / step).to_integral_value(how) * step


# --- the fit ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pair:
    """Two prices of one thing by one method, some days apart."""

    segment: str
    before: float
    after: float
    days: int

    @property
    def months(self) -> float:
        """Months between, one at least."""
        return max(self.days, DAYS_A_MONTH) / DAYS_A_MONTH

    @property
    def square(self) -> float:
        """Square of the logarithm of the change."""
        return log(self.after / self.before) ** 2


def pairs() -> tuple[Pair, ...]:
    """The pairs on record."""
    with (DATA / "price_pairs.csv").open(encoding="utf-8", newline="") as handle:
        return tuple(
            Pair(row["segment"], float(row["before"]), float(row["after"]), int(row["days"]))
            for row in csv.DictReader(handle)
        )


def fit(known: Iterable[Pair], segments: dict[str, Segment]) -> dict[str, tuple[float, float]]:
    """Spread a month and between two readings of each segment.

    A month's is the root mean square of the changes, not below its floor or what it is like. In a thin segment the
    squares of the changes are fitted by least squares as a part that is there at once and one that grows with the time,
    neither below nought.
    """
    found: dict[str, list[Pair]] = {}
    for pair in known:
        found.setdefault(pair.segment, []).append(pair)
    own = {name: sqrt(sum(one.square / one.months for one in some) / len(some)) for name, some in found.items()}
    fitted = {name: max(own.get(name, 0.0), one.floor, own.get(one.like, 0.0)) for name, one in segments.items()}
    return {name: _in_two(found[name]) if segments[name].thin else (monthly, 0.0) for name, monthly in fitted.items()}


def _in_two(some: Sequence[Pair]) -> tuple[float, float]:
    """Spread a month and at once, by least squares of the squared changes over the months."""
    n, x, y = len(some), sum(one.months for one in some), sum(one.square for one in some)
    xx, xy = sum(one.months**2 for one in some), sum(one.months * one.square for one in some)
    grows = (n * xy - x * y) / (n * xx - x * x)
    if grows < 0.0:
        return 0.0, sqrt(y / n)
    at_once = (y - grows * x) / n
    return (sqrt(xy / xx), 0.0) if at_once < 0.0 else (sqrt(grows), sqrt(at_once))
