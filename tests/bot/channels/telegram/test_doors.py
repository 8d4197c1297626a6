"""Polling and webhook: nothing is acknowledged before it is safe, and nothing foreign disturbs the rest."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from starlette.applications import Starlette

from bot.channels.telegram.webhook import BODY_LIMIT
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import Accepted
from bot.stores.memory import MemoryStore
from tests.fakes.serving import caller, serve
from tests.fakes.stage import Stage, on_stage, until

SECRET = "a-secret_of-the-tests"
HEADER = "x-telegram-bot-api-secret-token"


class Gatekept:
    """An intake in front of the real one that refuses as it is told."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.answers, self.seen = inner, [], []

    async def accept(self, message: IncomingMessage) -> Accepted:
        self.seen.append(message.text)
        verdict = self.answers.pop(0) if self.answers else None
        if isinstance(verdict, Exception):
            raise verdict
        return verdict or await self.inner.accept(message)

    async def answer_now(self, message: IncomingMessage) -> Reply | None:
        return await self.inner.answer_now(message)


def gatekeep(stage: Stage) -> Gatekept:
    """Put a refusing intake at the door."""
    assert stage.channel._door is not None
    stage.channel._door.intake = gate = Gatekept(stage.delivery)
    return gate


# --- polling ---------------------------------------------------------------------------------------------------------


async def test_an_update_is_confirmed_only_after_it_is_in_the_inbox() -> None:
    async with on_stage() as stage:
        gate = gatekeep(stage)
        confirmed: list[int] = []
        inner = gate.inner.accept

        async def accept(message: IncomingMessage) -> Accepted:
            confirmed.append(stage.fake.confirmed)
            return await inner(message)

        gate.inner.accept = accept
        lin = stage.fake.user(11)
        first = stage.fake.next_update
        for number in range(3):
            await stage.fake.say(lin, None, f"question {number}")
        await stage.reply(lin, 3)
        assert all(offset <= first + place for place, offset in enumerate(confirmed))


@pytest.mark.parametrize("trouble", [Accepted.FULL, OSError("disk full")])
async def test_what_the_inbox_refuses_stays_with_telegram_and_comes_again_in_order(trouble: object) -> None:
    async with on_stage() as stage:
        gate = gatekeep(stage)
        gate.answers = [None, trouble, trouble]
        lin = stage.fake.user(11)
        for number in range(4):
            await stage.fake.say(lin, None, f"question {number}")
        await stage.reply(lin, 4)
        await stage.quiet()
        assert [message.text for message in stage.road.heard] == [f"question {number}" for number in range(4)]
        assert max(stage.clock.slept) >= 1.0


async def test_a_crash_between_batch_and_confirmation_repeats_but_does_not_double() -> None:
    store = MemoryStore()
    await store.open()
    closing, store.close = store.close, _nothing
    async with on_stage(store=store, poll=False) as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "3090?")
        await stage.channel.take(stage.fake.updates[0])
        await stage.reply(lin)
        await until(stage._is_idle)
        again = stage.fake.updates[0]
    async with on_stage(store=store) as stage:
        lin = stage.fake.user(11)
        stage.fake.next_update = again["update_id"] + 1
        await stage.fake.queue(again)
        await stage.fake.say(lin, None, "4090?")
        await stage.reply(lin)
        await stage.quiet()
        assert [message.text for message in stage.road.heard] == ["4090?"]
    await closing()


async def _nothing() -> None:
    """Keep the store open for the next stage."""


@pytest.mark.parametrize(
    "foreign",
    [
        {"update_id": 100000000, "message": {"message_id": 1}},
        {"update_id": 100000000, "message": {"message_id": 1, "date": 10**14, "chat": {"id": 1, "type": "private"}}},
        {"update_id": 100000000, "message": "text"},
        {"update_id": 100000000, "callback_query": {"id": "1", "data": "x"}},
        {"update_id": 100000000, "brand_new_kind": {"a": [1, {"b": None}]}},
        {"update_id": 100000000, "inline_query": []},
        {"update_id": 100000000},
        {"no": "number"},
        ["not", "an", "object"],
    ],
)
async def test_foreign_shapes_disturb_nothing_else(foreign: Any) -> None:
    async with on_stage(poll=True) as stage:
        lin = stage.fake.user(11)
        stage.fake.raw_batch = [foreign]
        await stage.fake.say(lin, None, "still there?")
        assert (await stage.reply(lin))["text"] == "You said: still there?"


async def test_unknown_fields_are_welcome() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "still there?", some_new_field={"x": 1})
        await stage.reply(lin)


@pytest.mark.parametrize(
    ("status", "description", "more"),
    [
        (409, "Conflict: terminated by other getUpdates request", {}),
        (502, "Bad Gateway", {}),
        (500, "Internal Server Error", {}),
        (429, "Too Many Requests: retry after 3", {"retry_after": 3}),
        (400, "Bad Request: strange", {}),
    ],
)
async def test_polling_goes_on_after_errors(status: int, description: str, more: dict[str, int]) -> None:
    async with on_stage(poll=False) as stage:
        stage.fake.fail("getUpdates", status, description, times=2, **more)
        stop = asyncio.Event()
        task = asyncio.create_task(stage.channel.poll(stop))
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "hello?")
        await stage.reply(lin)
        stop.set()
        await task
        assert len(stage.clock.slept) >= 2
        assert min(stage.clock.slept) > 0


async def test_numbers_that_start_anew_after_a_silent_week_are_taken() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "before")
        await stage.reply(lin)
        await stage.quiet()
        stage.fake.confirmed = 0
        stage.fake.next_update = 500
        stage.clock.offset += 7 * 86_400
        await stage.fake.release_poll()
        await stage.fake.say(lin, None, "after")
        await stage.reply(lin, 2)
        assert [message.text for message in stage.road.heard] == ["before", "after"]


# --- webhook ---------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def on_webhook(**settings: object) -> AsyncIterator[tuple[Stage, str]]:
    """A stage whose updates come by webhook, and the address of it."""
    async with (
        on_stage(poll=False, telegram_webhook_secret=SECRET, **settings) as stage,
        serve(Starlette(routes=stage.channel.routes())) as base,
    ):
        yield stage, f"{base}/telegram/webhook"


async def test_updates_by_webhook_are_answered_and_acknowledged() -> None:
    async with on_webhook() as (stage, url):
        stage.channel._settings = stage.channel._settings.model_copy(update={"telegram_webhook_url": url})
        await stage.channel.register_webhook()
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "3090?")
        await stage.fake.say(lin, None, "4090?")
        await stage.reply(lin, 2)
        await stage.fake.until(lambda: not stage.fake.pending())
        assert [status for _, status in stage.fake.webhook_tries] == [200, 200]
        assert stage.fake.webhook["allowed_updates"][0] == "message"


async def test_the_webhook_is_registered_with_its_secret() -> None:
    async with on_webhook(telegram_webhook_url="https://bot.example/hidden-part/tg") as (stage, _):
        await stage.channel.register_webhook()
        assert stage.fake.webhook["secret_token"] == SECRET
        assert stage.channel.routes()[0].path == "/hidden-part/tg"


async def test_telegram_tries_again_until_the_inbox_takes_it() -> None:
    async with on_webhook() as (stage, url):
        gate = gatekeep(stage)
        gate.answers = [Accepted.FULL, OSError("disk full")]
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "3090?")
        stage.fake.webhook = {"url": url, "secret_token": SECRET}
        await stage.fake.notify()
        await stage.reply(lin)
        await stage.fake.until(lambda: not stage.fake.pending())
        assert [status for _, status in stage.fake.webhook_tries] == [503, 503, 200]
        assert len(stage.road.heard) == 1


def an_update(stage: Stage, text: str = "3090?", number: int = 1) -> dict[str, Any]:
    """A private message as Telegram posts it."""
    lin = stage.fake.user(11)
    message = {"message_id": number, "date": int(stage.clock.time()), "chat": {"id": 11, "type": "private"}}
    return {"update_id": number, "message": message | {"from": lin, "text": text}}


@pytest.mark.parametrize(
    ("headers", "status"),
    [({}, 403), ({HEADER: "wrong"}, 403), ({HEADER: SECRET + "x"}, 403), ({HEADER: SECRET}, 200)],
)
async def test_only_the_right_secret_opens_the_webhook(headers: dict[str, str], status: int) -> None:
    async with on_webhook() as (stage, url), caller() as client:
        answer = await client.post(url, json=an_update(stage), headers=headers)
        assert answer.status_code == status
        if status == 200:
            await stage.reply({"id": 11})
        assert len(stage.road.heard) == (1 if status == 200 else 0)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 400),
        (b"null", 400),
        (b"{}", 400),
        (b'{"update_id": "1"}', 400),
        (b'{"update_id": true}', 400),
        (b'{"update_id": 1e400}', 400),
        (b'{"update_id": ' + b"9" * 5000 + b"}", 400),
        (b"[" * 200_000, 400),
        (b'{"update_id": 1, "message": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001, 400),
        (b"\xff\xfe\x00", 400),
        (b"<xml><a/></xml>", 400),
        (b'{"update_id": 1, "message": {"text": "no chat"}}', 200),
        (b'{"update_id": 1, "unheard_of": {}}', 200),
        (b" " * (BODY_LIMIT + 1), 413),
    ],
)
async def test_bodies_that_are_no_updates_are_refused_with_the_right_status(body: bytes, status: int) -> None:
    async with on_webhook() as (stage, url), caller() as client:
        answer = await client.post(url, content=body, headers={HEADER: SECRET})
        assert answer.status_code == status
        assert answer.content == b""
        await client.post(url, json=an_update(stage), headers={HEADER: SECRET})
        await stage.reply({"id": 11})
        assert len(stage.road.heard) == 1


async def test_a_large_body_without_a_length_is_refused_too() -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(40):
            yield b" " * 65536

    async with on_webhook() as (_, url), caller() as client:
        answer = await client.post(url, content=endless(), headers={HEADER: SECRET})
        assert answer.status_code == 413


async def test_other_methods_and_paths_lead_nowhere() -> None:
    async with on_webhook() as (_, url), caller() as client:
        assert (await client.get(url)).status_code == 405
        assert (await client.post(url + "/x", content=b"{}")).status_code == 404


async def test_nothing_that_a_stranger_sends_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    async with on_webhook() as (stage, url), caller() as client:
        secretive = an_update(stage, "my salary is 4242")
        del secretive["message"]["chat"]
        await client.post(url, content=json.dumps(secretive), headers={HEADER: SECRET})
        await client.post(url, content=b'{"update_id": 4242, bad', headers={HEADER: SECRET})
        await client.post(url, json=secretive, headers={HEADER: "wrong-4242"})
    logged = "\n".join(record.getMessage() for record in caplog.records)
    assert "4242" not in logged
    assert "without the right secret" in logged
