"""A measurement that somebody told, as it is kept: figures, names of the catalogue and settings, nobody's words."""

from __future__ import annotations

from datetime import date
from typing import Final

from advisor.models import Frozen

MOST_KEPT: Final = 2000
KEPT_DAYS: Final = 200
"""How long a measurement is kept where others follow it; without one the list goes after as long again."""


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
        """With one more: what is past its days falls out, of the same person's the oldest, then the oldest of all."""
        young = self.young(fresh.day).held
        own = [one for one in young if one.by == fresh.by]
        gone = set(map(id, own[: max(len(own) + 1 - MOST_OF_ONE, 0)]))
        return Cases(held=(*(one for one in young if id(one) not in gone), fresh)[-MOST_KEPT:])

    def young(self, today: date) -> Cases:
        """Those that are kept any longer."""
        return Cases(held=tuple(one for one in self.held if (today - one.day).days <= KEPT_DAYS))

    def without(self, by: str) -> Cases:
        """The same without one person's."""
        return Cases(held=tuple(one for one in self.held if one.by != by))


MOST_OF_ONE: Final = 50
"""Of these one person's."""
