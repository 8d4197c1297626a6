"""A channel fails alone, and readiness says whether a message could be taken."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.channels.web.app import build_web
from bot.cli import serving
from bot.core.ports import StoreUnavailable
from bot.settings import Settings
from bot.stores.sqlite import SqliteStore
from bot.stores.valkey import ValkeyStore
from tests.fakes.telegram import FakeTelegram
from tests.ops.stage import Chat, on_stage, until
from tests.ops.test_web import site
from tests.stores.server import BINARY, running_server


@asynccontextmanager
async def running(folder: Path, **settings: Any) -> AsyncIterator[tuple[serving.Server, httpx.AsyncClient]]:
    """The server as `serve` runs it, without its port."""
    fields = {"store": f"sqlite:///{folder / 'state.sqlite'}", "grace_s": 2, "default_language": "en"}
    server = serving.Server(Settings(**(fields | settings), _env_file=None))
    async with AsyncExitStack() as stack:
        routes = await server.start(stack)
        async with site(build_web(routes)) as client:
            yield server, client


async def answers(client: httpx.AsyncClient) -> bool:
    response = await client.post("/api/v1/ask", json={"id": 1, "text": "how much VRAM does a 4090 have?"})
    return response.status_code == 200 and "24" in response.json()["text"]


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_a_platform_that_hangs_holds_no_answer_to_another_one_up(kind: str, tmp_path: Path) -> None:
    """Twenty chats wait for a platform that takes their answers and never says a word; then others ask elsewhere."""
    store = SqliteStore(tmp_path / "state.sqlite") if kind == "sqlite" else None
    hung, released = Chat(), asyncio.Event()
    hung.before = released.wait
    async with on_stage(store, workers=4) as stage:
        stage.delivery.senders["hung"] = hung
        for number in range(20):
            await stage.say("hello", f"h{number}", channel="hung", chat_id=f"c{number}")
        await until(lambda: len(hung.tries) == 3)
        for number in range(5):
            await stage.say("hello", f"t{number}", chat_id=f"t{number}")
        await until(lambda: len(stage.chat.said) == 5)
        assert len(hung.tries) == 3, "and it gets no more workers meanwhile"
        released.set()
        stage.clock.at += 1  # one that was about to be sent when there was no place waits half a second
        await until(lambda: len(hung.said) == 20)
        await stage.quiet()


async def test_the_only_platform_may_have_every_worker() -> None:
    async with on_stage(workers=4) as stage:
        released = asyncio.Event()
        stage.chat.before = released.wait
        for number in range(6):
            await stage.say("hello", f"t{number}", chat_id=f"t{number}")
        await until(lambda: len(stage.chat.tries) == 4)
        released.set()
        await stage.quiet()


@pytest.mark.parametrize(
    ("status", "words"), [(401, "Unauthorized"), (404, "Not Found"), (500, "x"), (409, "Conflict")]
)
async def test_a_refusal_of_getupdates_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, words: str
) -> None:
    monkeypatch.setattr("bot.channels.telegram.polling._FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr("bot.channels.telegram.polling._CONFLICT_PAUSE_S", 0.01)
    async with FakeTelegram() as fake:
        fake.fail("getUpdates", status, words, times=3)
        settings = {"telegram_token": fake.token, "telegram_base_url": fake.url, "telegram_limits": False}
        async with running(tmp_path, **settings) as (server, client):
            await until(server.in_trouble)
            assert not any(task.done() for task in server.running)
            assert await answers(client)
            assert (await client.get("/readyz")).status_code == 200
            lin = fake.user(11)
            await fake.say(lin, None, "how much VRAM does a 4090 have?")
            await until(lambda: fake.said_by_bot(11), timeout_s=10.0)
            await until(lambda: not server.in_trouble())


async def test_a_telegram_that_refuses_at_the_start_is_told_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(serving, "_FIRST_PAUSE_S", 0.01)
    async with FakeTelegram() as fake:
        fake.fail("getMe", 401, "Unauthorized", times=2)
        settings = {"telegram_token": fake.token, "telegram_base_url": fake.url, "telegram_limits": False}
        async with running(tmp_path, **settings) as (server, client):
            await until(lambda: "telegram cannot work" in caplog.text)
            response = await client.get("/readyz")
            assert response.json()["ready"] is True
            assert await answers(client)
            await fake.say(fake.user(11), None, "how much VRAM does a 4090 have?")
            await until(lambda: fake.said_by_bot(11), timeout_s=10.0)
            assert server.in_trouble() == {}
        assert fake.token not in caplog.text


async def test_a_wecom_that_cannot_be_reached_leaves_the_rest_alone(tmp_path: Path) -> None:
    settings = {"wecom_bot_id": "b", "wecom_secret": "s", "wecom_ws_url": "ws://127.0.0.1:9"}
    async with running(tmp_path, **settings) as (_, client):
        assert await answers(client)
        assert (await client.get("/readyz")).status_code == 200


async def test_a_channel_that_breaks_is_begun_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_FIRST_PAUSE_S", 0.01)
    tries: list[int] = []

    async def run() -> None:
        tries.append(1)
        if len(tries) < 3:
            raise ValueError("x")
        await asyncio.Event().wait()

    async with running(tmp_path) as (server, client):
        server._run("odd", run, lambda: "broken" if len(tries) < 3 else "")
        await until(lambda: len(tries) == 3)
        assert await answers(client)


async def fill(store: SqliteStore) -> None:
    """Write until nothing more fits in."""
    with suppress(StoreUnavailable):
        for number in range(10_000):
            await store.put(f"filler-{number}", "x" * 500, 600)
        raise AssertionError("the store is never full")


async def test_a_full_disk_is_not_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_PROBE_EVERY_S", 0.0)
    async with running(tmp_path) as (server, client):
        assert (await client.get("/readyz")).json() == {"ready": True, "missing": {}}
        store = server.service.store
        assert isinstance(store, SqliteStore)
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count={pages}")
        await fill(store)
        response = await client.get("/readyz")
        assert response.status_code == 503
        assert "full" in response.json()["missing"]["store"]
        assert (await client.get("/healthz")).status_code == 200
        store._db.execute("PRAGMA max_page_count=1000000")
        assert (await client.get("/readyz")).status_code == 200


async def test_a_store_that_cannot_be_written_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "state.sqlite"))
    await store.open()
    await store.probe()
    assert store._db.execute("SELECT count(*) FROM small").fetchone() == (0,)
    store._db.execute("PRAGMA query_only=1")
    with pytest.raises(StoreUnavailable, match="readonly"):
        await store.probe()
    await store.close()


async def test_a_server_out_of_memory_is_not_ready(tmp_path: Path) -> None:
    if BINARY is None and not os.environ.get("CI"):
        pytest.skip("no redis-server or valkey-server installed (CI installs one)")
    with running_server(tmp_path) as server:
        store = ValkeyStore(server.address)
        await store.open()
        await store.probe()
        server.say("CONFIG", "SET", "maxmemory", "1")
        with pytest.raises(StoreUnavailable, match="OutOfMemory"):
            await store.probe()
        server.say("CONFIG", "SET", "maxmemory", "0")
        await store.probe()
        await store.close()
