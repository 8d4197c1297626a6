"""The API against schemathesis and the validator of the OpenAPI specification, over real sockets."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from advisor.catalog import load_catalog
from bot.channels.web.api.routes import ENDPOINTS
from bot.channels.web.app import WebChannel, build_web
from bot.channels.web.limits import Bounds
from bot.cli import serve, serving
from bot.core.request import Services
from bot.settings import Settings
from knowledge.store import load_library
from tests.ops.stage import on_stage, until
from tests.ops.test_web import nothing_missing
from tests.peers.peer import peer_python, run_peer

pytestmark = pytest.mark.peer
SCRIPT = Path(__file__).with_name("openapi_client.py")


async def test_the_document_is_valid_and_the_api_does_what_it_says() -> None:
    peer_python()
    services = Services(load_catalog(), load_library)
    async with on_stage() as stage:
        channel = WebChannel(stage.delivery, nothing_missing, services=lambda: services)
        app = build_web(channel.routes(), Bounds(per_minute=0, bytes_per_minute=0))
        listener = serve._listen("127.0.0.1", 0)
        server = serving._door(app, Settings(_env_file=None, grace_s=1), 500, 500)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        await until(lambda: server.started)
        try:
            address = f"http://127.0.0.1:{listener.getsockname()[1]}"
            found = await run_peer(SCRIPT, address, timeout_s=300)
        finally:
            await serving._end_door(server, task)
    assert found["operations"] == len(ENDPOINTS) + 1
    assert found["status"] == 0, found["report"]
