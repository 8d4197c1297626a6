"""The life of a process: its logs, its signals, and an end when nothing in it gets a turn any more.

Nothing of the bot itself is loaded by this, so that wrong settings are told before it is.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.logs import log_stray, set_up_logs
from bot.settings import Settings

_STANDSTILL_S: Final = 60.0
_LOADING: Final = (50_000, 20, 50)
"""While data is loaded next to nothing is dropped, so that looking for circles is work for nothing."""


def spare_looks() -> None:
    """Let the garbage collector look rarely, from the start of a process until it is warm."""
    gc.set_threshold(*_LOADING)


def log_for(settings: Settings) -> None:
    """Set up logs that never show a secret of these settings."""
    values = [getattr(settings, name) for name in type(settings).model_fields]
    values += settings.api_keys.values()
    secrets_ = [value.get_secret_value().strip() for value in values if isinstance(value, SecretStr)]
    password = urlsplit(settings.store).password
    set_up_logs(settings.log_level, secrets=[*secrets_, *([password] if password else [])])


async def run_until_stopped(
    body: Callable[[asyncio.Event], Awaitable[None]], on_reload: Callable[[], Awaitable[object]]
) -> None:
    """Run until SIGTERM or SIGINT; SIGHUP reloads.

    Should nothing in this process get a turn for `_STANDSTILL_S`, because one call into C keeps the interpreter's lock,
    a timer outside of Python ends it with status 1 and says where it stood; whoever supervises it starts it anew.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(log_stray)
    tasks: set[asyncio.Task[object]] = set()

    def reload_soon() -> None:
        task = asyncio.ensure_future(on_reload())
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    for name in ("SIGTERM", "SIGINT"):
        with suppress(NotImplementedError, AttributeError):
            loop.add_signal_handler(getattr(signal, name), stop.set)
    with suppress(NotImplementedError, AttributeError):
        loop.add_signal_handler(signal.SIGHUP, reload_soon)
    pulse = asyncio.create_task(_pulse(), name="pulse")
    try:
        await body(stop)
    finally:
        pulse.cancel()
        faulthandler.cancel_dump_traceback_later()


async def _pulse() -> None:
    """Put off the end of the process for as long as the event loop turns."""
    while True:
        faulthandler.dump_traceback_later(_STANDSTILL_S, exit=True)
        await asyncio.sleep(_STANDSTILL_S / 6)
