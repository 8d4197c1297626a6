"""Entry points under arbitrary input: a clear status or a reply, never an exception, never a broken store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.channels.json_lines import Line
from bot.channels.markup import escape, plain_text, telegram_html, wecom_markdown
from bot.channels.signing import Forged, Signer
from bot.channels.telegram.webhook import webhook_routes
from bot.channels.web.app import WebChannel, build_web
from bot.core.conversation import Conversation
from bot.core.left import opened
from bot.core.ports import Accepted
from bot.stores import records
from tests.conftest import NOW, make_message
from tests.ops.stage import on_stage
from tests.ops.test_web import site

FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
MORE = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
FIELDS = ("id", "text", "chat", "user", "channel", "chat_type", "addressed", "action", "now", "lang")
LINES = st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=8)
TALK = st.lists(
    st.sampled_from(
        ["4090", "3090ti", "a100 80g", "qwen2.5-14b", "\u80fd\u8dd1", "\u591a\u5c11\u94b1", "lora", "how much", "/ask", "@bot", "#K7QK", "{{7*7}}",
         "<b>", "`", "|", "**", "1.5w", "\u4e00\u4e07", "\U0001f600", "\u202e", "\u0301" * 9, "\x00", "-" * 40, "9" * 60, "\n\n"]
    )
    | st.text(max_size=12),
    max_size=14,
).map(" ".join)  # fmt: skip
BODIES = (
    st.binary(max_size=300)
    | JSON.map(lambda value: json.dumps(value).encode())
    | LINES.map(lambda value: json.dumps(value).encode())
)


def in_loop(work: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(work())


async def nothing_missing() -> dict[str, str]:
    return {}


@FEW
@given(bodies=st.lists(BODIES, min_size=1, max_size=8))
def test_the_api_and_the_chat_take_any_bytes(bodies: list[bytes]) -> None:
    async def work() -> None:
        async with on_stage() as stage, site(build_web(WebChannel(stage.delivery, nothing_missing).routes())) as client:
            for body in bodies:
                for path in ("/api/v1/ask", "/chat"):
                    response = await client.post(path, content=body)
                    assert response.status_code in {200, 400, 413, 422}, (path, body, response.text)
            assert (await client.post("/api/v1/ask", json={"id": 1, "text": "still here"})).status_code == 200

    in_loop(work)


@FEW
@given(
    path=st.text(max_size=40), query=st.text(max_size=40), cookie=st.text(st.characters(codec="latin-1"), max_size=40)
)
def test_any_path_query_and_cookie_is_a_clear_status(path: str, query: str, cookie: str) -> None:
    from urllib.parse import quote

    async def work() -> None:
        async with on_stage() as stage, site(build_web(WebChannel(stage.delivery, nothing_missing).routes())) as client:
            clean = "".join(letter for letter in cookie if letter.isprintable()).encode("latin-1")
            response = await client.get(
                f"/static/{quote(path)}?{quote(query)}", headers={b"cookie": b"xuanka=" + clean}
            )
            assert response.status_code in {200, 404, 405, 307}

    in_loop(work)


@MORE
@given(body=BODIES, secret=st.sampled_from(["right", "wrong", ""]))
def test_the_webhook_takes_any_bytes(body: bytes, secret: str) -> None:
    taken: list[dict[str, Any]] = []

    async def take(raw: dict[str, Any]) -> Accepted:
        taken.append(raw)
        return Accepted.STORED

    async def work() -> None:
        async with site(build_web(webhook_routes(take, secret="right"))) as client:
            headers = {"x-telegram-bot-api-secret-token": secret}
            response = await client.post("/telegram/webhook", content=body, headers=headers)
            assert response.status_code == (403 if secret != "right" else 200 if taken else 400)
            assert not taken or type(taken[0]["update_id"]) is int

    in_loop(work)


KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=30)
SIGNER = Signer("a secret", "telegram:1")


@MORE
@given(data=st.text(max_size=80) | KEYS.map(lambda key: f"AAAAAAAAAAAA.1:{key}"))
def test_button_data_that_nobody_signed_is_refused(data: str) -> None:
    with pytest.raises(Forged):
        SIGNER.verify(data, chat_id="c")


@MORE
@given(key=KEYS, asker=st.integers(0, 2**52).map(str), place=st.integers(0, 60), letter=KEYS)
def test_button_data_holds_for_its_chat_and_bot_and_not_a_letter_may_change(
    key: str, asker: str, place: int, letter: str
) -> None:
    data = SIGNER.sign(key, chat_id="c", asker=asker)
    pressed = SIGNER.verify(data, chat_id="c")
    assert (pressed.key, pressed.asker) == (key, asker)
    changed = data[:place] + letter[0] + data[place + 1 :]
    for signer, text, chat in (
        (SIGNER, changed, "c"),
        (SIGNER, data, "d"),
        (Signer("a secret", "telegram:2"), data, "c"),
    ):
        if (signer, text, chat) != (SIGNER, data, "c"):
            with pytest.raises(Forged):
                signer.verify(text, chat_id=chat)


HEAVY = frozenset({"facts", "trace"})
"""What the record of a very long answer may go without."""


def assert_kept(loaded: Conversation | None, state: Conversation) -> None:
    """A conversation comes back as it was; of an answer too long for a record its figures and steps may be gone."""
    assert loaded is not None
    assert loaded.model_copy(update={"episodes": ()}) == state.model_copy(update={"episodes": ()})
    assert len(loaded.episodes) == len(state.episodes)
    for found, told in zip(map(opened, loaded.episodes), map(opened, state.episodes), strict=True):
        for name in type(told).model_fields:
            kept, whole = getattr(found, name), getattr(told, name)
            assert kept == whole or (name in HEAVY and not kept), name


@MORE
@given(text=TALK)
def test_any_text_gets_a_reply_that_every_channel_can_show(assistant: Any, text: str) -> None:
    for chat_type in ("private", "group"):
        message = make_message(text, chat_type=chat_type)
        reply, state = assistant.respond(message, None, NOW)
        assert reply.decision in {"answer", "ask", "clarify", "fallback", "cancel", "ignore"}
        follow_up, _ = assistant.respond(make_message("why?", event_id="2"), state, NOW)
        for one in (reply, follow_up):
            assert "{%" not in one.text
            for part in telegram_html(one.text):
                assert len(part.encode("utf-16-le")) // 2 <= 4096
                Balanced().check(part)
            plain_text(one.text)
            wecom_markdown(one.text)
        assert records.load_reply(records.dump_reply(reply)) == reply
        assert_kept(records.load_conversation(records.dump_conversation(state)), state)


class Balanced(HTMLParser):
    """Only Telegram's tags, each closed in order."""

    TAGS = frozenset({"b", "i", "u", "s", "code", "pre", "a", "blockquote", "tg-spoiler"})

    def check(self, text: str) -> None:
        self.open_tags: list[str] = []
        self.feed(text)
        self.close()
        assert self.open_tags == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert tag in self.TAGS
        self.open_tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open_tags.pop() == tag


@pytest.mark.parametrize(
    "text", ["{{ 7191 * 7193 }} 4090 vram", "{% for x in range(9) %}4090{% endfor %}", "${7191*7193}"]
)
def test_templates_never_run_what_a_user_wrote(assistant: Any, text: str) -> None:
    reply, _ = assistant.respond(make_message(text), None, NOW)
    assert str(7191 * 7193) not in reply.text + reply.details
    assert "4090" * 3 not in reply.text.replace(" ", "")


@MORE
@given(text=st.text(max_size=400))
def test_text_of_a_user_stays_text_in_every_markup(text: str) -> None:
    for part in telegram_html(escape(text)):
        Balanced().check(part)
        assert "<a" not in part
        assert "<b>" not in part
    plain_text(escape(text))


@MORE
@given(text=st.text(st.characters(), max_size=60), value=JSON)
def test_messages_survive_the_store(text: str, value: Any) -> None:
    message = make_message(text, user_name=text[:10], chat_id=text or "c")
    back = records.load_message(records.dump_message(message))
    assert back == message or any(0xD800 <= ord(letter) < 0xE000 for letter in text)
    try:
        records.load_message(json.dumps(value))
    except records.Unreadable:
        pass
    else:
        pytest.fail("any JSON was taken for a message")


@MORE
@given(raw=LINES)
def test_a_line_is_valid_or_refused_never_half_read(raw: dict[str, Any]) -> None:
    from pydantic import ValidationError

    try:
        line = Line.model_validate(raw)
    except ValidationError:
        return
    message = line.message("1", NOW)
    assert message.text == line.text
    assert message.chat_type in {"private", "group"}
