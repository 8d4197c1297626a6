"""Whether a card corrects errors of its memory, where that is asked beside its figures or alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from advisor.models import Gpu
from bot.core.answers import Answer
from bot.core.line import Line
from bot.core.request import Request

_PROFESSIONAL: Final = ("Tesla", "Quadro")
"""How families begin whose memory corrects errors."""
_STACKED: Final = "HBM"
"""Memory that keeps check bits of its own."""


def with_ecc(request: Request, made: Answer, gpus: Sequence[Gpu], asked: Sequence[str]) -> Answer:
    """An answer on the figures of cards with a line on ECC; that line alone where nothing else is asked.

    Args:
        request: the question.
        made: what the figures are.
        gpus: the cards that are named.
        asked: the attributes that are asked for.
    """
    if not gpus or not request.heard.shows("aspect", "ecc"):
        return made
    lines = tuple(_line(gpu) for gpu in {gpu.id: gpu for gpu in gpus}.values())
    if asked:
        return made.model_copy(update={"lines": (*lines, *made.lines)})
    return made.model_copy(update={"headline": lines[:1], "lines": lines[1:], "blocks": (), "notes": ()})


def _line(gpu: Gpu) -> Line:
    if gpu.vendor != "NVIDIA" or not gpu.family.startswith(_PROFESSIONAL):
        return Line("ecc.no", {"card": gpu.name})
    stacked = (gpu.memory_type or "").startswith(_STACKED)
    return Line("ecc.stacked" if stacked else "ecc.yes", {"card": gpu.name})
