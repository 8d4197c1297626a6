"""Round trips through telemelya, a mock of the Bot API by others: webhook in, library out."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.channels.telegram.run import Telegram
from bot.core.message import Chart
from bot.delivery import Delivery, DeliveryOptions
from bot.settings import Settings
from bot.stores.memory import MemoryStore
from tests.fakes.serving import serve
from tests.fakes.stage import Script, answer, question
from tests.peers.peer import peer_python, run_peer

pytestmark = pytest.mark.peer
HERE = Path(__file__).parent
TOKEN = "123456789:AAtelemelya-token"  # the mock takes any
SECRET = "telemelya-secret"


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def spawn(*arguments: str, **environment: str) -> asyncio.subprocess.Process:
    """Start a server among the peers."""
    return await asyncio.create_subprocess_exec(
        peer_python(),
        *arguments,
        env=os.environ | environment,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )


@contextlib.asynccontextmanager
async def telemelya() -> AsyncIterator[str]:
    """The mock with the two servers that it needs, and its address."""
    redis, storage, mock = free_port(), free_port(), free_port()
    base = f"http://127.0.0.1:{mock}"
    code = f'from fakeredis import TcpFakeServer as S; S(("127.0.0.1", {redis}), server_type="redis").serve_forever()'
    servers = [
        await spawn("-c", code),
        await spawn("-m", "moto.server", "-H", "127.0.0.1", "-p", str(storage)),
    ]
    try:
        await answers(f"http://127.0.0.1:{storage}/")
        servers.append(
            await spawn(
                "-m",
                "telemelya.server.app",
                REDIS_URL=f"redis://127.0.0.1:{redis}/0",
                MINIO_ENDPOINT=f"127.0.0.1:{storage}",
                MOCK_SERVER_HOST="127.0.0.1",
                MOCK_SERVER_PORT=str(mock),
                MOCK_SERVER_URL=base,
                AUTH_KEYS="k1",
            )
        )
        await answers(base)
        yield base
    finally:
        for server in servers:
            server.kill()
        for server in servers:
            await server.wait()


async def answers(url: str, timeout_s: float = 40.0) -> None:
    """Wait until something answers there."""
    async with asyncio.timeout(timeout_s), httpx.AsyncClient() as client:
        while True:
            with contextlib.suppress(httpx.HTTPError):
                await client.get(url)
                return
            await asyncio.sleep(0.1)


def _with_secret(app: ASGIApp) -> ASGIApp:
    async def proxy(scope: Scope, receive: Receive, send: Send) -> None:
        secret = (b"x-telegram-bot-api-secret-token", SECRET.encode())
        await app({**scope, "headers": [*scope["headers"], secret]} if "headers" in scope else scope, receive, send)

    return proxy


@contextlib.asynccontextmanager
async def bot_against(base: str, road: Any) -> AsyncIterator[None]:
    """The bot with its webhook. telemelya cannot send the secret header, so a proxy in between adds it."""
    store = MemoryStore()
    await store.open()
    settings = Settings(
        telegram_token=TOKEN,
        telegram_base_url=f"{base}/bot",
        telegram_webhook_secret=SECRET,
        default_language="en",
        _env_file=None,
    )
    channel = Telegram(settings, store)
    delivery = Delivery(store, road, {"telegram": channel}, DeliveryOptions(workers=2, idle_s=0.05))
    await channel.start(delivery)
    await delivery.start()
    try:
        async with serve(_with_secret(Starlette(routes=channel.routes()))) as own:
            channel._settings = settings.model_copy(update={"telegram_webhook_url": f"{own}/telegram/webhook"})
            await channel.register_webhook()
            yield
    finally:
        await delivery.stop(5.0)
        await channel.stop()
        await store.close()


async def test_a_conversation_through_telemelya() -> None:
    chart = Chart(kind="bars", title="Price", series=(("a", (("RTX 4090", 2.0), ("T4", 1.0))),))
    road = Script(
        {
            "which GPU? <b>&": question("Which model? \\<b\\>&", "model", "bert"),
            "set:model=bert": answer("**A T4.**"),
            "draw": answer("here", "chart", chart=chart),
            "do:chart": answer("Price by card", chart=chart),
        }
    )
    async with telemelya() as base, bot_against(base, road):
        report = await run_peer(HERE / "telemelya_driver.py", base, TOKEN)
    assert report["question"] == "Which model? &lt;b&gt;&amp;"
    assert report["button"] == "bert"
    assert report["after_press"] == ["answerCallbackQuery", "editMessageText"]
    assert report["answer"].startswith("<b>A T4.</b>")
    assert report["command"] == "You said: compare"
    assert report["photo"] == ["Price by card", "89504e47"]
    assert report["inline"] == [True, 1]
