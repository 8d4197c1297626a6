"""Keeps what the bot sends below Telegram's limits: messages wait in line, none is dropped.

30 messages a second overall, one a second in a chat, 20 a minute in a group; answers, edits and errors share the
budget of their chat. Flood control on one chat makes only that chat wait. Source: Telegram's bot FAQ, "My bot is
hitting limits".
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol

from telegram.error import RetryAfter
from telegram.ext import BaseRateLimiter

from bot.channels.telegram.errors import diagnose

_COUNTED = ("send", "edit", "forward", "copy")
_FREE = frozenset({"sendChatAction"})
_IDLE_CHATS = 4096


@dataclass(frozen=True, slots=True)
class Limits:
    """What may be sent. Zero lifts a limit (another Bot API server, benchmarks)."""

    overall_per_s: int = 30
    chat_per_s: int = 1
    group_per_min: int = 20


class Budget(Protocol):
    """Who may send when. One process keeps `LocalBudget`; replicas need one over the store they share."""

    async def take(self, chat_id: str, is_group: bool) -> float:
        """Reserve the chat's next free moment; seconds to wait until then."""
        ...

    async def take_overall(self) -> float:
        """Reserve the bot's next free moment, when the chat's own has come; seconds to wait until then."""
        ...

    async def is_paused(self, chat_id: str) -> bool:
        """Whether a pause began while a message waited for its moment."""
        ...

    async def pause(self, chat_id: str, seconds: float) -> None:
        """Telegram asked for a pause in this chat."""
        ...


class Window:
    """At most `count` events in any `period` seconds; reservations are given out in order."""

    def __init__(self, count: int, period: float) -> None:
        """Start empty."""
        self.count, self.period = count, period
        self.taken: deque[float] = deque(maxlen=max(count, 1))
        self.blocked_until = 0.0

    def earliest(self, now: float) -> float:
        """When the next event may happen."""
        at = max(now, self.blocked_until)
        if self.count and len(self.taken) == self.count:
            at = max(at, self.taken[0] + self.period)
        return at

    def reserve(self, at: float) -> None:
        """Take a moment that `earliest` allowed."""
        if self.count:
            self.taken.append(at)


class LocalBudget:
    """The budget of one process."""

    def __init__(self, limits: Limits | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with all budgets full."""
        self._limits, self._clock = limits or Limits(), clock
        self._overall = Window(self._limits.overall_per_s, 1.0)
        self._chats: OrderedDict[str, tuple[Window, Window]] = OrderedDict()

    async def take(self, chat_id: str, is_group: bool) -> float:
        """Reserve the chat's next free moment."""
        now = self._clock()
        second, minute = self._windows(chat_id, is_group)
        at = max(second.earliest(now), minute.earliest(now))
        second.reserve(at)
        minute.reserve(at)
        return at - now

    async def take_overall(self) -> float:
        """Reserve the bot's next free moment."""
        now = self._clock()
        at = self._overall.earliest(now)
        self._overall.reserve(at)
        return at - now

    async def is_paused(self, chat_id: str) -> bool:
        """Whether the chat is blocked now."""
        found = self._chats.get(chat_id)
        return found is not None and found[0].blocked_until > self._clock()

    async def pause(self, chat_id: str, seconds: float) -> None:
        """Block one chat."""
        for window in self._windows(chat_id, is_group=False):
            window.blocked_until = max(window.blocked_until, self._clock() + seconds)

    def _windows(self, chat_id: str, is_group: bool) -> tuple[Window, Window]:
        found = self._chats.get(chat_id)
        if found is None:
            per_minute = self._limits.group_per_min if is_group or chat_id.startswith(("-", "@")) else 0
            found = self._chats[chat_id] = (Window(self._limits.chat_per_s, 1.0), Window(per_minute, 60.0))
            self._drop_idle()
        self._chats.move_to_end(chat_id)
        return found

    def _drop_idle(self) -> None:
        now = self._clock()
        while len(self._chats) > _IDLE_CHATS:
            _, (second, minute) = next(iter(self._chats.items()))
            if second.earliest(now) > now or (minute.taken and minute.taken[-1] + minute.period > now):
                return
            self._chats.popitem(last=False)


class ChatLimiter(BaseRateLimiter[int]):
    """The library's hook: every sending request takes from the budget first."""

    def __init__(self, budget: Budget | None = None, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Use this budget; `sleep` is replaceable so that tests need not wait."""
        self._budget, self._sleep = budget or LocalBudget(), sleep

    async def initialize(self) -> None:
        """Nothing to prepare."""

    async def shutdown(self) -> None:
        """Nothing to release."""

    async def process_request(
        self,
        callback: Callable[..., Coroutine[Any, Any, Any]],
        args: Any,
        kwargs: dict[str, Any],
        endpoint: str,
        data: dict[str, Any],
        rate_limit_args: int | None,
    ) -> Any:
        """Wait for the chat's turn, send, and remember a pause that Telegram asks for."""
        chat_id = data.get("chat_id")
        if chat_id is None or endpoint in _FREE or not endpoint.startswith(_COUNTED):
            return await callback(*args, **kwargs)
        chat = str(chat_id)
        await self._wait_for_turn(chat)
        try:
            return await callback(*args, **kwargs)
        except RetryAfter as error:
            await self._budget.pause(chat, diagnose(error).retry_after)
            raise

    async def _wait_for_turn(self, chat: str) -> None:
        while True:
            await self._wait(await self._budget.take(chat, chat.startswith(("-", "@"))))
            if not await self._budget.is_paused(chat):
                break
        await self._wait(await self._budget.take_overall())

    async def _wait(self, seconds: float) -> None:
        if seconds > 0:
            await self._sleep(seconds)
