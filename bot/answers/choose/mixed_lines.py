"""What is said of different cards in one machine: whether to use them together, which memory counts, which CUDA."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from advisor.memory import Verdict
from advisor.speed.mixed import MixedEstimate
from bot.answers.phrases import model_named, size_named
from bot.core.line import Block, Depth, Figure, Label, Line, Listing, Worded, gib

_WORTH: Final = 1.15
"""Together they must be this much faster than the fastest alone; speeds nearer than this are alike."""


@dataclass(frozen=True, slots=True)
class Held:
    """A language model over cards of different kinds that share its layers."""

    model: str
    format: str
    """Label code of the number format."""
    need: Figure
    usable_gib: float
    """What the cards give together."""
    verdict: Verdict
    largest: str
    """The largest of the usual sizes that they hold in 4 bit."""
    roomiest: str
    smallest: str
    """The cards with the most and the least memory."""


@dataclass(frozen=True, slots=True)
class Mixed:
    """A mix of cards, and whether it only runs a model."""

    made: MixedEstimate
    runs: bool
    held: Held | None = None

    @property
    def split(self) -> Held | None:
        """The model that cards of one maker share by layers."""
        return self.held if self.made.one_vendor and self.made.compatible else None

    @property
    def even(self) -> bool:
        """Whether the cards are about as fast as each other."""
        return self.made.ratio < _WORTH


def headline_of(told: Mixed) -> Line:
    """Whether they work on one job, with the speeds that decide; of a model that they run, whether they hold it."""
    made = told.made
    if told.split is not None:
        return _held(told.split)
    values: dict[str, Worded] = {
        "n": made.n,
        "total": gib(made.total_gib) if made.total_gib else None,
        "fastest": made.fastest,
        "slowest": made.slowest,
        "ratio": _rough(made.ratio),
        "together": _rough(made.together),
        "apart": _rough(made.apart),
    }
    return Line(f"mixed.{_case(told)}", values)


def _held(held: Held) -> Line:
    values: dict[str, Worded] = {
        "model": model_named(held.model),
        "way": Label(held.format, "bits"),
        "need": held.need,
        "usable": gib(held.usable_gib),
        "largest": size_named(held.largest) if held.largest and held.verdict is Verdict.NO else None,
    }
    return Line(f"mixed.holds.{held.verdict.value}", values)


def _case(told: Mixed) -> str:
    if not told.made.one_vendor:
        return "vendors_run" if told.runs else "vendors"
    if not told.made.compatible:
        return "no_cuda"
    if told.runs:
        return "runs"
    if told.even:
        return "even"
    return "worth" if told.made.together > _WORTH else "not_worth"


def _rough(value: float) -> Figure:
    return Figure(float(f"{value:.2g}"))


def lines_of(told: Mixed) -> tuple[Line, ...]:
    """Memory, software, and what to do instead."""
    return tuple(_lines(told))


def _lines(told: Mixed) -> Iterator[Line]:
    made = told.made
    yield from _split(told)
    if made.smallest_gib and made.total_gib and made.one_vendor and not told.runs:
        values: dict[str, Worded] = {
            "smallest": made.smallest,
            "each": gib(made.smallest_gib),
            "total": gib(made.total_gib),
        }
        yield Line("mixed.memory", values)
    yield from _of_two_makers(told)
    if made.compatible and made.min_cuda:
        fp16 = None if made.bf16 else Line("mixed.fp16")
        yield Line("mixed.software", {"cuda": _cuda(told), "fp16": fp16})
    if made.one_vendor and not told.even and not told.runs:
        yield Line("mixed.better")


def _split(told: Mixed) -> Iterator[Line]:
    """How a model is shared by cards that hold it by layers."""
    made = told.made
    if told.runs and told.split is None and made.one_vendor and made.compatible:
        yield Line("mixed.how", {"smallest": made.smallest or None})
    if told.split is not None:
        yield Line("mixed.layers", {"most": told.split.roomiest, "least": told.split.smallest})


def _of_two_makers(told: Mixed) -> Iterator[Line]:
    """What cards of two makers can't do together, where they may run a model."""
    if not told.made.one_vendor and told.runs:
        yield Line("mixed.vulkan")


def _cuda(told: Mixed) -> Line:
    made = told.made
    return Line("mixed.cuda", {"first": made.min_cuda, "last": made.last_cuda or None, "by": made.limited_by or None})


def blocks_of(told: Mixed) -> tuple[Block, ...]:
    """The figures behind the verdict."""
    made = told.made
    together = Line("mixed.row.together", {**_pair(told, made.together), "count": made.n})
    rows = (
        Line("mixed.row.ratio", _pair(told, made.ratio)),
        *((together,) if made.one_vendor else ()),  # nothing trains on cards of two makers in lockstep
        Line("mixed.row.apart", _pair(told, made.apart)),
    )
    return (Listing(rows, depth=Depth.PRIVATE),)


def _pair(told: Mixed, value: float) -> dict[str, Worded]:
    return {"fastest": told.made.fastest, "slowest": told.made.slowest, "n": Figure(value)}
