"""Reading what WeCom pushes: mentions, shapes that occur in the field, shapes that do not."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.wecom.frames import Meaning, meaning_of, read_frame
from bot.channels.wecom.mention import strip_mention
from bot.channels.wecom.reading import Reader, Unreadable, read_push
from tests.fakes.wecom_stage import on_stage

NOW = datetime(2026, 11, 21, tzinfo=UTC)
BASE = {"msgid": "m1", "from": {"userid": "lin"}, "msgtype": "text", "text": {"content": "hello"}}


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("@选卡助手 4090?", "选卡助手", "4090?"),
        ("@选卡助手\u20054090?", "选卡助手", "4090?"),
        ("@选卡助手\u20054090 怎么样", "", "4090 怎么样"),
        ("@GPU Helper 4090?", "GPU Helper", "4090?"),
        ("@gpu helper  4090?", "GPU Helper", "4090?"),
        ("@GPU Helper  4090?", "", "4090?"),
        ("@Bot 4090?", "", "4090?"),
        ("@Bot2 4090?", "Bot", "4090?"),
        ("@选卡助手", "选卡助手", ""),
        ("@选卡助手 @选卡助手 4090?", "选卡助手", "@选卡助手 4090?"),
        ("4090 @选卡助手", "选卡助手", "4090 @选卡助手"),
        ("", "选卡助手", ""),
        ("@", "", "@"),
        ("@ 4090", "", "@ 4090"),
    ],
)
def test_the_mention_at_the_start_goes_and_a_later_one_stays(text: str, name: str, rest: str) -> None:
    assert strip_mention(text, name, guess=True) == rest


@given(st.text(max_size=80), st.text(max_size=20))
def test_stripping_takes_only_from_the_start(text: str, name: str) -> None:
    assert text.strip().endswith(strip_mention(text, name, guess=True))


@given(st.text(alphabet="ab 显卡4090?@", min_size=1, max_size=60).filter(str.strip))
def test_the_known_name_is_taken_whatever_follows(text: str) -> None:
    assert strip_mention(f"@选卡助手 {text}", "选卡助手", guess=True) == text.strip()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from([*BASE, "event", "quote", "mixed", "chatid", "chattype"]), JSON))
def test_any_shape_is_read_or_refused(changes: dict[str, Any]) -> None:
    with suppress(Unreadable):
        push = read_push(BASE | changes)
        message = Reader("b", "选卡助手", "zh").incoming(push, NOW, "r")
        assert message.user_id == push.user_id
        assert message.chat_id


def test_a_refusal_names_fields_and_no_values() -> None:
    with pytest.raises(Unreadable, match=r"fields: from\.userid, text\.content") as caught:
        read_push(BASE | {"from": {"userid": 7}, "text": {"content": ["secret word"]}})
    assert "secret" not in str(caught.value)


def test_an_event_with_its_fields_beside_is_read_alike() -> None:
    event = {"eventtype": "template_card_event", "event_key": "k", "task_id": "t"}
    push = read_push(BASE | {"msgtype": "event", "event": event})
    assert (push.event_type, push.pressed_key, push.task_id) == ("template_card_event", "k", "t")


@given(st.binary(max_size=60) | st.text(max_size=60))
def test_any_text_is_a_frame_or_none(text: str | bytes) -> None:
    frame = read_frame(text)
    assert frame is None or frame.req_id


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        (846605, Meaning.CLOSED),
        (846608, Meaning.CLOSED),
        (45009, Meaning.BUSY),
        (93008, Meaning.GONE),
        (7, Meaning.OTHER),
    ],
)
def test_error_codes_are_sorted(code: int, meaning: Meaning) -> None:
    assert meaning_of(code) is meaning


async def test_frames_that_are_none_disturb_nothing() -> None:
    async with on_stage() as stage:
        assert stage.fake.live is not None
        for garbage in (
            "hello",
            b"\xff\xfe",
            "[]",
            "7",
            "null",
            "{}",
            '{"headers": 7}',
            '{"headers": {"req_id": ["x"]}, "errcode": 0}',
            '{"cmd": "aibot_msg_callback", "headers": {"req_id": "r"}, "body": "x"}',
            '{"headers": {"req_id": "unknown"}, "errcode": "zero"}',
            '{"a":' * 30_000,
            "9" * 50_000,
        ):
            await stage.fake.live.send(garbage)
        await stage.fake.say("lin", "still there?")
        await stage.fake.answer("lin")
        assert len(stage.fake.subscriptions) == 1


async def test_a_giant_frame_ends_the_connection_and_it_comes_back() -> None:
    async with on_stage() as stage:
        assert stage.fake.live is not None
        await stage.fake.live.send("x" * (2 << 20))
        await stage.fake.until(lambda: stage.fake.live is None)
        while stage.fake.live is None:
            await stage.clock.advance(0.5)
            await asyncio.sleep(0.005)
            assert stage.clock.passed < 30
        await stage.fake.say("lin", "still there?")
        await stage.fake.answer("lin")
