"""The sending budget of several replicas: each plans for itself, and the shared store has the last word.

A token bucket lets through its burst and what flows in: with a burst of 5 and 15 a minute, no minute holds more than
20; with 10 and 20 a second, no second more than 30. So the sum of all replicas stays below Telegram's limits.
"""

from __future__ import annotations

from bot.channels.telegram.limits import LocalBudget
from bot.core.ports import Store
from bot.core.times import clamped

_OVERALL = (20.0, 10.0)
_CHAT = (1.0, 1.0)
_GROUP = (15 / 60, 5.0)
"""(tokens a second, burst) each."""


class SharedBudget:
    """A local plan, checked against buckets in the store at the moment of sending."""

    def __init__(self, plan: LocalBudget, store: Store, prefix: str) -> None:
        """`prefix` names the bot. Time is the store's, alike for all replicas."""
        self._plan, self._store, self._prefix = plan, store, prefix

    async def take(self, chat_id: str, is_group: bool) -> float:
        """Plan within this process."""
        return await self._plan.take(chat_id, is_group)

    async def go(self, chat_id: str, is_group: bool) -> float:
        """Ask the chat's buckets and the bot's in one step, and one by one where that does not grant all of them."""
        names = [(f"second:{chat_id}", *_CHAT), ("overall", *_OVERALL)]
        if is_group:
            names.insert(0, (f"minute:{chat_id}", *_GROUP))
        buckets = [(f"{self._prefix}:send:{name}", rate, burst) for name, rate, burst in names]
        pause = f"{self._prefix}:pause:{chat_id}"
        empty, found = await self._store.begin(buckets, (pause,))
        if pause in found and (paused := await self._paused_for(chat_id)) > 0:
            return paused
        for name, rate, burst in buckets if empty is not None else ():
            # How long it takes until there is one; a bucket that refuses spoils at most a token of those before it.
            wait = await self._store.take(name, rate_per_s=rate, burst=burst)
            if wait > 0:
                return wait
        return await self._plan.go(chat_id, is_group)

    async def is_paused(self, chat_id: str) -> bool:
        """Whether any replica was told to pause in this chat."""
        return await self._plan.is_paused(chat_id) or await self._paused_for(chat_id) > 0

    async def pause(self, chat_id: str, seconds: float) -> None:
        """Pause on all replicas."""
        await self._plan.pause(chat_id, clamped(seconds))
        await self._store.put(f"{self._prefix}:pause:{chat_id}", True, clamped(seconds))

    async def _paused_for(self, chat_id: str) -> float:
        return clamped(await self._store.left(f"{self._prefix}:pause:{chat_id}"))
