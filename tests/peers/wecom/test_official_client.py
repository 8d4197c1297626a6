"""The fake server, validated by WeCom's own client: what the client takes for WeCom behaves as WeCom."""

from __future__ import annotations

import pytest

from tests.fakes.wecom import BAD_CHAT, INVALID_REQ_ID, FakeWecom
from tests.fakes.wecom_pushes import BOT_ID, SECRET
from tests.fakes.wecom_stage import on_stage, until
from tests.peers.wecom.node import official_client

pytestmark = pytest.mark.peer


async def test_it_subscribes_beats_answers_and_pushes() -> None:
    async with FakeWecom().running() as fake, official_client(fake.url, BOT_ID, SECRET) as client:
        await client.saw("authenticated")
        req_id = await fake.say("lin", "which GPU?")
        await client.until(lambda: client.about("push"))
        assert [event["event"] for event in client.events if "name" in event] == ["acknowledged"] * 3
        shown = fake.in_chat("lin")
        assert [(one.req_id == req_id, one.pushed, one.text) for one in shown] == [
            (True, False, "whole: which GPU?"),
            (False, True, "pushed"),
        ]
        await fake.until(lambda: fake.pings >= 3)
        assert "disconnected" not in client.names()
    assert fake.findings == []


async def test_it_reads_what_the_fake_pushes() -> None:
    async with FakeWecom().running() as fake, official_client(fake.url, BOT_ID, SECRET) as client:
        await client.saw("authenticated")
        await fake.push(fake.pushes.mixed("lin", "a", "b", group="wr-1"))
        await fake.push(fake.pushes.voice("lin", "spoken"))
        await client.saw("message.voice")
        assert {"event": "message.mixed", "items": 3} in client.events


async def test_it_welcomes_and_updates_and_is_refused_where_wecom_refuses() -> None:
    async with FakeWecom().running() as fake, official_client(fake.url, BOT_ID, SECRET) as client:
        await client.saw("authenticated")
        await fake.push(fake.pushes.enter("lin"))
        await client.until(lambda: client.about("welcome"))
        card = {"card_type": "button_interaction", "task_id": "t-1"}
        await fake.push(fake.pushes.press("lin", card, "k"))
        await client.until(lambda: client.about("update"))
        await fake.say("lin", "push to a stranger")
        await client.until(lambda: client.about("stranger"))
        assert client.about("welcome")[0]["event"] == "acknowledged"
        assert client.about("stream on a card event")[0]["event"] == "refused"
        assert client.about("update")[0]["event"] == "acknowledged"
        assert client.about("stranger")[0]["event"] == "refused"
        assert fake.refused == [INVALID_REQ_ID, BAD_CHAT]
        assert len(fake.welcomes) == len(fake.updates) == 1


async def test_a_second_connection_kicks_the_first_for_good() -> None:
    async with FakeWecom().running() as fake, official_client(fake.url, BOT_ID, SECRET) as first:
        await first.saw("authenticated")
        async with official_client(fake.url, BOT_ID, SECRET) as second:
            await second.saw("authenticated")
            await first.saw("event.disconnected_event")
            await fake.say("lin", "who?")
            await second.saw("message.text")
            assert "reconnecting" not in first.names()
            assert "message.text" not in first.names()
    assert len(fake.subscriptions) == 2


@pytest.mark.parametrize("how", ["clean", "abrupt", "silent"])
async def test_it_comes_back_after_every_end(how: str) -> None:
    async with FakeWecom().running() as fake, official_client(fake.url, BOT_ID, SECRET) as client:
        await client.saw("authenticated")
        if how == "clean":
            await fake.close_clean()
        elif how == "abrupt":
            await fake.close_abrupt()
        else:
            fake.trouble.silent_pings = True
            await client.saw("disconnected")
            fake.trouble.silent_pings = False
        await client.saw("authenticated", 2)


async def test_a_wrong_secret_is_refused_until_it_gives_up() -> None:
    async with FakeWecom().running() as fake, official_client(fake.url, BOT_ID, "wrong") as client:
        await client.until(lambda: any(e.get("detail") == "WS_AUTH_FAILURE_EXHAUSTED" for e in client.events))
        assert len(fake.subscriptions) == 3
        assert "authenticated" not in client.names()


async def test_our_bot_gives_way_to_the_official_client() -> None:
    async with on_stage() as stage, official_client(stage.fake.url, BOT_ID, SECRET) as client:
        await client.saw("authenticated")
        await until(lambda: stage.replica.channel.state == "cooling")
        await stage.fake.say("lin", "who?")
        await client.saw("message.text")
        assert stage.road.heard == []
