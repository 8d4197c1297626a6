"""Feishu, end to end: the vendor's SDK against a fake of its API and long connection, real delivery and store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from pydantic import SecretStr

from bot.channels.feishu.cards import card_of, fits
from bot.channels.markup import escape, feishu_markdown
from bot.channels.registry import ChannelStartError, channel_named
from bot.channels.signing import Signer
from bot.core.message import Chart, Choice, Reply
from bot.delivery import Delivery
from bot.gate import Access, AccessGate
from bot.settings import Settings
from tests.conftest import make_message
from tests.fakes.feishu import ALONE, APP, ME, SECRET, FakeFeishu, buttons, words
from tests.fakes.inventoried import Inventoried
from tests.fakes.stage import Script, answer

LIN, WU = "ou_lin", "ou_wu"


class Stage:
    def __init__(self, fake, channel, road, store, delivery) -> None:
        self.fake, self.channel, self.road = fake, channel, road
        self.store, self.delivery = store, delivery

    async def reply(self, count: int = 1):
        await self.fake.until(lambda: len(self.fake.replies) >= count)
        return self.fake.replies[count - 1]


@asynccontextmanager
async def on_stage(road=None, secret: str = SECRET, store=None, access: Access | None = None) -> AsyncIterator[Stage]:
    async with FakeFeishu().running() as fake:
        store, road, stop = store or Inventoried(), road or Script(), asyncio.Event()
        await store.open()
        delivery = Delivery(store, road, {}, gate=AccessGate(access or Access(), store))
        settings = Settings(
            _env_file=None, feishu_app_id=APP, feishu_secret=SecretStr(secret), feishu_base_url=fake.url
        )
        channel = channel_named("feishu").open(settings, delivery, store)
        delivery.senders = dict.fromkeys(channel.names, channel.sender)
        await delivery.start()
        running = asyncio.create_task(channel.run(stop))
        try:
            ready = asyncio.create_task(fake.until(lambda: not channel.trouble))
            await asyncio.wait({running, ready}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                ready.cancel()
                running.result()
            yield Stage(fake, channel, road, store, delivery)
            stop.set()
            await running
        finally:
            await delivery.stop(5)
            await channel.close()
            await store.close()
        assert fake.findings == []


async def test_a_mention_is_answered_by_a_card_below_it_and_nothing_else_is_heard():
    async with on_stage(Script({"which GPU for BERT?": answer("**A T4** does.", "why")})) as stage:
        await stage.fake.say(LIN, "not for the bot", mention=False)
        asked = await stage.fake.say(LIN, "which GPU for BERT?", parts=3)
        shown = await stage.reply()
        assert (shown["to"], words(shown)) == (asked, "**A T4** does.")
        assert [button["text"]["content"] for button in buttons(shown)] == ["Why"]
        (heard,) = stage.road.heard
        assert (heard.channel, heard.bot_id, heard.user_id, heard.chat_type) == ("feishu", APP, LIN, "group")
        assert heard.verified
        await stage.fake.say(WU, "hello", chat=ALONE)
        await stage.reply(2)
        assert stage.road.heard[-1].chat_type == "private"


async def test_an_event_that_comes_twice_is_answered_once():
    async with on_stage() as stage:
        message = {
            "sender": {"sender_id": {"open_id": LIN}, "sender_type": "user"},
            "message": {
                "message_id": "om_same",
                "chat_id": ALONE,
                "chat_type": "p2p",
                "message_type": "post",
                "content": '{"content": [[{"tag": "at", "user_id": "@_user_1"}, {"tag": "text", "text": " 4090"}], []]}',
                "mentions": [{"key": "@_user_1", "id": {"open_id": ME}, "name": "bot"}],
            },
        }
        for _ in range(2):
            await stage.fake.bring("im.message.receive_v1", message)
        await stage.fake.say(LIN, "after", chat=ALONE)
        await stage.reply(2)
        assert [one.text for one in stage.road.heard] == ["4090", "after"]


async def test_only_the_asker_may_press_and_others_are_told_so_alone():
    async with on_stage(Script({"q": answer("A T4.", "why", "good")})) as stage:
        await stage.fake.say(LIN, "q")
        shown = await stage.reply()
        assert "只有提问的人" in (await stage.fake.press(WU, shown, "Why"))["toast"]["content"]
        assert await stage.fake.press(LIN, shown, "Why") == {}
        below = await stage.reply(2)
        assert below["to"] == shown["id"]
        assert stage.road.heard[-1].action.startswith("do:why")
        assert (await stage.fake.press(LIN, shown, "Good"))["toast"]["content"] == "谢谢！"
        await stage.fake.until(lambda: len(stage.road.heard) == 3)
        shown["content"]["body"]["elements"][1]["columns"][0]["elements"][0]["behaviors"][0]["value"]["k"] = "forged"
        assert "失效" in (await stage.fake.press(LIN, shown, "Why"))["toast"]["content"]
        assert len(stage.fake.replies) == 2


async def test_a_colleague_replies_to_an_answer_and_it_is_known(assistant):
    async with on_stage(assistant) as stage:
        await stage.fake.say(LIN, "4090 能 LoRA 微调 Qwen2.5-7B 吗")
        first = await stage.reply()
        assert "RTX 4090" in words(first)
        await stage.fake.say(WU, "3060 呢", parent=first["id"])
        second = words(await stage.reply(2))
        assert "3060" in second
        assert "Qwen2.5-7B" in second, "goes on from the answer to the colleague"
        await stage.fake.say(LIN, "3090 呢")
        assert "Qwen2.5-7B" in words(await stage.reply(3)), "and so does who asked"


async def test_a_chart_that_was_asked_for_stands_in_the_card():
    chart = Chart(kind="bars", title="Price", series=(("CNY", (("RTX 4090", 2.0), ("T4", 1.0))),))
    async with on_stage(Script({"draw it": answer("Here.", chart=chart)})) as stage:
        await stage.fake.say(LIN, "draw it")
        shown = await stage.reply()
        assert stage.fake.pictures[0].startswith(b"\x89PNG")
        assert shown["content"]["body"]["elements"][1]["img_key"] == "img_1"


async def test_limits_are_waited_for_and_a_card_that_is_not_taken_comes_as_words():
    async with on_stage() as stage:
        stage.fake.refusing = [99991400]
        await stage.fake.say(LIN, "later")
        assert "later" in words(await stage.reply())
        stage.fake.cards_taken = False
        await stage.fake.say(LIN, "plain")
        shown = await stage.reply(2)
        assert shown["kind"] == "text"
        assert "plain" in words(shown)
        stage.fake.refusing = [230002]
        await stage.fake.say(LIN, "gone")
        await stage.fake.say(LIN, "next")
        assert "next" in words(await stage.reply(3))


async def test_a_connection_that_is_cut_comes_back():
    async with on_stage() as stage:
        await stage.fake.drop()
        await stage.fake.until(lambda: stage.fake.connections == 2)
        await stage.fake.say(LIN, "again", chat=ALONE)
        assert "again" in words(await stage.reply())


async def test_a_wrong_secret_is_said_in_one_line():
    with pytest.raises(ChannelStartError, match="XUANKA_FEISHU_APP_ID"):
        async with on_stage(secret="wrong"):
            pass


def test_markup_is_feishus_and_nothing_that_was_typed_becomes_any():
    text = f"**Yes**: {escape('*no* <at id=all></at> [x](http://y)')}\n\n| card | GB |\n|---|---|\n| RTX 4090 | 24 |\n\n- a"
    shown = feishu_markdown(text)
    assert "**Yes**" in shown
    assert "<at" not in shown
    assert "&#42;no&#42;" in shown
    assert "| RTX 4090 | 24 |" in shown
    assert shown.endswith("- a")


def test_a_card_never_outgrows_what_is_taken():
    message = make_message("q", chat_type="group")
    choices = tuple(Choice(label=f"choice {n} " * 12, key=f"set:gpu=card-{n}#K7QK") for n in range(40))
    small = Reply(decision="answer", language="en", text="x", choices=choices)
    assert fits(card_of(message, small, Signer("s", "feishu:a")))
    assert not fits(card_of(message, small.model_copy(update={"text": "long " * 9000}), Signer("s", "feishu:a")))
