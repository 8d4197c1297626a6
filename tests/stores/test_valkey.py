"""What only the Valkey store promises: it comes back after the server did, and says clearly when it cannot work."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from valkey.asyncio.connection import Connection

from bot.core.conversation import Conversation
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import Accepted, Small, StoreUnavailable
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


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_message_from_door_to_close_costs_a_bounded_number_of_round_trips(
    store: ValkeyStore, monkeypatch: pytest.MonkeyPatch, at_once: bool
) -> None:
    sent: list[str] = []
    send = Connection.send_packed_command

    async def counted(self: Connection, command: Any, check_health: bool = True) -> None:
        sent.append(str(command)[:80])
        await send(self, command, check_health)

    message = make_message("q", event_id="1", message_id="7", chat_type="group")
    beside = (Small("case:test::c:K7QK", message.conversation_key, 60, message.owner_key),)
    buckets = [(f"{name}:1", 1.0, 5.0) for name in ("user", "chat", "bot")]

    async def through(message: IncomingMessage) -> None:
        if at_once:
            accepted, item = await store.take_in(message, "w", capacity=10, lease_s=30)
        else:
            accepted = await store.accept(message, capacity=10)
            item = await store.claim("w", lease_s=30, only=("test:",))
        assert accepted is Accepted.STORED
        assert item is not None
        assert await store.begin(buckets, ("quotes:test::c",)) == (None, {})
        state = Conversation(key=message.conversation_key)
        assert await store.handled(item, "w", REPLY, state, ttl_s=60, beside=beside)
        await store.count("decisions", "answer", later=True)
        assert await store.finish(item, "w", outcome="sent", message_id="8", keep_s=60, answered=message)

    await through(message)  # the server learns the scripts
    monkeypatch.setattr(Connection, "send_packed_command", counted)
    await through(message.model_copy(update={"event_id": "2", "message_id": "9"}))
    # Accepted, claimed where no worker was idle, limits, the reply with what stands beside it, closed.
    assert len(sent) == (4 if at_once else 5), sent
    assert await store.get(beside[0].key) == message.conversation_key
    edited = message.model_copy(update={"event_id": "3", "edits": "9"})
    _, item = await store.take_in(edited, "w", capacity=10, lease_s=30)
    assert item is not None
    assert dict(item.answers) == {"7": "8", "9": "8"}
