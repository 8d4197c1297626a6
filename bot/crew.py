"""The workers of a process: who takes what in hand, and when anybody looks for more.

A message that comes while a worker has nothing to do is stored and taken in hand in one step of the store. Everything
else is looked for: what this process stored and nobody took yet after each message, and what only the store knows of
(leases that ended, pauses that are over, what other replicas stored) on watch, a few times a second.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from bot.answering import without_words
from bot.core.message import IncomingMessage
from bot.core.ports import Accepted, InboxItem, Store, StoreUnavailable
from bot.core.stations import Meter

_LOG: Final = logging.getLogger("xuanka.delivery")
_COMPLAIN_EVERY_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class CrewOptions:
    """How many workers there are, how long they hold an item, and how often one that is idle looks."""

    workers: int
    lease_s: float
    idle_s: float


class _Sleeper:
    """A worker without work."""

    def __init__(self, owner: str, woken: asyncio.Future[InboxItem | None]) -> None:
        """`woken` brings what it is to do, or nothing when it is to look itself."""
        self.owner, self.woken = owner, woken
        self.is_reserved = False
        """Somebody is going to wake it, however long that takes."""

    def wake(self, item: InboxItem | None = None) -> None:
        """Let it go on; an item whose worker was stopped is another's when its lease ends."""
        if not self.woken.done():
            self.woken.set_result(item)

    async def sleep(self, pause_s: float) -> InboxItem | None:
        """Until it is woken, or so long."""
        await asyncio.wait((self.woken,), timeout=pause_s)
        if not self.woken.done() and not self.is_reserved:
            self.woken.cancel()
            return None
        return await self.woken


class Crew:
    """Workers over a store."""

    def __init__(
        self,
        store: Store,
        options: CrewOptions,
        process: Callable[[InboxItem, str], Awaitable[object]],
        ours: Callable[[], tuple[str, ...]],
        meter: Meter | None = None,
    ) -> None:
        """Take the parts.

        Args:
            store: where messages wait.
            options: sizes and times.
            process: carries an item, held by the named owner, to its close.
            ours: what this process may claim, as `Store.claim` takes it.
            meter: counts what went wrong.
        """
        self._store, self._options, self._process, self._ours, self._meter = store, options, process, ours, meter
        self.owner = f"w-{secrets.token_hex(6)}"
        self._idle: deque[_Sleeper] = deque()
        self._behind = self._busy = 0
        self._looked = self._complained = float("-inf")
        self._stopping = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    # --- beginning and end -------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Let the workers begin."""
        self._stopping.clear()
        for number in range(self._options.workers):
            self._tasks.append(asyncio.create_task(self._worker(number), name=f"worker-{number}"))

    def stopping(self) -> list[asyncio.Task[None]]:
        """Let nobody begin anything more; gives those that still have something in hand, or will see it soon."""
        self._stopping.set()
        while self._idle:
            self._wake()
        return self._tasks

    def stopped(self) -> None:
        """Everybody has ended."""
        self._tasks.clear()

    def is_at_work(self, task: asyncio.Task[object] | None) -> bool:
        """Whether a task is one of the workers, and they are not to stop."""
        return task in self._tasks and not self._stopping.is_set()

    @property
    def idle(self) -> int:
        """How many workers wait for something to do."""
        return sum(not sleeper.woken.done() for sleeper in self._idle)

    # --- the door ----------------------------------------------------------------------------------------------------

    async def take_in(self, message: IncomingMessage, capacity: int) -> Accepted:
        """Store a message; FULL also stands for a store that cannot write."""
        is_ours = f"{message.chat_key}:".startswith(self._ours())
        sleeper = self._next_idle() if is_ours and not self._stopping.is_set() else None
        if sleeper is not None:
            # What the store has given to a worker must reach him, also when whoever brought the message goes away.
            return await asyncio.shield(self._hand_over(message, capacity, sleeper))
        try:
            accepted = await self._store.accept(message, capacity=capacity)
        except StoreUnavailable as error:
            _LOG.error("not accepted: %s", error)
            return Accepted.FULL
        self._behind += is_ours and accepted is Accepted.STORED
        return accepted

    async def _hand_over(self, message: IncomingMessage, capacity: int, sleeper: _Sleeper) -> Accepted:
        """Store a message for a worker who has nothing to do."""
        item = None
        try:
            accepted, item = await self._store.take_in(
                message, sleeper.owner, capacity=capacity, lease_s=self._options.lease_s
            )
            self._behind += accepted is Accepted.STORED and item is None
        except StoreUnavailable as error:
            _LOG.error("not accepted: %s", error)
            return Accepted.FULL
        finally:
            # Without an item he looks for one: the message waits behind others of its conversation.
            sleeper.wake(item)
        return accepted

    def look_after_rest(self) -> None:
        """Somebody who is no worker has closed an item: what lay behind it may be taken now."""
        if self._behind:
            self._wake()

    # --- workers -----------------------------------------------------------------------------------------------------

    def _next_idle(self) -> _Sleeper | None:
        """A worker that found nothing to do; nobody else may wake it then."""
        while self._idle:
            sleeper = self._idle.popleft()
            if not sleeper.woken.done():
                sleeper.is_reserved = True
                return sleeper
        return None

    def _wake(self) -> None:
        """Let one idle worker look: waking all for one message would only make them race."""
        sleeper = self._next_idle()
        if sleeper is not None:
            sleeper.wake()

    async def _worker(self, number: int) -> None:
        owner = f"{self.owner}-{number}"
        # The first worker keeps watch; it calls the others when there is more than one can do.
        pause = self._options.idle_s if number == 0 else self._options.idle_s * 8
        item: InboxItem | None = None
        is_looking = True
        while item is not None or not self._stopping.is_set():
            behind = self._behind
            if (item is not None or is_looking) and await self._work(owner, item):
                item, is_looking = None, self._may_wait_more()
                if is_looking and number == 0:
                    self._wake()
                continue
            if is_looking and self._behind > behind:
                continue  # something was stored during the look
            sleeper = _Sleeper(owner, asyncio.get_running_loop().create_future())
            self._idle.append(sleeper)
            item, is_looking = await sleeper.sleep(pause), True

    def _may_wait_more(self) -> bool:
        """Whether to look after a message is done."""
        return self._behind > 0 or time.monotonic() - self._looked >= self._options.idle_s

    async def _work(self, owner: str, item: InboxItem | None) -> bool:
        """Process an item, or claim one and process it; False when there is none, or the store is away."""
        self._busy += 1
        try:
            if item is None:
                item = await self._look(owner)
            if item is None:
                return False
            await self._process(item, owner)
        except StoreUnavailable as error:
            self._complain(error)
            return False
        except Exception as error:  # a worker must outlive whatever one message does to it
            _LOG.error("a worker failed: %s", type(error).__name__, exc_info=without_words(error))
            if self._meter:
                self._meter.failed("worker")
            return False
        finally:
            self._busy -= 1
        return True

    async def _look(self, owner: str) -> InboxItem | None:
        """Claim what comes next."""
        self._looked, behind = time.monotonic(), self._behind
        item = await self._store.claim(owner, lease_s=self._options.lease_s, only=self._ours())
        if item is not None:
            self._behind = max(0, self._behind - 1)
        elif self._busy == 1:  # what was stored here is with other replicas, or postponed
            self._behind = max(0, self._behind - behind)
        return item

    def _complain(self, error: StoreUnavailable) -> None:
        """Say that the store is away, but not for every worker at every look."""
        if time.monotonic() - self._complained >= _COMPLAIN_EVERY_S:
            self._complained = time.monotonic()
            _LOG.error("the store cannot be used: %s", error)
