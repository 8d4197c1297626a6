"""Doing a step of the store again until the store is back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from bot.core.ports import StoreUnavailable

T = TypeVar("T")
_FIRST_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 1.0


class Patience:
    """Holds on to what was done while the store is away, instead of letting it be done again."""

    def __init__(self, seconds: float, may_wait: Callable[[], bool]) -> None:
        """For how long, and whether whoever asks may wait at all: callers with a deadline may not."""
        self._seconds, self._may_wait = seconds, may_wait

    async def __call__(self, step: Callable[[], Awaitable[T]]) -> T:
        """What the step gives.

        Raises:
            StoreUnavailable: the store did not come back in time, or there is no time to wait.
        """
        deadline = time.monotonic() + self._seconds
        pause = _FIRST_PAUSE_S
        while True:
            try:
                return await step()
            except StoreUnavailable:
                if not self._may_wait() or time.monotonic() >= deadline:
                    raise
            await asyncio.sleep(pause)
            pause = min(_LONGEST_PAUSE_S, pause * 2)
