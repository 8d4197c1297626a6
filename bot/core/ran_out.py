"""What a program says when a card's memory ran out, as figures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RanOut:
    """One message of PyTorch that memory ran out. All figures in GiB; None where the message does not say."""

    tried: float
    """What was asked for last."""
    total: float | None = None
    """What the card holds."""
    used: float | None = None
    """What tensors of the program held already."""
    free: float | None = None
    """What was left."""

    @property
    def short(self) -> float | None:
        """How much was missing; None where it is not said, or where more was free than was asked for."""
        left = self.left
        if left is None or left >= self.tried:
            return None
        return self.tried - left

    @property
    def left(self) -> float | None:
        """What was free, or at most can have been: the rest of the card where that alone is told."""
        if self.free is not None:
            return self.free
        known = self.total is not None and self.used is not None
        return max((self.total or 0.0) - (self.used or 0.0), 0.0) if known else None
