"""A conversation of an assistant that calls tools, replayed: through the small OpenAPI file, and over MCP."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

import jsonschema
import mcp
import pytest

from bot.channels.mcp.server import build
from bot.channels.web.api.tools_file import FUNCTIONS, MOST_TOLD, PATH
from bot.core.message import IncomingMessage, Reply
from bot.pipeline import Assistant
from tests.ops.test_api import api

RECORDED: Final = Path(__file__).with_name("tool_conversation.json")
TURNS: Final = json.loads(RECORDED.read_text(encoding="utf-8"))["turns"]
NEAR: Final = 0.1
"""A figure that a model would quote stays within this share of the recorded one, or the words were no longer true."""
MOST_PARAMETER: Final = 700
MOST_FILE: Final = 32_000


def at(found: Any, pointer: str) -> Any:
    """The value a JSON pointer names."""
    for part in pointer.split("/")[1:]:
        found = found[int(part)] if isinstance(found, list) else found[part]
    return found


def holds(call: Mapping[str, Any], door: str, found: object) -> None:
    """What the assistant's words rest on is still what comes back, with the day of what has one."""
    for pointer, kept in call.get("used", {}).get(door, {}).items():
        wanted = pytest.approx(kept, rel=NEAR) if isinstance(kept, float) else kept
        assert at(found, pointer) == wanted, pointer
    if pointer := call.get("dated", {}).get(door):
        assert date.fromisoformat(at(found, pointer)) <= datetime.now(UTC).date()


def tools_of(document: Mapping[str, Any]) -> dict[str, tuple[str, str, Mapping[str, Any]]]:
    """One tool of each operation, as assistants make them: verb, path, schema of the arguments."""
    found = {}
    for path, verbs in document["paths"].items():
        for verb, operation in verbs.items():
            if verb == "get":
                members = {one["name"]: one["schema"] for one in operation["parameters"]}
                required = [one["name"] for one in operation["parameters"] if one["required"]]
                schema = {"type": "object", "properties": members, "required": required, "additionalProperties": False}
            else:
                schema = operation["requestBody"]["content"]["application/json"]["schema"]
            found[operation["operationId"]] = verb, path, schema
    return found


async def test_a_program_with_only_the_small_file_gets_what_was_recorded() -> None:
    async with api() as client:
        document = (await client.get(PATH)).json()
        tools = tools_of(document)
        for call in [call for turn in TURNS for call in turn["calls"]]:
            said = call["openapi"]
            verb, path, schema = tools[said["name"]]
            jsonschema.validate(said["arguments"], schema)
            asked = {"params": said["arguments"]} if verb == "get" else {"json": said["arguments"]}
            response = await client.request(verb, path, **asked)
            if refused := call.get("refused"):
                assert response.status_code == 422
                assert refused in response.json()["detail"]
                assert response.json()["suggestions"]
                continue
            assert response.status_code == 200, response.text
            found = response.json()
            holds(call, "openapi", found)
            assert found["data_version"]
            assert all(source["title"] for source in found["sources"])


async def test_the_small_file_is_what_assistants_take() -> None:
    async with api() as client:
        response = await client.get(PATH)
        whole = (await client.get("/openapi.json")).json()
    document = response.json()
    assert len(response.content) < MOST_FILE < len(json.dumps(whole))
    assert document["servers"][0]["url"].startswith("http"), "an absolute address"
    operations = [one for verbs in document["paths"].values() for one in verbs.values()]
    assert {one["operationId"] for one in operations} == set(FUNCTIONS)
    for one in operations:
        assert max(len(one["summary"]), len(one["description"])) <= MOST_TOLD
        assert one["x-openai-isConsequential"] is False
        asked = json.dumps([one.get("parameters"), one.get("requestBody")])
        assert "$ref" not in asked, "one flat object, nothing to resolve"
        assert '"null"' not in asked
    for _, _, schema in tools_of(document).values():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert all(len(about.get("description", "")) <= MOST_PARAMETER for about in schema["properties"].values())


async def test_the_same_conversation_over_mcp(assistant: Assistant) -> None:
    def respond(message: IncomingMessage) -> Reply:
        return assistant.respond(message, None, datetime.now(UTC))[0]

    async with mcp.Client(build(respond, "test")) as client:
        schemas = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
        for call in [call for turn in TURNS for call in turn["calls"]]:
            said = call["mcp"]
            jsonschema.validate(said["arguments"], schemas[said["name"]])
            result = await client.call_tool(said["name"], said["arguments"])
            if refused := call.get("refused"):
                assert result.is_error
                assert refused in result.content[0].text
                continue
            assert not result.is_error, result.content
            holds(call, "mcp", result.structured_content)
            assert result.structured_content["sources"]


def test_what_the_assistant_said_quotes_only_what_the_tools_gave() -> None:
    """Every number of its words stands in the question, in a call, or among the values it used (rounded)."""
    for turn in TURNS:
        given = json.dumps([turn["user"], turn["calls"]])
        known = {float(one.replace(",", "")) for one in re.findall(r"\d[\d,]*(?:\.\d+)?", given)}
        quoted = [float(one.replace(",", "")) for one in re.findall(r"\d[\d,]*(?:\.\d+)?", turn["assistant"])]
        for number in quoted:
            assert any(abs(number - one) <= max(0.06, 0.002 * one) for one in known), (turn["user"], number)
