"""Cards sold under one name with half and with twice the memory, where a message leaves open which it means."""

from __future__ import annotations

import re
from typing import Final

from advisor.models import Gpu
from bot.core.request import Request

_SIZE: Final = re.compile(r"\s\d+GB$")
_TWICE: Final = 2.0
"""A size that holds other jobs; a tenth more or a rebuilt board is no second product to be asked about."""


def other_sizes(request: Request, asked: str, gpu: Gpu) -> tuple[Gpu, ...]:
    """The card with half or twice the memory that the same words may mean; none where a size is said beside it.

    Args:
        request: its message names the card.
        asked: the card in canonical form.
        gpu: the card that the name was taken for.
    """
    if request.slot("vram_gb"):
        return ()
    said = (one.candidates for one in request.heard.named("gpu") if one.value == asked and one.known)
    cards = filter(None, (request.services.catalog.find_gpu(name) for names in said for name in names))
    return tuple({one.id: one for one in cards if _is_other_size(gpu, one)}.values())


def _is_other_size(gpu: Gpu, other: Gpu) -> bool:
    """Whether two cards differ by their memory alone, one with twice that of the other."""
    sizes = sorted((gpu.vram_gib or 0.0, other.vram_gib or 0.0))
    return without_size(gpu.name) == without_size(other.name) and sizes[1] == _TWICE * sizes[0]


def without_size(name: str) -> str:
    """The name of a card without its memory."""
    return _SIZE.sub("", name)
