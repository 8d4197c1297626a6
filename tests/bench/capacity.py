"""`python -m tests.bench.capacity [CONVERSATIONS]`: what the capacity page of docs/operations.md is made from.

One replica, asked by API callers with three turns in each conversation: processor time a message (so what else the
machine does does not count), memory of the replica, and what the store takes for a conversation. One JSON line a figure.
"""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import httpx

from bot.core.message import Reply
from bot.stores import open_store
from tests.bench.__main__ import questions, show
from tests.bench.scale import replica, resident_mb
from tests.conftest import make_message
from tests.stores.server import StoreServer, running_server

_TURNS: Final = 3
_MARKS: Final = 2000
_AT_ONCE: Final = 8
_CLOCK_TICKS: Final = os.sysconf("SC_CLK_TCK")


def processor_s(pid: int) -> float:
    """Seconds that a process has had a processor."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _CLOCK_TICKS


async def _talk(port: int, name: str, conversations: int) -> None:
    texts = [record["text"] for record in questions()]

    async def ask(client: httpx.AsyncClient, numbers: Iterator[int]) -> None:
        for number in numbers:
            for turn in range(_TURNS):
                text = texts[(number * 7 + turn * 101) % len(texts)]
                body = {"id": turn, "text": text, "chat": f"{name}{number}", "user": f"u{number}"}
                (await client.post("/api/v1/ask", json=body)).raise_for_status()

    numbers = iter(range(conversations))
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        await asyncio.gather(*(ask(client, numbers) for _ in range(_AT_ONCE)))


def _server_bytes(server: StoreServer) -> int:
    found = re.search(rb"used_memory:(\d+)", server.say("INFO", "memory"))
    return int(found.group(1)) if found else 0


def _measure(name: str, store: str, folder: Path, conversations: int, held: Callable[[], int]) -> None:
    with ExitStack() as stack:
        process, port = stack.enter_context(replica(store, folder, HTTP_PER_MINUTE="0", HTTP_MB_PER_MINUTE="0"))
        asyncio.run(_talk(port, "warm", max(1, conversations // 10)))  # what is loaded once is loaded
        begun, before = processor_s(process.pid), held()
        asyncio.run(_talk(port, "c", conversations))
        spent, grown = processor_s(process.pid) - begun, held() - before
        messages = conversations * _TURNS
        show(f"{name}_processor_ms", spent / messages * 1000, "ms", "of the replica, a message")
        show(f"{name}_per_core", messages / spent, "messages/s", "that one core would carry, the store beside it")
        show(f"{name}_replica_mb", resident_mb(process.pid), "MB", f"after {messages} messages")
        show(f"{name}_bytes", grown / conversations, "bytes", f"of the store, a conversation of {_TURNS} turns")


async def _close_many(address: str, count: int) -> None:
    """Events that are over: what stays of each is its mark."""
    store = open_store(address)
    await store.open()
    reply = Reply(decision="answer", language="en", text="x" * 500)
    for number in range(count):
        message = make_message("which card?", channel="telegram", bot_id="1", event_id=str(number), chat_id="c")
        _, item = await store.take_in(message, "w", capacity=0, lease_s=30)
        if item is not None:
            await store.handled(item, "w", reply, None, ttl_s=1800)
            await store.finish(item, "w", outcome="sent", message_id=str(number), keep_s=86_400, answered=None)
    await store.tidy()
    await store.close()


def _marks(name: str, store: str, held: Callable[[], int]) -> None:
    asyncio.run(_close_many(store, 1))
    before = held()
    asyncio.run(_close_many(store, _MARKS))
    show(f"{name}_mark_bytes", (held() - before) / _MARKS, "bytes", "of the store, a message that is over; for a day")


def main(conversations: int) -> None:
    """Both stores."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "state.sqlite"

        def pages() -> int:
            with sqlite3.connect(path) as db:
                (count,), (free,), (size,) = (
                    db.execute(f"PRAGMA {what}").fetchone() for what in ("page_count", "freelist_count", "page_size")
                )
            return int((count - free) * size)

        _measure("sqlite", f"sqlite:///{path}", Path(name), conversations, pages)
        _marks("sqlite", f"sqlite:///{path}", pages)
    with tempfile.TemporaryDirectory() as name, running_server(Path(name), fsync="everysec") as server:
        _measure("valkey", server.address, Path(name), conversations, lambda: _server_bytes(server))
        _marks("valkey", server.address, lambda: _server_bytes(server))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
