"""Spans of time that others name (platforms, other clocks), brought into reason."""

from __future__ import annotations

import math
import time
from typing import Final

LONGEST_WAIT_S: Final = 900.0
"""No pause and no retry is longer, whatever a platform asks for."""
_STEADY: Final = getattr(time, "CLOCK_BOOTTIME", None)
"""Where there is one, the clock that also counts while the machine sleeps: what is to be forgotten soon shall be."""


def steady_now() -> float:
    """Seconds since the machine started."""
    return time.clock_gettime(_STEADY) if _STEADY is not None else time.monotonic()


def clamped(seconds: float, most: float = LONGEST_WAIT_S) -> float:
    """A span between 0 and `most` seconds; what is no number becomes 0."""
    if math.isnan(seconds):
        return 0.0
    return min(max(seconds, 0.0), most)
