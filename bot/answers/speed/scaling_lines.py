"""What is said of several cards for one job: whether memory adds up, how much faster it gets, why it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from advisor.models import Estimate, Frozen
from advisor.speed.results import PublishedFigure
from bot.answers.phrases import cards_named, model_named
from bot.answers.speed.time_lines import short, told
from bot.core.line import Block, Depth, Figure, Label, Line, Listing, Single, Table, Worded, gib


class ScalingRow(Frozen):
    """One job on one kind of card."""

    gpu: str
    job: str
    link: str
    speedups: tuple[Estimate, ...]
    sources: tuple[str, ...]
    """Behind each of them."""
    efficiency: float
    """With the most cards."""


class Pool(Frozen):
    """What the named cards hold together."""

    gpu: str
    n: int
    each_gib: float
    total_gib: float
    model: str = ""
    need_gib: float | None = None
    """Per card, split over all of them."""
    fits: str = ""
    fits_one: str = ""


class Generating(Frozen):
    """A language model on one card and on several."""

    model: str
    one: Estimate
    layers: Estimate
    tensor: Estimate
    held: bool
    """Whether one card holds it."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """What was found out about several cards."""

    topic: str
    """pooling | slow | howto | batch | draw | run | speedup"""
    beyond: int | None
    """The number asked about, where it is too large for a figure."""
    rows: tuple[ScalingRow, ...]
    counts: tuple[int, ...]
    n: int
    pool: Pool | None
    figures: tuple[PublishedFigure, ...]
    generating: Generating | None

    @property
    def index(self) -> int:
        """Where the count that is told stands among the counts."""
        return self.counts.index(self.n) if self.n in self.counts else 0

    @property
    def worst(self) -> ScalingRow | None:
        """The job that gains least with the most cards."""
        return min(self.rows, key=lambda row: row.efficiency, default=None)

    @property
    def doubled(self) -> tuple[Figure, ...]:
        """What a batch of twice the size gains, a convolution network first."""
        return tuple(Figure(one.value - 1.0, "share") for one in self.figures if one.code == _DOUBLING)


_DOUBLING: Final = "batch_doubling"
_DRAW, _RUN = "draw", "run"
_PAIR: Final = 2
_LINEAR: Final = 0.98
"""Share of as many times as there are cards, below which even the best job is told to gain less."""


def headline(found: Scaling) -> Line:
    """The answer to what was asked first; for too many cards that there is no figure."""
    if found.beyond is not None:
        return Line("scaling.beyond", {"beyond": found.beyond, "n": found.n})
    return _opening(found)


def lines(found: Scaling) -> tuple[Line, ...]:
    """What follows from it, what to check, what to use."""
    first = [_opening(found)] if found.beyond is not None else []
    below = _BELOW[found.topic](found)
    apart = found.generating is not None and found.topic != _RUN
    generating = [_generated(found, found.generating)] if apart and found.generating is not None else []
    return (*first, *generating, *below)


def blocks(found: Scaling) -> tuple[Block, ...]:
    """Ways to split, what the documents measured, every job in a table."""
    ways = ("data", "sharded", "tensor", "layers")
    listed = [Line(f"scaling.way.{way}") for way in ways]
    published = _published(found)
    return (Listing((*listed, *published)), *([_table(found)] if found.rows else []))


# --- openings --------------------------------------------------------------------------------------------------------


def _opening(found: Scaling) -> Line:
    if found.topic == "pooling":
        return _pooled(found.pool)
    if found.topic == "batch" and len(found.doubled) == _PAIR:
        conv, transformer = found.doubled
        return Line("scaling.batch", {"conv": conv, "transformer": transformer, "year": found.figures[0].year})
    if found.topic == _DRAW:
        return Line("scaling.draw", {"n": Figure(found.n)})
    if found.topic == _RUN and found.generating is not None:
        return _generated(found, found.generating, first=True)
    if found.topic in {"slow", "howto"}:
        return Line(f"scaling.{found.topic}")
    gains = _gains(found)
    return gains[0] if gains else Line("scaling.howto")


def _pooled(pool: Pool | None) -> Line:
    if pool is None:
        return Line("scaling.pool.any")
    values: dict[str, Worded] = {"cards": cards_named(pool.gpu, pool.n), "total": gib(pool.total_gib)}
    if pool.need_gib is None:
        return Line("scaling.pool.cards", {**values, "n": pool.n, "each": gib(pool.each_gib)})
    one = Label(pool.fits_one, "verdict") if pool.fits_one else None
    values |= {"model": model_named(pool.model), "need": gib(pool.need_gib), "one": one}
    return Line("scaling.pool.split", {**values, "verdict": Label(pool.fits, "verdict")})


def _gains(found: Scaling) -> list[Line]:
    """What each kind of card gains, one line a kind."""
    kinds = dict.fromkeys(row.gpu for row in found.rows)
    return [_gain(found, [row for row in found.rows if row.gpu == gpu]) for gpu in kinds]


def _gain(found: Scaling, rows: list[ScalingRow]) -> Line:
    cards, link = cards_named(rows[0].gpu, found.n), Label(rows[0].link, "link")
    if len(rows) == 1:
        gain = told(rows[0].speedups[found.index], "times")
        return Line("scaling.gain.one", {"cards": cards, "link": link, "job": model_named(rows[0].job), "gain": gain})
    values = [short(row.speedups[found.index].value) for row in rows]
    span = Figure(min(values), "times", low=min(values), high=max(values))
    jobs = tuple(
        Line("scaling.gain.job", {"job": model_named(row.job), "gain": Figure(value)})
        for row, value in zip(rows, values, strict=True)
    )
    told_of: dict[str, Worded] = {"cards": cards, "link": link, "gain": span, "jobs": jobs}
    if max(values) < _LINEAR * found.n:
        return Line("scaling.gain.less", {**told_of, "n": found.n})
    return Line("scaling.gain.several", told_of)


# --- below -----------------------------------------------------------------------------------------------------------


def _pooling(found: Scaling) -> list[Line]:
    return [Line("scaling.pool.run"), Line("scaling.pool.train")]


def _slow(found: Scaling) -> list[Line]:
    worst = None
    if found.worst is not None:
        cards, gain = cards_named(found.worst.gpu, found.counts[-1]), told(found.worst.speedups[-1], "times")
        worst = Line("scaling.slow.worst", {"cards": cards, "job": model_named(found.worst.job), "gain": gain})
    return [
        Line("scaling.slow.data"),
        Line("scaling.slow.batch"),
        Line("scaling.slow.link", {"worst": worst}),
        Line("scaling.slow.parallel"),
    ]


def _howto(found: Scaling) -> list[Line]:
    return [Line("scaling.howto.train"), Line("scaling.howto.run"), *_gains(found)]


def _batch(found: Scaling) -> list[Line]:
    return [Line("scaling.batch.when")]


def _speedup(found: Scaling) -> list[Line]:
    return [*_gains(found)[1:], Line("scaling.why")]


def _draw(found: Scaling) -> list[Line]:
    return [Line("scaling.draw.memory"), Line("scaling.draw.beside")]


def _run(found: Scaling) -> list[Line]:
    return [Line("scaling.run.why"), Line("scaling.pool.run")]


_BELOW: Final[dict[str, Callable[[Scaling], list[Line]]]] = {
    "pooling": _pooling,
    "slow": _slow,
    "howto": _howto,
    "batch": _batch,
    "speedup": _speedup,
    _DRAW: _draw,
    _RUN: _run,
}


def _generated(found: Scaling, made: Generating, *, first: bool = False) -> Line:
    """What it writes on so many cards; what one card does not hold has no pace there."""
    values: dict[str, Worded] = {"n": Figure(found.n, "card"), "model": model_named(made.model)}
    rates = {"layers": made.layers, "one": made.one, "tensor": made.tensor}
    values |= {name: Figure(short(rate.value), "token/s") for name, rate in rates.items()}
    if not made.held:
        return Line("scaling.run.larger", {name: value for name, value in values.items() if name != "one"})
    return Line("scaling.run" if first else "scaling.generating", values)


def _published(found: Scaling) -> list[Line]:
    """What the documents measured, where it is not the answer itself."""
    eight = tuple(
        Line("scaling.published.one", {"what": Label(one.code, "figure"), "gain": Figure(one.value, "times")})
        for one in found.figures
        if one.code != _DOUBLING
    )
    said = [Line("scaling.published", {"year": found.figures[0].year, "gains": eight})] if eight else []
    if len(found.doubled) == _PAIR and found.topic != "batch":
        conv, transformer = found.doubled
        said.append(Line("scaling.batch", {"conv": conv, "transformer": transformer, "year": found.figures[0].year}))
    return said


def _table(found: Scaling) -> Table:
    counts: tuple[Single, ...] = tuple(Figure(n, "card") for n in found.counts)
    columns = (Line("column.setup"), Line("column.link"), *counts)
    rows = tuple((_job(row), Label(row.link, "link"), *_speedups(row)) for row in found.rows)
    return Table(columns, rows, Line("scaling.table"), Depth.DETAILS)


def _job(row: ScalingRow) -> Line:
    return Line("scaling.row", {"gpu": row.gpu, "job": model_named(row.job)})


def _speedups(row: ScalingRow) -> tuple[Single, ...]:
    return tuple(Line("scaling.cell", {"gain": told(one, "times")}) for one in row.speedups)
