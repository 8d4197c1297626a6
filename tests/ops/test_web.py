"""The HTTP API, the chat page, health and readiness: what is taken, what is refused, and with which status."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from bot.channels.web.app import WebChannel, build_web
from bot.channels.web.limits import Bounds
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import Accepted, StoreUnavailable
from bot.gate import Access, AccessGate
from bot.identity import read_identities
from bot.metrics import Metrics
from bot.stores.memory import MemoryStore
from tests.ops.stage import Stage, on_stage, until


@asynccontextmanager
async def site(app: Any) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://bot") as client:
        yield client


@asynccontextmanager
async def web(*, is_https: bool = False, **parts: Any) -> AsyncIterator[tuple[httpx.AsyncClient, Stage]]:
    async with on_stage(**parts) as stage:

        async def ready() -> dict[str, str]:
            try:
                await stage.store.backlog(stage.clock())
            except StoreUnavailable as error:
                return {"store": str(error)}
            return {}

        channel = WebChannel(stage.delivery, ready, Metrics().page, is_https=is_https)
        async with site(build_web(channel.routes())) as client:
            yield client, stage


async def test_one_object_of_batch_in_one_out() -> None:
    async with web() as (client, _):
        response = await client.post("/api/v1/ask", json={"id": "q1", "text": "hello", "chat": "c", "user": "u"})
    assert response.status_code == 200
    body = response.json()
    assert body.pop("elapsed_ms") >= 0
    assert body.pop("heard") == [], "nobody listens for mentions here"
    assert body == {
        "id": "q1",
        "decision": "answer",
        "language": "en",
        "intent": "help",
        "form": "other",
        "headline": "heard hello",
        "verdict": None,
        "candidates": [],
        "slots": {},
        "asks": [],
        "text": "heard hello",
        "parts": [{"need": "help", "form": "other", "headline": "heard hello", "verdict": None}],
        "choices": [],
        "facts": [],
        "sources": [],
    }


async def test_the_real_assistant_answers_with_facts_and_sources(assistant: Any) -> None:
    async with on_stage() as stage:
        stage.delivery._answering._responder = assistant
        channel = WebChannel(stage.delivery, lambda: asyncio.sleep(0, {}))
        async with site(build_web(channel.routes())) as client:
            response = await client.post("/api/v1/ask", json={"id": 1, "text": "how much VRAM does a 4090 have?"})
    body = response.json()
    assert body["decision"] == "answer"
    assert "24" in body["text"]
    assert body["sources"]
    assert body["facts"]


async def test_a_question_needs_no_name() -> None:
    """One call is one question: whoever tries it out by hand types the words alone."""
    async with web() as (client, stage):
        response = await client.post("/api/v1/ask", json={"text": "hello"})
        assert response.status_code == 200
        assert response.json()["text"] == "heard hello"
        assert stage.road.heard[0].text == "hello"


async def test_a_conversation_is_that_of_channel_chat_and_user() -> None:
    async with web() as (client, stage):
        for chat, user in (("a", "u"), ("a", "u"), ("a", "v"), ("b", "u")):
            await client.post("/api/v1/ask", json={"id": 1, "text": "q", "chat": chat, "user": user})
        for _ in range(2):
            await client.post("/api/v1/ask", json={"id": 1, "text": "alone"})
    turns = [state.turn if state else 0 for state in stage.road.states]
    assert turns == [0, 1, 0, 0, 0, 0]
    assert {message.channel for message in stage.road.heard} == {"api"}


async def test_names_with_colons_and_han_are_fine_and_long_ones_refused() -> None:
    async with web() as (client, stage):
        for _ in range(2):
            response = await client.post("/api/v1/ask", json={"id": 1, "text": "q", "chat": "a:b/群 1", "user": "x:y"})
            assert response.status_code == 200
        assert stage.road.states[1] is not None
        response = await client.post("/api/v1/ask", json={"id": 1, "text": "q", "chat": "c" * 129})
    assert response.status_code == 422


async def test_a_repeat_with_a_key_gets_the_same_reply_but_only_in_its_own_chat() -> None:
    async with web() as (client, stage):
        ask = {"id": 1, "text": "mine", "chat": "a", "user": "u"}
        headers = {"idempotency-key": "k1"}
        first = (await client.post("/api/v1/ask", json=ask, headers=headers)).json()
        again = (await client.post("/api/v1/ask", json={**ask, "text": "other"}, headers=headers)).json()
        stranger = (await client.post("/api/v1/ask", json={**ask, "chat": "b"}, headers=headers)).json()
    assert first["text"] == again["text"] == stranger["text"] == "heard mine"
    assert [message.chat_id for message in stage.road.heard] == ["a", "b"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[]", 422),
        (b"null", 422),
        (b"{", 400),
        (b'{"id": 1, "text": 7}', 422),
        (b'{"id": 1, "text": "q", "chat_type": "party"}', 422),
        (b'{"id": 1, "text": "q", "surprise": true}', 422),
        (b'{"id": 1, "text": "q", "addressed": "yes"}', 422),
        (b'{"id": 1, "text": "\\ud800"}', 400),
        (b"\xff\xfe", 400),
        (b"[" * 60_000, 400),
    ],
)
async def test_what_is_no_question_is_refused_with_a_reason(body: bytes, status: int) -> None:
    async with web() as (client, stage):
        response = await client.post("/api/v1/ask", content=body)
        assert response.status_code == status
        assert response.headers["content-type"] == "application/problem+json"
        told = response.json()
        assert told["status"] == status
        assert told["detail"]
        assert [one["pointer"][0] for one in told.get("errors", ())] == ["#"] * (status == 422)
        assert stage.road.heard == []


async def test_another_kind_of_body_is_refused() -> None:
    async with web() as (client, _):
        response = await client.post("/api/v1/ask", content=b"<a/>", headers={"content-type": "text/xml"})
        assert response.status_code == 415
        wrong = await client.get("/api/v1/ask")
        assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")
        assert wrong.json()["title"] == "Method Not Allowed"


@pytest.mark.parametrize("path", ["/api/v1/ask", "/chat"])
async def test_giants_are_refused_by_header_and_by_bytes(path: str) -> None:
    async def drip() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b"x" * 1000

    async with web() as (client, _):
        assert (await client.post(path, content=b"x" * 70_000)).status_code == 413
        assert (await client.post(path, content=drip())).status_code == 413


class Away:
    async def accept(self, message: IncomingMessage) -> Accepted:
        return Accepted.FULL

    async def answer_now(self, message: IncomingMessage) -> Reply | None:
        raise StoreUnavailable("gone")

    async def answer_passing(self, message: IncomingMessage) -> Reply | None:
        raise StoreUnavailable("gone")


async def nothing_missing() -> dict[str, str]:
    return {}


@pytest.mark.parametrize("path", ["/api/v1/ask", "/chat"])
async def test_without_a_store_the_caller_is_told_to_come_back(path: str) -> None:
    async with site(build_web(WebChannel(Away(), nothing_missing).routes())) as client:
        response = await client.post(path, json={"id": 1, "text": "q"} if "api" in path else {"text": "q"})
    assert response.status_code == 503
    assert response.headers["retry-after"] == "2"
    assert "busy" in response.json()["detail"]


async def test_health_lives_readiness_follows_the_store() -> None:
    async with web() as (client, stage):
        assert (await client.get("/readyz")).json() == {"ready": True, "missing": {}}
        await stage.store.close()
        response = await client.get("/readyz")
        assert response.status_code == 503
        assert "not open" in response.json()["missing"]["store"]
        assert (await client.get("/healthz")).text == "ok"
        await stage.store.open()


async def test_metrics_are_prometheus_text() -> None:
    async with web() as (client, _):
        response = await client.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain")
    assert "xuanka_inbox_waiting" in response.text


async def test_too_many_at_once_and_too_slow_are_refused_and_the_rest_goes_on() -> None:
    go = asyncio.Event()

    async def slow(_request: Request) -> Response:
        await go.wait()
        return PlainTextResponse("done")

    async def health(_request: Request) -> Response:
        return PlainTextResponse("ok")

    routes = [Route("/slow", slow), Route("/healthz", health)]
    async with site(build_web(routes, Bounds(most_at_once=2, seconds=5.0))) as client:
        held = [asyncio.create_task(client.get("/slow")) for _ in range(2)]
        await asyncio.sleep(0)
        await until(lambda: all(not task.done() for task in held))
        responses: list[httpx.Response] = []

        async def is_refused() -> bool:
            response = await asyncio.wait_for(client.get("/slow"), 2)
            responses.append(response)
            return response.status_code == 503

        await until(is_refused)
        assert (await client.get("/healthz")).text == "ok"
        go.set()
        assert [(await task).text for task in held] == ["done", "done"]
    async with site(build_web(routes, Bounds(seconds=0.01))) as client:
        go.clear()
        response = await client.get("/slow")
    assert response.status_code == 503
    assert response.json()["detail"] == "took too long"
    assert response.headers["content-type"] == "application/problem+json"


async def test_the_page_keeps_its_visitor_by_a_cookie_that_scripts_cannot_read() -> None:
    async with web(is_https=True) as (client, stage):
        page = await client.get("/")
        assert page.status_code == 200
        assert "script-src 'self'" in page.headers["content-security-policy"]
        assert page.headers["x-frame-options"] == "DENY"
        for name in ("chat.js", "chat.css", "icon.svg"):
            assert f"/static/{name}" in page.text
            assert (await client.get(f"/static/{name}")).status_code == 200
        cookie = page.headers["set-cookie"].casefold()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert "secure" in cookie
        session = page.headers["set-cookie"].split("xuanka=")[1].split(";")[0]
        await client.post("/chat", json={"text": "hello"}, headers={"cookie": f"xuanka={session}"})
        await client.post("/chat", json={"action": "do:why#K7QK"}, headers={"cookie": f"xuanka={session}"})
        await client.post("/chat", json={"text": "x"}, headers={"cookie": "xuanka=../../etc/passwd"})
    assert [message.chat_id == session for message in stage.road.heard] == [True, True, False]
    assert stage.road.heard[1].action == "do:why#K7QK"


async def test_what_a_visitor_typed_comes_back_escaped() -> None:
    async with web() as (client, _):
        response = await client.post("/chat", json={"text": "<img src=x onerror=alert(1)>"})
    assert "<img" not in response.json()["html"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[" * 60_000, 400),
        (b"7", 422),
        (b'{"text": {}}', 422),
        (b'{"action": ["x"]}', 422),
        (b'{"action": "%s"}', 422),
        (b'{"text": "q", "surprise": 1}', 422),
    ],
)
async def test_a_turn_that_is_none_is_refused(body: bytes, status: int) -> None:
    async with web() as (client, stage):
        body = body % (b"x" * 500) if b"%s" in body else body
        response = await client.post("/chat", content=body)
        assert response.status_code == status
        assert response.json()["detail"]
        assert stage.road.heard == []


async def test_a_turn_comes_as_blocks_of_text_and_a_repeat_of_it_is_the_same() -> None:
    async with web() as (client, stage):
        await client.get("/")
        headers = {"idempotency-key": "k1"}
        first = (await client.post("/chat", json={"text": "a **b** `c`"}, headers=headers)).json()
        again = (await client.post("/chat", json={"text": "a **b** `c`"}, headers=headers)).json()
        other = (await client.post("/chat", json={"text": "another"}, headers={"idempotency-key": "k2"})).json()
    runs = [run for line in first["blocks"][0]["lines"] for run in line]
    assert "".join(run["text"] for run in runs).startswith("heard")
    assert first == again
    assert other != first
    assert len(stage.road.heard) == 2


async def test_the_page_gets_tables_its_own_language_and_the_line_of_the_card(assistant: Any) -> None:
    async with web() as (client, stage):
        stage.delivery._answering._responder = assistant
        compared, fits = [
            (await client.post("/chat", json={"text": text, "lang": "zh"})).json()
            for text in ("3090 vs 4080", "4090 能 LoRA 微调 Qwen2.5-14B 吗")
        ]
    assert compared["language"] == "zh", "names alone are in the language of the page"
    tables = [block for block in compared["blocks"] if block["kind"] == "table"]
    assert [cell[0]["text"] for cell in (row[0] for row in tables[0]["rows"][1:])] == ["RTX 3090", "RTX 4080"]
    assert fits["chart"]["spec"]["marks"][0]["label"] == "RTX 4090"
    assert fits["sources"]
    assert "来源：" not in fits["markdown"], "the page lists them itself"


async def test_an_answer_that_was_shared_can_be_had_as_of_its_day(assistant: Any) -> None:
    """Later prices are left out and ages counted from that day; a day to come is today."""
    days = {"then": "2026-08-25", "today": None, "to come": "2099-01-01"}
    said: dict[str, str] = {}
    async with web() as (client, stage):
        stage.delivery._answering._responder = assistant
        for name, day in days.items():
            body = {"text": "rent a 4090, price per hour", "lang": "en"} | ({"on": day} if day else {})
            said[name] = (await client.post("/chat", json=body)).json()["markdown"]
            client.cookies.clear()
        refused = await client.post("/chat", json={"text": "q", "on": "yesterday"})
    assert "2026-08-22" in said["then"].partition("\n")[0]
    assert all(day <= days["then"] for day in re.findall(r"2026-\d\d-\d\d", said["then"]))
    assert said["today"] != said["then"]
    assert said["to come"] == said["today"]
    assert refused.status_code == 422


async def test_a_talk_may_be_named_by_the_page_and_is_nobody_elses() -> None:
    async with web() as (client, stage):
        mine = {"x-xuanka-talk": "ab" * 16}
        for headers in (mine, mine, {"x-xuanka-talk": "cd" * 16}, {"x-xuanka-talk": "../x"}):
            response = await client.post("/chat", json={"text": "q"}, headers=headers)
            assert ("set-cookie" in response.headers) == (headers["x-xuanka-talk"] == "../x")
            client.cookies.clear()
    assert [state.turn if state else 0 for state in stage.road.states] == [0, 1, 0, 0]


async def test_who_asks_too_much_in_the_page_is_told_when_to_come_back() -> None:
    store = MemoryStore()
    async with web(store=store, gate=AccessGate(Access(user_per_minute=1), store)) as (client, _):
        await client.get("/")
        told = [await client.post("/chat", json={"text": "q"}) for _ in range(3)]
    assert [one.status_code for one in told] == [200, 429, 429]
    assert told[2].headers["retry-after"] == "60"


async def test_the_page_is_small_needs_nothing_from_elsewhere_and_is_installable() -> None:
    async with web() as (client, _):
        page = (await client.get("/")).text
        manifest = (await client.get("/manifest.webmanifest")).json()
        worker = await client.get("/sw.js")
        wanted = set(re.findall(r'(?:src|href)="(/[^"#]+)"', page)) | {icon["src"] for icon in manifest["icons"]}
        wanted |= set(re.findall(r'"(/static/[^"]+)"', worker.text)) - {"/"}
        sizes = {}
        for path in sorted(wanted - {"/api/v1/docs"}):
            response = await client.get(path)
            assert response.status_code == 200, path
            sizes[path] = len(response.content)
    assert sum(sizes.values()) + len(page.encode()) < 100_000
    assert not re.findall(r"(?:src|href)=[\"'](?:https?:)?//", page)
    assert not re.findall(r"<script(?![^>]*(?:src=|application/json))|<style|\sstyle=|\son\w+=", page)
    assert {icon["sizes"] for icon in manifest["icons"]} == {"192x192", "512x512"}
    assert "RELEASE" not in worker.text
    assert worker.headers["cache-control"] == "no-cache"


async def test_the_page_stands_in_frames_of_listed_origins_only() -> None:
    async with on_stage() as stage:
        for origins, ancestors in (((), "'none'"), (("https://docs.example.org",), "https://docs.example.org")):
            channel = WebChannel(stage.delivery, nothing_missing, origins=origins)
            async with site(build_web(channel.routes())) as client:
                plain, embedded = await client.get("/"), await client.get("/?embed=1")
                widget = await client.get("/embed.js")
            assert plain.headers["content-security-policy"].endswith("frame-ancestors 'none'")
            assert plain.headers["x-frame-options"] == "DENY"
            assert embedded.headers["content-security-policy"].endswith(f"frame-ancestors {ancestors}")
            assert ("x-frame-options" in embedded.headers) == (not origins)
            assert widget.headers["cross-origin-resource-policy"] == "cross-origin"


@pytest.mark.parametrize(("form", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
async def test_a_chart_is_drawn_for_the_page(form: str, start: bytes) -> None:
    chart = {"kind": "bars", "title": "x", "series": [["a", [["RTX 4090", 1.0], ["RTX 3090", 0.6]]]]}
    async with web() as (client, _):
        response = await client.post("/chart", json={"chart": chart, "theme": "dark", "lang": "zh", "format": form})
        assert response.content.startswith(start)
        assert "sandbox" in response.headers["content-security-policy"]
        empty = await client.post("/chart", json={"chart": {**chart, "series": []}})
        huge = await client.post(
            "/chart", content=b'{"chart": {"kind": "bars", "title": "x", "series": [["a", [["b", 1e999]]]]}}'
        )
        assert (empty.status_code, huge.status_code) == (422, 422)


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/app.py", "/static/%2e%2e%2fapp.py", "/nowhere"])
async def test_only_what_belongs_to_the_page_is_served(path: str) -> None:
    async with web() as (client, _):
        assert (await client.get(path)).status_code == 404


async def test_limits_hold_here_too() -> None:
    store = MemoryStore()
    async with web(store=store, gate=AccessGate(Access(user_per_minute=2), store)) as (client, _):
        ask = {"id": 1, "text": "q", "chat": "c", "user": "u"}
        answers = [await client.post("/api/v1/ask", json=ask) for _ in range(4)]
    assert [one.status_code for one in answers] == [200, 200, 429, 429]
    told = [one.json() for one in answers]
    assert [one["text"] for one in told[:3]] == ["heard q", "heard q", "wait/short"]
    assert told[3]["decision"] == "ignore"
    assert {int(one.headers["retry-after"]) for one in answers[2:]} == {60}
    assert {one["title"] for one in told[2:]} == {"Too Many Requests"}


async def test_who_is_on_no_list_is_told_that_and_not_to_wait() -> None:
    async with on_stage(gate=AccessGate(Access(allow_users=read_identities(["telegram:1:5"])), MemoryStore())) as stage:
        gate = stage.delivery._gate
        assert gate is not None
        channel = WebChannel(stage.delivery, nothing_missing, gate=gate)
        async with site(build_web(channel.routes())) as client:
            response = await client.post("/api/v1/ask", json={"id": 1, "text": "q"})
    assert response.status_code == 403
    assert response.json()["decision"] == "ignore"
