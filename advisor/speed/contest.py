"""Cards or groups of cards side by side on the same jobs: who is faster, who has the memory, what speaks for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from advisor.errors import AdvisorError
from advisor.kept import kept
from advisor.memory import Verdict
from advisor.memory.fit import fit_on
from advisor.models import Estimate, Frozen, Gpu, Method, Note, Parallel, Step, Workload, note_of, step_of
from advisor.speed import calibration
from advisor.speed.bands import OUTSIDE_SPREAD, banded
from advisor.speed.compare import geometric_mean, scaling_spread
from advisor.speed.estimate import trace_of, unlike_published
from advisor.speed.merits import EVEN, best_of, merits_of
from advisor.speed.published import known_pairs
from advisor.speed.rate import Rate, generates, rate_of
from advisor.speed.results import PublishedFigure


@dataclass(frozen=True, slots=True)
class Side:
    """One card, or several of a kind."""

    gpu: Gpu
    n: int = 1


@dataclass(frozen=True, slots=True)
class JobSet:
    """One row of the comparison: jobs whose speed ratios are averaged."""

    code: str
    """train | tune | generate | yours"""
    workloads: tuple[Workload, ...]


class JobResult(Frozen):
    """How one side does on one row."""

    code: str
    factor: Estimate | None
    """Times the slowest side; None when nothing published supports an estimate."""
    rate: float | None = None
    """Of a single job, per second."""
    unit: str = ""
    fits: str = ""
    """Verdict of the memory model: fits | tight | no | unknown; empty when several jobs are averaged."""
    need_gib: float | None = None


class Contender(Frozen):
    """One side with its figures, each in one counting basis for all sides."""

    name: str
    gpu: str
    n: int
    vram_gib: float | None
    total_vram_gib: float | None
    bandwidth_gb_per_s: float | None
    fp16_tflops: float | None
    """Dense, FP32 accumulation, one card; None without tensor units."""
    fp32_tflops: float | None
    power_w: float | None
    """All cards."""
    year: int | None
    bf16: bool | None
    fp8: bool
    nvlink: bool
    unverified: bool
    past: bool = False
    """New CUDA versions no longer support it."""
    outside: bool = False
    """Of a maker or age without published training runs: its speed is worked out from specifications."""
    results: tuple[JobResult, ...] = ()
    merits: tuple[Note, ...] = ()
    """What speaks for it, strongest first."""


class Contest(Frozen):
    """The comparison."""

    sides: tuple[Contender, ...]
    jobs: tuple[str, ...]
    winner: int | None
    """Index of the side to take for the job, None when even or open."""
    reason: str
    """only_one_fits | faster | even | even_fewer_cards | even_more_memory | even_supported | none_fits | more_memory |
    unknown"""
    margin: Estimate | None
    """Winner's speed over the next one's on the deciding row."""
    published: tuple[PublishedFigure, ...] = ()
    notes: tuple[Note, ...] = ()
    trace: Step


_Rated = list[list[list[Rate]]]
"""By side, then by row of the comparison, the rates of its jobs; none where one of them cannot be estimated."""


def contest(sides: Sequence[Side], jobs: Sequence[JobSet]) -> Contest:
    """Compare sides on rows of jobs; the first row decides.

    Between makers speeds are given of writing text alone, where those of several makers were measured: of other work
    what a chip does on paper and what its software makes of it are two things, and no runs on both are on record.

    Raises:
        OutOfRange: counts that no machine has.
    """
    trail = kept(most=64)(trace_of)  # each rate's trail stands behind several figures
    rated = [[_rates(side, job) for job in jobs] for side in sides]
    mixed = len({side.gpu.vendor for side in sides}) > 1
    shown = _between_makers(rated) if mixed else rated
    made = _contenders(sides, jobs, shown, trail)
    winner, reason, margin = _verdict(made, trains=any(not all(map(generates, job.workloads)) for job in jobs[:1]))
    deciding = [rates[0] for per_side in rated for rates in per_side[:1] if rates]
    return Contest(
        sides=tuple(made),
        jobs=tuple(job.code for job in jobs),
        winner=winner,
        reason=reason,
        margin=margin,
        published=_published_pair(sides, made),
        notes=() if mixed else _notes(sides, rated),
        trace=step_of(
            name="comparison",
            value=made[winner].name if winner is not None else None,
            how="same jobs on every side: throughput ratio, memory that fits",
            inputs=tuple(map(trail, deciding)),
            rows=("000-038", "002-049", "002-069", "002-112"),
        ),
    )


def _between_makers(rated: _Rated) -> _Rated:
    """Rates that compare with those of other makers: of text that is written, on cards that were measured at it."""
    return [[rates if all(map(_is_measured_writing, rates)) else [] for rates in row] for row in rated]


def _is_measured_writing(rate: Rate) -> bool:
    return rate.decode is not None and not unlike_published(rate)


def _contenders(
    sides: Sequence[Side], jobs: Sequence[JobSet], rated: _Rated, trail: Callable[[Rate], Step]
) -> list[Contender]:
    """All sides with their results and what speaks for each."""
    factors = [_factors([row[number] for row in rated], job, trail) for number, job in enumerate(jobs)]
    made = []
    for index, (side, row) in enumerate(zip(sides, rated, strict=True)):
        factor = (column[index] for column in factors)
        results = tuple(_result(side, *known) for known in zip(jobs, factor, row, strict=True))
        made.append(_contender(side, results))
    return [one.model_copy(update={"merits": merits_of(index, made)}) for index, one in enumerate(made)]


def _rates(side: Side, job: JobSet) -> list[Rate]:
    made = []
    for workload in job.workloads:
        shared = workload
        if side.n > 1 and workload.method in (Method.FULL, Method.PRETRAIN) and workload.parallel is None:
            large = workload.ml_model.parameters > 1.5e9
            shared = workload.model_copy(update={"parallel": Parallel.ZERO3 if large else Parallel.DATA})
        try:
            made.append(rate_of(shared, side.gpu, side.n))
        except AdvisorError:
            return []
    return made


def _factors(rates: list[list[Rate]], job: JobSet, trail: Callable[[Rate], Step]) -> list[Estimate | None]:
    """Speed of each side over the slowest one, where all can be estimated."""
    usable = [held for held in rates if held]
    if len(usable) < 2:
        return [None] * len(rates)
    slowest = min(usable, key=lambda held: geometric_mean([rate.per_second for rate in held]))
    return [_factor(held, slowest, job, trail) if held else None for held in rates]


def _factor(held: list[Rate], slowest: list[Rate], job: JobSet, trail: Callable[[Rate], Step]) -> Estimate:
    """Speed of one side over the slowest one."""
    pairs = list(zip(held, slowest, strict=True))
    value = geometric_mean([one.per_second / other.per_second for one, other in pairs])
    trace = step_of(
        name="relative_speed",
        value=value,
        unit="x",
        how="throughput / throughput of the slowest side",
        inputs=(trail(held[0]), trail(slowest[0])),
    )
    spread = 0.0 if held is slowest else _factor_spread(pairs, job)
    return banded(value, spread, "x", "calibrated roofline, same job", trace)


def _factor_spread(pairs: list[tuple[Rate, Rate]], job: JobSet) -> float:
    """Half-width, in logarithm, of what one side does over another: wider for unknown cards and for several."""
    outside = any(one.card.outside or other.card.outside for one, other in pairs)
    spread: float = calibration.RELATIVE_SPREAD / (len(pairs) ** 0.5) + OUTSIDE_SPREAD * outside
    counts = max(rate.n_gpus for rate in pairs[0])
    if counts > 1 and not generates(job.workloads[0]):
        spread += scaling_spread(float(counts), counts)
    return spread


def _result(side: Side, job: JobSet, factor: Estimate | None, rates: list[Rate]) -> JobResult:
    single = len(job.workloads) == 1
    fits, need = "", None
    if single:
        try:
            fit, figure = fit_on(job.workloads[0], side.gpu, side.n)
            fits, need = fit.verdict.value, figure.value
        except AdvisorError:
            fits = Verdict.UNKNOWN.value
    return JobResult(
        code=job.code,
        factor=factor,
        rate=rates[0].per_second if single and rates else None,
        unit=rates[0].unit if rates else "",
        fits=fits,
        need_gib=need,
    )


def _contender(side: Side, results: tuple[JobResult, ...]) -> Contender:
    gpu = side.gpu
    checked = {"memory_bandwidth_gb_per_s", "fp16_tensor_fp32acc_tflops", "vram_gib"}
    return Contender(
        name=gpu.name if side.n == 1 else f"{side.n} x {gpu.name}",
        gpu=gpu.id,
        n=side.n,
        vram_gib=gpu.vram_gib,
        total_vram_gib=gpu.vram_gib * side.n if gpu.vram_gib else None,
        bandwidth_gb_per_s=gpu.memory_bandwidth_gb_per_s,
        fp16_tflops=gpu.fp16_tensor_fp32acc_tflops,
        fp32_tflops=gpu.fp32_tflops,
        power_w=gpu.board_power_w * side.n if gpu.board_power_w else None,
        year=gpu.release_date.year if gpu.release_date else None,
        bf16=gpu.bf16_supported,
        fp8=bool(gpu.fp8_tflops) or _has_fp8(gpu),
        nvlink=bool(gpu.nvlink_gb_per_s),
        unverified=bool(checked & set(gpu.unverified)),
        past=gpu.last_cuda is not None,
        outside=gpu.vendor != "NVIDIA",
        results=results,
    )


_FP8_FROM = 8.9
"""Compute capability from which Tensor Cores count in FP8."""


def _has_fp8(gpu: Gpu) -> bool:
    return gpu.vendor == "NVIDIA" and float(gpu.compute_capability or 0.0) >= _FP8_FROM


def _published_pair(sides: Sequence[Side], made: list[Contender]) -> tuple[PublishedFigure, ...]:
    """What is published of two cards side by side, the faster one first."""
    if len(sides) != 2:
        return ()
    fastest, slowest = _by_speed(made)
    return known_pairs(sides[fastest].gpu, sides[slowest].gpu)


def _by_speed(sides: list[Contender]) -> tuple[int, int]:
    def speed(index: int) -> float:
        factor = sides[index].results[0].factor if sides[index].results else None
        return factor.value if factor else 0.0

    order = sorted(range(len(sides)), key=lambda index: (-speed(index), index))
    return order[0], order[-1]


_HOLDS = frozenset({Verdict.FITS.value, Verdict.TIGHT.value, ""})


_Verdict = tuple[int | None, str, Estimate | None]
"""Winner, reason and margin of a `Contest`."""


@dataclass(frozen=True, slots=True)
class _Standing:
    """How the sides do on the deciding row."""

    sides: list[Contender]
    holding: list[int]
    """Sides that hold the job."""
    refused: list[int]
    """Sides that do not; of the rest nothing is known."""
    speeds: list[tuple[Estimate, int]]
    """Of sides that hold it (of all where at most one does), the fastest first."""

    @property
    def none_fits(self) -> bool:
        """Whether no side holds the job."""
        return len(self.refused) == len(self.sides)

    @property
    def only_one_fits(self) -> bool:
        """Whether one side holds the job and all others do not."""
        return len(self.holding) == 1 and len(self.refused) == len(self.sides) - 1

    def most_memory(self) -> int | None:
        """The side with clearly the most memory."""
        return best_of([side.total_vram_gib for side in self.sides])


def _standing(sides: list[Contender]) -> _Standing:
    first = {index: side.results[0] for index, side in enumerate(sides) if side.results}
    holding = [index for index, result in first.items() if result.fits in _HOLDS]
    refused = [index for index, result in first.items() if result.fits == Verdict.NO.value]
    pool = holding if len(holding) > 1 else list(first)
    speeds = [(factor, index) for index in pool if (factor := first[index].factor)]
    return _Standing(sides, holding, refused, sorted(speeds, key=lambda one: (one[0].value, one[1]), reverse=True))


def _verdict(sides: list[Contender], *, trains: bool) -> _Verdict:
    standing = _standing(sides)
    if standing.only_one_fits:
        return standing.holding[0], "only_one_fits", None
    if len(standing.speeds) < 2:
        return _without_speeds(standing)
    (top, index), (second, _) = standing.speeds[:2]
    margin = _scaled(top, 1.0 / second.value)
    even = top.value <= second.value * EVEN
    if standing.none_fits:
        return None if even else index, "none_fits", margin
    return (*_even(standing, trains=trains), margin) if even else (index, "faster", margin)


def _without_speeds(standing: _Standing) -> _Verdict:
    if standing.none_fits:
        return None, "none_fits", None
    most = standing.most_memory()
    return most, "more_memory" if most is not None else "unknown", None


def _even(standing: _Standing, *, trains: bool) -> tuple[int | None, str]:
    """Of sides that are as fast as each other: the one of fewer cards, else the one with more memory.

    To train on, the only one that new versions of CUDA and PyTorch still support goes before.
    """
    supported = [number for number, side in enumerate(standing.sides) if not side.past]
    if trains and len(supported) == 1:
        return supported[0], "even_supported"
    fewest = min(side.n for side in standing.sides)
    simplest = [number for number, side in enumerate(standing.sides) if side.n == fewest]
    if len(simplest) == 1:
        return simplest[0], "even_fewer_cards"
    most = standing.most_memory()
    return most, "even_more_memory" if most is not None else "even"


def _scaled(factor: Estimate, by: float) -> Estimate:
    return factor.model_copy(update={"value": factor.value * by, "low": factor.low * by, "high": factor.high * by})


def _notes(sides: Sequence[Side], rated: _Rated) -> tuple[Note, ...]:
    by_side = [(side.gpu.name, rows) for side, rows in zip(sides, rated, strict=True)]
    outside = [name for name, rows in by_side if any(rate.card.outside for rates in rows for rate in rates)]
    missing = [name for name, rows in by_side if rows and not rows[0]]
    most = max(side.n for side in sides)
    pooled = [note_of("speed_memory_not_pooled", {"n": most})] if most > 1 else []
    return (*_named("speed_outside", outside), *pooled, *_named("speed_not_estimated", missing))


def _named(code: str, names: list[str]) -> Iterator[Note]:
    return (note_of(code, {"gpu": name}) for name in dict.fromkeys(names))
