"""One card against another, and several against one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log

from advisor.models import Estimate, Gpu, Note, Step, Workload, estimate_of, note_of, step_of
from advisor.speed import calibration
from advisor.speed.bands import OUTSIDE_SPREAD, banded
from advisor.speed.card import CardRates
from advisor.speed.demand import compute_precision
from advisor.speed.estimate import trace_of
from advisor.speed.rate import MOST_GPUS, Rate, check_count, rate_of, together
from advisor.speed.results import RelativeSpeed, ScalingEstimate
from advisor.speed.step import exchange_rate, link_of


def speed_ratio(gpu: Gpu, against: Gpu, workload: Workload, *, stack: str = "") -> float:
    """How many times as fast `gpu` is as `against` on the same job and batch: the fast path."""
    return rate_of(workload, gpu, stack=stack).per_second / rate_of(workload, against, stack=stack).per_second


def relative_speed(gpu: Gpu, against: Gpu, workload: Workload, *, stack: str = "") -> RelativeSpeed:
    """How many times as fast `gpu` is as `against` on the same job, with the simple rules beside it.

    Raises:
        UnsupportedCombination: see `estimate_throughput`.
    """
    first, second = rate_of(workload, gpu, stack=stack), rate_of(workload, against, stack=stack)
    factor = first.per_second / second.per_second
    outside = first.card.outside or second.card.outside
    spread = 0.0 if gpu.id == against.id else calibration.RELATIVE_SPREAD + OUTSIDE_SPREAD * outside
    trace = step_of(
        name="relative_speed",
        value=factor,
        unit="x",
        how="throughput of one / throughput of the other",
        inputs=(trace_of(first), trace_of(second)),
        rows=("000-038", "002-049", "002-065", "002-068", "002-069", "002-112"),
    )
    notes = tuple(note_of("speed_outside", {"gpu": one.card.gpu.name}) for one in (first, second) if one.card.outside)
    return RelativeSpeed(
        gpu=gpu.name,
        against=against.name,
        factor=banded(factor, spread, "x", "calibrated roofline, same job and batch", trace),
        by_bandwidth=(gpu.memory_bandwidth_gb_per_s or 0.0) / (against.memory_bandwidth_gb_per_s or 1.0),
        by_peak=_peak_ratio(first.card, second.card, workload),
        notes=notes,
    )


def _peak_ratio(first: CardRates, second: CardRates, workload: Workload) -> float | None:
    precision = compute_precision(workload.precision)
    one, other = first.matrix(precision), second.matrix(precision)
    return one[0] / other[0] if one[1] == other[1] else None


def scaling_spread(speedup: float, n_gpus: int) -> float:
    """Half-width of a speed-up's band: narrow while nearly linear, wide where exchange shows."""
    lost = max(0.0, 1.0 - speedup / n_gpus)
    return calibration.LINK.spread + 0.9 * lost


def scaling(
    gpu: Gpu, n_gpus: int, workload: Workload, interconnect: str = "", nodes: int = 1, network: str | None = None
) -> ScalingEstimate:
    """What n cards give over one on the same job, each with its own batch (data parallel).

    Args:
        gpu: the card.
        n_gpus: all cards together.
        workload: the job; `parallel` FSDP or ZERO3 adds the traffic of sharded weights.
        interconnect: nvlink | pcie3 | pcie4 | pcie5; empty takes what the card suggests.
        nodes: machines.
        network: between machines, a key of network.NETWORKS_GBIT.

    Raises:
        UnsupportedCombination: see `estimate_throughput`, or an unknown network.
        OutOfRange: counts that no machine has.
    """
    one = rate_of(workload, gpu)
    return _grown(one, trace_of(one), n_gpus, interconnect, nodes, network or "")


def scaling_table(
    gpu: Gpu, counts: Sequence[int], workload: Workload, interconnect: str = ""
) -> tuple[ScalingEstimate, ...]:
    """`scaling` for several counts on one host."""
    one = rate_of(workload, gpu)
    trace = trace_of(one)
    return tuple(_grown(one, trace, n, interconnect, 1, "") for n in counts)


@dataclass(frozen=True, slots=True)
class Growth:
    """`scaling_table` in short: only the figure of the most cards carries its whole trail."""

    link: str
    speedups: tuple[Estimate, ...]
    efficiency: float
    """With the most cards."""


def growth(gpu: Gpu, counts: Sequence[int], workload: Workload) -> Growth:
    """What each of several counts gives over one card on the same job; counts in rising order. Raises as `scaling`."""
    one = rate_of(workload, gpu)
    made = []
    for n in counts[:-1]:
        speedup = _many(one, n, "", 1, "").per_second / one.per_second
        made.append(_capped(speedup, n, _short_trail()))
    n = counts[-1]
    most = _many(one, n, "", 1, "")
    speedup = most.per_second / one.per_second
    trace = _trail(speedup, most, trace_of(one), exchange_rate(one.card, n) / 1e9)
    return Growth(link_of(one.card), (*made, _capped(speedup, n, trace)), speedup / n)


@cache
def _short_trail() -> Step:
    """How any of the figures comes about, without the numbers that lead to one of them."""
    return step_of(name="speedup", value=None, unit="x", how=_HOW, sources=_SOURCES)


_HOW = "cards x step on one / step on all"
_SOURCES = ("speed-lambda",)


def _many(one: Rate, n_gpus: int, interconnect: str, nodes: int, network: str) -> Rate:
    """The rate on several cards, from what is known of one."""
    if one.demand is None or one.step is None:
        return rate_of(one.workload, one.card.gpu, n_gpus, link=interconnect, nodes=nodes, network=network)
    check_count("n_gpus", n_gpus, MOST_GPUS)
    check_count("nodes", nodes, n_gpus)
    return together(one, one.demand, one.step, n_gpus, interconnect, nodes, network)


def _grown(one: Rate, one_trace: Step, n_gpus: int, interconnect: str, nodes: int, network: str) -> ScalingEstimate:
    gpu, card = one.card.gpu, one.card
    many = _many(one, n_gpus, interconnect, nodes, network)
    speedup = many.per_second / one.per_second
    local = exchange_rate(card, n_gpus // nodes, interconnect) / 1e9
    trace = _trail(speedup, many, one_trace, local)
    return ScalingEstimate(
        gpu=gpu.name,
        n_gpus=n_gpus,
        nodes=nodes,
        link="network" if nodes > 1 else link_of(card, interconnect),
        speedup=_capped(speedup, n_gpus, trace),
        efficiency=speedup / n_gpus,
        exchange_share=max(0.0, 1.0 - many.one_card_seconds / many.seconds),
        exchanged_gb=_exchanged_gb(many),
        link_gb_per_s=local,
        notes=_scaling_notes(many, speedup / n_gpus),
    )


def _exchanged_gb(many: Rate) -> float:
    return (many.demand.exchanged_bytes if many.demand else 0.0) / 1e9


def _trail(speedup: float, many: Rate, one_trace: Step, link_gb_per_s: float) -> Step:
    """How a speed-up came about, down to the card's figures."""
    shared = step_of(
        name="step_time_together",
        value=many.seconds,
        unit="s",
        how="step + exchange that does not hide behind the backward pass",
        inputs=(
            step_of(
                name="exchanged_gradients", value=round(_exchanged_gb(many), 2), unit="GB", how="parameters x bytes"
            ),
            step_of(name="link_rate", value=round(link_gb_per_s, 1), unit="GB/s", how="calibrated", sources=_SOURCES),
        ),
    )
    return step_of(
        name="speedup",
        value=speedup,
        unit="x",
        how=_HOW,
        inputs=(one_trace, shared),
        sources=_SOURCES,
        rows=("001-012", "002-072", "003-010", "003-013"),
    )


def _capped(speedup: float, n_gpus: int, trace: Step) -> Estimate:
    """n cards are never promised more than n times; the band may touch it."""
    spread = scaling_spread(speedup, n_gpus)
    high = min(speedup * exp(spread), max(float(n_gpus), speedup))
    return estimate_of(
        value=speedup,
        low=min(speedup, max(speedup * exp(-spread), min(1.0, speedup) * 0.5)),
        high=high,
        unit="x",
        basis="roofline with gradient exchange, calibrated on 1 to 16 cards",
        trace=trace,
    )


def _scaling_notes(many: Rate, efficiency: float) -> tuple[Note, ...]:
    if efficiency < 0.6 and many.n_gpus > 1:
        return (note_of("speed_exchange_bound", {"efficiency": efficiency}),)
    return ()


def geometric_mean(values: list[float]) -> float:
    """Mean of ratios.

    >>> geometric_mean([1.0, 4.0])
    2.0
    """
    return exp(sum(map(log, values)) / len(values))
