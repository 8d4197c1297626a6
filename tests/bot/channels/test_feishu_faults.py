"""Feishu out of order, a stranger in it, and two apps on one store: nothing lost, nothing twice, nobody let in."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import SecretStr

from bot.channels.registry import ChannelStartError, channel_named
from bot.core.ports import BROADCAST, Accepted, StoreUnavailable
from bot.delivery import Delivery
from bot.gate import Access
from bot.identity import read_identities
from bot.settings import Settings, SettingsError, load_settings
from tests.bot.channels.test_feishu import LIN, WU, on_stage
from tests.conftest import make_message
from tests.fakes.feishu import ALONE, APP, GROUP, SECRET, FakeFeishu, words
from tests.fakes.inventoried import Inventoried
from tests.fakes.stage import Script, answer
from tests.ops.stage import until_waiting


class Full(Inventoried):
    """A store whose disk is full while `is_full`."""

    is_full = False
    said_is_full = False

    async def accept(self, *args, **more):
        if self.is_full:
            raise StoreUnavailable("the disk is full")
        return await super().accept(*args, **more)

    async def take_in(self, *args, **more):
        if self.is_full:
            raise StoreUnavailable("the disk is full")
        return await super().take_in(*args, **more)

    async def put(self, key, value, ttl_s=None, *, owner=""):
        if self.said_is_full and ":said:" in key:
            raise StoreUnavailable("the disk is full")
        await super().put(key, value, ttl_s, owner=owner)


def event(text: str, **changes):
    """A message event as Feishu sends it; `changes` are members of the message or, with `sender`, its sender."""
    sender = changes.pop("sender", {"sender_id": {"open_id": LIN}, "sender_type": "user"})
    message = {
        "message_id": "om_one",
        "chat_id": ALONE,
        "chat_type": "p2p",
        "message_type": "text",
        "content": '{"text": "' + text + '"}',
    }
    return {"sender": sender, "message": {**message, **changes}}


async def test_an_event_counts_as_taken_only_once_it_is_stored_and_comes_again_until_then():
    store = Full()
    async with on_stage(store=store) as stage:
        stage.fake.may_be_refused = store.is_full = True
        first = await stage.fake.bring("im.message.receive_v1", event("4090"))
        await stage.fake.until(lambda: first in stage.fake.answers)
        assert stage.fake.answers[first]["code"] == 500
        assert stage.road.heard == []
        stage.fake.may_be_refused = store.is_full = False
        again = await stage.fake.bring("im.message.receive_v1", event("4090"))
        await stage.reply()
        assert stage.fake.answers[again]["code"] == 200
        assert [one.text for one in stage.road.heard] == ["4090"]


async def test_who_presses_while_nothing_can_be_stored_is_told_at_once():
    store = Full()
    async with on_stage(Script({"q": answer("A T4.", "why")}), store=store) as stage:
        await stage.fake.say(LIN, "q")
        shown = await stage.reply()
        store.is_full = True
        assert (await stage.fake.press(LIN, shown, "Why"))["toast"]["content"]
        assert len(stage.fake.replies) == 1
        store.is_full = False
        assert await stage.fake.press(LIN, shown, "Why") == {}
        await stage.reply(2)


@pytest.mark.parametrize(
    "changes",
    [
        {"sender": {"sender_id": {}, "sender_type": "user"}},
        {"sender": {"sender_type": "user"}},
        {"message_id": ""},
        {"chat_id": None},
        {"content": "not json"},
        {"content": "[" * 100_000},
        {"content": "3"},
        {"message_type": "post", "content": '{"content": [["x"]]}'},
    ],
    ids=range(8),
)
async def test_an_event_that_nobody_can_read_is_let_go_and_the_next_one_answered(changes):
    async with on_stage() as stage:
        await stage.fake.bring("im.message.receive_v1", event("one", **changes))
        await stage.fake.say(WU, "next", chat=ALONE)
        assert "next" in words(await stage.reply())
        assert [one.text for one in stage.road.heard] == ["next"]


async def test_half_a_character_and_a_very_long_text_are_taken_in():
    async with on_stage() as stage:
        await stage.fake.bring("im.message.receive_v1", event("a\\ud800" + "b" * 140_000))
        await stage.reply()
        (heard,) = stage.road.heard
        assert heard.text.startswith("a\ufffdb")
        assert len(heard.text) <= 4096


async def test_what_was_said_to_another_app_on_the_same_store_is_left_to_it():
    async with on_stage() as stage:
        other = make_message("for the other", channel="feishu", bot_id="cli_other", event_id="o1", message_id="om_o")
        assert await stage.delivery.accept(other) is Accepted.STORED
        await stage.fake.say(LIN, "mine", chat=ALONE)
        await stage.reply()
        assert [one.text for one in stage.road.heard] == ["mine"]
        assert not stage.delivery.serves(other)
        await until_waiting(stage.store, 1)


@pytest.mark.parametrize(
    ("allowed", "let_in"),
    [
        (f"feishu:{APP}:{LIN}", True),
        (f"feishu:{LIN}", True),
        (f"feishu:cli_other:{LIN}", False),
        (f"wecom:{LIN}", False),
        (f"feishu:{APP}:{WU}", False),
    ],
)
async def test_lists_know_a_member_by_app_and_open_id(allowed, let_in):
    access = Access(allow_users=read_identities([allowed]), admins=read_identities(["feishu:cli_other:ou_lin"]))
    async with on_stage(access=access) as stage:
        ident = await stage.fake.say(LIN, "hello", chat=ALONE)
        await stage.fake.until(lambda: stage.fake.answers)
        if let_in:
            assert (await stage.reply())["to"] == ident
        await until_waiting(stage.store, 0)
        assert len(stage.road.heard) == let_in


async def test_a_broadcast_reaches_the_chat_though_it_answers_nothing():
    async with on_stage(Script({"to all": answer("News.")})) as stage:
        message = make_message(
            "to all", channel="feishu", bot_id=APP, chat_id=GROUP, user_id="", addressed_how=BROADCAST, event_id="b1"
        )
        await stage.delivery.accept(message)
        shown = await stage.reply()
        assert (shown["to"], words(shown)) == (GROUP, "News.")


async def test_a_reply_is_not_sent_again_because_the_store_fails_behind_it():
    store = Full()
    async with on_stage(store=store) as stage:
        store.said_is_full = True
        await stage.fake.say(LIN, "once", chat=ALONE)
        await stage.reply()
        await stage.fake.say(LIN, "after", chat=ALONE)
        await stage.reply(2)
        assert [words(one) for one in stage.fake.replies] == ["You said: once", "You said: after"]


async def test_a_token_that_is_over_is_made_anew_and_nothing_is_lost_meanwhile(monkeypatch):
    monkeypatch.setattr("bot.channels.feishu.sender._PAUSE_S", 0.01)
    async with on_stage() as stage:
        stage.fake.signs_in, stage.fake.refusing = False, [99991663]
        await stage.fake.say(LIN, "later", chat=ALONE)
        await stage.fake.until(lambda: not stage.fake.refusing)
        stage.fake.signs_in = True
        assert "later" in words(await stage.reply())
        assert stage.fake.signed_in == 2
        assert len(stage.fake.replies) == 1


async def test_an_app_that_was_refused_is_connected_when_it_is_tried_again():
    async with FakeFeishu().running() as fake:
        store, road, stop = Inventoried(), Script(), asyncio.Event()
        await store.open()
        settings = Settings(
            _env_file=None, feishu_app_id=APP, feishu_secret=SecretStr(SECRET), feishu_base_url=fake.url
        )
        delivery = Delivery(store, road, {})
        channel = channel_named("feishu").open(settings, delivery, store)
        delivery.senders = dict.fromkeys(channel.names, channel.sender)
        await delivery.start()
        fake.connects = False
        for _ in range(2):
            with pytest.raises(ChannelStartError, match="events and callbacks"):
                await channel.run(stop)
        fake.connects = True
        running = asyncio.create_task(channel.run(stop))
        await fake.until(lambda: not channel.trouble)
        fake.connects = False
        await fake.drop()
        with pytest.raises(ChannelStartError, match="events and callbacks"):
            await asyncio.wait_for(running, 20)
        fake.connects = True
        running = asyncio.create_task(channel.run(stop))
        await fake.until(lambda: not channel.trouble)
        await fake.say(LIN, "again", chat=ALONE)
        await fake.until(lambda: fake.replies)
        stop.set()
        await running
        await delivery.stop(2)
        await channel.close()


async def test_a_feishu_that_does_not_answer_holds_up_nobody_elses_pictures():
    async with on_stage() as stage:
        stage.fake.is_slow.clear()
        for number in range(9):
            await stage.fake.say(f"ou_{number}", "q", chat=ALONE)
        await stage.fake.until(lambda: len(stage.road.heard) >= 8)
        assert await asyncio.wait_for(asyncio.to_thread(len, "free"), 5) == 4
        stage.fake.is_slow.set()
        await stage.reply(9)


def test_an_address_that_is_none_is_named():
    with pytest.raises(SettingsError, match="XUANKA_FEISHU_BASE_URL"):
        load_settings(feishu_base_url="open.feishu.cn", _env_file=None)
