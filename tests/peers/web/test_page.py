"""The chat page in a real Chromium, with axe: both themes, from 360 to 1600 px, offline, shared, embedded."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route

from bot.channels.web.app import WebChannel, build_web
from bot.channels.web.limits import Bounds
from bot.cli import serve, serving
from bot.settings import Settings
from tests.ops.stage import on_stage, until
from tests.ops.test_web import nothing_missing
from tests.peers.peer import peer_python, run_peer

pytestmark = pytest.mark.peer
HERE = Path(__file__).resolve().parent
AXE = HERE / "node_modules" / "axe-core" / "axe.min.js"


def chromium() -> str:
    """The browser. Without it or axe a test is skipped on a desk, and fails in CI."""
    peer_python()
    found = shutil.which("chromium")
    if found and AXE.exists():
        return found
    reason = "Chromium or axe-core is not installed: apt-get install chromium, and run tests/peers/setup.sh"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@asynccontextmanager
async def door(routes: list[BaseRoute]) -> AsyncIterator[str]:
    listener = serve._listen("127.0.0.1", 0)
    app = build_web(routes, Bounds(per_minute=0, bytes_per_minute=0))
    server = serving._door(app, Settings(_env_file=None, grace_s=1), 500, 500)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    await until(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        await serving._end_door(server, task)


@pytest.fixture
async def seen(assistant: Any) -> dict[str, Any]:
    """What a visitor saw."""
    browser = chromium()
    embedding: list[str] = []

    async def elsewhere(request: Request) -> HTMLResponse:
        policy = f"default-src 'none'; script-src {embedding[0]}; frame-src {embedding[0]}"
        tag = f"<script src='{embedding[0]}/embed.js' data-label='GPU help' async></script>"
        page = f"<!doctype html><html lang='en'><title>Docs</title><h1>Docs</h1>{tag}</html>"
        return HTMLResponse(page, headers={"content-security-policy": policy})

    async with AsyncExitStack() as stack:
        stage = await stack.enter_async_context(on_stage())
        stage.delivery._answering._responder = assistant
        other = await stack.enter_async_context(door([Route("/", elsewhere)]))
        channel = WebChannel(stage.delivery, nothing_missing, services=lambda: assistant.services, origins=(other,))
        host = await stack.enter_async_context(door(channel.routes()))
        embedding.append(host)
        found: dict[str, Any] = await run_peer(HERE / "browser.py", host, other, str(AXE), browser, timeout_s=240)
        return found


async def test_a_visitor_is_served_in_both_themes_and_on_every_width(seen: dict[str, Any]) -> None:
    assert len(seen["looks"]) == 4
    for name, look in seen["looks"].items():
        assert look["axe"] == [], name
        assert look["console"] == [], name
        assert look["wide"] <= 0, name
        assert 0 < look["top"] < 300, f"{name}: the verdict is in sight"
        assert look["links"], name
        assert look["buttons"] >= 2, name
        assert look["language"] == ("zh-CN" if "light" in name else "en")
    talks = seen["talks"]
    assert len(talks["restored"]) == 1
    assert "24 GB" in talks["restored"][0]
    assert "kept" in talks["kept"]
    assert len(talks["offline_page"]) == talks["answers"] == 2
    assert "<img" in talks["offline_page"][1]
    assert talks["images"] == 0
    assert talks["copied"].startswith("**how much VRAM does a 3090 have?")
    assert "same" in talks["shared"][-1]
    assert talks["shared_answer"] == talks["restored"]
    assert talks["then"] == ["It has 20 GiB."]
    assert talks["now"] >= 1, "what is new is marked"
    assert any("24 GB" in line for line in talks["of_that_day"]), "the answer as of the day that was shared"
    assert talks["focus"] == "text"
    assert talks["forgotten"] == 0
    older = seen["older"]
    assert len(older["said"]) == 5, "what another page of the browser asked is not lost"
    assert older["said"][1] == "price of a 3090?"
    assert older["draft"] == "half a line"
    assert "Qwen2.5-14B needs about 34.6 GiB" in older["receipt"], "worked out anew, not that of another answer"
    assert older["link"] == ["A100 per hour"], "a link tells nobody of questions that its answer does not need"
    first, second = seen["embeds"]["answers"]
    assert "RTX 4090" in first
    assert "Qwen2.5-14B" in second, "the follow-up knows the model"
    assert "RTX 3090" in second
