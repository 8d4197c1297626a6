"""Different cards in one job: the slowest sets the step, the smallest memory sets the batch, software must suit all."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.models import Frozen, Gpu, Note, Step, Workload, step_of
from advisor.speed.contest import Side
from advisor.speed.estimate import trace_of
from advisor.speed.rate import rate_of


class MixedEstimate(Frozen):
    """What a mixed machine gives on one job."""

    names: tuple[str, ...]
    n: int
    """All cards."""
    together: float
    """Speed in lockstep over the fastest card alone, exchange left out."""
    apart: float
    """Sum of the cards' speeds over the fastest alone: each on a job of its own."""
    slowest: str
    fastest: str
    ratio: float
    """Fastest over slowest card."""
    smallest_gib: float | None
    total_gib: float | None
    smallest: str
    min_cuda: str | None
    """First CUDA that knows all of them."""
    last_cuda: str | None
    """Last CUDA line that still supports all of them; None without a known limit."""
    limited_by: str
    compatible: bool
    """One CUDA serves all cards (and all are of one maker)."""
    one_vendor: bool
    bf16: bool
    notes: tuple[Note, ...] = ()
    trace: Step


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def mixed(sides: Sequence[Side], workload: Workload) -> MixedEstimate:
    """Speed, memory and software of different cards working on one job in lockstep.

    Raises:
        UnsupportedCombination: one of the cards or the job has no published support.
    """
    rates = [(side, rate_of(workload, side.gpu)) for side in sides]
    slow_side, slow = min(rates, key=lambda pair: pair[1].per_second)
    fast_side, fast = max(rates, key=lambda pair: pair[1].per_second)
    count = sum(side.n for side in sides)
    cards = [side.gpu for side in sides]
    smallest_gib, smallest, total_gib = _memories(sides)
    first, last, limiting = _cuda(cards)
    one_vendor = len({gpu.vendor for gpu in cards}) == 1
    overlap = not first or not last or _version(first) <= _version(last)
    together = count * slow.per_second / fast.per_second
    trace = step_of(
        name="mixed_speed",
        value=together,
        unit="x",
        how="cards x slowest / fastest: every step waits for the slowest",
        inputs=(trace_of(slow), trace_of(fast)),
        sources=("seed-002",),
        rows=("002-175", "002-189", "002-190", "002-191"),
    )
    return MixedEstimate(
        names=tuple(gpu.name for gpu in cards),
        n=count,
        together=together,
        apart=sum(side.n * rate.per_second for side, rate in rates) / fast.per_second,
        slowest=slow_side.gpu.name,
        fastest=fast_side.gpu.name,
        ratio=fast.per_second / slow.per_second,
        smallest_gib=smallest_gib,
        total_gib=total_gib,
        smallest=smallest,
        min_cuda=first,
        last_cuda=last,
        limited_by=limiting,
        compatible=one_vendor and overlap,
        one_vendor=one_vendor,
        bf16=all(gpu.bf16_supported for gpu in cards),
        trace=trace,
    )


def _memories(sides: Sequence[Side]) -> tuple[float | None, str, float | None]:
    """Least memory and whose, and all cards' together; nothing where one is not known."""
    held = [(side.gpu.vram_gib or 0.0, side.gpu.name, side.n) for side in sides]
    least, name, _ = min(held)
    return (least, name, sum(gib * n for gib, _, n in held)) if least else (None, "", None)


def _cuda(cards: Sequence[Gpu]) -> tuple[str | None, str | None, str]:
    """First CUDA that knows all cards, last that supports all, and the card that sets the latter."""
    firsts = [gpu.min_cuda for gpu in cards if gpu.min_cuda]
    lasts = [(gpu.last_cuda, gpu.name) for gpu in cards if gpu.last_cuda]
    first = max(firsts, key=_version) if firsts else None
    if not lasts:
        return first, None, ""
    last, name = min(lasts, key=lambda pair: _version(pair[0]))
    return first, last, name
