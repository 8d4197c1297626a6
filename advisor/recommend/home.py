"""Cards that a person at home can put in a computer and still run today's software on."""

from __future__ import annotations

from typing import Final

from advisor.models import Gpu

_USABLE: Final = frozenset({"active", "whole", "soc"})
"""How cards are built in that a home can use: with a fan of their own, or as a computer."""


TOGETHER: Final = (1, 2, 3, 4)
"""Numbers of cards in one computer at home."""
_TOGETHER: Final = ((16.0, 4), (12.0, 2))
"""Where no card does it alone for the money: so many cards from a memory on are put together, the larger first."""
_MODIFIED: Final = "mod"


def together(vram_gib: float) -> int:
    """How many cards of a memory are put together at home, where no larger one can be paid."""
    return next((most for least, most in _TOGETHER if vram_gib >= least), 1)


def is_modified(gpu: Gpu) -> bool:
    """Whether a card's memory was changed after it was made: nobody but the seller stands for it."""
    return _MODIFIED in gpu.id.split("-")


def for_home(gpu: Gpu) -> bool:
    """Whether a home can use it: a card with a fan, which the current toolkits still know."""
    return gpu.mount in _USABLE and gpu.last_cuda is None


def pace_of(gpu: Gpu, n: int) -> float | None:
    """Half-precision arithmetic of `n` cards in TFLOPS: the order of cards where no speed of a job is on record.

    Drawing pictures and clips is bound by arithmetic, so the order holds although the figure is no speed.
    """
    figure = gpu.fp16_tensor_fp32acc_tflops or gpu.fp16_nontensor_tflops or gpu.fp32_tflops
    return figure * n if figure else None
