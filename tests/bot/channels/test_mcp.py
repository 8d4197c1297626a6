"""Tools for other assistants, called by the reference client of the protocol: in memory, over stdio and over HTTP."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import httpx
import jsonschema
import mcp
import pytest
import uvicorn
from mcp.server.mcpserver.exceptions import ToolError

from advisor.named import compare, fit
from bot.channels.mcp.server import _told, build, http_app
from bot.channels.mcp.tools import TOOLS, asking
from bot.channels.web.limits import Bounds
from bot.computing import Computing, Limits
from bot.core.message import IncomingMessage, Reply
from bot.gate import Access
from bot.identity import read_identities
from bot.pipeline import Assistant

ROOT = Path(__file__).resolve().parents[3]
CALLS = {
    "fit": {"gpu": "4090", "model": "qwen2.5-14b", "method": "lora"},
    "memory": {"model": "qwen2.5-14b", "method": "lora"},
    "speed": {"gpu": "4090", "model": "qwen2.5-7b"},
    "training_time": {"gpu": "4090", "model": "qwen2.5-7b", "method": "lora", "dataset": "alpaca-52k"},
    "rental_cost": {"gpu": "4090", "hours": 100},
    "rent_or_buy": {"gpu": "4090", "hours_per_week": 20},
    "recommend": {"task": "llm_inference", "budget": 2000},
    "compare": {"gpus": ["3090", "4090"]},
    "prices": {"gpu": "4090"},
    "what_runs": {"gpu": "3060"},
    "find_gpus": {"search": "rtx 40"},
    "find_models": {"search": "qwen"},
    "ask": {"question": "which CUDA for a 5090?"},
}
MODES = ("auto", "legacy")
KEY = "k" * 20


@pytest.fixture
def respond(assistant: Assistant):
    def reply(message: IncomingMessage) -> Reply:
        return assistant.respond(message, None, datetime.now(UTC))[0]

    return reply


@pytest.mark.parametrize("mode", MODES)
async def test_every_tool_is_listed_and_answers_by_its_own_schema_with_sources_and_days(respond, mode):
    async with mcp.Client(build(respond, "1.0"), mode=mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == set(CALLS) == {tool.__name__ for tool in TOOLS} | {"ask"}
        for name, arguments in CALLS.items():
            found = await client.call_tool(name, arguments)
            assert not found.is_error, found
            jsonschema.validate(arguments, tools[name].input_schema)
            jsonschema.validate(found.structured_content, tools[name].output_schema)
            assert json.loads(found.content[0].text) == found.structured_content
            if not name.startswith("find"):
                days = [one["as_of"] for one in found.structured_content["sources"]]
                assert days, name
                assert all(date.fromisoformat(day) for day in days if day)


async def test_numbers_are_those_of_python(respond):
    async with mcp.Client(build(respond, "1.0")) as client:
        told = (await client.call_tool("fit", CALLS["fit"])).structured_content
        assert told["need"]["value"] == fit("4090", "qwen2.5-14b", method="lora").need.value
        told = (await client.call_tool("compare", CALLS["compare"])).structured_content
        assert told["winner"] == compare("3090", "4090").winner


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("fit", {"gpu": "4990", "model": "qwen2.5-7b"}, "did you mean RTX 4090"),
        ("fit", {"gpu": "4090", "model": "qwen2.5-7b", "gpus": 0}, "gpus must lie between 1"),
        ("fit", {"gpu": "x" * 500, "model": "qwen2.5-7b"}, "500 characters"),
        ("training_time", {"gpu": "4090", "model": "qwen2.5-7b"}, "dataset="),
        ("compare", {"gpus": ["3090"]}, "two to eight"),
        ("recommend", {"task": "cooking"}, "no task is called"),
        ("ask", {"question": "x" * 5000}, "at most 2,000"),
        ("ask", {"text": "3090 vs 4090"}, "ask: question: Field required"),
        ("fit", {"gpu": "4090"}, "fit: model: Field required"),
    ],
)
async def test_a_mistake_is_one_line_an_assistant_can_act_on(respond, tool, arguments, says):
    async with mcp.Client(build(respond, "1.0")) as client:
        found = await client.call_tool(tool, arguments)
    assert found.is_error
    text = found.content[0].text
    assert says in text
    assert "\n" not in text


def test_every_parameter_and_tool_is_described_briefly(respond):
    for tool in (*TOOLS, asking(respond)):
        assert tool.__doc__
        assert len(tool.__doc__) <= 300


async def test_over_stdio():
    from mcp.client.stdio import StdioServerParameters, stdio_client

    started = StdioServerParameters(command=sys.executable, args=["-m", "bot", "mcp"], cwd=str(ROOT))
    async with mcp.Client(stdio_client(started)) as client:
        found = await client.call_tool("fit", CALLS["fit"])
    assert found.structured_content["verdict"] == "no"


@pytest.fixture
def address(respond) -> Iterator[str]:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    app = http_app(build(respond, "1.0"), ["gpus.example"], [])
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    server.should_exit = True
    thread.join()
    listener.close()


async def test_over_http(address):
    async with mcp.Client(address) as client:
        found = await client.call_tool("prices", CALLS["prices"])
    assert found.structured_content["gpu"] == "RTX 4090"


async def test_other_hosts_and_pages_are_refused_over_http(address):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    kinds = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    async with httpx.AsyncClient() as client:
        codes = [
            (await client.post(address, json=body, headers={**kinds, **more})).status_code
            for more in ({"host": "evil.example"}, {"origin": "https://evil.example"}, {"host": "gpus.example"})
        ]
    assert codes[:2] == [421, 403]
    assert codes[2] == 200


async def test_one_address_has_a_budget_over_http(respond):
    app = http_app(build(respond, "1.0"), ["gpus.example"], [], Bounds(per_minute=2))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app, client=("203.0.113.1", 1))) as client:
        codes = [(await client.get("http://gpus.example/nowhere")).status_code for _ in range(3)]
    assert codes == [404, 404, 429]


@pytest.mark.parametrize(
    ("allowed", "sent", "status"),
    [
        ([], "", 404),
        ([], "x" * 20, 401),
        (["telegram:1:5"], "", 403),
        (["telegram:1:5"], KEY, 403),
        (["api:desk:777"], KEY, 404),
        (["api:other:777"], KEY, 403),
    ],
)
async def test_lists_and_keys_hold_over_http(respond, allowed, sent, status):
    access = Access(allow_users=read_identities(allowed))
    app = http_app(build(respond, "1.0"), ["gpus.example"], [], None, {"desk": KEY}, access.lets_in)
    headers = {"authorization": f"Bearer {sent}"} if sent else {}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app, client=("203.0.113.1", 1))) as client:
        assert (await client.get("http://gpus.example/nowhere", headers=headers)).status_code == status


async def test_what_takes_too_long_is_ended_and_said():
    def endless(message: IncomingMessage) -> Reply:
        while True:
            time.sleep(0.001)

    computing = Computing(Limits(processor_s=0.05, waiting_s=0.2))
    tool = _told(asking(endless), computing)
    with pytest.raises(ToolError, match="too long"):
        await tool(question="q")
