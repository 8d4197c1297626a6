"""Into how many instances a card is cut in hardware (MIG), and which of them hold a job."""

from __future__ import annotations

from functools import cache
from typing import Final

from advisor.datafiles import read_data
from advisor.models import Frozen, Gpu

SOURCES: Final = ("by-mig-profiles", "by-mig-gpus")


class Slice(Frozen):
    """One profile: its memory and the greatest number of it on one card."""

    name: str
    gb: float
    count: int


class Cut(Frozen):
    """The profiles of cards whose names begin so."""

    cards: tuple[str, ...]
    slices: tuple[Slice, ...]
    """The smallest first."""


def slices_of(gpu: Gpu) -> tuple[Slice, ...]:
    """The instances that a card can be cut into, the smallest first; none of a card without MIG, or not on record."""
    return next((one.slices for one in _cuts() if gpu.name.startswith(one.cards)), ())


@cache
def _cuts() -> tuple[Cut, ...]:
    read: tuple[Cut, ...] = read_data("mig.yaml", tuple[Cut, ...])
    return read
