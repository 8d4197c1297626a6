"""The callback: verified, answered inside the request, followed up, and not to be fooled."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.conversation import Conversation, Episode
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import StoreUnavailable
from bot.stores.memory import MemoryStore
from tests.fakes.wecom_callback import Sealed
from tests.fakes.wecom_crypto import Seal
from tests.fakes.wecom_pushes import BOT_NAME
from tests.fakes.wecom_stage import AES_KEY, CASE, TOKEN, Script, answer, on_callback_stage, question

GROUP = "wr-group-1"


# --- verification ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("echo", ["1616140317555161061", "选卡", "a+b/c="])
async def test_the_address_is_verified_with_the_bare_text(echo: str) -> None:
    async with on_callback_stage() as stage:
        answered = await stage.platform.verify(echo)
        assert (answered.status, answered.raw) == (200, echo.encode())


async def test_a_plus_in_echostr_survives() -> None:
    async with on_callback_stage() as stage:
        for number in range(40):
            assert (await stage.platform.verify(f"echo {number}")).status == 200


@pytest.mark.parametrize(
    ("spoil", "status"),
    [
        ({"msg_signature": "0" * 40}, 403),
        ({"timestamp": "1"}, 403),
        ({"nonce": "another"}, 403),
        ({"echostr": "AAAA"}, 403),
        ({"echostr": ""}, 400),
        ({"msg_signature": ""}, 400),
        ({"nonce": "n" * 9000}, 400),
    ],
)
async def test_a_spoilt_verification_is_refused_without_detail(spoil: dict[str, str], status: int) -> None:
    async with on_callback_stage() as stage:
        answered = await stage.platform.verify("1616140317555161061", **spoil)
        assert (answered.status, answered.raw) == (status, b"")


# --- messages --------------------------------------------------------------------------------------------------------


async def test_a_message_is_answered_with_one_finished_stream() -> None:
    async with on_callback_stage() as stage:
        push = stage.platform.pushes.text("lin", f"@{BOT_NAME} which GPU?", group=GROUP)
        answered = await stage.platform.push(push)
        assert answered.text == "You said: which GPU?"
        assert answered.body is not None
        assert answered.body["stream"]["finish"] is True
        heard = stage.road.heard[0]
        assert (heard.chat_id, heard.user_id, heard.text) == (GROUP, "lin", "which GPU?")


async def test_a_repeat_gets_the_same_reply_and_asks_nothing_again() -> None:
    async with on_callback_stage() as stage:
        push = stage.platform.pushes.text("lin", "which GPU?")
        first = await stage.platform.push(push)
        again = await stage.platform.push(push)
        sealed = stage.platform.sealed(push)
        twice = [await stage.platform.post(sealed) for _ in range(2)]
        assert first.body == again.body == twice[0].body == twice[1].body
        assert len(stage.road.heard) == 1


async def test_repeats_at_the_same_time_get_the_same_reply() -> None:
    async with on_callback_stage() as stage:
        push = stage.platform.pushes.text("lin", "which GPU?")
        answers = await asyncio.gather(*(stage.platform.push(push) for _ in range(5)))
        assert all(one.body == answers[0].body for one in answers)
        assert len(stage.road.heard) == 1


async def test_any_replica_answers_a_repeat_alike() -> None:
    store = MemoryStore()
    async with on_callback_stage(store=store) as one:
        push = one.platform.pushes.text("lin", "which GPU?")
        first = await one.platform.push(push)
        await one.store.put("kept", 1)
        road = Script()
        from starlette.applications import Starlette

        from bot.channels.wecom.run import Wecom
        from bot.delivery import Delivery
        from tests.fakes.wecom_stage import settings_for

        config = settings_for("wss://x", wecom_bot_id="", wecom_secret=None, wecom_token=TOKEN, wecom_aes_key=AES_KEY)
        other = Wecom(config, store, clocks=one.clock.clocks())
        one.platform.app = Starlette(routes=other.routes(Delivery(store, road, {}, clock=one.clock.wall)))
        assert (await one.platform.push(push)).body == first.body
        assert road.heard == []
        await other.stop()


async def test_a_question_comes_as_a_card_in_the_reply() -> None:
    async with on_callback_stage(Script({"which?": question("Which task?", "task", "nlp", "cv")})) as stage:
        push = stage.platform.pushes.text("lin", "which?")
        answered = await stage.platform.push(push)
        assert [button["text"] for button in answered.card["button_list"]] == ["nlp", "cv"]
        assert (await stage.platform.push(push)).body == answered.body


async def test_a_press_updates_the_card_and_the_answer_follows_once() -> None:
    road = Script({"which?": question("Which task?", "task", "nlp", "cv"), "set:task=nlp": answer("take a 4090")})
    async with on_callback_stage(road) as stage:
        asked = await stage.platform.push(stage.platform.pushes.text("lin", f"@{BOT_NAME} which?", group=GROUP))
        press = stage.platform.pushes.press("lin", asked.card, asked.card["button_list"][0]["key"], group=GROUP)
        updated = await stage.platform.push(press)
        assert [button["text"] for button in updated.card["button_list"]] == ["nlp"]
        posted = await stage.platform.until_posted()
        assert posted["markdown"]["content"].startswith("take a 4090")
        await stage.platform.push(press)
        await stage.channel._callback.close(5.0)
        assert len(stage.platform.posted) == 1


async def test_the_next_question_after_a_press_is_a_card_in_private_and_a_list_in_a_group() -> None:
    road = Script(
        {"which?": question("Task?", "task", "nlp"), "set:task=nlp": question("Card?", "gpu", "3090", "4090")}
    )
    async with on_callback_stage(road) as stage:
        for count, group in enumerate(("", GROUP), start=1):
            asked = await stage.platform.push(stage.platform.pushes.text("lin", "which?", group=group))
            press = stage.platform.pushes.press("lin", asked.card, asked.card["button_list"][0]["key"], group=group)
            await stage.platform.push(press)
            posted = await stage.platform.until_posted(count)
            assert posted["msgtype"] == ("markdown" if group else "template_card")
        assert "- 3090\n- 4090" in posted["markdown"]["content"]


async def test_shared_options_go_with_the_text() -> None:
    shared = question("Who knows?", "budget", "1000", "2000", decision="answer", shared=True)
    async with on_callback_stage(Script({"which?": shared})) as stage:
        answered = await stage.platform.push(stage.platform.pushes.text("lin", "which?", group=GROUP))
        assert answered.body is not None
        assert answered.body["msgtype"] == "stream_with_template_card"
        assert answered.text.startswith("Who knows?")


async def test_welcome_refresh_feedback_and_the_unknown() -> None:
    async with on_callback_stage(Script({"which?": answer("24 GiB")})) as stage:
        platform = stage.platform
        assert "GPU" in (await platform.push(platform.pushes.enter("lin"))).text
        refreshed = await platform.push(platform.pushes.stream("lin", "nobody-knows-it"))
        assert refreshed.body is not None
        assert refreshed.body["stream"]["finish"] is True
        asked = await platform.push(platform.pushes.text("lin", "which?"))
        assert asked.body is not None
        verdict = platform.pushes.feedback("lin", asked.body["stream"]["feedback"]["id"], 2)
        assert (await platform.push(verdict)).raw == b""
        assert stage.road.heard[-1].action == f"do:bad#{CASE}"
        assert (await platform.push(platform.pushes.event("lin", "brand_new_event"))).raw == b""
        assert (await platform.push(platform.pushes.text("lin", "") | {"msgtype": "hologram"})).raw == b""


async def test_a_long_answer_goes_on_in_the_follow_up() -> None:
    text = "\n\n".join("显存" * 700 for _ in range(7))
    async with on_callback_stage(Script({"long": Reply(decision="answer", language="zh", text=text)})) as stage:
        push = stage.platform.pushes.text("lin", "long")
        answered = await stage.platform.push(push)
        posted = await stage.platform.until_posted()
        assert (answered.text + posted["markdown"]["content"]).replace("\n", "") == text.replace("\n", "")
        await stage.platform.push(push)
        await stage.channel._callback.close(5.0)
        assert len(stage.platform.posted) == 1


# --- late answers ----------------------------------------------------------------------------------------------------


async def test_what_is_not_ready_in_time_follows_through_the_response_address() -> None:
    async with on_callback_stage() as stage:
        door = stage.channel._callback
        assert door is not None
        gate = asyncio.Event()
        real = stage.delivery.answer_now

        async def held(message: IncomingMessage) -> Reply | None:
            await gate.wait()
            return await real(message)

        door._answer_s = 0.02
        stage.delivery.answer_now = held
        push = stage.platform.pushes.text("lin", "which GPU?")
        assert (await stage.platform.push(push)).raw == b""
        assert (await stage.platform.push(push)).raw == b""
        gate.set()
        posted = await stage.platform.until_posted()
        assert posted["markdown"]["content"] == "You said: which GPU?"
        await door.close(5.0)
        assert len(stage.platform.posted) == 1


async def test_a_follow_up_that_failed_leaves_the_answer_to_the_repeat() -> None:
    async with on_callback_stage() as stage:
        door = stage.channel._callback
        assert door is not None
        door._answer_s = 0.0
        stage.platform.refuse_posts = 1
        push = stage.platform.pushes.text("lin", "which GPU?")
        await stage.platform.push(push)
        await door.close(5.0)
        door._answer_s = 3.0
        assert (await stage.platform.push(push)).text == "You said: which GPU?"


async def test_a_store_that_cannot_take_it_leaves_the_message_with_wecom() -> None:
    async with on_callback_stage() as stage:
        push = stage.platform.pushes.text("lin", "which GPU?")
        real = stage.store.take_in

        async def broken(*_: object, **__: object) -> Any:
            raise StoreUnavailable("disk full")

        stage.store.take_in = broken
        assert (await stage.platform.push(push)).status == 503
        stage.store.take_in = real
        assert (await stage.platform.push(push)).text == "You said: which GPU?"


async def test_a_road_that_breaks_is_an_apology_not_an_error() -> None:
    class Broken(Script):
        def respond(
            self,
            message: IncomingMessage,
            conversation: Conversation | None,
            now: datetime,
            borrowed: Episode | None = None,
        ) -> tuple[Reply, Conversation]:
            raise ValueError(message.text)

    async with on_callback_stage(Broken()) as stage:
        answered = await stage.platform.push(stage.platform.pushes.text("lin", "a secret word"))
        assert answered.text == "sorry short"


# --- bad input -------------------------------------------------------------------------------------------------------


def _spoilt(stage: Any) -> dict[str, tuple[Sealed, int]]:
    platform = stage.platform
    push = platform.pushes.text("lin", "a secret word")
    good = platform.sealed(push)
    old = str(int(platform.clock()) - 301)
    new = str(int(platform.clock()) + 301)
    bomb = b'{"a":' * 50_000
    return {
        "signature": (Sealed(good.query | {"msg_signature": "0" * 40}, good.body), 403),
        "nonce": (Sealed(good.query | {"nonce": "other"}, good.body), 403),
        "no query": (Sealed({}, good.body), 400),
        "old": (platform.sealed(push, timestamp=old), 403),
        "early": (platform.sealed(push, timestamp=new), 403),
        "no time": (platform.sealed(push, timestamp="yesterday"), 403),
        "other digits": (platform.sealed(push, timestamp="\u0661\u0662"), 403),
        "receiver": (platform.signed(Seal(TOKEN, AES_KEY, "ww-other").close(b"{}")), 403),
        "no json": (Sealed(good.query, b"hello"), 400),
        "no object": (Sealed(good.query, b"[]"), 400),
        "nothing sealed": (Sealed(good.query, b'{"encrypt": 7}'), 400),
        "bomb outside": (Sealed(good.query, bomb), 400),
        "bomb inside": (platform.sealed(bomb), 400),
        "number inside": (platform.sealed(b"7"), 400),
        "digits inside": (platform.sealed(b'{"msgid": ' + b"9" * 50_000 + b"}"), 400),
        "no fields": (platform.sealed(b"{}"), 400),
        "wrong types": (platform.sealed({**push, "msgid": ["x"]}), 400),
        "no user": (platform.sealed({**push, "from": {"userid": ""}}), 400),
        "giant": (Sealed(good.query, b"x" * (1 << 20)), 413),
        "not base64": (platform.signed("*" * 64), 400),
        "no blocks": (platform.signed("AAAA"), 400),
        "empty": (Sealed(good.query, b""), 400),
        "not utf8": (Sealed(good.query, b"\xff\xfe"), 400),
    }


async def test_everything_spoilt_is_refused_with_the_right_status_and_disturbs_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with on_callback_stage() as stage:
        for name, (request, status) in _spoilt(stage).items():
            answered = await stage.platform.post(request)
            assert (answered.status, answered.raw) == (status, b""), name
        assert stage.road.heard == []
        assert (await stage.platform.push(stage.platform.pushes.text("lin", "fine"))).text == "You said: fine"
        assert "secret word" not in caplog.text
        assert TOKEN not in caplog.text


async def test_a_nonce_used_for_something_else_is_a_replay() -> None:
    async with on_callback_stage() as stage:
        first = stage.platform.pushes.text("lin", "one")
        second = stage.platform.pushes.text("lin", "two")
        assert (await stage.platform.post(stage.platform.sealed(first, nonce="same"))).status == 200
        assert (await stage.platform.post(stage.platform.sealed(second, nonce="same"))).status == 403
        assert (await stage.platform.post(stage.platform.sealed(first, nonce="same"))).status == 200
        assert len(stage.road.heard) == 1


async def test_a_capture_from_yesterday_is_refused() -> None:
    async with on_callback_stage() as stage:
        captured = stage.platform.sealed(stage.platform.pushes.text("lin", "one"))
        assert (await stage.platform.post(captured)).status == 200
        await stage.clock.advance(86_400)
        assert (await stage.platform.post(captured)).status == 403


@pytest.mark.parametrize("ahead_s", [-400 * 86_400.0, 3600.0, 20 * 365 * 86_400.0])
async def test_a_clock_that_was_wrong_from_the_start_shuts_nobody_out(
    ahead_s: float, caplog: pytest.LogCaptureFixture
) -> None:
    async with on_callback_stage(ahead_s=ahead_s) as stage:
        captured = stage.platform.sealed(stage.platform.pushes.text("lin", "one"))
        assert (
            await stage.platform.push(stage.platform.pushes.text("lin", "which GPU?"))
        ).text == "You said: which GPU?"
        assert (await stage.platform.verify("echo")).status == 200
        assert caplog.text.count("set it") == 1
        await stage.clock.advance(86_400)
        assert (await stage.platform.post(captured)).status == 403
        unsigned = Sealed(captured.query | {"msg_signature": "0" * 40}, captured.body)
        assert (await stage.platform.post(unsigned)).status == 403


async def test_forged_presses_change_nothing() -> None:
    async with on_callback_stage(Script({"which?": question("Task?", "task", "nlp")})) as stage:
        asked = await stage.platform.push(stage.platform.pushes.text("lin", "which?"))
        key = asked.card["button_list"][0]["key"]
        for user, forged in (("wu", key), ("lin", key[:-3] + "cv"), ("lin", "set:task=nlp")):
            answered = await stage.platform.push(stage.platform.pushes.press(user, asked.card, forged))
            assert answered.raw == b""
        assert len(stage.road.heard) == 1


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = [
    "msgid",
    "aibotid",
    "chatid",
    "chattype",
    "from",
    "msgtype",
    "text",
    "mixed",
    "voice",
    "quote",
    "event",
    "stream",
]


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[asyncio.Runner, Any]]:
    """One bot for all examples, and the loop that it lives on."""
    with asyncio.Runner() as runner:
        stage = on_callback_stage()
        yield runner, runner.run(stage.__aenter__())
        runner.run(stage.__aexit__(None, None, None))


@settings(max_examples=150, deadline=None)
@given(
    changes=st.lists(st.tuples(st.sampled_from(FIELDS), JSON_VALUES), min_size=1, max_size=3),
    kind=st.sampled_from(["text", "event", "mixed"]),
)
def test_whatever_is_inside_a_valid_envelope_gets_a_status(
    served: tuple[asyncio.Runner, Any], changes: list[tuple[str, Any]], kind: str
) -> None:
    runner, stage = served
    pushes = stage.platform.pushes
    push = {
        "text": pushes.text("lin", "hello"),
        "mixed": pushes.mixed("lin", "hello"),
        "event": pushes.event("lin", "template_card_event", template_card_event={"event_key": "x"}),
    }[kind]
    push.pop("response_url")
    answered = runner.run(stage.platform.post(stage.platform.sealed(push | dict(changes))))
    assert answered.status in {200, 400}


@settings(max_examples=150, deadline=None)
@given(query=st.binary(max_size=200), body=st.binary(max_size=300))
def test_garbage_at_the_entry_gets_a_client_error(
    served: tuple[asyncio.Runner, Any], query: bytes, body: bytes
) -> None:
    runner, stage = served
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(event: dict[str, Any]) -> None:
        sent.append(event)

    scope = {"type": "http", "method": "POST", "path": "/wecom/callback", "query_string": query, "headers": []}
    runner.run(stage.platform.app(scope | {"http_version": "1.1"}, receive, send))
    assert 400 <= sent[0]["status"] < 500


async def test_other_methods_and_paths_are_not_served() -> None:
    async with on_callback_stage() as stage:
        request = stage.platform.sealed(stage.platform.pushes.text("lin", "x"))
        assert (await stage.platform.post(request, method="PUT")).status == 405


async def test_replies_are_json_with_the_four_keys() -> None:
    async with on_callback_stage(receive_id="ww-corp") as stage:
        answered = await stage.platform.push(stage.platform.pushes.text("lin", "which GPU?"))
        assert sorted(json.loads(answered.raw)) == ["encrypt", "msgsignature", "nonce", "timestamp"]
