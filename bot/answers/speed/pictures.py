"""The picture of how fast text is written: tokens a second as the context grows, as far as the card holds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from advisor.errors import AdvisorError
from advisor.memory.figure import figure_of
from advisor.memory.fit import usable_gib
from advisor.models import Estimate, Gpu, Workload
from advisor.speed import tokens_per_second
from advisor.speed.contest import Side
from bot.core import pictures
from bot.core.message import Chart

_CONTEXTS: Final = (512, 8192, 32_768, 131_072)


def context_chart(work: Workload, sides: Sequence[Side]) -> Chart | None:
    """Speed by context for one user on one card; None for several, and where it does not write at two lengths."""
    found = _curve(work, sides[0].gpu) if len(sides) == 1 and sides[0].n == 1 else []
    return pictures.context_chart(work.ml_model.called, sides[0].gpu.name, found) if found else None


def _curve(work: Workload, gpu: Gpu) -> list[tuple[float, Estimate]]:
    try:
        return [(float(one.seq_len or 0), tokens_per_second(one, gpu).decode) for one in _held(work, gpu)]
    except AdvisorError:
        return []


def _held(work: Workload, gpu: Gpu) -> list[Workload]:
    """The job at each length that the model reads and the card holds. What holds a length holds every shorter one."""
    longest, room = work.ml_model.max_seq or _CONTEXTS[-1], usable_gib(gpu, gpu.vram_gib or 0.0)
    jobs = [work.model_copy(update={"seq_len": length}) for length in _CONTEXTS if length <= longest]
    while jobs and figure_of(jobs[-1]).value > room:
        jobs.pop()
    return jobs
