"""The one clock of a SQLite file: seconds since the epoch that never jump, alike for all processes that share it.

Wall clocks are set back and forth by people and by time servers; a lease must not end, nor a retry wait for an hour,
because of that. So the first process that opens the file after the machine has started writes down how far the epoch
lies from the machine's own steady clock, and from then on everybody adds that to the steady clock. After a restart of
the machine the distance is taken anew, but never so that time goes back.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Final

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
SLACK_S: Final = 1.0
"""What lies further ahead than its own length and this was written before the clock was set back."""


def boot_name() -> str:
    """What names this run of the machine; nothing where the system does not tell."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except (OSError, UnicodeError):
        return ""


def anchor_of(known: tuple[str, float, float] | None, boot: str, steady: float, wall: float) -> float:
    """Seconds between the steady clock and the store's time.

    Args:
        known: what the file says: name of the run, distance, and the last time that was seen. None for a new file.
        boot: name of this run of the machine.
        steady: the steady clock now.
        wall: the wall clock now, believed only when the run is a new one.
    """
    if known is None:
        return wall - steady
    name, distance, seen = known
    if boot and name == boot and math.isfinite(distance):
        return distance
    return max(wall, seen) - steady if math.isfinite(seen) else wall - steady


Clock = Callable[[], float]
