"""Serves an ASGI app on a free port of loopback for the length of a test."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import uvicorn

_LOOK_EVERY_S = 0.002


class _Prompt(uvicorn.Server):
    """Ends when it is told to. The library looks every tenth of a second, which is most of the time of a short test."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.told = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves the handling of signals to the test runner."""
        yield

    async def main_loop(self) -> None:
        """One turn sets the headers of all answers; then nothing is left to look for."""
        await self.on_tick(0)
        await self.told.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close, and wait for what is being answered as long as the library would."""
        for server in self.servers:
            server.close()
        for sock in sockets or []:
            sock.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        try:
            async with asyncio.timeout(self.config.timeout_graceful_shutdown):
                while self.server_state.connections or self.server_state.tasks:
                    await asyncio.sleep(_LOOK_EVERY_S)
        except TimeoutError:
            for task in self.server_state.tasks:
                task.cancel()


@asynccontextmanager
async def serve(app: Any) -> AsyncIterator[str]:
    """Give the base address while the app is served."""
    # Named TCP, so that asyncio switches Nagle off; otherwise each answer waits 40 ms for an acknowledgement.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    server = _Prompt(uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.told.set()
        await task
        listener.close()


def caller(**options: Any) -> httpx.AsyncClient:
    """A client of what is served here: there are no certificates to read on loopback, which takes 30 ms a client."""
    return httpx.AsyncClient(verify=False, trust_env=False, **options)
