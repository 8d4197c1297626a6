"""Several cards that may take the place of the one at hand: the fastest is judged, the others stand beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from advisor.models import Gpu
from advisor.recommend.estimates import speed_on
from bot.answers.choose.wishes import Wish
from bot.core.line import Figure, Line

_SEVERAL: Final = 3
"""Cards of a message that names the one at hand and two for its place."""


def fastest_last(wish: Wish) -> Wish:
    """The wish with the fastest of several newer cards as the last one named, which is the one that is judged."""
    if len(wish.named) < _SEVERAL or wish.workload is None:
        return wish
    owned, *targets = wish.named
    speeds = [speed_on(wish.workload, one.gpu, 1) for one in targets]
    if any(speed is None for speed in speeds):
        return wish
    ordered = sorted(zip(speeds, targets, strict=True), key=lambda pair: pair[0] or 0.0)
    return replace(wish, named=(owned, *(one for _, one in ordered)))


def targets_told(wish: Wish) -> tuple[Line, ...]:
    """What each of several newer cards would bring; empty where one is named, or no speed is known."""
    if len(wish.named) < _SEVERAL or wish.workload is None:
        return ()
    owned = wish.named[0].gpu
    before = speed_on(wish.workload, owned, 1)
    each = tuple(_told(one.gpu, speed_on(wish.workload, one.gpu, 1), before) for one in wish.named[:0:-1])
    return (Line("up.targets", {"owned": owned.name, "each": each}),) if before else ()


def _told(gpu: Gpu, speed: float | None, before: float | None) -> Line:
    gain = Figure(speed / before, "times") if speed and before else None
    return Line("up.target", {"card": gpu.name, "gain": gain, "memory": Figure(gpu.vram_gib or 0.0, "GB")})
