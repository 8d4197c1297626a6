"""A forged identity: whatever a stranger calls himself, he is answered and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from bot.channels.web.app import WebChannel, build_web
from bot.chat_reports import cases_in
from bot.core.ports import Outcome, Sent
from bot.desk import CHATS
from bot.service import Service
from bot.settings import Settings
from bot.stores.memory import MemoryStore
from tests.conftest import make_message
from tests.ops.stage import until
from tests.ops.test_web import site

KEY = "a-key-of-the-desk-1"
BOT, BOSS = "123", "777"


class Chats:
    """A sender that remembers what was posted."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []

    async def send(self, message: Any, reply: Any, *, edit: str = "") -> Sent:
        self.said.append((message.chat_id, reply.text))
        return Sent(Outcome.SENT, "1")


@asynccontextmanager
async def bot(**changes: Any) -> AsyncIterator[tuple[httpx.AsyncClient, Service, Chats]]:
    """A bot with an operator, broadcasts on, and two chats that it knows."""
    settings = Settings(
        store="memory:",
        allow_broadcast=True,
        **{"admins": (f"telegram:{BOT}:{BOSS}", f"api:desk:{BOSS}"), "user_per_minute": 5} | changes,
        _env_file=None,
    )
    service, chats = Service(settings, store=MemoryStore()), Chats()
    service.senders["telegram"] = chats
    await service.start()

    async def ready() -> dict[str, str]:
        return {}

    try:
        for number, chat in enumerate(("-1", "-2")):
            await service.delivery.accept(told("hi", str(number), user_id="5", chat_id=chat))
        if not service.settings.allow_users:
            await until(lambda: len(chats.said) == 2)
        chats.said.clear()
        channel = WebChannel(service.delivery, ready, keys={"desk": KEY})
        async with site(build_web(channel.routes())) as client:
            yield client, service, chats
    finally:
        await service.stop()


def told(text: str, event: str, **changes: Any) -> Any:
    fields: dict[str, Any] = {"channel": "telegram", "bot_id": BOT, "user_id": BOSS, "chat_id": BOSS}
    return make_message(text, event_id=event, lang_hint="en", **fields | changes)


FORGERIES: list[dict[str, Any]] = [
    {"user": BOSS},
    {"user": BOSS, "chat": BOSS},
    {"user": BOSS, "chat": "-1", "chat_type": "group", "channel": "telegram"},
    {"user": f"{BOT}:{BOSS}", "channel": "telegram"},
    {"user": f"telegram:{BOT}:{BOSS}"},
    {"user": f"telegram:{BOSS}", "chat": f"telegram:{BOT}"},
    {"user": "٧٧٧"},
]


@pytest.mark.parametrize("forged", FORGERIES, ids=str)
async def test_who_calls_himself_an_operator_over_http_is_none(forged: dict[str, Any]) -> None:
    async with bot(user_per_minute=1000) as (client, service, chats):
        version = service.responder.assistant
        for command in ("/broadcast visit evil.example", "/stats", "/gaps", "/reload"):
            body = {"id": 1, "lang": "en", **forged, "text": command}
            response = await client.post("/api/v1/ask", json=body)
            assert response.status_code == 200
            assert "operators" in response.json()["text"], command
        page = await client.post("/chat", json={"text": "/broadcast evil"}, headers={"accept-language": "en"})
        assert "operators" in page.json()["html"]
        assert service.responder.assistant is version
        assert (await service.store.backlog(0)).waiting == 0
        assert chats.said == []
        assert len(await service.store.counts(CHATS)) == 2


async def test_limits_and_lists_are_not_passed_by_a_name() -> None:
    async with bot(user_per_minute=2) as (client, _, _):
        ask = {"id": 1, "text": "hello", "user": BOSS, "chat": "c"}
        said = [(await client.post("/api/v1/ask", json=ask)).json()["decision"] for _ in range(4)]
        assert said[-1] == "ignore"
    async with bot(allow_users=(f"telegram:{BOT}:5",)) as (client, service, _):
        for user in ("5", BOSS, f"{BOT}:5"):
            response = await client.post("/api/v1/ask", json={"id": 1, "text": "hello", "user": user, "chat": "-1"})
            assert response.json()["decision"] == "ignore"
        assert await service.delivery.answer_now(told("hello", "e", user_id="5")) is not None


async def test_the_operator_himself_and_a_caller_with_the_key_are_let_in() -> None:
    async with bot() as (client, service, chats):
        reply = await service.delivery.answer_now(told("/stats", "s1"))
        assert reply is not None
        assert "operators" not in reply.text
        body = {"id": 1, "user": BOSS, "chat": "ops", "text": "/broadcast hello all", "lang": "en"}
        known = {"authorization": f"Bearer {KEY}"}
        response = await client.post("/api/v1/ask", json=body, headers=known)
        assert "3" in response.json()["text"]
        await until(lambda: sorted(chats.said) == [(chat, "hello all") for chat in ("-1", "-2", BOSS)])
        for user in ("778", "lin", ""):
            refused = await client.post("/api/v1/ask", json={**body, "user": user}, headers=known)
            assert "operators" in refused.json()["text"]


@pytest.mark.parametrize("given", ["Bearer wrong", "Bearer", "bearer " + KEY[:-1], "Bearer " + KEY + "x"])
async def test_a_key_that_is_not_known_is_refused(given: str) -> None:
    async with bot() as (client, _, _):
        body = {"id": 1, "user": BOSS, "text": "/stats"}
        response = await client.post("/api/v1/ask", json=body, headers={"authorization": given})
        assert response.status_code == 401
        assert KEY not in response.text


async def test_a_login_of_the_proxy_is_none_of_ours() -> None:
    async with bot() as (client, _, _):
        body = {"id": 1, "user": BOSS, "text": "/stats", "lang": "en"}
        response = await client.post("/api/v1/ask", json=body, headers={"authorization": "Basic Ym9zczp4"})
        assert "operators" in response.json()["text"]


async def test_a_caller_with_a_key_and_a_stranger_of_the_same_name_do_not_share_a_reply() -> None:
    async with bot() as (client, _, _):
        ask = {"id": 1, "text": "what is LoRA?", "user": "lin", "chat": "c", "lang": "en"}
        headers = {"idempotency-key": "k", "authorization": f"Bearer {KEY}"}
        await client.post("/api/v1/ask", json=ask, headers=headers)
        other = await client.post("/api/v1/ask", json={**ask, "text": "hello"}, headers={"idempotency-key": "k"})
        alone = await client.post("/api/v1/ask", json={"id": 2, "text": "hello", "lang": "en"})
        assert other.json()["text"] == alone.json()["text"]


async def test_strangers_put_no_price_before_others_however_many_they_are() -> None:
    """Three chats with two members each, all made up: enough for a price to be shown to other chats."""
    async with bot(share_chat_prices=True, user_per_minute=1000, chat_per_minute=1000) as (client, service, chats):
        for chat in ("c1", "c2", "c3", "c4"):
            for user, text in (("a", "/price 4090 900 used"), ("b", "/price ok"), ("b", "a used 4090 costs $900 here")):
                body = {"id": 1, "user": user, "chat": chat, "chat_type": "group", "text": text, "lang": "en"}
                reply = (await client.post("/api/v1/ask", json=body)).json()
                assert "/price ok" not in reply["text"]
                assert ("members are known" in reply["text"]) is text.startswith("/")
        await service.delivery.accept(told("how much is a used 4090?", "q", user_id="5", chat_id="-1"))
        await until(lambda: len(chats.said) == 1)
        assert "$900" not in chats.said[0][1]


async def test_strangers_leave_no_measurement() -> None:
    text = "/report 4090 qwen2.5-7b lora batch 1 seq 2048 peak 17.1 GiB"
    async with bot(user_per_minute=1000, chat_per_minute=1000) as (client, service, _):
        for said in (text, "/report ok"):
            body = {"id": 1, "user": "a", "chat": "c", "text": said, "lang": "en"}
            reply = (await client.post("/api/v1/ask", json=body)).json()
            assert "/report ok" not in reply["text"]
            assert reply["text"].startswith("I said" if said == text else "No measurement")
        assert (await cases_in(service.store)).held == ()
        mine = await service.delivery.answer_now(told(text, "m"))
        assert mine is not None
        assert "/report ok" in mine.text
