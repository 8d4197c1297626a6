"""Tells operators what goes wrong, through a group push robot: errors of our own loggers, at most 20 a minute.

The robot's address is its key, so it is never logged. Log lines of ours hold no words of users. The same line is told
once in five minutes. Source: developer pages 99110 and 91770.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

import httpx

from bot.channels.trust import trusted
from bot.channels.wecom.limits import ROBOT, Budget
from bot.channels.wecom.quiet import silence_libraries
from bot.channels.wecom.tasks import end
from bot.core.ports import Store, StoreUnavailable

_LOG = logging.getLogger("xuanka.wecom.alerts")
TEXT_BYTES = 2048
_WAITING = 100
_AGAIN_S = 300.0
_KNOWN = 500


class AlertRobot(logging.Handler):
    """A log handler that posts errors to a group."""

    def __init__(
        self,
        url: str,
        store: Store,
        clock: Callable[[], float],
        *,
        client: httpx.AsyncClient | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """The budget lives in the store, so that replicas share it."""
        super().__init__(logging.ERROR)
        self._url, self._clock, self._sleep = url, clock, sleep
        self._budget = Budget(store, f"wecom:robot:{hashlib.sha256(url.encode()).hexdigest()[:8]}", ROBOT)
        self._client = client or httpx.AsyncClient(timeout=10.0, verify=trusted())
        self._lines: asyncio.Queue[str] = asyncio.Queue(_WAITING)
        self._told: dict[str, float] = {}
        self._missed = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._posting: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Listen to our loggers; needs a running loop."""
        silence_libraries()
        self._loop = asyncio.get_running_loop()
        self._posting = asyncio.create_task(self._post_all(), name="alerts")
        logging.getLogger("xuanka").addHandler(self)

    async def stop(self) -> None:
        """Stop listening and let go of the connection."""
        logging.getLogger("xuanka").removeHandler(self)
        if self._posting is not None:
            await end(self._posting)
        await self._client.aclose()

    def emit(self, record: logging.LogRecord) -> None:
        """Line up an error. Called from any thread; never waits, never fails."""
        if record.name == _LOG.name or self._loop is None:
            return
        line = f"Xuanka {record.levelname} {record.name}: {record.getMessage()}"
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._line_up, line)

    def _line_up(self, line: str) -> None:
        now = self._clock()
        if now - self._told.get(line, -_AGAIN_S) < _AGAIN_S:
            return
        if len(self._told) >= _KNOWN:
            self._told.clear()
        self._told[line] = now
        try:
            self._lines.put_nowait(line)
        except asyncio.QueueFull:
            self._missed += 1

    async def _post_all(self) -> None:
        while True:
            line = await self._lines.get()
            with suppress(StoreUnavailable):
                while (wait := await self._budget.take("all")) > 0:
                    await self._sleep(wait)
            if self._missed:
                line, self._missed = f"{line} (+{self._missed})", 0
            await self._post(line)

    async def _post(self, line: str) -> None:
        content = line.encode()[:TEXT_BYTES].decode(errors="ignore")
        try:
            answer = await self._client.post(self._url, json={"msgtype": "text", "text": {"content": content}})
            code = answer.json().get("errcode", 0) if answer.is_success else answer.status_code
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, AttributeError) as error:
            _LOG.error("an alarm could not be posted: %s", type(error).__name__)
            return
        if code != 0:
            _LOG.error("the push robot refused an alarm: %s", code)
