"""Ending tasks without swallowing the cancellation of whoever ends them."""

from __future__ import annotations

import asyncio


async def end(*tasks: asyncio.Task[object]) -> None:
    """Cancel tasks and wait until they are over, whatever comes of them."""
    open_tasks = {task for task in tasks if not task.done()}
    for task in open_tasks:
        task.cancel()
    if open_tasks:
        await asyncio.wait(open_tasks)
    for task in tasks:
        if not task.cancelled():
            task.exception()


async def first_of(*tasks: asyncio.Task[object]) -> None:
    """Wait for the first of some tasks, then end the others."""
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await end(*(task for task in tasks if not task.done()))
