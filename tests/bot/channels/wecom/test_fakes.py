"""The fakes can fail: what WeCom refuses, they refuse."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from starlette.applications import Starlette
from websockets.asyncio.client import ClientConnection, connect

from tests.fakes.serving import caller
from tests.fakes.wecom import (
    BAD_CHAT,
    BAD_CONTENT,
    BAD_FRAME,
    BAD_SECRET,
    BUSY,
    INVALID_REQ_ID,
    NOT_SUBSCRIBED,
    OK,
    STREAM_EXPIRED,
    FakeWecom,
)
from tests.fakes.wecom_callback import FakePlatform
from tests.fakes.wecom_crypto import Seal
from tests.fakes.wecom_pushes import BOT_ID, SECRET
from tests.fakes.wecom_rules import card_faults, reply_faults, update_faults
from tests.fakes.wecom_stage import AES_KEY, TOKEN, MovedClock

ANSWERS = frozenset({"stream", "template_card", "stream_with_template_card"})
PIXEL = b"not really a picture"
IMAGE = {
    "msgtype": "image",
    "image": {"base64": base64.b64encode(PIXEL).decode(), "md5": hashlib.md5(PIXEL).hexdigest()},
}
CARD = {
    "card_type": "button_interaction",
    "main_title": {"title": "t"},
    "button_list": [{"text": "a", "key": "k"}],
    "task_id": "t-1",
}


def stream(content: str = "hi", stream_id: str = "s", **more: Any) -> dict[str, Any]:
    return {"msgtype": "stream", "stream": {"id": stream_id, "finish": True, "content": content, **more}}


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({"msgtype": "text", "text": {"content": "hi"}}, "not allowed"),
        (stream("x" * 20481), "20480"),
        (stream("显" * 6827), "20480"),
        (stream(""), "empty"),
        (stream("a <think>b"), "tag"),
        (stream("hi", ""), "id is missing"),
        (stream("hi", finish=False, msg_item=[IMAGE]), "finish=true"),
        (stream("hi", msg_item=[IMAGE] * 11), "10 images"),
        (stream("hi", msg_item=[{"msgtype": "image", "image": IMAGE["image"] | {"md5": "0"}}]), "md5"),
        (stream("hi", feedback={"id": "x" * 257}), "256"),
        (stream("hi", surprise=1), "unknown"),
        ({"msgtype": "template_card", "template_card": {**CARD, "task_id": "a b"}}, "task_id"),
        ([], "no object"),
    ],
)
def test_replies_that_wecom_refuses_have_a_fault(body: Any, fault: str) -> None:
    assert any(fault in found for found in reply_faults(body, ANSWERS))


def test_replies_that_wecom_takes_have_none() -> None:
    for body in (stream("x" * 20480), stream("显" * 6826), stream("hi", msg_item=[IMAGE])):
        assert list(reply_faults(body, ANSWERS)) == []
    assert list(card_faults(CARD)) == []


@pytest.mark.parametrize(
    "change",
    [
        {"button_list": [{"text": "a", "key": str(n)} for n in range(7)]},
        {"button_list": [{"text": "a", "key": "k"}, {"text": "b", "key": "k"}]},
        {"button_list": [{"text": "a", "key": "k" * 1025}]},
        {"button_list": []},
        {"task_id": ""},
        {"card_type": "hologram"},
        {"sub_title_text": "x" * 113},
        {"select_list": [{"question_key": "q", "option_list": [{"id": "1", "text": "a"}], "disable": True}]},
        {"select_list": [{"question_key": "q", "option_list": [{"id": "x" * 129, "text": "a"}]}]},
        {"select_list": [{"question_key": "q", "option_list": []}]},
    ],
)
def test_cards_that_wecom_refuses_have_a_fault(change: dict[str, Any]) -> None:
    assert list(card_faults(CARD | change))


def test_an_update_names_the_pressed_card() -> None:
    update = {"response_type": "update_template_card", "template_card": CARD}
    assert list(update_faults(update, "t-1")) == []
    assert list(update_faults(update, "t-2"))
    assert list(update_faults({"template_card": CARD}, "t-1"))


# --- the long connection ---------------------------------------------------------------------------------------------


class Raw:
    """A client that may misbehave."""

    def __init__(self, socket: ClientConnection, fake: FakeWecom, clock: MovedClock) -> None:
        self.socket, self.fake, self.clock = socket, fake, clock

    async def send(self, cmd: str, req_id: str, body: Any = None) -> int:
        """Send a frame, and give the code of its acknowledgement."""
        await self.socket.send(json.dumps({"cmd": cmd, "headers": {"req_id": req_id}, "body": body}))
        while True:
            frame = json.loads(await self.socket.recv())
            if "cmd" not in frame and frame["headers"]["req_id"] == req_id:
                return int(frame["errcode"])


@asynccontextmanager
async def raw_client(*, subscribe: bool = True, secret: str = SECRET) -> AsyncIterator[Raw]:
    clock = MovedClock()
    fake = FakeWecom(clock=clock.steady)
    async with fake.running(), connect(fake.url) as socket:
        raw = Raw(socket, fake, clock)
        if subscribe:
            code = await raw.send("aibot_subscribe", "s1", {"bot_id": BOT_ID, "secret": secret})
            assert code == (OK if secret == SECRET else BAD_SECRET)
        yield raw


async def test_the_first_frame_must_subscribe_and_only_the_first() -> None:
    async with raw_client(subscribe=False) as raw:
        assert await raw.send("ping", "p1") == NOT_SUBSCRIBED
    async with raw_client() as raw:
        assert await raw.send("aibot_subscribe", "s2", {"bot_id": BOT_ID, "secret": SECRET}) == BAD_FRAME
        assert await raw.send("aibot_dance", "d1") == BAD_FRAME
        assert len(raw.fake.findings) == 2
    async with raw_client(secret="wrong") as raw:
        await raw.fake.until(lambda: raw.fake.live is None)


async def test_answers_need_a_callback_and_end_with_it() -> None:
    async with raw_client() as raw:
        req_id = await raw.fake.say("lin", "hi")
        assert await raw.send("aibot_respond_msg", "nobody", stream()) == INVALID_REQ_ID
        assert await raw.send("aibot_respond_msg", req_id, {"msgtype": "text", "text": {"content": "x"}}) == BAD_CONTENT
        assert await raw.send("aibot_respond_msg", req_id, stream("half", finish=False)) == OK
        assert await raw.send("aibot_respond_msg", req_id, stream("other", "s-2")) == INVALID_REQ_ID
        await raw.clock.advance(361)
        assert await raw.send("aibot_respond_msg", req_id, stream("whole")) == STREAM_EXPIRED
        old = await raw.fake.say("lin", "hi")
        await raw.clock.advance(86_401)
        assert await raw.send("aibot_respond_msg", old, stream("late", "s-3")) == INVALID_REQ_ID


async def test_events_take_their_own_answers_once_and_for_five_seconds() -> None:
    async with raw_client() as raw:
        enter = await raw.fake.push(raw.fake.pushes.enter("lin"))
        press = await raw.fake.push(raw.fake.pushes.press("lin", CARD, "k"))
        text = {"msgtype": "text", "text": {"content": "welcome"}}
        update = {"response_type": "update_template_card", "template_card": CARD}
        assert await raw.send("aibot_respond_msg", press, stream()) == INVALID_REQ_ID
        assert await raw.send("aibot_respond_welcome_msg", press, text) == INVALID_REQ_ID
        assert await raw.send("aibot_respond_update_msg", press, update) == OK
        assert await raw.send("aibot_respond_update_msg", press, update) == INVALID_REQ_ID
        await raw.clock.advance(5.5)
        assert await raw.send("aibot_respond_welcome_msg", enter, text) == INVALID_REQ_ID


async def test_pushes_go_to_known_chats_within_the_limits() -> None:
    async with raw_client() as raw:
        push = {"msgtype": "markdown", "markdown": {"content": "hi"}}
        assert await raw.send("aibot_send_msg", "p0", {"chatid": "nobody", **push}) == BAD_CHAT
        await raw.fake.say("lin", "hi")
        codes = [await raw.send("aibot_send_msg", f"p{n}", {"chatid": "lin", **push}) for n in range(1, 32)]
        assert codes == [OK] * 30 + [BUSY]
        await raw.clock.advance(61)
        assert await raw.send("aibot_send_msg", "p99", {"chatid": "lin", **push}) == OK
        card = {"chatid": "lin", "msgtype": "template_card", "template_card": CARD}
        assert await raw.send("aibot_send_msg", "c1", card) == OK
        assert await raw.send("aibot_send_msg", "c2", card) == BAD_CONTENT


# --- the callback ----------------------------------------------------------------------------------------------------


async def test_response_addresses_work_once_for_an_hour_and_take_no_card_in_a_group() -> None:
    clock = MovedClock()
    platform = FakePlatform(Starlette(), Seal(TOKEN, AES_KEY), clock.wall)
    markdown = {"msgtype": "markdown", "markdown": {"content": "hi"}}
    card = {"msgtype": "template_card", "template_card": CARD}
    async with platform.running(), caller() as client:
        single, group, old = (platform.pushes.text("lin", "x", group=group) for group in ("", "wr-1", ""))
        for push in (single, group, old):
            await platform.push(push)

        async def code(push: dict[str, Any], body: dict[str, Any]) -> int:
            return int((await client.post(push["response_url"], json=body)).json()["errcode"])

        assert await code(group, card) != 0
        assert await code(group, markdown) == 0
        assert await code(single, card) == 0
        assert await code(single, markdown) != 0
        await clock.advance(3601)
        assert await code(old, markdown) != 0
        assert len(platform.findings) == 2
