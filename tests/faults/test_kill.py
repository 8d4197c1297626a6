"""kill -9 under load: nothing accepted is lost, order holds, and only what was in hand at a kill may come twice."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.core.ports import Accepted, Store
from bot.stores import open_store
from tests.conftest import make_message
from tests.faults.replica import LEASE_S
from tests.stores.server import BINARY, store_server

ROOT = Path(__file__).resolve().parents[2]
CHATS, TURNS, WORKERS = 20, 15, 4


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[str]:
    if BINARY is None and not os.environ.get("CI"):
        pytest.skip("no redis-server or valkey-server installed (CI installs one)")
    directory = tmp_path / "server"
    directory.mkdir()
    with store_server(directory) as address:
        yield address


class Replicas:
    """Processes that are killed and started again."""

    def __init__(self, address: str, chat_log: Path, count: int) -> None:
        self._address, self._chat_log = address, chat_log
        self.running = [self._start() for _ in range(count)]

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.faults.replica", self._address, str(self._chat_log)]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    def kill_and_restart(self, index: int) -> None:
        process = self.running[index]
        process.kill()
        process.wait(10)
        assert process.stdout is not None
        process.stdout.close()
        self.running[index] = self._start()

    def stop(self) -> None:
        for process in self.running:
            process.kill()
            process.wait(10)
            if process.stdout is not None:
                process.stdout.close()


async def _feed(store: Store, kill: asyncio.Event, rng: random.Random) -> None:
    """Every message once or twice, conversations interleaved, in order within each."""
    for turn in range(1, TURNS + 1):
        if turn in (TURNS // 3, 2 * TURNS // 3):
            kill.set()
        for chat in range(CHATS):
            message = make_message("q", event_id=f"{chat}-{turn}", chat_id=f"c{chat}", message_id=str(turn))
            accepted = await store.accept(message, now=time.time(), capacity=100_000)
            assert accepted is Accepted.STORED
            if rng.random() < 0.3:
                assert await store.accept(message, now=time.time(), capacity=100_000) is Accepted.DUPLICATE
            await asyncio.sleep(0.001)


async def _drained(store: Store) -> None:
    async with asyncio.timeout(60):
        while (await store.backlog(time.time())).waiting:
            await asyncio.sleep(0.05)


def _check(chat_log: Path, kills: int) -> None:
    lines = [line.split("\t") for line in chat_log.read_text(encoding="utf-8").splitlines()]
    seen: dict[str, list[int]] = {}
    turns: dict[str, list[int]] = {}
    for conversation, said in lines:
        event, turn = said.split(" ")
        seen.setdefault(conversation, []).append(int(event.split("-")[1]))
        turns.setdefault(conversation, []).append(int(turn))
    wanted = list(range(1, TURNS + 1))
    assert len(seen) == CHATS
    doubled = 0
    for conversation, events in seen.items():
        assert sorted(set(events)) == wanted, f"{conversation}: something was lost"
        assert events == sorted(events), f"{conversation}: out of order"
        assert turns[conversation] == sorted(turns[conversation])
        assert max(turns[conversation]) == TURNS, f"{conversation}: a turn was handled twice"
        doubled += sum(count - 1 for count in Counter(events).values())
    assert doubled <= kills * WORKERS, f"{doubled} answers came twice after {kills} kills of {WORKERS} workers each"


@pytest.mark.parametrize("kind", ["valkey", "sqlite"])
async def test_kill_9_under_load_loses_nothing(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    address = request.getfixturevalue("valkey") if kind == "valkey" else f"sqlite:///{tmp_path / 'state.sqlite'}"
    store = open_store(address)
    await store.open()
    chat_log = tmp_path / "chat.log"
    count = 3 if kind == "valkey" else 1
    replicas = Replicas(address, chat_log, count)
    rng = random.Random(7)
    kill, kills = asyncio.Event(), 0
    try:
        feeding = asyncio.create_task(_feed(store, kill, rng))
        while not feeding.done():
            waiting = asyncio.create_task(kill.wait())
            await asyncio.wait({feeding, waiting}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            if kill.is_set():
                kill.clear()
                await asyncio.to_thread(replicas.kill_and_restart, rng.randrange(count))
                kills += 1
        await feeding
        await _drained(store)
    finally:
        replicas.stop()
        await store.close()
    assert kills == 2
    assert LEASE_S > 0
    _check(chat_log, kills)
