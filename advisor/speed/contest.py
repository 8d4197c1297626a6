"""Cards or groups of cards side by side on the same jobs: who is faster, who has the memory, what speaks for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from advisor.errors import AdvisorError
from advisor.kept import kept
from advisor.memory import Verdict
from advisor.memory.fit import fit_on
from advisor.models import Estimate, Frozen, Gpu, Method, Note, Parallel, Step, Workload, note_of, step_of
from advisor.speed import calibration
from advisor.speed.bands import OUTSIDE_SPREAD
from advisor.speed.compare import geometric_mean, scaling_spread
from advisor.speed.estimate import banded, trace_of
from advisor.speed.published import known_pairs
from advisor.speed.rate import Rate, generates, rate_of
from advisor.speed.results import PublishedFigure
from advisor.trusted import trusted

EVEN = 1.07
"""Within this factor two speeds are called even: less than what machines of one kind differ by."""


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
    """only_one_fits | faster | even | even_fewer_cards | even_more_memory | none_fits | more_memory | unknown"""
    margin: Estimate | None
    """Winner's speed over the next one's on the deciding row."""
    published: tuple[PublishedFigure, ...] = ()
    notes: tuple[Note, ...] = ()
    trace: Step


_contest, _job_result, _made_contender = trusted(Contest), trusted(JobResult), trusted(Contender)


def contest(sides: Sequence[Side], jobs: Sequence[JobSet]) -> Contest:
    """Compare sides on rows of jobs; the first row decides.

    Between makers no speeds are given: what a chip does on paper and what its software makes of it are two things, and
    no runs on both are on record.

    Raises:
        OutOfRange: counts that no machine has.
    """
    trail = kept(most=64)(trace_of)  # each rate's trail stands behind several figures
    rated = [[_rates(side, job) for job in jobs] for side in sides]
    mixed = len({side.gpu.vendor for side in sides}) > 1
    factors = [
        [None] * len(sides) if mixed else _factors([rated[i][j] for i in range(len(sides))], job, trail)
        for j, job in enumerate(jobs)
    ]
    contenders = []
    for i, side in enumerate(sides):
        results = tuple(_result(side, job, factors[j][i], [] if mixed else rated[i][j]) for j, job in enumerate(jobs))
        contenders.append(_contender(side, results))
    made = [one.model_copy(update={"merits": _merits(index, contenders)}) for index, one in enumerate(contenders)]
    winner, reason, margin = _verdict(made)
    traces = tuple(trail(rate) for per_side in rated for rates in per_side[:1] for rate in rates[:1])
    fastest, slowest = _by_speed(made)
    pair = known_pairs(sides[fastest].gpu, sides[slowest].gpu) if len(sides) == 2 else ()
    return _contest(
        sides=tuple(made),
        jobs=tuple(job.code for job in jobs),
        winner=winner,
        reason=reason,
        margin=margin,
        published=pair,
        notes=_notes(sides, rated, mixed),
        trace=step_of(
            name="comparison",
            value=made[winner].name if winner is not None else None,
            how="same jobs on every side: throughput ratio, memory that fits",
            inputs=traces,
            rows=("000-038", "002-049", "002-069", "002-112"),
        ),
    )


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
    usable = [index for index, held in enumerate(rates) if held]
    if len(usable) < 2:
        return [None] * len(rates)
    base = min(usable, key=lambda index: geometric_mean([rate.per_second for rate in rates[index]]))
    factors: list[Estimate | None] = []
    for index, held in enumerate(rates):
        if not held:
            factors.append(None)
            continue
        pairs = list(zip(held, rates[base], strict=True))
        value = geometric_mean([one.per_second / other.per_second for one, other in pairs])
        spread = 0.0
        if index != base:
            outside = any(one.card.outside or other.card.outside for one, other in pairs)
            spread = calibration.RELATIVE_SPREAD / (len(pairs) ** 0.5) + OUTSIDE_SPREAD * outside
            counts = max(held[0].n_gpus, rates[base][0].n_gpus)
            if counts > 1 and not generates(job.workloads[0]):
                spread += scaling_spread(float(counts), counts)
        trace = step_of(
            name="relative_speed",
            value=value,
            unit="x",
            how="throughput / throughput of the slowest side",
            inputs=(trail(held[0]), trail(rates[base][0])),
        )
        factors.append(banded(value, spread, "x", "calibrated roofline, same job", trace))
    return factors


def _result(side: Side, job: JobSet, factor: Estimate | None, rates: list[Rate]) -> JobResult:
    single = len(job.workloads) == 1
    fits, need = "", None
    if single:
        try:
            fit, figure = fit_on(job.workloads[0], side.gpu, side.n)
            fits, need = fit.verdict.value, figure.value
        except AdvisorError:
            fits = Verdict.UNKNOWN.value
    return _job_result(
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
    return _made_contender(
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
        outside=gpu.vendor != "NVIDIA",
        results=results,
    )


_FP8_FROM = 8.9
"""Compute capability from which Tensor Cores count in FP8."""


def _has_fp8(gpu: Gpu) -> bool:
    return gpu.vendor == "NVIDIA" and float(gpu.compute_capability or 0.0) >= _FP8_FROM


def _best(values: list[float | None], higher: bool = True, clear_by: float = 1.02) -> int | None:
    known = [(value, index) for index, value in enumerate(values) if value is not None]
    if len(known) < 2 or len(known) < len(values):
        return None
    ordered = sorted(known, key=lambda pair: pair[0], reverse=higher)
    (first, index), (second, _) = ordered[0], ordered[1]
    clear = first > second * clear_by if higher else first * clear_by < second
    return index if clear else None


def _merits(index: int, sides: list[Contender]) -> tuple[Note, ...]:
    """Reasons to take this side, whoever wins."""
    one = sides[index]
    notes = []
    if _best([side.vram_gib for side in sides]) == index:
        rest = max(side.vram_gib or 0.0 for side in sides if side is not one)
        notes.append(note_of("speed_merit_vram", {"gib": one.vram_gib, "other": rest}))
    if one.n > 1 and _best([side.total_vram_gib for side in sides]) == index:
        notes.append(note_of("speed_merit_total", {"gib": one.total_vram_gib, "n": one.n}))
    for number, result in enumerate(one.results):
        rivals = [side.results[number].factor for side in sides]
        if result.fits == Verdict.NO.value or not result.factor:
            continue
        if _best([rival.value if rival else None for rival in rivals], clear_by=EVEN) == index:
            notes.append(note_of("speed_merit_faster", {"job": result.code, "factor": result.factor.value}))
    if _best([side.power_w for side in sides], higher=False) == index:
        notes.append(note_of("speed_merit_power", {"watts": one.power_w}))
    if _best([float(side.year) if side.year else None for side in sides]) == index:
        notes.append(note_of("speed_merit_newer", {"year": one.year}))
    if one.bf16 and not all(side.bf16 for side in sides):
        notes.append(note_of("speed_merit_bf16", {}))
    if one.fp8 and not all(side.fp8 for side in sides):
        notes.append(note_of("speed_merit_fp8", {}))
    if one.nvlink and not all(side.nvlink for side in sides):
        notes.append(note_of("speed_merit_nvlink", {}))
    return tuple(notes)


def _by_speed(sides: list[Contender]) -> tuple[int, int]:
    def speed(index: int) -> float:
        factor = sides[index].results[0].factor if sides[index].results else None
        return factor.value if factor else 0.0

    order = sorted(range(len(sides)), key=lambda index: (-speed(index), index))
    return order[0], order[-1]


_HOLDS = frozenset({Verdict.FITS.value, Verdict.TIGHT.value, ""})


def _verdict(sides: list[Contender]) -> tuple[int | None, str, Estimate | None]:
    first = [side.results[0] if side.results else None for side in sides]
    holding = [index for index, result in enumerate(first) if result and result.fits in _HOLDS]
    refused = [index for index, result in enumerate(first) if result and result.fits == Verdict.NO.value]
    if len(holding) == 1 and len(refused) == len(sides) - 1:
        return holding[0], "only_one_fits", None
    pool = holding if len(holding) > 1 else list(range(len(sides)))
    speeds = sorted(
        ((result.factor.value, index) for index in pool if (result := first[index]) and result.factor), reverse=True
    )
    if len(speeds) < 2 and len(refused) == len(sides):
        return None, "none_fits", None
    if len(speeds) < 2:
        most = _best([side.total_vram_gib for side in sides])
        return most, "more_memory" if most is not None else "unknown", None
    (top, index), (second, _) = speeds[0], speeds[1]
    winning = first[index]
    margin = _scaled(winning.factor, 1.0 / second) if winning and winning.factor else None
    if len(refused) == len(sides):
        return index if top > second * EVEN else None, "none_fits", margin
    if top <= second * EVEN:
        fewest = min(side.n for side in sides)
        simplest = [number for number, side in enumerate(sides) if side.n == fewest]
        if len(simplest) == 1:
            return simplest[0], "even_fewer_cards", margin
        most = _best([side.total_vram_gib for side in sides])
        return most, "even_more_memory" if most is not None else "even", margin
    return index, "faster", margin


def _scaled(factor: Estimate, by: float) -> Estimate:
    return factor.model_copy(update={"value": factor.value * by, "low": factor.low * by, "high": factor.high * by})


def _notes(sides: Sequence[Side], rated: list[list[list[Rate]]], mixed: bool) -> tuple[Note, ...]:
    if mixed:
        return ()
    notes = []
    outside = [
        side.gpu.name
        for side, rows in zip(sides, rated, strict=True)
        if any(rate.card.outside for rates in rows for rate in rates)
    ]
    notes += [note_of("speed_outside", {"gpu": name}) for name in dict.fromkeys(outside)]
    if any(side.n > 1 for side in sides):
        notes.append(note_of("speed_memory_not_pooled", {"n": max(side.n for side in sides)}))
    missing = [side.gpu.name for side, rows in zip(sides, rated, strict=True) if rows and not rows[0]]
    notes += [note_of("speed_not_estimated", {"gpu": name}) for name in dict.fromkeys(missing)]
    return tuple(notes)
