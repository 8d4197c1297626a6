"""Discord, end to end: the real library against a fake of its REST and gateway, real delivery and store."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from pydantic import SecretStr

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # the library imports audioop
    import discord

from bot.channels.markup import discord_markdown, escape
from bot.channels.registry import ChannelStartError, channel_named
from bot.core.message import Chart, Choice, Reply
from bot.core.ports import BROADCAST, StoreUnavailable
from bot.delivery import Delivery
from bot.gate import Access, AccessGate
from bot.identity import read_identities
from bot.settings import Settings
from tests.conftest import make_message
from tests.fakes.discord import APP, TOKEN, FakeDiscord
from tests.fakes.inventoried import Inventoried
from tests.fakes.stage import Script, answer, echo
from tests.ops.stage import until_waiting

LIN, WU = "555555555555555511", "555555555555555512"


class Stage:
    def __init__(self, fake, channel, road, delivery) -> None:
        self.fake, self.channel, self.road, self.delivery = fake, channel, road, delivery

    async def answered(self, token: str, count: int = 1):
        await self.fake.until(lambda: len(self.fake.said(token)) >= count)
        return self.fake.said(token)[-1]


@asynccontextmanager
async def on_stage(monkeypatch, road: Script | None = None, token: str = TOKEN, **access) -> AsyncIterator[Stage]:
    async with FakeDiscord().running() as fake:
        monkeypatch.setattr(discord.http.Route, "BASE", fake.rest)
        monkeypatch.setattr(discord.gateway.DiscordWebSocket, "DEFAULT_GATEWAY", fake.gateway)
        store, road, stop = Inventoried(), road or Script(), asyncio.Event()
        await store.open()
        delivery = Delivery(store, road, {}, gate=AccessGate(Access(**access), store))
        settings = Settings(_env_file=None, discord_token=SecretStr(token))
        channel = channel_named("discord").open(settings, delivery, store)
        delivery.senders = dict.fromkeys(channel.names, channel.sender)
        await delivery.start()
        running = asyncio.create_task(channel.run(stop))
        try:
            ready = asyncio.create_task(fake.until(lambda: not channel.trouble))
            await asyncio.wait({running, ready}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                ready.cancel()
                running.result()
            yield Stage(fake, channel, road, delivery)
            stop.set()
            await running
        finally:
            await delivery.stop(5)
            await channel.close()
            await store.close()
        assert fake.findings == []


async def test_commands_become_words_and_are_answered_in_the_message_held_open(monkeypatch):
    async with on_stage(monkeypatch) as stage:
        token = await stage.fake.use(LIN, "ask", question="which GPU for BERT?")
        assert "which GPU for BERT" in (await stage.answered(token))["content"]
        for name, options, heard in (
            ("fit", {"gpu": "4090", "model": "qwen2.5-14b"}, "can a 4090 run qwen2.5-14b"),
            ("compare", {"first": "3090", "second": "4090"}, "compare 3090 and 4090"),
            ("price", {"gpu": "4090"}, "price of 4090"),
            ("decide", {}, "/decide"),
        ):
            await stage.answered(await stage.fake.use(LIN, name, **options))
            assert stage.road.heard[-1].text == heard
        first = stage.road.heard[0]
        assert (first.channel, first.chat_type, first.user_id, first.verified) == ("discord", "group", LIN, True)


async def test_the_language_is_that_of_the_users_client_and_a_private_chat_is_one(monkeypatch):
    async with on_stage(monkeypatch) as stage:
        await stage.answered(await stage.fake.use(LIN, "fit", "zh-CN", private=True, gpu="4090", model="7b"))
        heard = stage.road.heard[0]
        assert (heard.text, heard.lang_hint, heard.chat_type) == ("4090 能跑 7b 吗", "zh", "private")


async def test_only_the_asker_may_press_and_others_are_told_so_alone(monkeypatch):
    road = Script({"q": answer("A T4.", "why")})
    async with on_stage(monkeypatch, road) as stage:
        shown = await stage.answered(await stage.fake.use(LIN, "ask", question="q"))
        key = shown["components"][0]["components"][0]["custom_id"]
        refused = (await stage.fake.press(WU, key)).removeprefix("token-")
        await stage.fake.until(lambda: refused in stage.fake.held)
        assert stage.fake.held[refused]["data"]["flags"] == 64
        assert "Only whoever asked" in stage.fake.held[refused]["data"]["content"]
        await stage.answered(await stage.fake.press(LIN, key))
        assert stage.road.heard[-1].action.startswith("do:why")
        forged = (await stage.fake.press(LIN, "x" * 20)).removeprefix("token-")
        await stage.fake.until(lambda: forged in stage.fake.held)
        assert "no longer works" in stage.fake.held[forged]["data"]["content"]
        assert len(stage.road.heard) == 2


async def test_long_answers_go_on_below_and_many_buttons_fit(monkeypatch):
    choices = tuple(Choice(label=f"choice {n} " * 12, key=f"set:gpu=card-{n}#K7QK") for n in range(40))
    long = Reply(
        decision="answer", language="en", text="\n\n".join(f"- line {n} " * 20 for n in range(60)), choices=choices
    )
    async with on_stage(monkeypatch, Script({"q": long})) as stage:
        token = await stage.fake.use(LIN, "ask", question="q")
        await stage.fake.until(
            lambda: bool(stage.fake.said(token)) and bool(stage.fake.said(token)[-1].get("components"))
        )
        said = stage.fake.said(token)
        assert len(said) > 1
        assert [bool(one.get("components")) for one in said] == [False] * (len(said) - 1) + [True]


LONG = Reply(decision="answer", language="en", text="\n\n".join(f"- line {n} " * 20 for n in range(40)))


async def test_a_message_below_that_may_have_arrived_is_never_written_again(monkeypatch):
    async with on_stage(monkeypatch, Script({"q": LONG})) as stage:
        stage.fake.answers["POST"] = [(502, {"message": "bad gateway"})]
        token = await stage.fake.use(LIN, "ask", question="q")
        await stage.answered(await stage.fake.use(LIN, "ask", question="next"))
        assert stage.fake.tries.count("POST") == 1
        assert len(stage.fake.said(token)) == 1


async def test_a_long_answer_goes_on_where_discord_said_wait(monkeypatch):
    monkeypatch.setattr("bot.channels.discord.sender._PAUSE_S", 0.01)
    async with on_stage(monkeypatch, Script({"q": LONG})) as stage:
        stage.fake.answers["POST"] = [(429, {"message": "slow down", "retry_after": 0.01})]
        token = await stage.fake.use(LIN, "ask", question="q")
        await stage.fake.until(lambda: "line 39" in "".join(one["content"] for one in stage.fake.said(token)))
        shown = "".join(one["content"] for one in stage.fake.said(token))
        assert [shown.count(f"line {n} - line") for n in (0, 20, 39)] == [10, 10, 10]


@pytest.mark.parametrize("wait", [10**9, float("inf")])
async def test_a_pause_without_end_holds_nobody_up(monkeypatch, wait):
    async with on_stage(monkeypatch, Script({"q": answer("A T4.")})) as stage:
        stage.fake.answers["PATCH"] = [(429, {"message": "slow down", "retry_after": wait})]
        await stage.fake.use(LIN, "ask", question="q")
        await stage.fake.until(lambda: stage.fake.tries)
        assert "other" in (await stage.answered(await stage.fake.use(WU, "ask", question="other")))["content"]
        await until_waiting(stage.delivery.store, 1)


async def test_who_asks_while_nothing_can_be_stored_is_told_so(monkeypatch):
    async with on_stage(monkeypatch) as stage:

        async def full(*_given, **_named):
            raise StoreUnavailable("the disk is full")

        with monkeypatch.context() as patched:
            patched.setattr(stage.delivery.store, "put", full)
            told = await stage.answered(await stage.fake.use(LIN, "ask", question="q"))
        assert told["content"]
        assert stage.road.heard == []


async def test_a_broadcast_is_written_into_the_channel_once(monkeypatch):
    async with on_stage(monkeypatch, Script({"to all": answer("News.")})) as stage:
        message = make_message(
            "to all", channel="discord", bot_id=APP, chat_id="77", user_id="", addressed_how=BROADCAST, event_id="b1"
        )
        await stage.delivery.accept(message)
        await stage.fake.until(lambda: stage.fake.told)
        assert stage.fake.told == [("77", "News.")]


async def test_a_chart_that_was_asked_for_comes_as_a_picture(monkeypatch):
    chart = Chart(kind="bars", title="Price", series=(("CNY", (("RTX 4090", 2.0), ("T4", 1.0))),))
    async with on_stage(monkeypatch, Script({"draw it": answer("Here.", chart=chart)})) as stage:
        shown = await stage.answered(await stage.fake.use(LIN, "ask", question="draw it"))
        assert shown["picture"].startswith(b"\x89PNG")
        assert shown["content"] == "Here."


async def test_a_token_that_has_run_out_is_not_tried_again(monkeypatch):
    async with on_stage(monkeypatch) as stage:
        stage.fake.failing = 1
        await stage.fake.use(LIN, "ask", question="lost")
        await stage.fake.until(lambda: stage.fake.failing == 0)
        token = await stage.fake.use(LIN, "ask", question="next")
        assert "next" in (await stage.answered(token))["content"]


async def test_what_was_said_to_another_bot_on_the_same_store_is_left_to_it(monkeypatch):
    async with on_stage(monkeypatch) as stage:
        other = make_message("of the other", channel="discord", bot_id="42", event_id="1")
        assert not stage.delivery.serves(other)
        await stage.delivery.accept(other)
        token = await stage.fake.use(LIN, "ask", question="mine")
        assert "mine" in (await stage.answered(token))["content"]
        assert [message.text for message in stage.road.heard] == ["mine"]
        await until_waiting(stage.delivery.store, 1)


async def test_who_is_not_allowed_is_told_so_and_leaves_nothing(monkeypatch):
    async with on_stage(monkeypatch, deny_users=read_identities([f"discord:{LIN}"])) as stage:
        told = await stage.answered(await stage.fake.use(LIN, "ask", question="q"))
        assert told["content"] == "This bot does not answer here."
        assert stage.road.heard == []
        left = stage.delivery.store._db.execute("SELECT count(*) FROM small").fetchone()
        assert left == (0,)


async def test_a_wrong_token_is_said_in_one_line(monkeypatch):
    with pytest.raises(ChannelStartError, match="XUANKA_DISCORD_TOKEN"):
        async with on_stage(monkeypatch, token="wrong"):
            pass


def test_markup_is_discords_and_nobody_is_notified_by_a_name():
    text = (
        f"**Yes**: `4090` {escape('@everyone <@1> *no* [x](http://y)')}\n\n| card | GB |\n|---|---|\n| RTX 4090 | 24 |"
    )
    (shown,) = discord_markdown(text)
    assert "**Yes**" in shown
    assert "`4090`" in shown
    assert "\\@everyone" in shown
    assert "<@1>" not in shown
    assert "\\*no\\*" in shown
    assert shown.count("```") == 2
    assert echo("x").text
