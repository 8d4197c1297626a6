"""kill -9 under load: nothing accepted is lost, order holds, and only what was in hand at a kill may come twice."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.stores import open_store
from tests.faults.harness import WORKERS, Feed, Found, Replicas, drained, look
from tests.stores.server import BINARY, StoreServer, running_server


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[StoreServer]:
    if BINARY is None and not os.environ.get("CI"):
        pytest.skip("no redis-server or valkey-server installed (CI installs one)")
    directory = tmp_path / "server"
    directory.mkdir()
    with running_server(directory) as server:
        yield server


@pytest.mark.parametrize("kind", ["valkey", "sqlite"])
async def test_kill_9_of_replicas_under_load_loses_nothing(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    is_valkey = kind == "valkey"
    address = request.getfixturevalue("valkey").address if is_valkey else f"sqlite:///{tmp_path / 'state.sqlite'}"
    store, chat_log = open_store(address), tmp_path / "chat.log"
    await store.open()
    rng = random.Random(7)
    feed = Feed(store, chats=20, turns=20, rng=rng, pause_s=0.001)
    replicas = Replicas(address, chat_log, 3 if is_valkey else 1)
    try:
        feeding = asyncio.create_task(feed.run())
        for mark in (120, 260):
            while feed.fed < mark:
                await asyncio.sleep(0.002)
            await asyncio.to_thread(replicas.kill_and_restart, rng.randrange(len(replicas.running)))
        await feeding
        await drained(store)
    finally:
        replicas.stop()
        await store.close()
    assert replicas.kills == 2
    found = look(chat_log, feed.order)
    assert found.twice <= replicas.kills * WORKERS
    assert found == Found(lost=0, foreign=0, disordered=0, redone=0, twice=found.twice)


async def test_a_store_server_that_dies_under_load_loses_nothing(valkey: StoreServer, tmp_path: Path) -> None:
    store, chat_log = open_store(valkey.address), tmp_path / "chat.log"
    await store.open()
    feed = Feed(store, chats=20, turns=15, rng=random.Random(11), pause_s=0.001)
    replicas = Replicas(valkey.address, chat_log, 2)
    try:
        feeding = asyncio.create_task(feed.run())
        for mark in (80, 180):
            while feed.fed < mark:
                await asyncio.sleep(0.002)
            await asyncio.to_thread(valkey.kill)
            await asyncio.to_thread(valkey.start)
        await feeding
        await drained(store)
    finally:
        replicas.stop()
        await store.close()
    # Workers hold on to what they sent until the store is back: nothing has to be sent again.
    assert look(chat_log, feed.order) == Found(lost=0, foreign=0, disordered=0, redone=0, twice=0)


@pytest.mark.parametrize("kind", ["valkey", "sqlite"])
async def test_repeated_and_reordered_delivery_is_answered_once_in_the_order_of_acceptance(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    is_valkey = kind == "valkey"
    address = request.getfixturevalue("valkey").address if is_valkey else f"sqlite:///{tmp_path / 'state.sqlite'}"
    store, chat_log = open_store(address), tmp_path / "chat.log"
    await store.open()
    feed = Feed(store, chats=15, turns=20, rng=random.Random(5), repeats=0.6, reordered=True)
    replicas = Replicas(address, chat_log, 2)
    try:
        await feed.run()
        await drained(store)
    finally:
        replicas.stop()
        await store.close()
    assert feed.fed == 300
    assert any(events != sorted(events, key=lambda one: int(one.split("-")[1])) for events in feed.order.values())
    assert look(chat_log, feed.order) == Found(lost=0, foreign=0, disordered=0, redone=0, twice=0)
