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
        if self.free is None or self.free >= self.tried:
            return None
        return self.tried - self.free
