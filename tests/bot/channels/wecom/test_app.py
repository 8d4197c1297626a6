"""The self-built app: XML in, XML out, single chats only."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from defusedxml.ElementTree import fromstring
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette

from bot.channels.wecom.run import Wecom
from bot.core.message import IncomingMessage, Reply
from bot.delivery import Delivery, DeliveryOptions
from bot.stores.memory import MemoryStore
from tests.fakes.wecom_crypto import Seal
from tests.fakes.wecom_stage import AES_KEY, TOKEN, MovedClock, Script, question, settings_for

CORP = "wx5823bf96d3bd56c7"
SEAL = Seal(TOKEN, AES_KEY, CORP)


@dataclass
class AppStage:
    app: Any
    clock: MovedClock
    road: Script
    delivery: Delivery
    channel: Wecom
    number: int = 0

    async def post(self, inner: str, *, seal: Seal = SEAL, body: str = "", **query: str) -> httpx.Response:
        """Post a decrypted text as WeCom seals it; `body` replaces the envelope."""
        self.number += 1
        encrypted = seal.close(inner.encode())
        parts = {"timestamp": str(int(self.clock.wall())), "nonce": f"n{self.number}"}
        signature = seal.sign(parts["timestamp"], parts["nonce"], encrypted)
        parts = {"msg_signature": signature, **parts} | query
        envelope = body or (
            f"<xml><ToUserName><![CDATA[{CORP}]]></ToUserName><AgentID><![CDATA[7]]></AgentID>"
            f"<Encrypt><![CDATA[{encrypted}]]></Encrypt></xml>"
        )
        text = "&".join(f"{name}={quote(value, safe='')}" for name, value in parts.items())
        async with httpx.AsyncClient(transport=httpx.ASGITransport(self.app), base_url="http://b.invalid") as client:
            return await client.post(f"/wecom/app?{text}", content=envelope.encode())

    def opened(self, response: httpx.Response) -> dict[str, str]:
        """The fields of a reply, its envelope checked."""
        envelope = {child.tag: child.text or "" for child in fromstring(response.text)}
        assert set(envelope) == {"Encrypt", "MsgSignature", "TimeStamp", "Nonce"}
        signature = SEAL.sign(envelope["TimeStamp"], envelope["Nonce"], envelope["Encrypt"])
        assert envelope["MsgSignature"] == signature
        plain, receiver = SEAL.open(envelope["Encrypt"])
        assert receiver == CORP
        return {child.tag: child.text or "" for child in fromstring(plain.decode())}


@asynccontextmanager
async def app_stage(road: Script | None = None) -> AsyncIterator[AppStage]:
    clock, script = MovedClock(), road or Script()
    store = MemoryStore(clock.wall)
    await store.open()
    config = settings_for(
        "wss://unused.invalid",
        wecom_bot_id="",
        wecom_secret=None,
        wecom_app_corp_id=CORP,
        wecom_app_token=TOKEN,
        wecom_app_aes_key=AES_KEY,
    )
    channel = Wecom(config, store, clocks=clock.clocks())
    delivery = Delivery(store, script, {}, DeliveryOptions(workers=1, idle_s=0.01), clock=clock.wall, steady=clock.wall)
    yield AppStage(Starlette(routes=channel.routes(delivery)), clock, script, delivery, channel)
    await channel.stop()
    await store.close()


def message(text: str, number: int = 1, kind: str = "text", **more: str) -> str:
    extra = "".join(f"<{name}><![CDATA[{value}]]></{name}>" for name, value in more.items())
    return (
        f"<xml><ToUserName><![CDATA[{CORP}]]></ToUserName><FromUserName><![CDATA[lin]]></FromUserName>"
        f"<CreateTime>1348831860</CreateTime><MsgType><![CDATA[{kind}]]></MsgType>"
        f"<Content><![CDATA[{text}]]></Content><MsgId>{number}</MsgId><AgentID>7</AgentID>{extra}</xml>"
    )


def event(kind: str) -> str:
    return (
        f"<xml><ToUserName>{CORP}</ToUserName><FromUserName>lin</FromUserName><CreateTime>1348831860</CreateTime>"
        f"<MsgType>event</MsgType><Event>{kind}</Event><AgentID>7</AgentID></xml>"
    )


async def test_a_message_is_answered_in_the_request_and_a_repeat_alike() -> None:
    async with app_stage() as stage:
        replies = [stage.opened(await stage.post(message("which GPU & <why>?"))) for _ in range(2)]
        assert replies[0]["Content"] == "You said: which GPU & <why>?"
        assert replies[0] | {"CreateTime": ""} == replies[1] | {"CreateTime": ""}
        assert (replies[0]["ToUserName"], replies[0]["FromUserName"]) == ("lin", CORP)
        heard = stage.road.heard
        assert [(one.channel, one.chat_type, one.user_id, one.event_id) for one in heard] == [
            ("wecom-app", "private", "lin", "1")
        ]


async def test_words_that_look_like_xml_stay_words() -> None:
    async with app_stage(Script({"x": Reply(decision="answer", language="en", text="a ]]> b <xml> c")})) as stage:
        assert stage.opened(await stage.post(message("x")))["Content"] == "a ]]> b <xml> c"


async def test_options_are_listed_and_long_answers_cut_at_a_line() -> None:
    long = Reply(decision="answer", language="zh", text="\n\n".join("显存" * 60 for _ in range(10)))
    async with app_stage(Script({"which?": question("Task?", "task", "nlp", "cv"), "long": long})) as stage:
        assert stage.opened(await stage.post(message("which?", 1)))["Content"] == "Task?\n\n- nlp\n- cv"
        content = stage.opened(await stage.post(message("long", 2)))["Content"]
        assert len(content.encode()) <= 2048
        assert content.splitlines()[0] == "显存" * 60
        assert "\ufffd" not in content


async def test_events_and_pictures() -> None:
    async with app_stage() as stage:
        assert "GPU" in stage.opened(await stage.post(event("subscribe")))["Content"]
        assert (await stage.post(event("enter_agent").replace("1348831860", "1348831861"))).content == b""
        assert (await stage.post(message("", 3, kind="image"))).status_code == 200
        assert [one.text for one in stage.road.heard] == [""]


async def test_an_answer_that_is_not_ready_is_left_to_the_repeat() -> None:
    async with app_stage() as stage:
        door = stage.app.routes[0].endpoint.__self__
        gate, real = asyncio.Event(), stage.delivery.answer_now

        async def held(incoming: IncomingMessage) -> Reply | None:
            await gate.wait()
            return await real(incoming)

        stage.delivery.answer_now = held
        door._answer_s = 0.02
        assert (await stage.post(message("which GPU?"))).status_code == 503
        gate.set()
        door._answer_s = 4.0
        assert stage.opened(await stage.post(message("which GPU?")))["Content"] == "You said: which GPU?"
        assert len(stage.road.heard) == 1


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("inner", "more", "status"),
    [
        (message("x"), {"msg_signature": "0" * 40}, 403),
        (message("x"), {"timestamp": "1"}, 403),
        (message("x"), {"nonce": ""}, 400),
        (message("x"), {"seal": Seal(TOKEN, AES_KEY, "ww-other")}, 403),
        (message("x"), {"body": "<xml></xml>"}, 400),
        (message("x"), {"body": f"{BOMB}<xml><Encrypt>AAAA</Encrypt></xml>"}, 400),
        (message("x"), {"body": "<a>" * 100_000}, 400),
        (message("x"), {"body": "x" * (1 << 20)}, 413),
        (f"{BOMB}<xml><FromUserName>&b;</FromUserName></xml>", {}, 400),
        ('<!DOCTYPE x SYSTEM "file:///etc/passwd"><xml/>', {}, 400),
        ("<xml><FromUserName>lin", {}, 400),
        ("<xml/>", {}, 400),
        ("{}", {}, 400),
        ("\ufffe", {}, 400),
    ],
)
async def test_bad_input_is_refused_with_the_right_status(inner: str, more: dict[str, Any], status: int) -> None:
    async with app_stage() as stage:
        response = await stage.post(inner, **more)
        assert (response.status_code, response.content) == (status, b"")
        assert stage.road.heard == []
        assert (await stage.post(message("fine", 99))).status_code == 200


@settings(max_examples=40, deadline=None)
@given(inner=st.text(max_size=200), outer=st.text(max_size=200))
def test_any_text_in_or_as_the_envelope_is_no_server_error(inner: str, outer: str) -> None:
    async def run() -> None:
        async with app_stage() as stage:
            assert (await stage.post(inner)).status_code in {200, 400}
            assert (await stage.post("", body=outer or "x")).status_code in {400, 403}

    asyncio.run(run())


async def test_the_address_is_verified() -> None:
    async with app_stage() as stage:
        encrypted = SEAL.close(b"12345")
        now = str(int(datetime.now(UTC).timestamp()))
        query = f"msg_signature={SEAL.sign(now, 'n', encrypted)}&timestamp={now}&nonce=n&echostr={quote(encrypted)}"
        async with httpx.AsyncClient(transport=httpx.ASGITransport(stage.app), base_url="http://b.invalid") as client:
            response = await client.get(f"/wecom/app?{query}")
            assert (response.status_code, response.content) == (200, b"12345")
