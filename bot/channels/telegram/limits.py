"""Keeps what the bot sends below Telegram's limits: messages wait in line, none is dropped.

30 messages a second overall, one a second in a chat, 20 a minute in a group; answers, edits and errors share the
budget of their chat. Flood control on one chat makes only that chat wait. Source: Telegram's bot FAQ, "My bot is
hitting limits".
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Protocol

from telegram.error import RetryAfter
from telegram.ext import BaseRateLimiter

from bot.channels.telegram.errors import diagnose

_COUNTED = ("send", "edit", "forward", "copy")
_FREE = frozenset({"sendChatAction"})
_SECOND, _MINUTE = 1.05, 61.0
"""A little longer than real ones, because requests do not all take equally long to arrive."""
_IDLE_CHATS = 4096
_Result = bool | dict[str, object] | list[dict[str, object]]
"""What a call of the Telegram API gives."""
BOOKED = "booked"
"""Value of `rate_limit_args` for a request whose moment was booked."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What may be sent. Zero lifts a limit (another Bot API server, benchmarks)."""

    overall_per_s: int = 30
    chat_per_s: int = 1
    group_per_min: int = 20


class Budget(Protocol):
    """Who may send when: `LocalBudget` for one process, `SharedBudget` for replicas over one store."""

    async def take(self, chat_id: str, is_group: bool) -> float:
        """Reserve the chat's next free moment; seconds to wait until then."""
        ...

    async def go(self, chat_id: str, is_group: bool) -> float:
        """A reserved moment has come: 0 when the message may go now, else seconds after which to ask again.

        The bot as a whole, other replicas, and messages of the chat that went late may stand in the way.
        """
        ...

    async def is_paused(self, chat_id: str) -> bool:
        """Whether a pause began while a message waited for its moment."""
        ...

    async def pause(self, chat_id: str, seconds: float) -> None:
        """Telegram asked for a pause in this chat."""
        ...


class _Window:
    """At most `count` events in any `period` seconds; reservations are given out in order."""

    def __init__(self, count: int, period: float) -> None:
        """Start empty."""
        self.count, self.period = count, period
        self.taken: deque[float] = deque(maxlen=max(count, 1))

    def earliest(self, now: float) -> float:
        """When the next event may happen."""
        at = now
        if self.count and len(self.taken) == self.count:
            at = max(at, self.taken[0] + self.period)
        return at

    def reserve(self, at: float) -> None:
        """Take a moment that `earliest` allowed."""
        if self.count:
            self.taken.append(at)


class _ChatBudget:
    """What is planned for a chat, and what really went: a planned message may come late and must not crowd the next."""

    def __init__(self, per_second: int, per_minute: int) -> None:
        self.second, self.went_second = _Window(per_second, _SECOND), _Window(per_second, _SECOND)
        self.minute, self.went_minute = _Window(per_minute, _MINUTE), _Window(per_minute, _MINUTE)
        self.blocked_until = 0.0

    def is_idle(self, now: float) -> bool:
        """Whether forgetting this chat changes nothing."""
        last = max((window.taken[-1] for window in (self.second, self.minute) if window.taken), default=0.0)
        return max(last + _MINUTE, self.blocked_until) < now


class LocalBudget:
    """The budget of one process."""

    def __init__(self, limits: Limits | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with all budgets full."""
        self._limits, self._clock = limits or Limits(), clock
        self._overall = _Window(self._limits.overall_per_s, _SECOND)
        self._chats: OrderedDict[str, _ChatBudget] = OrderedDict()

    async def take(self, chat_id: str, is_group: bool) -> float:
        """Reserve the chat's next free moment."""
        now = self._clock()
        chat = self._chat(chat_id, is_group)
        at = max(chat.second.earliest(now), chat.minute.earliest(now), chat.blocked_until)
        chat.second.reserve(at)
        chat.minute.reserve(at)
        return at - now

    async def go(self, chat_id: str, is_group: bool) -> float:
        """Record that a message goes now, unless what really went before forbids it."""
        now = self._clock()
        chat = self._chat(chat_id, is_group)
        windows = (self._overall, chat.went_second, chat.went_minute)
        at = max(window.earliest(now) for window in windows)
        if at > now:
            return at - now
        for window in windows:
            window.reserve(now)
        return 0.0

    async def is_paused(self, chat_id: str) -> bool:
        """Whether the chat is blocked now."""
        found = self._chats.get(chat_id)
        return found is not None and found.blocked_until > self._clock()

    async def pause(self, chat_id: str, seconds: float) -> None:
        """Block one chat."""
        chat = self._chat(chat_id, is_group=False)
        chat.blocked_until = max(chat.blocked_until, self._clock() + seconds)

    def _chat(self, chat_id: str, is_group: bool) -> _ChatBudget:
        found = self._chats.get(chat_id)
        if found is None:
            per_minute = self._limits.group_per_min if is_group or _is_group(chat_id) else 0
            found = self._chats[chat_id] = _ChatBudget(self._limits.chat_per_s, per_minute)
            self._drop_idle()
        self._chats.move_to_end(chat_id)
        return found

    def _drop_idle(self) -> None:
        now = self._clock()
        while len(self._chats) > _IDLE_CHATS:
            if not next(iter(self._chats.values())).is_idle(now):
                return
            self._chats.popitem(last=False)


class ChatLimiter(BaseRateLimiter[str]):
    """The library's hook: every sending request takes from the budget first, or has booked its moment before."""

    def __init__(
        self,
        budget: Budget | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Use this budget; `sleep` and `clock` are replaceable so that tests need not wait."""
        self._budget, self._sleep, self._clock = budget or LocalBudget(), sleep, clock

    async def initialize(self) -> None:
        """Nothing to prepare."""

    async def shutdown(self) -> None:
        """Nothing to release."""

    async def book(self, chat_id: str, messages: int) -> list[float]:
        """Reserve moments for so many messages to a chat, and give them on the limiter's clock.

        Whoever books may do other things until then, and sends with `rate_limit_args=BOOKED`.
        """
        moments = []
        for _ in range(messages):
            wait = await self._budget.take(chat_id, _is_group(chat_id))
            moments.append(self._clock() + wait)
        return moments

    def seconds_until(self, moment: float) -> float:
        """How long until a booked moment."""
        return max(0.0, moment - self._clock())

    async def wait_until(self, moment: float) -> None:
        """Sleep until a booked moment."""
        await self._wait(self.seconds_until(moment))

    async def process_request(
        self,
        callback: Callable[..., Coroutine[object, object, _Result]],
        args: Iterable[object],
        kwargs: dict[str, object],
        endpoint: str,
        data: dict[str, object],
        rate_limit_args: str | None,
    ) -> _Result:
        """Wait for the chat's turn, send, and remember a pause that Telegram asks for."""
        chat_id = data.get("chat_id")
        if chat_id is None or endpoint in _FREE or not endpoint.startswith(_COUNTED):
            return await callback(*args, **kwargs)
        chat = str(chat_id)
        if rate_limit_args != BOOKED:
            await self._wait_for_turn(chat)
        while (wait := await self._budget.go(chat, _is_group(chat))) > 0:
            await self._sleep(wait)
        try:
            return await callback(*args, **kwargs)
        except RetryAfter as error:
            await self._budget.pause(chat, diagnose(error).retry_after)
            raise

    async def _wait_for_turn(self, chat: str) -> None:
        while True:
            await self._wait(await self._budget.take(chat, _is_group(chat)))
            if not await self._budget.is_paused(chat):
                return

    async def _wait(self, seconds: float) -> None:
        if seconds > 0:
            await self._sleep(seconds)


def _is_group(chat_id: str) -> bool:
    return chat_id.startswith(("-", "@"))
