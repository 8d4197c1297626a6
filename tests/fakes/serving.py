"""Serves an ASGI app on a free port of loopback for the length of a test."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn


@asynccontextmanager
async def serve(app: Any) -> AsyncIterator[str]:
    """Give the base address while the app is served."""
    # Named TCP, so that asyncio switches Nagle off; otherwise each answer waits 40 ms for an acknowledgement.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    config = uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    server.capture_signals = _no_signals
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task
        listener.close()


class _no_signals:
    """Leaves the handling of signals to the test runner."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass
