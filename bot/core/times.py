"""Spans of time that others name (platforms, other clocks), brought into reason."""

from __future__ import annotations

import math
from typing import Final

LONGEST_WAIT_S: Final = 900.0
"""No pause and no retry is longer, whatever a platform asks for."""


def clamped(seconds: float, most: float = LONGEST_WAIT_S) -> float:
    """A span between 0 and `most` seconds; what is no number becomes 0."""
    if math.isnan(seconds):
        return 0.0
    return min(max(seconds, 0.0), most)
