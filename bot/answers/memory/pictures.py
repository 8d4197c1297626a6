"""The picture of a need: its parts in one bar, and the line of what the card has."""

from __future__ import annotations

from advisor.memory import MemoryEstimate
from bot.answers.memory.cards import Card
from bot.core.message import Chart, Mark


def memory_chart(estimate: MemoryEstimate, card: Card | None = None) -> Chart:
    """What a job needs on each card, part by part, in GiB.

    Args:
        estimate: of the job.
        card: what it is to fit, where one was named; its line shows what a job can get of it.
    """
    parts = tuple((step.name, round(float(step.value or 0), 2)) for step in estimate.components)
    usable = card.usable if card is not None else 0.0
    return Chart(
        kind="stack",
        title=f"{estimate.workload.ml_model.called}: GiB per GPU",
        y_label="GiB",
        series=(("need", parts),),
        marks=(Mark(label=(card.label if card else "") or "usable", at=round(usable, 2)),) if usable > 0 else (),
    )
