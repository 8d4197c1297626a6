"""The figures of a comparison: card by card what each has and costs, speeds by job, and what tells cards apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

from advisor.models import Gpu
from advisor.speed.contest import Contender, Contest, JobResult, Side
from bot.answers.choose.compare_sides import Column, job_named, price_named, side_named
from bot.answers.choose.side_jobs import SideJob
from bot.answers.phrases import size_named
from bot.core.line import Block, Depth, Figure, Label, Line, Single, Table, gib, measured

Value = float | str
_LINK: Final = "nvlink_gb_per_s"
_ALIKE: Final = ("architecture", "vram_gib")
_FINE: Final = ("fp16_tensor_fp32acc_tflops", "fp8_tflops", "int8_tops", "fp32_tflops", "memory_type")
"""What two cards of one chip may differ in beside the figures that every comparison shows."""
_UNITS: Final = {_LINK: "GB/s", "int8_tops": "TOPS", "memory_type": ""}
_SAME: Final = 1.02
_SAME_LINK: Final = 1.2
"""Bridges of two generations differ by less; what counts is a cut link."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure in which cards differ, in their order."""

    attribute: str
    values: tuple[Value, ...]

    def said(self) -> Line:
        """The figure with each card's value, the unit behind the last."""
        unit = _UNITS.get(self.attribute, "TFLOPS")
        shown: list[Single] = [
            value if isinstance(value, str) else Figure(value, unit if place == len(self.values) - 1 else "")
            for place, value in enumerate(self.values)
        ]
        values = reduce(lambda left, right: Line("cmp.against", {"left": left, "right": right}), shown)
        said = {"what": Label(self.attribute, "attr"), "values": values}
        return Line("cmp.differs.link" if self.attribute == _LINK else "cmp.differs", said)


def alike(gpus: Sequence[Gpu]) -> bool:
    """Whether cards are of one chip and memory, told apart by what was cut."""
    return len({tuple(getattr(gpu, name) for name in _ALIKE) for gpu in gpus}) == 1


def differing(sides: Sequence[Side]) -> tuple[Difference, ...]:
    """A cut link, and between cards of one chip and memory every figure that differs."""
    gpus = [side.gpu for side in sides]
    names = [_LINK] if len({gpu.vendor for gpu in gpus}) == 1 else []
    names += _FINE if alike(gpus) else ()
    found = (Difference(name, tuple(getattr(gpu, name) for gpu in gpus)) for name in names)
    return tuple(one for one in found if _unlike(one))


def _unlike(one: Difference) -> bool:
    numbers = [value for value in one.values if isinstance(value, (int, float))]
    if any(value is None for value in one.values):
        return False
    if len(numbers) < len(one.values):
        return len(set(one.values)) > 1
    if one.attribute == _LINK:  # a link that one card lacks counts only where several cards work together
        return min(numbers) > 0 and max(numbers) > _SAME_LINK * min(numbers)
    return max(numbers) > _SAME * min(numbers)


def bandwidths(sides: Sequence[Side]) -> tuple[float, ...]:
    """Memory bandwidth of each side over the least of them; empty when one is unknown, or when counts differ."""
    rates = [side.gpu.memory_bandwidth_gb_per_s or 0.0 for side in sides]
    if not all(rates) or any(side.n > 1 for side in sides) or max(rates) <= _SAME * min(rates):
        return ()
    return tuple(rate / min(rates) for rate in rates)


# --- tables ----------------------------------------------------------------------------------------------------------


def figures_of(made: Contest, columns: Sequence[Column], jobs: Sequence[SideJob], *, brief: bool) -> Iterator[Block]:
    """What each card has, what it costs and how fast it is. `brief`: a group sees the first of them, too."""
    heads = tuple(Line(code) for code in _SPECS)
    rows = tuple((side_named(side), *_specs(side)) for side in made.sides)
    yield Table((Line("cmp.card"), *heads), rows, depth=Depth.GROUP if brief else Depth.PRIVATE)
    rated = [row for row in range(len(jobs)) if any(side.results[row].factor for side in made.sides)]
    if rated:
        yield _speeds(made, jobs, rated)
    yield _costs(columns)


_SPECS: Final = ("cmp.vram", "cmp.bandwidth", "cmp.fp16", "cmp.power")


def _specs(side: Contender) -> tuple[Single, ...]:
    memory = Figure(side.vram_gib, "GiB") if side.vram_gib else None
    return (
        Line("cmp.times", {"figure": memory, "n": side.n}) if memory is not None and side.n > 1 else memory,
        Figure(side.bandwidth_gb_per_s, "GB/s") if side.bandwidth_gb_per_s else None,
        _compute(side),
        Figure(side.power_w, "W") if side.power_w else None,
    )


def _compute(side: Contender) -> Single:
    if side.fp16_tflops:
        return Figure(side.fp16_tflops, "TFLOPS")
    return None if side.outside else Line("cmp.no_tensor")


def _speeds(made: Contest, jobs: Sequence[SideJob], rated: Sequence[int]) -> Table:
    heads: list[Single] = [Line("cmp.card")]
    rows: list[list[Single]] = [[side_named(side)] for side in made.sides]
    for row in rated:
        results = [side.results[row] for side in made.sides]
        for head, cells in _columns(jobs[row], results):
            heads.append(head)
            for cell, line in zip(cells, rows, strict=True):
                line.append(cell)
    return Table(tuple(heads), tuple(map(tuple, rows)), Line("cmp.speeds"))


def _columns(job: SideJob, results: Sequence[JobResult]) -> Iterator[tuple[Single, list[Single]]]:
    """Heading and cells of what is known of a job: times the slowest, expected speed, whether it fits."""
    size = size_named(job.models[0])
    yield job_named(job), [_times(one) for one in results]
    if any(one.rate for one in results):
        yield Line("cmp.expected", {"size": size}), [_rate(one) for one in results]
    if any(one.need_gib for one in results):
        yield Line("cmp.holds", {"size": size}), [_fits(one) for one in results]


def _times(one: JobResult) -> Single:
    return Line("cmp.banded", {"times": measured(one.factor, "")}) if one.factor is not None else None


def _rate(one: JobResult) -> Single:
    return Line("cmp.rate", {"n": Figure(one.rate), "unit": Label(one.unit, "rate")}) if one.rate else None


def _fits(one: JobResult) -> Single:
    need = gib(one.need_gib) if one.need_gib else None
    return Line("cmp.fits", {"fits": Label(one.fits, "verdict"), "need": need})


def _costs(columns: Sequence[Column]) -> Table:
    none = Line("cmp.none")
    rows = tuple(
        (
            side_named(one.side),
            price_named(one.buy) if one.buy is not None else none,
            price_named(one.rent) if one.rent is not None else none,
        )
        for one in columns
    )
    return Table((Line("cmp.card"), Line("cmp.buy"), Line("cmp.rent")), rows, Line("cmp.costs"), Depth.DETAILS)
