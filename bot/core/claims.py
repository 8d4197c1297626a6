"""Superlatives and comparatives with the figures that prove them: a line whose claim does not hold is not said."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

_ROUNDING: Final = 1e-6
"""Share by which figures may differ and still be the same."""


class Kind(StrEnum):
    """What is claimed of a figure against those of all other candidates."""

    LEAST = "least"
    """None is smaller: the cheapest, the slowest."""
    MOST = "most"
    """None is larger: the fastest, the most for the money."""
    LESS = "less"
    """Each is larger: cheaper than these."""
    MORE = "more"
    """Each is smaller: faster than these."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure, and those that it is claimed to be the least or most of, or less or more than. All in one unit."""

    kind: Kind
    figure: float
    others: tuple[float, ...]

    @property
    def holds(self) -> bool:
        """Whether the figures bear it out; of nothing else nothing can be claimed."""
        return bool(self.others) and all(self._beats(other) for other in self.others)

    def _beats(self, other: float) -> bool:
        slack = _ROUNDING * max(abs(self.figure), abs(other))
        if self.kind is Kind.LEAST:
            return self.figure <= other + slack
        if self.kind is Kind.MOST:
            return self.figure >= other - slack
        return self.figure < other - slack if self.kind is Kind.LESS else self.figure > other + slack
