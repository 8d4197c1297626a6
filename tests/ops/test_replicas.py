"""Two replicas of `serve` on one Valkey: any of them serves any update, and the WeCom connection moves when its holder dies."""

from __future__ import annotations

import asyncio
import os
import urllib.request
from pathlib import Path

import pytest

from tests.fakes.telegram import FakeTelegram
from tests.fakes.wecom import FakeWecom
from tests.ops.test_processes import ask, serving
from tests.stores.server import BINARY, running_server

SECRET = "a-secret_of-the-tests"


async def test_any_replica_serves_any_update_and_the_wecom_connection_moves(tmp_path: Path) -> None:
    if BINARY is None and not os.environ.get("CI"):
        pytest.skip("no redis-server or valkey-server installed (CI installs one)")
    (tmp_path / "server").mkdir()
    with running_server(tmp_path / "server") as server:
        async with FakeTelegram() as telegram, FakeWecom().running() as wecom:
            shared = {
                "STORE": server.address,
                "TELEGRAM_TOKEN": telegram.token,
                "TELEGRAM_BASE_URL": telegram.url,
                "TELEGRAM_MODE": "webhook",
                "TELEGRAM_WEBHOOK_SECRET": SECRET,
                "WECOM_BOT_ID": wecom.bot_id,
                "WECOM_SECRET": wecom.secret,
                "WECOM_WS_URL": wecom.url,
                "DEFAULT_LANGUAGE": "en",
            }
            with serving_in_thread(tmp_path, shared) as first:
                process, one = await first
                await wecom.connected(20)
                with serving_in_thread(tmp_path, shared) as second:
                    _, two = await second
                    await over_telegram(telegram, one, two)
                    await asyncio.to_thread(over_http, one, two)
                    process.kill()
                    await wecom.until(lambda: wecom.live is None)
                    await wecom.connected(20)
                    await wecom.say("lin", "4090 \u663e\u5b58\u591a\u5927")
                    answer = await wecom.answer("lin")
                    assert "24" in answer.text
            assert not telegram.findings
            assert not wecom.findings


class serving_in_thread:
    """Starts a replica without holding up the fakes, which live in this loop."""

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        self._context = serving(folder, **settings)

    def __enter__(self) -> asyncio.Future:
        return asyncio.ensure_future(asyncio.to_thread(self._context.__enter__))

    def __exit__(self, *error: object) -> None:
        self._context.__exit__(*error)


async def over_telegram(telegram: FakeTelegram, one: str, two: str) -> None:
    """A question to one replica, its follow-up to the other."""
    lin = telegram.user(11)
    telegram.webhook = {"url": f"{one}/telegram/webhook", "secret_token": SECRET}
    await telegram.say(lin, None, "4090 memory bandwidth")
    await telegram.until(lambda: len(telegram.said_by_bot(11)) >= 1, 15)
    telegram.webhook = {"url": f"{two}/telegram/webhook", "secret_token": SECRET}
    await telegram.say(lin, None, "and the 3090?")
    await telegram.until(lambda: len(telegram.said_by_bot(11)) >= 2, 15)
    assert "936" in telegram.said_by_bot(11)[-1]["text"]
    assert {status for _, status in telegram.webhook_tries} == {200}


def over_http(one: str, two: str) -> None:
    """The same over the API, and both are ready."""
    ask(one, "4090 memory bandwidth", chat="c", user="u")
    assert "936" in ask(two, "and the 3090?", chat="c", user="u")["text"]
    for address in (one, two):
        with urllib.request.urlopen(f"{address}/readyz", timeout=5) as response:
            assert response.status == 200
