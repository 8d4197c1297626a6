"""A measurement that somebody told, as it is kept: figures, names of the catalogue and settings, nobody's words."""

from __future__ import annotations

from datetime import date
from typing import Final

from advisor.models import Frozen

MOST_KEPT: Final = 2000


class Case(Frozen):
    """One measured run."""

    day: date
    by: str
    """Hash of who told it."""
    gpu: str = ""
    """Name of the catalogue."""
    model: str = ""
    """Name of the catalogue."""
    method: str = ""
    precision: str = ""
    batch: int | None = None
    seq_len: int | None = None
    cards: int = 1
    device_gib: float | None = None
    value: float
    unit: str
    metric: str
    software: str = ""
    estimate: float | None = None
    """What was estimated then, in the same unit."""
    low: float | None = None
    high: float | None = None


class Cases(Frozen):
    """All that were told, oldest first."""

    held: tuple[Case, ...] = ()

    def put(self, fresh: Case) -> Cases:
        """With one more: of the same person's the oldest fall out, then the oldest of all."""
        own = [one for one in self.held if one.by == fresh.by]
        gone = set(map(id, own[: max(len(own) + 1 - MOST_OF_ONE, 0)]))
        return Cases(held=(*(one for one in self.held if id(one) not in gone), fresh)[-MOST_KEPT:])

    def without(self, by: str) -> Cases:
        """The same without one person's."""
        return Cases(held=tuple(one for one in self.held if one.by != by))


MOST_OF_ONE: Final = 50
"""Of these one person's."""
