"""The life of the long connection: subscribing, heartbeats, ends of all kinds, leases, limits, acknowledgements."""

from __future__ import annotations

import asyncio
import logging

import pytest

from bot.channels.wecom.errors import WecomStartError
from bot.channels.wecom.limits import Bucket
from bot.channels.wecom.run import Wecom
from bot.core.message import IncomingMessage
from bot.core.ports import Accepted, StoreUnavailable
from bot.stores.memory import MemoryStore
from tests.fakes.wecom import BAD_SECRET, BUSY, FakeWecom
from tests.fakes.wecom_stage import MovedClock, Script, Stage, on_stage, settings_for, start_replica, until


async def test_the_first_frame_subscribes_and_heartbeats_follow() -> None:
    async with on_stage() as stage:
        for count in range(1, 4):
            await stage.clock.advance(30)
            await stage.fake.until(lambda count=count: stage.fake.pings == count)
        assert len(stage.fake.subscriptions) == 1


async def test_two_heartbeats_without_answer_end_the_connection() -> None:
    async with on_stage() as stage:
        stage.fake.trouble.silent_pings = True
        await stage.clock.advance(60)
        await stage.fake.until(lambda: stage.fake.pings == 2)
        assert stage.fake.live is not None
        await stage.clock.advance(30)
        await stage.fake.until(lambda: stage.fake.live is None)
        stage.fake.trouble.silent_pings = False
        await until(lambda: stage.clock.sleeping(1.0))
        await stage.clock.advance(1)
        await stage.live()


@pytest.mark.parametrize("how", ["clean", "abrupt"])
async def test_the_connection_comes_back_after_every_end(how: str) -> None:
    async with on_stage() as stage:
        await stage.clock.advance(60)
        await (stage.fake.close_clean() if how == "clean" else stage.fake.close_abrupt())
        await until(lambda: stage.clock.sleeping(1.0))
        await stage.clock.advance(1)
        await stage.live()
        await stage.fake.say("lin", "still there?")
        await stage.fake.answer("lin")


async def test_pauses_double_up_to_half_a_minute_and_start_anew_after_a_stable_connection() -> None:
    async with on_stage() as stage:
        stage.fake.trouble.drop_after_subscribe = 7
        await stage.fake.close_clean()
        for count, pause in enumerate((1, 2, 4, 8, 16, 30, 30, 30), start=1):
            await until(lambda count=count: len(stage.fake.subscriptions) == count)
            await until(lambda pause=pause: _rests(stage) and stage.clock.sleeping(pause))
            await stage.clock.advance(pause)
        await stage.live()
        await stage.clock.advance(31)
        await stage.fake.close_clean()
        await until(lambda: stage.clock.sleeping(1.0))


def _rests(stage: Stage) -> bool:
    """Whether the last connection is over for the bot, too."""
    keeper = stage.replica.channel._keeper
    return keeper is not None and keeper.link is None


async def test_a_message_that_came_before_the_end_is_answered_after_it() -> None:
    async with on_stage() as stage:
        stage.fake.trouble.refuse.extend([BUSY])
        req_id = await stage.fake.say("lin", "which GPU?")
        await until(lambda: not stage.fake.trouble.refuse)
        await stage.fake.close_abrupt()
        await until(lambda: stage.clock.sleeping(1.0))
        await stage.clock.advance(1)
        await stage.live()
        await stage.clock.advance(30)
        assert (await stage.fake.answer("lin")).req_id == req_id


# --- kicks -----------------------------------------------------------------------------------------------------------


async def test_kicked_once_it_cools_down_and_comes_back_while_it_leads() -> None:
    async with on_stage() as stage:
        await stage.fake.kick()
        await until(lambda: stage.clock.sleeping(45))
        assert stage.replica.channel.state == "cooling"
        await stage.clock.advance(44)
        assert len(stage.fake.subscriptions) == 1
        await stage.clock.advance(1)
        await stage.live()


async def test_kicked_again_within_minutes_it_stands_by_and_raises_an_alarm(caplog: pytest.LogCaptureFixture) -> None:
    async with on_stage() as stage:
        await stage.fake.kick()
        await until(lambda: stage.clock.sleeping(45))
        await stage.clock.advance(45)
        await stage.live()
        await stage.fake.kick()
        await until(lambda: stage.replica.channel.state == "kicked")
        assert [record.levelno for record in caplog.records if "ALERT" in record.message] == [logging.ERROR]
        await stage.clock.advance(600)
        assert len(stage.fake.subscriptions) == 2
        await stage.clock.advance(301)
        await stage.live()


async def test_a_second_program_wins_and_is_not_fought() -> None:
    async with on_stage() as stage:
        other = MemoryStore()
        await other.open()
        rival = await start_replica(stage.fake, stage.clock, Script(), other)
        try:
            await stage.fake.until(lambda: len(stage.fake.subscriptions) == 2)
            await until(lambda: stage.replica.channel.state == "cooling")
            assert rival.channel.state == "live"
        finally:
            await rival.stop()
            await other.close()


# --- refusals --------------------------------------------------------------------------------------------------------


async def test_a_wrong_secret_stops_the_start_with_one_line() -> None:
    clock, fake = MovedClock(), FakeWecom(secret="another")
    async with fake.running():
        store = MemoryStore()
        await store.open()
        replica = await start_replica(fake, clock, Script(), store)
        running = asyncio.create_task(replica.channel.run(asyncio.Event()))
        for pause in (1, 2):
            await until(lambda pause=pause: clock.sleeping(pause))
            await clock.advance(pause)
        with pytest.raises(WecomStartError) as caught:
            await running
        assert str(BAD_SECRET) in str(caught.value)
        assert "\n" not in str(caught.value)
        assert "s3cr3t" not in str(caught.value)
        await replica.stop()
        await store.close()
    assert len(fake.subscriptions) == 3


async def test_a_subscription_refused_later_is_tried_again_for_ever(caplog: pytest.LogCaptureFixture) -> None:
    async with on_stage() as stage:
        stage.fake.trouble.refuse_subscriptions.extend([BAD_SECRET] * 5 + [BUSY])
        await stage.fake.close_clean()
        for count, pause in enumerate((1, 2, 4, 8, 16, 30, 30), start=1):
            await until(lambda count=count: len(stage.fake.subscriptions) == count)
            await until(lambda pause=pause: _rests(stage) and stage.clock.sleeping(pause))
            await stage.clock.advance(pause)
        await stage.live()
        assert sum("ALERT" in record.message for record in caplog.records) == 5


# --- replicas --------------------------------------------------------------------------------------------------------


async def test_one_replica_holds_the_connection_and_it_moves_within_seconds() -> None:
    async with on_stage() as stage:
        road = Script()
        second = await start_replica(stage.fake, stage.clock, road, stage.replica.store)
        try:
            await stage.clock.advance(20)
            assert (stage.replica.channel.state, second.channel.state) == ("live", "standby")
            assert len(stage.fake.subscriptions) == 1
            # The first one dies: it renews nothing and its connection breaks.
            assert stage.replica.channel._keeping is not None
            stage.replica.channel._keeper._store = _Broken()
            stage.replica.channel._keeping.cancel()
            await stage.fake.until(lambda: stage.fake.live is None)
            died = stage.clock.passed
            while second.channel.state == "standby":
                await stage.clock.advance(0.5)
                await asyncio.sleep(0.002)
                assert stage.clock.passed - died < 9
            await until(lambda: second.channel.state == "live")
            await stage.fake.say("lin", "who is there?")
            # The dead one's workers may take the message first; what they cannot send is tried again later.
            answering = asyncio.create_task(stage.fake.answer("lin"))
            while not answering.done():
                await stage.clock.advance(0.5)
                await asyncio.sleep(0.005)
            await answering
        finally:
            await second.stop()


async def test_a_replica_that_stops_hands_the_connection_over_at_once() -> None:
    async with on_stage() as stage:
        second = await start_replica(stage.fake, stage.clock, Script(), stage.replica.store)
        try:
            await stage.replica.stop()
            await stage.clock.advance(1.6)
            await until(lambda: second.channel.state == "live")
        finally:
            await second.stop()


async def test_a_replica_that_loses_the_lease_lets_go_of_the_connection() -> None:
    async with on_stage() as stage:
        store = stage.replica.store
        await store.resign("wecom:aib-test", stage.replica.channel._keeper._owner)
        assert await store.lead("wecom:aib-test", "somebody", now=stage.clock.wall(), lease_s=60)
        await stage.clock.advance(2)
        await stage.fake.until(lambda: stage.fake.live is None)
        assert stage.replica.channel.state == "standby"
        await stage.clock.advance(61)
        await stage.live()


async def test_a_store_that_fails_ends_the_lease_in_time() -> None:
    async with on_stage() as stage:
        keeper = stage.replica.channel._keeper
        assert keeper is not None
        keeper._store = _Broken()
        await stage.clock.advance(6)
        await stage.fake.until(lambda: stage.fake.live is None)
        keeper._store = stage.replica.store


async def test_messages_are_left_to_the_replica_that_holds_the_connection() -> None:
    async with on_stage() as stage:
        road = Script()
        second = await start_replica(stage.fake, stage.clock, road, stage.replica.store)
        try:
            await stage.replica.delivery.stop(1.0)
            await stage.fake.say("lin", "which GPU?")
            await until(lambda: _waiting(stage))
            for _ in range(5):
                await stage.clock.advance(1)
                await asyncio.sleep(0.02)
            await stage.replica.delivery.start()
            assert (await stage.fake.answer("lin")).text == "You said: which GPU?"
            assert road.heard == []
        finally:
            await second.stop()


async def test_an_answer_without_a_connection_waits_and_counts_as_no_attempt() -> None:
    """As between the end of one connection and the next: far more claims than sends that may fail."""
    async with on_stage() as stage:
        channel = stage.replica.channel
        keeper = channel._keeper
        assert keeper is not None
        link, keeper.link = keeper.link, None
        await stage.fake.say("lin", "which GPU?")
        await until(lambda: stage.road.heard)
        for _ in range(10):
            await stage.clock.advance(1)
            await asyncio.sleep(0.02)
        keeper.link = link
        while not stage.fake.shown:
            await stage.clock.advance(1)
            await asyncio.sleep(0.005)
            assert stage.clock.passed < 300
        assert stage.fake.shown[0].text == "You said: which GPU?"


async def _waiting(stage: Stage) -> bool:
    return (await stage.replica.store.backlog(0.0)).waiting == 1


class _Broken:
    async def lead(self, *_: object, **__: object) -> bool:
        raise StoreUnavailable("gone")

    async def resign(self, *_: object) -> None:
        raise StoreUnavailable("gone")


# --- acknowledgements ------------------------------------------------------------------------------------------------


async def test_a_lost_acknowledgement_of_an_answer_leads_to_the_same_stream_again() -> None:
    async with on_stage(ack_s=0.05) as stage:
        stage.fake.trouble.lose_acks = 2
        await stage.fake.say("lin", "which GPU?")
        await until(lambda: stage.fake.trouble.lose_acks == 0)
        await stage.quiet()
        assert len(stage.fake.in_chat("lin")) == 1


async def test_a_push_without_acknowledgement_is_never_repeated() -> None:
    from tests.bot.channels.wecom.test_socket_cards import ROAD, key_of

    async with on_stage(Script(dict(ROAD)), ack_s=0.05) as stage:
        await stage.fake.say("lin", "which?")
        shown = await stage.fake.answer("lin")
        await stage.quiet()
        stage.fake.trouble.lose_acks = 5
        await stage.fake.push(stage.fake.pushes.press("lin", shown.card, key_of(shown, "nlp")))
        await stage.fake.answer("lin", 2)
        await stage.quiet()
        assert len(stage.fake.in_chat("lin")) == 2


async def test_late_acknowledgements_are_waited_for() -> None:
    async with on_stage() as stage:
        stage.fake.trouble.ack_delay_s = 0.05
        await stage.fake.say("lin", "one")
        await stage.fake.say("lin", "two")
        await stage.fake.answer("lin", 2)
        await stage.quiet()


@pytest.mark.parametrize("code", [846605, 846608])
async def test_a_callback_that_can_no_longer_be_answered_is_answered_by_a_push(code: int) -> None:
    async with on_stage() as stage:
        stage.fake.trouble.refuse.append(code)
        await stage.fake.say("lin", "which GPU?")
        shown = await stage.fake.answer("lin")
        assert (shown.pushed, shown.text) == (True, "You said: which GPU?")


@pytest.mark.parametrize("code", [846605, 846608])
async def test_an_answer_that_left_before_the_connection_broke_is_not_pushed_on_top(code: int) -> None:
    async with on_stage() as stage:
        stage.fake.trouble.lose_acks = 1
        await stage.fake.say("lin", "which GPU?")
        await stage.fake.answer("lin")
        await stage.fake.close_abrupt()
        stage.fake.trouble.refuse.append(code)
        while stage.fake.trouble.refuse:
            await stage.clock.advance(0.5)
            await asyncio.sleep(0.005)
            assert stage.clock.passed < 300
        await stage.quiet()
        assert len(stage.fake.shown) == 1


async def test_busy_means_later() -> None:
    async with on_stage() as stage:
        stage.fake.trouble.refuse.extend([BUSY] * 8)
        await stage.fake.say("lin", "which GPU?")
        while not stage.fake.shown:
            await stage.clock.advance(5)
            await asyncio.sleep(0.005)
            assert stage.clock.passed < 600
        assert stage.fake.shown[0].text == "You said: which GPU?"
        assert not stage.fake.trouble.refuse


async def test_a_chat_that_is_gone_is_not_tried_again() -> None:
    async with on_stage() as stage:
        stage.fake.trouble.refuse.append(93008)
        await stage.fake.say("lin", "which GPU?")
        await stage.quiet()
        assert stage.fake.shown == []


# --- limits ----------------------------------------------------------------------------------------------------------


async def test_thirty_a_minute_are_never_exceeded_and_nothing_is_lost() -> None:
    async with on_stage() as stage:
        for number in range(70):
            await stage.fake.say(f"user{number}", "@选卡助手 which GPU?", group="wr-busy")
        while len(stage.fake.shown) < 70:
            await stage.clock.advance(1)
            await asyncio.sleep(0.003)
            assert stage.clock.passed < 600
        assert len({shown.req_id for shown in stage.fake.shown}) == 70


async def test_without_own_limits_the_fake_finds_the_fault() -> None:
    found = "more than 30 a minute or 1000 an hour in wr-busy"
    async with on_stage(buckets=(Bucket("none", 1e6, 1e6),), findings=(found,)) as stage:
        for number in range(31):
            await stage.fake.say(f"user{number}", "@选卡助手 which GPU?", group="wr-busy")
        await stage.fake.until(lambda: stage.fake.findings)


# --- the inbox -------------------------------------------------------------------------------------------------------


async def test_a_message_that_the_inbox_cannot_take_is_offered_again() -> None:
    async with on_stage() as stage:
        door = stage.replica.channel._door
        assert door is not None
        stubborn = _Stubborn(stage.replica.delivery, refusals=3)
        door._intake = stubborn
        await stage.fake.say("lin", "one")
        await stage.fake.say("lin", "two")
        for pause in (0.5, 1, 2):
            await until(lambda pause=pause: stage.clock.sleeping(pause))
            await stage.clock.advance(pause)
        await stage.fake.answer("lin", 2)
        assert [message.text for message in stage.road.heard] == ["one", "two"]


class _Stubborn:
    def __init__(self, intake: object, refusals: int) -> None:
        self.intake, self.refusals = intake, refusals

    async def accept(self, message: IncomingMessage) -> Accepted:
        self.refusals -= 1
        return Accepted.FULL if self.refusals >= 0 else await self.intake.accept(message)


async def test_neither_secret_nor_words_get_into_logs(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with on_stage() as stage:
        await stage.fake.say("lin", "my secret question")
        await stage.fake.answer("lin")
        await stage.fake.close_abrupt()
    assert "s3cr3t" not in caplog.text
    assert "secret question" not in caplog.text


def test_settings_for_no_transport_are_named_one_by_one() -> None:
    from bot.settings import SettingsError

    with pytest.raises(SettingsError) as caught:
        Wecom(settings_for("ws://x", wecom_bot_id="", wecom_secret=None), MemoryStore())
    assert [line.split()[0] for line in caught.value.lines] == ["XUANKA_WECOM_BOT_ID", "XUANKA_WECOM_SECRET"]
