"""What time it is in Telegram, whatever the wall clock of this machine says.

How old a message is decides whether it is still answered. Its date is Telegram's; the machine's own clock may have been
set a day ahead. So three clocks are asked, and the earliest counts: the wall clock, the wall clock of the start carried
on by the steady one, and the day and time in the head of Telegram's newest answer, carried on likewise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from bot.core.times import steady_now


class PlatformTime:
    """The clock by which the age of a message is told."""

    def __init__(self, wall: Callable[[], datetime], steady: Callable[[], float] = steady_now) -> None:
        """`wall` is the machine's own, aware of its zone; `steady` counts seconds and is never set."""
        self._wall, self._steady = wall, steady
        self._at_start = wall().timestamp() - steady()
        self._told = math.inf

    async def heard(self, response: httpx.Response) -> None:
        """Take the day and time that an answer tells, if it tells any."""
        try:
            told = parsedate_to_datetime(response.headers.get("date", ""))
        except (TypeError, ValueError):
            return
        if told.tzinfo is not None:
            self._told = told.timestamp() - self._steady()

    def now(self) -> datetime:
        """The time in Telegram: no clock that is wrong makes a message older than another one does."""
        steady = self._steady()
        earliest = min(self._wall().timestamp(), self._at_start + steady, self._told + steady)
        return datetime.fromtimestamp(earliest, UTC)
