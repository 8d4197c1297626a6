"""What one stranger may take of the door: so much by address, by bytes and by time, and nothing that is kept."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, MutableMapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from bot.channels.web.addresses import Budgets, Proxies
from bot.channels.web.app import WebChannel, build_web
from bot.channels.web.limits import Bounds, read_body
from bot.cli import serve, serving
from bot.gate import Access, AccessGate
from bot.identity import read_identities
from bot.settings import Settings, SettingsError, load_settings
from bot.stores.memory import MemoryStore
from tests.fakes.serving import caller
from tests.ops.stage import on_stage, until
from tests.ops.test_web import site, web

ASK = {"id": 1, "text": "hello"}


async def nothing_missing() -> dict[str, str]:
    return {}


def client_at(app: object, address: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=app, client=(address, 1))  # type: ignore[arg-type]
    return httpx.AsyncClient(transport=transport, base_url="http://bot")


async def test_an_address_that_asks_too_much_is_told_when_to_come_back_and_others_are_answered() -> None:
    async with on_stage() as stage, AsyncExitStack() as stack:
        app = build_web(WebChannel(stage.delivery, nothing_missing).routes(), Bounds(per_minute=3))
        noisy, quiet = [await stack.enter_async_context(client_at(app, f"203.0.113.{n}")) for n in (1, 2)]
        statuses = [(await noisy.post("/api/v1/ask", json=ASK)).status_code for _ in range(4)]
        refused = await noisy.get("/")
        assert statuses == [200, 200, 200, 429]
        assert 1 <= int(refused.headers["retry-after"]) <= 20
        assert (await noisy.get("/healthz")).status_code == 200
        assert (await quiet.post("/api/v1/ask", json=ASK)).status_code == 200


async def test_bytes_have_a_budget_of_their_own() -> None:
    async with on_stage() as stage:
        app = build_web(WebChannel(stage.delivery, nothing_missing).routes(), Bounds(bytes_per_minute=20_000))
        async with client_at(app, "203.0.113.1") as client:
            ask = {"id": 1, "text": "x" * 15_000}
            statuses = [(await client.post("/api/v1/ask", json=ask)).status_code for _ in range(2)]
    assert statuses == [200, 429]


async def test_half_sent_bodies_of_one_address_keep_nobody_else_out() -> None:
    """A million bytes and then silence, sixty times over, at the door of a platform."""

    async def webhook(request: Request) -> Response:
        return PlainTextResponse(str(len(await read_body(request, 100))))

    app, statuses, over = build_web([Route("/telegram/webhook", webhook, methods=["POST"])]), [], asyncio.Event()

    async def half(address: str) -> None:
        parts = iter([{"type": "http.request", "body": b"x" * 1_000_000, "more_body": True}])

        async def receive() -> MutableMapping[str, object]:
            part = next(parts, None)
            if part is None:
                await over.wait()
            return part or {"type": "http.disconnect"}

        async def send(message: MutableMapping[str, object]) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        scope = {"type": "http", "method": "POST", "path": "/telegram/webhook", "headers": [], "client": (address, 1)}
        await app({**scope, "query_string": b"", "http_version": "1.1", "raw_path": b""}, receive, send)

    async with asyncio.TaskGroup() as group:
        for _ in range(60):
            group.create_task(half("203.0.113.1"))
        await until(lambda: len(statuses) == 52)
        assert set(statuses) == {503}
        async with client_at(app, "203.0.113.2") as client:
            assert (await client.post("/telegram/webhook", content=b"update")).text == "6"
        over.set()
    assert statuses[52:] == [400] * 8
    async with client_at(app, "203.0.113.1") as client:
        assert (await client.post("/telegram/webhook", content=b"update")).text == "6"


async def test_bytes_count_as_they_come_and_not_when_all_are_there() -> None:
    async def parts() -> AsyncIterator[bytes]:
        for _ in range(10):
            sent.append(1)
            yield b"x" * 4_000

    sent: list[int] = []
    async with on_stage() as stage:
        app = build_web(WebChannel(stage.delivery, nothing_missing).routes(), Bounds(bytes_per_minute=10_000))
        async with client_at(app, "203.0.113.1") as client:
            assert (await client.post("/api/v1/ask", content=parts())).status_code == 429
    assert len(sent) <= 4


async def test_a_picture_counts_for_ten_requests() -> None:
    async with on_stage() as stage:
        app = build_web(WebChannel(stage.delivery, nothing_missing).routes(), Bounds(per_minute=20))
        async with client_at(app, "203.0.113.1") as client:
            assert [(await client.post("/chart", content=b"{}")).status_code for _ in range(3)] == [422, 422, 429]


async def test_with_an_allow_list_nothing_is_drawn_for_strangers() -> None:
    store = MemoryStore()
    await store.open()
    drawing = {"chart": {"kind": "bars", "title": "t", "series": [["a", [["b", 1.0]]]]}}
    async with on_stage(store) as stage:
        for allowed, status in ((["telegram:1:5"], 403), ([], 200)):
            gate = AccessGate(Access(allow_users=read_identities(allowed)), store)
            app = build_web(WebChannel(stage.delivery, nothing_missing, gate=gate).routes())
            async with client_at(app, "203.0.113.1") as client:
                assert (await client.post("/chart", json=drawing)).status_code == status


async def test_callers_with_a_key_and_platforms_have_no_budget_of_an_address() -> None:
    async def webhook(request: Request) -> Response:
        return PlainTextResponse((await read_body(request, 100)).decode())

    async with on_stage() as stage:
        channel = WebChannel(stage.delivery, nothing_missing, keys={"shop": "k" * 20})
        routes = [*channel.routes(), Route("/telegram/webhook", webhook, methods=["POST"])]
        app = build_web(routes, Bounds(per_minute=1, is_known=channel.is_known))
        async with client_at(app, "203.0.113.1") as client:
            for _ in range(3):
                known = {"authorization": "Bearer " + "k" * 20}
                assert (await client.post("/api/v1/ask", json=ASK, headers=known)).status_code == 200
                assert (await client.post("/telegram/webhook", content=b"update")).text == "update"
            false_key = {"authorization": "Bearer " + "x" * 20}
            assert (await client.post("/api/v1/ask", json=ASK, headers=false_key)).status_code == 401
            assert (await client.post("/api/v1/ask", json=ASK, headers=false_key)).status_code == 429


@pytest.mark.parametrize(
    ("peer", "header", "address"),
    [
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),  # nobody is believed who is no proxy of ours
        ("10.0.0.5", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.5", "198.51.100.66, 198.51.100.1, 10.0.0.7", "198.51.100.1"),  # the left end is the client's own word
        ("10.0.0.5", "", ""),
        ("10.0.0.5", "rubbish", "rubbish"),
        ("2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.9", "", "203.0.113.9"),
    ],
)
def test_the_address_is_the_nearest_that_a_trusted_proxy_names(peer: str, header: str, address: str) -> None:
    headers = [(b"x-forwarded-for", header.encode())] if header else []
    scope = {"type": "http", "client": (peer, 1), "headers": headers}
    assert Proxies(["10.0.0.0/8"]).client(scope) == address


def test_a_budget_fills_again_and_the_memory_of_it_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.channels.web.addresses._MOST_ADDRESSES", 10)
    budgets = Budgets(60)
    assert [budgets.take("a", 60, 0.0), budgets.take("a", 1, 0.0), budgets.take("a", 1, 1.0)] == [0.0, 1.0, 0.0]
    for number in range(50):
        budgets.take(str(number), 1, 2.0)
    assert len(budgets._left) == 10


async def test_nothing_is_kept_for_who_never_comes_back() -> None:
    store = MemoryStore()
    gate = AccessGate(Access(), store)
    async with web(store=store, gate=gate) as (client, stage):
        for _ in range(5):
            assert (await client.post("/api/v1/ask", json=ASK)).json()["text"] == "heard hello"
            client.cookies.clear()
            assert (await client.post("/chat", json={"text": "hello"})).status_code == 200
        client.cookies.clear()
        kept = {name: count(store, name) for name in ("inbox", "conversations", "small", "buckets")}
        assert kept == {"inbox": 0, "conversations": 0, "small": 0, "buckets": 2}  # one for each channel
        # who brings the cookie of the page is a visitor
        await client.get("/")
        await client.post("/chat", json={"text": "hello"})
        assert count(store, "conversations") == 1
        assert len(stage.road.heard) == 11


def count(store: MemoryStore, table: str) -> int:
    return int(store._db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


# --- sockets ---------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def door(
    bounds: Bounds, most: int = 500, per_address: int = 500, more: Sequence[Route] = ()
) -> AsyncIterator[tuple[int, int]]:
    """The web app behind real sockets: its port, and that of health."""
    settings = Settings(_env_file=None, grace_s=1)
    async with on_stage() as stage, AsyncExitStack() as stack:
        channel = WebChannel(stage.delivery, nothing_missing)
        ports = []
        for routes in ([*channel.routes(), *more], channel.probes()):
            listener = serve._listen("127.0.0.1", 0)
            server = serving._door(build_web(routes, bounds), settings, most, per_address)
            task = asyncio.create_task(server.serve(sockets=[listener]))
            stack.push_async_callback(serving._end_door, server, task)
            await until(lambda server=server: server.started)
            ports.append(listener.getsockname()[1])
        yield ports[0], ports[1]


async def connect(port: int, said: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    if said:
        writer.write(said)
        await writer.drain()
    return reader, writer


async def asks_well(port: int) -> bool:
    async with caller(base_url=f"http://127.0.0.1:{port}") as client:
        return (await client.post("/api/v1/ask", json=ASK)).status_code == 200


async def close_all(opened: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]) -> None:
    for _, writer in opened:
        writer.close()
    await asyncio.gather(*(writer.wait_closed() for _, writer in opened), return_exceptions=True)


SLOW_BODY = b"POST /api/v1/ask HTTP/1.1\r\nhost: bot\r\ncontent-length: 500\r\n\r\n{"


async def test_slow_bodies_hold_no_place_and_end() -> None:
    async with door(Bounds(most_at_once=4, body_seconds=1.0)) as (port, health):
        slow = [await connect(port, SLOW_BODY) for _ in range(40)]
        assert await asks_well(port)
        async with caller() as client:
            for one in (port, health):
                assert (await client.get(f"http://127.0.0.1:{one}/healthz")).text == "ok"
        answers = await asyncio.wait_for(asyncio.gather(*(reader.read() for reader, _ in slow)), 10)
        assert all(answer.startswith(b"HTTP/1.1 408") for answer in answers)
        await close_all(slow)


async def test_slow_bodies_of_one_address_lose_their_places_to_who_has_said_all_he_wants() -> None:
    async with door(Bounds(body_seconds=30.0), per_address=8) as (port, _):
        slow = [await connect(port, SLOW_BODY) for _ in range(40)]
        assert await asks_well(port)
        assert await asyncio.wait_for(slow[0][0].read(), 5) == b""
        await close_all(slow)


async def test_who_does_not_read_his_answers_loses_his_place_to_who_does() -> None:
    async def large(_request: Request) -> Response:
        return PlainTextResponse("x" * 20_000_000)

    async with door(Bounds(), per_address=8, more=[Route("/large", large)]) as (port, _):
        deaf = [await connect(port, b"GET /large HTTP/1.1\r\nhost: bot\r\n\r\n") for _ in range(8)]
        for reader, _ in deaf:
            await reader.readline()
        assert await asks_well(port)
        await close_all(deaf)


async def test_silent_sockets_lose_their_places_to_who_says_something() -> None:
    async with door(Bounds(), most=20) as (port, health):
        silent = [await connect(port) for _ in range(40)]
        assert await asks_well(port)
        assert await asyncio.wait_for(silent[0][0].read(), 5) == b""  # the longest silent was hung up on
        async with caller() as client:
            assert (await client.get(f"http://127.0.0.1:{health}/readyz")).status_code == 200
        await close_all(silent)


async def test_one_address_has_so_many_places_and_a_head_has_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.channels.web.connections._HEAD_S", 0.2)
    async with door(Bounds(), per_address=3) as (port, _):
        held = [await connect(port) for _ in range(4)]
        assert await asyncio.wait_for(held[0][0].read(), 5) == b""
        dripping = await connect(port, b"GET / HTTP/1.1\r\nx: ")
        assert await asyncio.wait_for(dripping[0].read(), 5) == b""
        await close_all([*held, dripping])


async def test_the_body_of_an_answer_waits_for_no_acknowledgement_of_its_head() -> None:
    """On a kept connection that takes 40 ms; asyncio prevents it only on sockets that were made as TCP by name."""
    seen: list[int] = []

    def take(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    listener = serve._listen("127.0.0.1", 0)
    async with await asyncio.start_server(take, sock=listener):
        reader, writer = await connect(listener.getsockname()[1])
        assert await reader.read() == b""
        await close_all([(reader, writer)])
    assert len(seen) == 1
    assert seen[0] > 0


def test_a_wrong_network_is_named() -> None:
    with pytest.raises(SettingsError, match="XUANKA_HTTP_TRUSTED_PROXIES: use addresses or networks"):
        load_settings(http_trusted_proxies="10.0.0.0/8, everybody", _env_file=None)


def test_files_are_asked_for_and_connections_stay_below_them() -> None:
    serve._allow_files()
    assert 64 <= serving._most_connections() <= 1000


async def test_the_page_still_works_for_a_browser() -> None:
    async with on_stage() as stage, site(build_web(WebChannel(stage.delivery, nothing_missing).routes())) as client:
        page = await client.get("/")
        first = await client.post("/chat", json={"text": "one"})
        second = await client.post("/chat", json={"text": "two"})
        assert (page.status_code, first.status_code, second.status_code) == (200, 200, 200)
        assert [state.turn if state else 0 for state in stage.road.states] == [0, 1]
