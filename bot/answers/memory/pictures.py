"""The picture of a need: its parts in one bar, and the line of what the card has."""

from __future__ import annotations

from advisor.memory import MemoryEstimate
from bot.answers.memory.cards import Card
from bot.core import pictures
from bot.core.message import Chart


def memory_chart(estimate: MemoryEstimate, card: Card | None = None) -> Chart:
    """What a job needs on each card, part by part, in GiB.

    Args:
        estimate: of the job.
        card: what it is to fit, where one was named; its line shows what a job can get of it.
    """
    parts = [(step.name, float(step.value or 0)) for step in estimate.components]
    called = estimate.workload.ml_model.called
    if card is None:
        return pictures.memory_chart(called, parts, estimate.total)
    return pictures.memory_chart(called, parts, estimate.total, card.label or "", card.usable)
