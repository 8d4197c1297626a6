"""Fetches updates by long polling. The offset moves on only past updates that are safely taken.

The library's own updater confirms a batch before it is handled, so a crash would lose it; this loop asks for the next
batch, which is the confirmation, only after every update of the last one was accepted.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol, TypeVar, cast

from telegram.error import Conflict, InvalidToken, TelegramError
from telegram.request import RequestData

from bot.channels.telegram.errors import Kind, diagnose
from bot.core.ports import Accepted

T = TypeVar("T")
_LOG = logging.getLogger("xuanka.telegram")
_BATCH = 100
_POLL_S = 30
_READ_TIMEOUT_S = 45.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 30.0
_CONFLICT_PAUSE_S = 10.0
_SETTLE_S = 5.0
_LONGEST_IDLE_S = 5.0
_LONGEST_FLOOD_S = 60.0
"""Longer pauses between polls nobody needs, whatever a server asks for: people wait meanwhile."""
_MOST_NUMBER = 2**40
_JUMP = 1_000_000
"""Numbers go up one by one, or start anew after a week. One so far ahead may be a fault; were it kept as the offset,
every update below it would be confirmed unseen for good."""
_TOO_QUICK = timedelta(seconds=1)
_SILENCE = timedelta(days=6)
"""After a silent week update numbers start anew, perhaps below the old offset, which would confirm them unseen."""

Take = Callable[[dict[str, object]], Awaitable[Accepted]]


class Addressed(Protocol):
    """A bot, of which a poll needs no more than where its methods are."""

    @property
    def base_url(self) -> str:
        """Address before the name of a method, the token in it."""
        ...


class Posts(Protocol):
    """A connection that a poll is made over."""

    async def post(
        self, url: str, request_data: RequestData | None = None, read_timeout: float | None = None
    ) -> object:
        """Send fields and give back the result that the server names."""
        ...


class _Form:
    """Plain form fields, in the shape of the library's RequestData, which cannot be built from public parts."""

    contains_files = False
    multipart_data = None

    def __init__(self, fields: dict[str, str]) -> None:
        self.json_parameters = fields


class Poller:
    """The loop of one bot; exactly one may run per token."""

    def __init__(
        self,
        bot: Addressed,
        request: Posts,
        take: Take,
        settle: Callable[[float], Awaitable[None]],
        allowed_updates: tuple[str, ...],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`request` should be a connection of its own, since a poll holds it for half a minute."""
        self._bot, self._request, self._take, self._settle = bot, request, take, settle
        self._allowed, self._sleep = json.dumps(allowed_updates), sleep
        self._offset: int | None = None
        self._before_jump: int | None = None
        """The offset before a number that may be a fault; taken again when nothing comes behind that one."""
        self._now, self._heard_at = now, now()
        self._pause = _FIRST_PAUSE_S
        self.trouble = ""
        """Why nothing comes in now; for health pages."""

    async def run(self, stop: asyncio.Event) -> None:
        """Poll until `stop` is set, then confirm what was taken. Nothing that Telegram says ends it."""
        while not stop.is_set():
            asked = self._now()
            batch = await self._unless(stop, self._fetch(_POLL_S, stop))
            if batch is None:
                continue
            taken = await self._take_all(batch, stop)
            await self._settle(_SETTLE_S)
            if not taken and self._now() - asked < _TOO_QUICK:
                # An empty poll takes its half minute. Nothing, at once, again and again, is a server out of order.
                await self._rest(stop, min(self._next_pause(), _LONGEST_IDLE_S))
        await self._confirm()

    async def _take_all(self, batch: list[dict[str, object]], stop: asyncio.Event) -> bool:
        """Take in order. The first that cannot be taken ends the batch: Telegram will send it and the rest again.

        Gives whether the offset moved, or a pause was made already.
        """
        before = self._offset
        for raw in batch:
            number = raw.get("update_id") if isinstance(raw, dict) else None
            if type(number) is not int or not 0 <= number < _MOST_NUMBER:
                _LOG.warning("an update without a number is ignored")
                continue
            try:
                accepted = await self._take(raw)
            except Exception as error:
                _LOG.error("the inbox failed, the update stays with Telegram: %s", type(error).__name__)
                accepted = Accepted.FULL
            if accepted is Accepted.FULL:
                await self._rest(stop, self._next_pause())
                return True
            self._move_on(number)
            self._pause = _FIRST_PAUSE_S
        return self._offset != before

    def _move_on(self, number: int) -> None:
        """Count an update as taken."""
        if self._offset is not None and number - self._offset > _JUMP:
            self._before_jump = self._offset
        elif self._before_jump is not None and number < self._before_jump + _JUMP:
            self._before_jump = None
        self._offset = number + 1

    async def _fetch(self, wait_s: int, stop: asyncio.Event) -> list[dict[str, object]] | None:
        try:
            batch = await self._get_updates(wait_s)
        except InvalidToken:
            # getMe accepted it at the start, so this is a broken server, or a token that was revoked since.
            _LOG.error("ALERT: Telegram does not accept XUANKA_TELEGRAM_TOKEN any more: check it with @BotFather")
            self.trouble = "the token is not accepted any more"
            await self._rest(stop, self._next_pause())
            return None
        except Conflict:
            _LOG.error("another process polls with this token; only one may (or a webhook is set)")
            self.trouble = "another process polls with this token"
            await self._rest(stop, _CONFLICT_PAUSE_S)
            return None
        except TelegramError as error:
            failure = diagnose(error)
            _LOG.warning("getUpdates failed: %s", failure.reason)
            self.trouble = failure.reason
            is_flood = failure.kind is Kind.FLOOD
            await self._rest(stop, min(failure.retry_after, _LONGEST_FLOOD_S) if is_flood else self._next_pause())
            return None
        except Exception as error:  # whatever a broken server makes of the library: polling goes on
            _LOG.error("getUpdates failed: %s", type(error).__name__)
            self.trouble = type(error).__name__
            await self._rest(stop, self._next_pause())
            return None
        self.trouble = ""
        if batch:
            self._heard_at = self._now()
        elif self._before_jump is not None:
            self._offset, self._before_jump = self._before_jump, None
        elif self._now() - self._heard_at > _SILENCE:
            self._offset = None
        return batch

    async def _get_updates(self, wait_s: int, limit: int = _BATCH) -> list[dict[str, object]]:
        """Ask for raw updates, so that one of unknown shape does not spoil its batch."""
        fields = {"timeout": str(wait_s), "limit": str(limit), "allowed_updates": self._allowed}
        if self._offset is not None:
            fields["offset"] = str(self._offset)
        result = await self._request.post(
            f"{self._bot.base_url}/getUpdates",
            cast(RequestData, _Form(fields)),
            read_timeout=wait_s + _READ_TIMEOUT_S - _POLL_S,
        )
        return result if isinstance(result, list) else []

    async def _confirm(self) -> None:
        """Tell Telegram what was taken, so that the next start does not see it again."""
        if self._offset is None:
            return
        try:
            await self._get_updates(0, limit=1)
        except TelegramError as error:
            _LOG.info("the last updates could not be confirmed: %s", diagnose(error).reason)

    # --- waiting -----------------------------------------------------------------------------------------------------

    def _next_pause(self) -> float:
        pause = self._pause
        self._pause = min(2 * self._pause, _LONGEST_PAUSE_S)
        return pause

    async def _rest(self, stop: asyncio.Event, seconds: float) -> None:
        await self._unless(stop, self._sleep(seconds))

    async def _unless(self, stop: asyncio.Event, work: Awaitable[T]) -> T | None:
        """The result of `work`, or None as soon as `stop` is set."""
        task = asyncio.ensure_future(work)
        stopping = asyncio.ensure_future(stop.wait())
        try:
            await asyncio.wait({task, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            if not task.done():
                task.cancel()
        await asyncio.wait({task})
        return None if task.cancelled() else task.result()
