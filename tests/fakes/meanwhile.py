"""Two threads without threads: something else happens before each line in turn of what is under test."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import RLock
from types import CodeType, FrameType
from typing import Any, TypeVar

T = TypeVar("T")


def before_line(
    nth: int, work: Callable[[], T], other: Callable[[], object], *within: Callable[..., object]
) -> tuple[T, bool]:
    """What `work` gives when `other` happens before the nth line of some functions; whether they have that many."""
    codes = {code for function in within for code in _codes(function.__code__)}
    done = 0

    def line(_frame: FrameType, event: str, _: object) -> Any:
        nonlocal done
        done += event == "line"
        if event == "line" and done == nth:
            other()
        return line

    def call(frame: FrameType, _event: str, _: object) -> Any:
        return line if frame.f_code in codes else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        return work(), done >= nth
    finally:
        sys.settrace(before)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A piece of code and what is written inside it."""
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _codes(part)


def meanwhile(work: Callable[[], T], other: Callable[[], object], *within: Callable[..., object]) -> Iterator[T]:
    """What `work` gives when `other` happens before the first line of some functions, then before the second, and on.

    A thread gives way between any two of them. `work` begins anew each time: it makes the state that is under test.
    """
    for nth in count(1):
        result, happened = before_line(nth, work, other, *within)
        if not happened:
            return
        yield result


def is_free(lock: RLock) -> bool:
    """Whether another thread could take a lock now."""

    def taken() -> bool:
        got = lock.acquire(blocking=False)
        if got:
            lock.release()
        return got

    with ThreadPoolExecutor(1) as others:
        return others.submit(taken).result()
