"""Keeps what the bot sends below WeCom's limits of a conversation: 30 a minute and 1000 an hour, by all replicas.

A bucket of `burst` refilled by `rate` lets at most burst + rate x window through in any window, so both are chosen to
stay at the limit: 12 + 0.3/s x 60 s = 30, and 100 + 0.25/s x 3600 s = 1000. Source: developer page 101463.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.ports import Store


@dataclass(frozen=True, slots=True)
class Bucket:
    """Tokens that refill."""

    name: str
    rate_per_s: float
    burst: float


CONVERSATION = (Bucket("minute", 0.3, 12.0), Bucket("hour", 0.25, 100.0))
ROBOT = (Bucket("minute", 12 / 60, 8.0),)
"""Of a push robot: 20 a minute."""


class Budget:
    """The budget of one bot over the store that replicas share."""

    def __init__(self, store: Store, prefix: str, buckets: tuple[Bucket, ...] = CONVERSATION) -> None:
        """No buckets: no limits (another server, benchmarks)."""
        self._store, self._prefix, self._buckets = store, prefix, buckets

    async def take(self, chat_id: str) -> float:
        """Take one message to a conversation: 0.0 when it may go now, else seconds until it may."""
        for bucket in self._buckets:
            wait = await self._store.take(
                f"{self._prefix}:{bucket.name}:{chat_id}",
                rate_per_s=bucket.rate_per_s,
                burst=bucket.burst,
            )
            if wait > 0:
                return wait
        return 0.0
