"""A Bot API that is broken in every way: what certainly was not sent is tried again, everything else never is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from telegram.error import NetworkError

from bot.channels.telegram.evidence import pause_of, proven
from bot.channels.telegram.run import Telegram
from bot.core.message import Reply
from bot.core.ports import Outcome
from bot.core.times import LONGEST_WAIT_S
from bot.settings import Settings
from bot.stores.memory import MemoryStore
from tests.conftest import make_message

ME = {"id": 123, "is_bot": True, "first_name": "Xuanka", "username": "xuanka_test_bot"}
SENT = {"message_id": 5, "date": 1, "chat": {"id": 7, "type": "private"}, "text": "hi"}


def http(status: int, body: bytes, *, length: int | None = None, more: str = "") -> bytes:
    head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: "
    return f"{head}{len(body) if length is None else length}\r\n{more}\r\n".encode() + body


def said(status: int, **fields: Any) -> bytes:
    return http(status, json.dumps(fields).encode())


class Broken:
    """A server that knows who it is, and answers sends with what it is told."""

    def __init__(self, answer: bytes) -> None:
        self.answer, self.posts = answer, 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().casefold()
                length = next((int(line[15:]) for line in head.splitlines() if line.startswith("content-length:")), 0)
                await reader.readexactly(length)
                if "/sendmessage" not in head:
                    writer.write(said(200, ok=True, result=ME if "/getme" in head else True))
                    continue
                self.posts += 1
                writer.write(self.answer)
                await writer.drain()
                break
        writer.close()


@asynccontextmanager
async def bot_before(answer: bytes) -> AsyncIterator[tuple[Telegram, Broken]]:
    broken, store = Broken(answer), MemoryStore()
    await store.open()
    server = await asyncio.start_server(broken.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    settings = Settings(
        telegram_token="123:abc", telegram_base_url=f"http://127.0.0.1:{port}", telegram_limits=False, _env_file=None
    )
    channel = Telegram(settings, store)
    try:
        await channel.start(None)
        yield channel, broken
    finally:
        await channel.stop()
        server.close()
        await server.wait_closed()
        await store.close()


def question() -> Any:
    return make_message("?", channel="telegram", bot_id="123", chat_id="7", user_id="7", received_at=datetime.now(UTC))


FLOOD = {"ok": False, "error_code": 429, "description": "Too Many Requests"}
DEEP = b"[" * 200_000
TAKEN = http(200, json.dumps({"ok": True, "result": SENT}).encode())

UNCLEAR: dict[str, bytes] = {
    "500 of the Bot API": said(500, ok=False, error_code=500, description="Internal Server Error"),
    "502 of a proxy": http(502, b"<html>Bad Gateway</html>"),
    "503 that asks for a pause": said(503, ok=False, error_code=503, parameters={"retry_after": 1}),
    "504": http(504, b""),
    "599": http(599, b"{}"),
    "408": http(408, b""),
    "a redirect": http(302, b"", more="location: http://127.0.0.1:1/\r\n"),
    "nothing at all": b"",
    "no HTTP": b"SSH-2.0-OpenSSH_9.0\r\n",
    "a cut head": b"HTTP/1.1 200 OK\r\ncontent-le",
    "a cut body": http(200, TAKEN.partition(b"\r\n\r\n")[2][:20], length=400),
    "200 and no JSON": http(200, b"<html>ok</html>"),
    "200 and an empty body": http(200, b""),
    "200 and null": http(200, b"null"),
    "200 and a list": http(200, b"[]"),
    "200 and no result": said(200, ok=True),
    "200, neither ok nor not": said(200, result=SENT),
    "200 and half of the JSON": http(200, b'{"ok": true, "result": {"message_id'),
    "200 and not UTF-8": http(200, b'{"ok": true, "result": "\xff\xfe"}'),
    "200 nested without end": http(200, DEEP),
    "200 and a result that is no message": said(200, ok=True, result=True),
    "200 and a message without number": said(200, ok=True, result={"chat": {"id": 7}}),
    "200 and ok: false of the server": said(200, ok=False, error_code=502, description="Bad Gateway"),
    "a wrong encoding": http(200, b"not gzip", more="content-encoding: gzip\r\n"),
}


@pytest.mark.parametrize("answer", UNCLEAR.values(), ids=UNCLEAR)
async def test_what_proves_nothing_is_posted_once(answer: bytes) -> None:
    async with bot_before(answer) as (channel, broken):
        sent = await channel.send(question(), Reply(decision="answer", language="en", text="hi"))
        assert sent.outcome is Outcome.UNKNOWN
        assert broken.posts == 1


REFUSALS: dict[str, tuple[bytes, Outcome, float]] = {
    "flood": (said(429, **FLOOD, parameters={"retry_after": 7}), Outcome.RETRY, 7.0),
    "flood in a 200": (said(200, **FLOOD, parameters={"retry_after": 7}), Outcome.RETRY, 7.0),
    "flood without a pause": (said(429, **FLOOD), Outcome.RETRY, 5.0),
    "flood of a proxy": (http(429, b"slow down"), Outcome.RETRY, 5.0),
    "a pause of a year": (said(429, **FLOOD, parameters={"retry_after": 31_536_000}), Outcome.RETRY, LONGEST_WAIT_S),
    "a pause without end": (
        said(429, **FLOOD, parameters={"retry_after": float("inf")}),
        Outcome.RETRY,
        LONGEST_WAIT_S,
    ),
    "a pause that is no number": (said(429, **FLOOD, parameters={"retry_after": "soon"}), Outcome.RETRY, 5.0),
    "a pause in the past": (said(429, **FLOOD, parameters={"retry_after": -3}), Outcome.RETRY, 5.0),
    "NaN": (said(429, **FLOOD, parameters={"retry_after": float("nan")}), Outcome.RETRY, 5.0),
    "parameters that are none": (said(429, **FLOOD, parameters=[1]), Outcome.RETRY, 5.0),
    "the token": (said(401, ok=False, error_code=401, description="Unauthorized"), Outcome.RETRY, 60.0),
    "thrown out": (said(403, ok=False, error_code=403, description="Forbidden"), Outcome.REFUSED, 0.0),
    "refused by a proxy": (http(403, b"<html>"), Outcome.REFUSED, 0.0),
    "too large": (http(413, b""), Outcome.REFUSED, 0.0),
    "a description that is no text": (said(400, ok=False, error_code=400, description={"a": 1}), Outcome.REFUSED, 0.0),
    "moved to nowhere": (
        said(400, ok=False, error_code=400, description="x", parameters={"migrate_to_chat_id": "there"}),
        Outcome.REFUSED,
        0.0,
    ),
}


@pytest.mark.parametrize(("answer", "outcome", "pause"), REFUSALS.values(), ids=REFUSALS)
async def test_what_is_refused_in_so_many_words_was_not_sent(answer: bytes, outcome: Outcome, pause: float) -> None:
    async with bot_before(answer) as (channel, broken):
        sent = await channel.send(question(), Reply(decision="answer", language="en", text="hi"))
        assert (sent.outcome, sent.retry_after) == (outcome, pause)
        assert broken.posts == 1


async def test_what_was_sent_was_sent_and_a_server_that_is_not_there_got_nothing() -> None:
    async with bot_before(TAKEN) as (channel, _):
        sent = await channel.send(question(), Reply(decision="answer", language="en", text="hi"))
        assert (sent.outcome, sent.message_id) == (Outcome.SENT, "5")
        channel._bot._base_url = "http://127.0.0.1:9/bot123:abc"
        sent = await channel.send(question(), Reply(decision="answer", language="en", text="hi"))
        assert sent.outcome is Outcome.RETRY


@pytest.mark.parametrize("pause", [True, None, [], {}, "7", float("nan"), 0, -1])
def test_a_pause_that_is_none_is_a_short_one(pause: object) -> None:
    assert pause_of(pause) == 5


def test_an_answer_is_passed_on_as_it_came_only_when_it_proves_something() -> None:
    assert proven(200, b'{"ok": true, "result": 1}') == (200, b'{"ok": true, "result": 1}')
    assert proven(451, b"")[0] == 400
    for status in (100, 304, 408, 500):
        with pytest.raises(NetworkError):
            proven(status, b'{"ok": true, "result": 1}')
