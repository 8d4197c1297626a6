"""Works something out in a second process while this one goes on: weights are learned beside what is left out."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def aside(work: Callable[[], Result]) -> Callable[[], Result]:
    """Begin a piece of work in a copy of this process; where there is none, it is done when it is asked for.

    Args:
        work: takes nothing, changes nothing, gives what can be pickled.

    Returns:
        Gives the result, waiting for it. Raises RuntimeError when the copy ended without one.
    """
    if "fork" not in multiprocessing.get_all_start_methods():
        return work
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=lambda: there.send(work()))
    process.start()
    there.close()

    def result() -> Result:
        try:
            found: Result = here.recv()
        except EOFError:
            raise RuntimeError("what was worked out beside came to nothing") from None
        finally:
            process.join()
        return found

    return result
