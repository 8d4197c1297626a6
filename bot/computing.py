"""Computations beside the event loop, each with a deadline that ends it.

A computation runs in a thread of its own kind, so leases, health, polling and signals go on whatever it does. Normally
there is one such thread; a computation that takes longer than a moment gives up its turn, so that those behind it go on
in another one. At its limit (processor time of the thread, or far more time on the clock) the thread is disowned: the
caller gets `Overran` at once, and `Overdue` is raised inside the thread at its next step of Python
(`PyThreadState_SetAsyncExc`), again and again until it is gone.

What that cannot interrupt is one call into C, such as a single match of a regular expression: it ends first, then the
thread does. Only a call that also keeps the interpreter's lock stands in everybody's way while it lasts; text and
numbers are therefore cut before anything reads them (`bot/core/text.py`, `bot/core/numbers.py`), and an item that
took a process down with it twice is closed by its claims (`bot/delivery.py`). The price is one hand-over to a thread
and back for each message, some fifty microseconds.
"""

from __future__ import annotations

import asyncio
import contextvars
import ctypes
import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import Final, Generic, Protocol, TypeVar

T = TypeVar("T")
U = TypeVar("U")
_LOG = logging.getLogger("xuanka.computing")
_RAISES: Final = 20
_RAISE_EVERY_S: Final = 0.25


class Overdue(BaseException):
    """Raised inside a thread whose computation is over its limit; nothing on the road catches it."""


class Overran(RuntimeError):
    """A computation was ended at its limit."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a computation may take."""

    processor_s: float = 2.0
    """Time of its thread on a processor: what a busy machine takes away does not count."""
    waiting_s: float = 8.0
    """Time on the clock, for one that waits instead of working. A process that was stopped meanwhile loses a moment."""
    turn_s: float = 0.1
    """After so long the next one begins beside it."""
    most_beside: int = 8
    """Computations beyond their turn at once; then all wait."""


_COLD: Final = 4.0
"""So many times as long a first answer may take, whose tables, templates and caches are made meanwhile."""


_FIRST: Final = 3
"""Computations of a new place that are taken for first answers, where nobody sets its limits."""


def _times(limits: Limits, factor: float) -> Limits:
    """Limits that are so many times as wide."""
    return replace(limits, processor_s=limits.processor_s * factor, waiting_s=limits.waiting_s * factor)


class Computing:
    """Runs computations one at a time while they are quick."""

    def __init__(self, limits: Limits | None = None) -> None:
        """No thread runs before the first computation."""
        self._limits = self._warm = limits or Limits()
        self._new = 0 if limits else _FIRST
        self._turn: asyncio.Semaphore | None = None
        self._idle: list[_Hand] = []
        self._beside = 0

    def patient(self, *, cold: bool) -> None:
        """Allow computations that begin from now on more time while the process is cold, else what is usual."""
        self._limits = _times(self._warm, _COLD) if cold else self._warm

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` gives.

        Raises:
            Overran: it took longer than it may.
        """
        if self._turn is None:
            self._turn = asyncio.Semaphore(1)
        turn = _Turn(self._turn)
        await turn.take()
        try:
            hand = self._idle.pop() if self._idle else _Hand()
            future = hand.begin(work, self._idle)
            try:
                return await self._wait(hand, future, turn)
            except asyncio.CancelledError:
                # Nobody waits any more; should it hang, nobody would end it either.
                if not future.done():
                    hand.end()
                raise
        finally:
            turn.give_back()

    def _limits_now(self) -> Limits:
        """What the next computation may take; the first ones here make what all later ones find."""
        if not self._new:
            return self._limits
        self._new -= 1
        return _times(self._warm, _COLD)

    async def _wait(self, hand: _Hand, future: asyncio.Future[T], turn: _Turn) -> T:
        limits, waited = self._limits_now(), 0.0
        beside = False
        try:
            while True:
                done, _ = await asyncio.wait((future,), timeout=limits.turn_s)
                if done:
                    return future.result()
                waited += limits.turn_s
                if not beside and self._beside < limits.most_beside:
                    beside = True
                    self._beside += 1
                    turn.give_back()
                if hand.processor_s() >= limits.processor_s or waited >= limits.waiting_s:
                    hand.end()
                    raise Overran(f"more than {limits.processor_s:g} s of processor time or {limits.waiting_s:g} s")
        finally:
            self._beside -= beside

    def close(self) -> None:
        """Let idle threads go."""
        self._idle.clear()


class _Turn:
    """A place in the row that is given back once, early or at the end."""

    def __init__(self, row: asyncio.Semaphore) -> None:
        self._row, self._held = row, False

    async def take(self) -> None:
        await self._row.acquire()
        self._held = True

    def give_back(self) -> None:
        if self._held:
            self._held = False
            self._row.release()


class _Runs(Protocol):
    """What a thread is given."""

    def run(self) -> None: ...


class _Job(Generic[T]):
    """One computation on its way to a thread and back."""

    __slots__ = ("context", "future", "loop", "work")

    def __init__(self, work: Callable[[], T], loop: asyncio.AbstractEventLoop, future: asyncio.Future[T]) -> None:
        self.work, self.loop, self.future = work, loop, future
        self.context = contextvars.copy_context()

    def run(self) -> None:
        try:
            result = self.context.run(self.work)
        except Overdue:
            raise
        except BaseException as error:
            self._report(self.future.set_exception, error)
        else:
            self._report(self.future.set_result, result)

    def _report(self, settle: Callable[[U], None], what: U) -> None:
        def settled() -> None:
            if not self.future.done():
                settle(what)

        with suppress(RuntimeError):  # the loop is closed: nobody waits
            self.loop.call_soon_threadsafe(settled)


class _Hand:
    """One thread, which works on what is put into its queue until it is let go or disowned."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Runs | None] = SimpleQueue()
        self._clock: list[int] = []
        self._begun = 0.0
        self._disowned = False
        self._thread = threading.Thread(target=_serve, args=(self._jobs, self._clock), name="computing", daemon=True)
        self._thread.start()

    def __del__(self) -> None:
        self._jobs.put(None)

    def begin(self, work: Callable[[], T], idle: list[_Hand]) -> asyncio.Future[T]:
        """Start on a computation; the hand is among the idle ones again when it is through."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def through(_: asyncio.Future[T]) -> None:
            if not self._disowned:
                idle.append(self)

        future.add_done_callback(through)
        self._begun = self._spent()
        self._jobs.put(_Job(work, loop, future))
        return future

    def processor_s(self) -> float:
        """Processor time of the computation in hand."""
        return self._spent() - self._begun

    def _spent(self) -> float:
        if not self._clock:
            return 0.0
        try:
            return time.clock_gettime(self._clock[0])
        except OSError:
            return 0.0

    def end(self) -> None:
        """End the computation and the thread with it, as soon as it does a step of Python."""
        self._disowned = True
        self._jobs.put(None)
        _raise_in(self._thread, asyncio.get_running_loop(), _RAISES)


def _serve(jobs: SimpleQueue[_Runs | None], clock: list[int]) -> None:
    """The life of a thread. It knows its queue only, so that it ends when nobody knows the hand any more."""
    try:
        if hasattr(time, "pthread_getcpuclockid"):
            clock.append(time.pthread_getcpuclockid(threading.get_ident()))
        while True:
            job = jobs.get()
            if job is None:
                return
            job.run()
            del job
    except Overdue:
        return


def _raise_in(thread: threading.Thread, loop: asyncio.AbstractEventLoop, times: int) -> None:
    """Raise `Overdue` in a thread, again while it lives: what it does may have swallowed the first one."""
    if not thread.is_alive() or thread.ident is None:
        return
    if not times:
        _LOG.error("ALERT: a computation could not be ended and goes on until this process is started anew")
        return
    raise_overdue(thread.ident)
    loop.call_later(_RAISE_EVERY_S, _raise_in, thread, loop, times - 1)


def raise_overdue(ident: int) -> None:
    """Raise `Overdue` in a thread at its next step of Python."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(Overdue))
