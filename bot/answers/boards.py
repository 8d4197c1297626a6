"""Which form of an open name a box of several cards means."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from advisor.models import Gpu

if TYPE_CHECKING:
    from bot.answers.common import NamedGpu

_BOARD_FROM: Final = 4
"""Cards from which a machine has them on one board."""


def on_board(card: NamedGpu, count: int) -> NamedGpu:
    """An open name in a box of four or more means the SXM board where there is one, of that memory if possible."""
    boards = boards_of(card, count)
    if not boards or boards[0].id == card.gpu.id:
        return card
    others = tuple(gpu for gpu in (card.gpu, *card.others) if gpu.id != boards[0].id)
    return replace(card, gpu=boards[0], others=others, settled=False)


def boards_of(card: NamedGpu, count: int) -> tuple[Gpu, ...]:
    """The SXM boards that an open name means in a box of four or more; none where it means no board."""
    if count < _BOARD_FROM or card.named or not card.others:
        return ()
    boards = tuple(gpu for gpu in (card.gpu, *card.others) if (gpu.form_factor or "").upper().startswith("SXM"))
    return tuple(gpu for gpu in boards if gpu.vram_gib == card.gpu.vram_gib) or boards
