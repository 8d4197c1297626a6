"""What only the Valkey store promises: it comes back after the server did, and says clearly when it cannot work."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bot.core.message import Reply
from bot.core.ports import Accepted, StoreUnavailable
from bot.stores.valkey import ValkeyStore
from tests.conftest import make_message
from tests.stores.server import BINARY, StoreServer, running_server

REPLY = Reply(decision="answer", language="zh", text="24 GiB")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StoreServer]:
    if BINARY is None and not os.environ.get("CI"):
        pytest.skip("no redis-server or valkey-server installed (CI installs one)")
    with running_server(tmp_path) as running:
        yield running


@pytest.fixture
async def store(server: StoreServer) -> AsyncIterator[ValkeyStore]:
    opened = ValkeyStore(server.address)
    await opened.open()
    yield opened
    await opened.close()


async def test_a_dead_server_is_said_at_once_and_a_restarted_one_goes_on_where_it_was(
    server: StoreServer, store: ValkeyStore
) -> None:
    assert await store.accept(make_message("q"), now=time.time(), capacity=9) is Accepted.STORED
    server.kill()
    with pytest.raises(StoreUnavailable, match="valkey: "):
        await store.accept(make_message("q2", event_id="2"), now=time.time(), capacity=9)
    with pytest.raises(StoreUnavailable):
        await store.backlog(time.time())
    server.start()
    assert await store.accept(make_message("q2", event_id="2"), now=time.time(), capacity=9) is Accepted.STORED
    item = await store.claim("w", now=time.time(), lease_s=30)
    assert item is not None
    assert item.message.text == "q"


async def test_a_server_that_hangs_holds_nobody_for_long(server: StoreServer, store: ValkeyStore) -> None:
    server.say("CLIENT", "PAUSE", "60000", "ALL")
    async with asyncio.timeout(8):
        with pytest.raises(StoreUnavailable, match="TimeoutError"):
            await store.accept(make_message("q"), now=time.time(), capacity=9)


async def test_a_server_that_became_a_replica_is_left_and_found_again(server: StoreServer, store: ValkeyStore) -> None:
    assert await store.lead("x", "me", now=time.time(), lease_s=5)
    server.say("REPLICAOF", "127.0.0.1", "1")
    with pytest.raises(StoreUnavailable, match="replica"):
        await store.accept(make_message("q"), now=time.time(), capacity=9)
    server.say("REPLICAOF", "NO", "ONE")
    assert await store.accept(make_message("q"), now=time.time(), capacity=9) is Accepted.STORED


async def test_a_server_without_memory_takes_nothing_and_loses_nothing(server: StoreServer, store: ValkeyStore) -> None:
    assert await store.accept(make_message("q"), now=time.time(), capacity=9) is Accepted.STORED
    server.say("CONFIG", "SET", "maxmemory", "1")
    with pytest.raises(StoreUnavailable):
        await store.accept(make_message("q2", event_id="2"), now=time.time(), capacity=9)
    server.say("CONFIG", "SET", "maxmemory", "0")
    assert (await store.backlog(time.time())).waiting == 1


async def test_a_wrong_address_is_said_without_the_address(tmp_path: Path) -> None:
    lost = ValkeyStore("valkey://:hunter2@127.0.0.1:1/0")
    with pytest.raises(StoreUnavailable) as caught:
        await lost.open()
    assert "hunter2" not in str(caught.value)
    assert "127.0.0.1" not in str(caught.value)


async def test_everything_kept_ends_by_itself_and_all_keys_of_a_step_share_a_slot(
    server: StoreServer, store: ValkeyStore
) -> None:
    for number in range(30):
        message = make_message("secret words", event_id=str(number), chat_id=f"c{number % 5}", user_id=f"u{number % 3}")
        await store.accept(message, now=time.time(), capacity=99, passive=number % 2 == 0)
        item = await store.claim("w", now=time.time(), lease_s=30, conversation=message.conversation_key)
        assert item is not None
        await store.handled(item, "w", REPLY, None, now=time.time(), ttl_s=60)
        await store.finish(item, "w", outcome="sent", message_id="1", now=time.time(), keep_s=60)
        await store.take(f"b{number}", now=time.time(), rate_per_s=1, burst=2)
    keys = [key.decode() async for key in store._db.scan_iter()]
    assert len(keys) >= 60
    endless = [key for key in keys if await store._db.ttl(key) < 0]
    assert {key.rsplit(":", 1)[-1] for key in endless} <= {"round"}
    scripted = [key for key in keys if "event" in key or "lane" in key or "of:" in key]
    assert scripted
    assert all(key.startswith(f"{{xuanka:{key[8]}}}:") for key in scripted)
    dump = b"".join([await store._db.dump(key) for key in keys])
    assert b"secret words" not in dump
