"""Runs the scripts that use WeCom's own software."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent


def node() -> str:
    """The interpreter. Without it or the packages a test is skipped on a desk, and fails in CI."""
    found = shutil.which("node")
    if found and (HERE / "node_modules" / ".installed").exists():
        return found
    reason = "WeCom's own software is not installed: run tests/peers/setup.sh (needs node and npm)"
    if os.environ.get("XUANKA_PEERS") == "required" or os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


async def run_crypto(jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Let WeCom's crypto do some jobs."""
    process = await asyncio.create_subprocess_exec(
        node(),
        str(HERE / "crypto.mjs"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(json.dumps(jobs).encode()), 60)
    assert process.returncode == 0, err.decode()[-2000:]
    results: list[dict[str, Any]] = json.loads(out)
    return results


class Client:
    """WeCom's client in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.events: list[dict[str, Any]] = []
        self._changed = asyncio.Condition()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            self.events.append(json.loads(line))
            async with self._changed:
                self._changed.notify_all()

    def names(self) -> list[str]:
        return [event["event"] for event in self.events]

    def about(self, name: str) -> list[dict[str, Any]]:
        """What became of a request of the client."""
        return [event for event in self.events if event.get("name") == name]

    async def until(self, condition: Callable[[], object], timeout_s: float = 15.0) -> None:
        async with asyncio.timeout(timeout_s), self._changed:
            await self._changed.wait_for(condition)

    async def saw(self, event: str, count: int = 1) -> None:
        await self.until(lambda: self.names().count(event) >= count)

    async def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        await asyncio.wait_for(self._process.wait(), 10)
        await self._reading


@asynccontextmanager
async def official_client(url: str, bot_id: str, secret: str) -> AsyncIterator[Client]:
    """Run WeCom's client against a server."""
    process = await asyncio.create_subprocess_exec(
        node(),
        str(HERE / "client.mjs"),
        url,
        bot_id,
        secret,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    client = Client(process)
    try:
        yield client
    finally:
        await client.end()
