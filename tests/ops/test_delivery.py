"""From the door to the chat: once, in order, and what happens when senders and stores fail."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from bot.core.message import IncomingMessage, Reply
from bot.core.ports import Accepted, Outcome, Sent, StoreUnavailable
from bot.delivery import Delivery, DeliveryOptions
from bot.stores.memory import MemoryStore
from tests.conftest import make_message
from tests.ops.stage import T0, Chat, Road, on_stage, until


class Shaky(MemoryStore):
    """A store that is away for the next so many calls of a method."""

    def __init__(self) -> None:
        super().__init__()
        self.away: dict[str, int] = {}

    def _check(self, name: str) -> None:
        if self.away.get(name, 0) > 0:
            self.away[name] -= 1
            raise StoreUnavailable("away")

    async def accept(self, *args: Any, **kwargs: Any) -> Accepted:
        self._check("accept")
        return await super().accept(*args, **kwargs)

    async def take_in(self, *args: Any, **kwargs: Any) -> tuple[Accepted, Any]:
        self._check("accept")
        return await super().take_in(*args, **kwargs)

    async def handled(self, *args: Any, **kwargs: Any) -> bool:
        self._check("handled")
        return await super().handled(*args, **kwargs)

    async def finish(self, *args: Any, **kwargs: Any) -> bool:
        self._check("finish")
        return await super().finish(*args, **kwargs)

    async def put(self, *args: Any, **kwargs: Any) -> None:
        self._check("put")
        await super().put(*args, **kwargs)

    async def begin(self, *args: Any, **kwargs: Any) -> Any:
        self._check("begin")
        return await super().begin(*args, **kwargs)


async def test_an_accepted_message_is_answered_once_and_a_repeat_is_not() -> None:
    async with on_stage() as stage:
        assert await stage.say("a", "1") is Accepted.STORED
        assert await stage.say("a", "1") is Accepted.DUPLICATE
        await stage.quiet()
        assert await stage.say("a", "1") is Accepted.DUPLICATE
        await stage.quiet()
    assert stage.chat.said == [("c", "heard a", "")]


async def test_what_was_not_said_to_the_bot_is_not_stored() -> None:
    async with on_stage() as stage:
        assert await stage.say("a", "1", addressed=False) is Accepted.IGNORED
        assert (await stage.store.backlog(T0)).waiting == 0


async def test_a_store_that_cannot_write_is_a_full_door() -> None:
    store = Shaky()
    store.away["accept"] = 1
    async with on_stage(store) as stage:
        assert await stage.say("a", "1") is Accepted.FULL
        assert await stage.say("a", "1") is Accepted.STORED
        await stage.quiet()
    assert len(stage.chat.said) == 1


async def test_a_send_that_failed_surely_is_tried_again_and_later_messages_wait_behind_it() -> None:
    async with on_stage() as stage:
        stage.chat.outcomes = [Sent(Outcome.RETRY, retry_after=20.0)]
        await stage.say("first", "1")
        await stage.say("second", "2")
        await until(lambda: stage.chat.tries)
        stage.clock.at = T0 + 10
        await asyncio.sleep(0.05)  # nothing may happen meanwhile, and nothing announces that
        assert stage.chat.tries == [("c", "heard first")]
        stage.clock.at = T0 + 21
        await stage.quiet()
    assert [text for _, text, _ in stage.chat.said] == ["heard first", "heard second"]
    assert [message.text for message in stage.road.heard] == ["first", "second"]


async def test_tries_come_at_growing_distances_and_end() -> None:
    async with on_stage(most_sends=4, oldest_send_s=100.0) as stage:
        stage.chat.outcomes = [Sent(Outcome.RETRY)] * 50
        await stage.say("a", "1")
        await until(lambda: len(stage.chat.tries) == 1)
        stage.clock.at = T0 + 101
        await until(lambda: len(stage.chat.tries) == 2)
        for _ in range(6):
            stage.clock.at += 40
            await asyncio.sleep(0.02)
        await stage.quiet()
    assert len(stage.chat.tries) == 4
    assert stage.chat.said == []


async def test_what_could_not_even_be_tried_counts_as_no_try() -> None:
    async with on_stage(most_sends=2, oldest_send_s=10.0) as stage:
        stage.chat.outcomes = [Sent(Outcome.RETRY, begun=False)] * 8
        await stage.say("a", "1")
        for step in range(12):
            stage.clock.at = T0 + 20 * step
            await asyncio.sleep(0.02)
        await stage.quiet()
    assert stage.chat.said == [("c", "heard a", "")]


@pytest.mark.parametrize("outcome", [Sent(Outcome.UNKNOWN), Sent(Outcome.REFUSED), ValueError("the sender broke")])
async def test_a_send_that_may_have_happened_or_never_will_is_not_repeated(outcome: Any) -> None:
    async with on_stage() as stage:
        stage.chat.outcomes = [outcome]
        await stage.say("a", "1")
        await stage.say("b", "2")
        await stage.quiet()
        stage.clock.at = T0 + 3600
        await asyncio.sleep(0.03)
    assert stage.chat.tries == [("c", "heard a"), ("c", "heard b")]
    assert [text for _, text, _ in stage.chat.said] == ["heard b"]


async def test_a_group_that_moved_keeps_its_conversation_and_is_answered_in_its_new_place() -> None:
    async with on_stage() as stage:
        await stage.say("before", "1", chat_id="old", chat_type="group", message_id="m1")
        await stage.quiet()
        stage.chat.outcomes = [Sent(Outcome.RETRY, retry_after=1.0, moved_to="new")]
        await stage.say("question", "2", chat_id="old", chat_type="group", message_id="m2")
        await until(lambda: len(stage.chat.tries) == 2)
        stage.clock.at = T0 + 5
        await stage.quiet()
        assert stage.chat.said[-1] == ("new", "heard question", "")
        await stage.say("after", "3", chat_id="new", chat_type="group", message_id="m3")
        await stage.quiet()
        carried = stage.road.states[-1]
        assert carried is not None
        assert carried.turn == 2
        await stage.say("edited", "4", chat_id="new", chat_type="group", message_id="m2", edits="m2")
        await stage.quiet()
    assert stage.chat.said[-1] == ("new", "heard edited", "out-3")


async def test_an_edited_question_edits_its_answer() -> None:
    async with on_stage() as stage:
        await stage.say("2080", "1", message_id="m1")
        await stage.quiet()
        await stage.say("3080", "2", message_id="m1", edits="m1")
        await stage.quiet()
    assert stage.chat.said == [("c", "heard 2080", ""), ("c", "heard 3080", "out-1")]


async def test_what_has_no_way_out_here_is_left_to_whoever_has_it() -> None:
    async with on_stage() as stage:
        await stage.say("a", "1", channel="nowhere")
        await stage.say("b", "2")
        await until(lambda: stage.chat.said)
        await asyncio.sleep(0.03)  # nothing may happen meanwhile, and nothing announces that
        assert [message.text for message in stage.road.heard] == ["b"]
        stage.delivery.senders["nowhere"] = stage.chat
        await stage.quiet()
    assert [text for _, text, _ in stage.chat.said] == ["heard b", "heard a"]


class OneBot(Chat):
    """A sender that speaks as one bot."""

    bot_id = ""


async def test_two_bots_on_one_store_never_answer_for_each_other() -> None:
    store = MemoryStore()
    async with on_stage(store) as first:
        second_chat, second_road = OneBot(), Road()
        first_chat = OneBot()
        first.delivery.senders["test"] = first_chat
        second = Delivery(store, second_road, {"test": second_chat}, DeliveryOptions(workers=2, idle_s=0.005))
        await second.start()
        for number in range(100):
            bot = "12"[number % 2]
            door = first.delivery if number % 4 < 2 else second
            await door.accept(make_message(f"of {bot}", event_id=str(number), bot_id=bot, chat_id=f"c{number % 7}"))
        await asyncio.sleep(0.03)
        assert first.road.heard == second_road.heard == []  # neither knows yet which bot it is
        first_chat.bot_id, second_chat.bot_id = "1", "2"
        await first.quiet()
        await second.stop(2.0)
    assert {message.text for message in first.road.heard} == {"of 1"}
    assert {message.text for message in second_road.heard} == {"of 2"}
    assert [len(chat.said) for chat in (first_chat, second_chat)] == [50, 50]


async def test_a_caller_of_a_bot_that_was_killed_is_closed_by_that_bots_replicas_only() -> None:
    store = MemoryStore()
    async with on_stage(store) as stage:
        stage.delivery.senders["test"] = OneBot()
        abandoned = make_message("a", event_id="1", channel="api", bot_id="desk")
        await store.accept(abandoned, capacity=10, passive=True)
        stage.clock.at = T0 + 20
        await asyncio.sleep(0.03)
        assert stage.road.heard == []
        other = Delivery(store, stage.road, {}, DeliveryOptions(workers=1, idle_s=0.005), callers=("api:desk:",))
        await other.start()
        await stage.quiet()
        await other.stop(2.0)
    assert [message.text for message in stage.road.heard] == ["a"]


class Secretive(Exception):
    """An exception that cannot be made anew without arguments, and quotes the user."""

    def __new__(cls, words: str) -> Secretive:
        return super().__new__(cls, words)


async def test_a_broken_road_gives_a_line_with_an_id_and_a_log_without_words(caplog: pytest.LogCaptureFixture) -> None:
    async with on_stage() as stage:
        stage.road.breaks_on["hunter2 please"] = Secretive("could not parse hunter2 please")
        with caplog.at_level(logging.ERROR):
            await stage.say("hunter2 please", "1")
            await stage.say("fine", "2")
            await stage.quiet()
    line = next(record for record in caplog.records if "answering failed" in record.message)
    error_id = line.message.split("id ")[1][:6]
    assert [text for _, text, _ in stage.chat.said] == [f"sorry/short error_id={error_id}", "heard fine"]
    assert "hunter2" not in caplog.text


async def test_a_store_that_goes_away_after_the_send_does_not_lead_to_a_second_send() -> None:
    store = Shaky()
    async with on_stage(store) as stage:
        store.away["finish"] = 3
        await stage.say("a", "1")
        await stage.quiet()
    assert stage.chat.tries == [("c", "heard a")]


async def test_a_store_that_goes_away_before_the_reply_is_kept_costs_only_time() -> None:
    store = Shaky()
    async with on_stage(store) as stage:
        store.away["handled"] = 2
        await stage.say("a", "1")
        await stage.quiet()
    assert stage.chat.tries == [("c", "heard a")]
    assert len(stage.road.heard) == 1


async def test_an_answer_for_which_the_store_could_not_be_read_is_given_after_the_lease() -> None:
    store = Shaky()
    async with on_stage(store, lease_s=30.0) as stage:
        store.away["begin"] = 1
        await stage.say("a", "1")
        await until(lambda: store.away["begin"] == 0)
        stage.clock.at = T0 + 31
        await stage.quiet()
    assert stage.chat.said == [("c", "heard a", "")]


async def test_a_worker_that_lost_its_lease_stops_and_the_next_owner_sends() -> None:
    async with on_stage(workers=1, lease_s=0.03) as stage:
        stuck = asyncio.Event()

        async def wait() -> None:
            stage.chat.before = None
            stuck.set()
            await asyncio.Event().wait()

        stage.chat.before = wait
        await stage.say("a", "1")
        await stuck.wait()
        stage.clock.at = T0 + 60  # for the others the lease is over
        taken = await stage.store.claim("other", now=stage.clock(), lease_s=1000.0)
        assert taken is not None
        assert taken.reply is not None
        await stage.say("b", "2", user_id="someone else")
        await until(lambda: stage.chat.said)
    assert stage.chat.said == [("c", "heard b", "")]
    assert stage.chat.tries == [("c", "heard a"), ("c", "heard b")]


async def test_work_in_hand_is_finished_before_stopping_and_the_rest_stays() -> None:
    store = MemoryStore()
    async with on_stage(store, workers=1) as stage:
        begun, go = asyncio.Event(), asyncio.Event()

        async def wait() -> None:
            begun.set()
            await go.wait()

        stage.chat.before = wait
        await stage.say("in hand", "1")
        await stage.say("waiting", "2")
        await begun.wait()
        stopping = asyncio.create_task(stage.delivery.stop(5.0))
        await asyncio.sleep(0)
        go.set()
        await stopping
        assert [text for _, text, _ in stage.chat.said] == ["heard in hand"]
        assert (await store.backlog(T0)).waiting == 1


async def test_a_caller_gets_the_same_reply_again_and_order_holds() -> None:
    async with on_stage() as stage:
        message = make_message("a", event_id="1")
        first = await stage.delivery.answer_now(message)
        assert first is not None
        assert first.text == "heard a"
        assert await stage.delivery.answer_now(message) == first
        assert len(stage.road.heard) == 1
        assert stage.chat.tries == []


async def test_two_callers_with_the_same_event_get_one_answer() -> None:
    async with on_stage() as stage:
        message = make_message("a", event_id="1")
        replies = await asyncio.gather(*(stage.delivery.answer_now(message) for _ in range(5)))
        assert {reply.text for reply in replies if reply} == {"heard a"}
        assert len(stage.road.heard) == 1


async def test_a_caller_waits_behind_an_earlier_message_and_gives_up_in_time() -> None:
    async with on_stage(workers=1, passive_wait_s=4.0) as stage:
        begun, go = asyncio.Event(), asyncio.Event()

        async def wait() -> None:
            stage.chat.before = None
            begun.set()
            await go.wait()

        stage.chat.before = wait
        await stage.say("slow", "1")
        await begun.wait()
        asking = asyncio.create_task(stage.delivery.answer_now(make_message("next", event_id="2")))
        await asyncio.sleep(0.03)
        stage.clock.at = T0 + 5
        with pytest.raises(StoreUnavailable, match="still being answered"):
            await asking
        go.set()
        reply = await stage.delivery.answer_now(make_message("next", event_id="2"))
        assert reply is not None
        assert [message.text for message in stage.road.heard] == ["slow", "next"]


async def test_a_full_inbox_turns_callers_away() -> None:
    async with on_stage(capacity=1, workers=1) as stage:
        begun = asyncio.Event()

        async def wait() -> None:
            begun.set()
            await asyncio.Event().wait()

        stage.chat.before = wait
        await stage.say("a", "1")
        await begun.wait()
        with pytest.raises(StoreUnavailable, match="full"):
            await stage.delivery.answer_now(make_message("b", event_id="2", user_id="v"))
        await stage.delivery.stop(0.01)


async def test_a_caller_that_is_gone_leaves_nothing_behind() -> None:
    async with on_stage() as stage:
        message = make_message("a", event_id="1")
        await stage.store.accept(message, now=T0, capacity=10, passive=True)
        stage.clock.at = T0 + 20
        await stage.quiet()
        assert stage.chat.tries == []
        reply = await stage.delivery.answer_now(message)
        assert reply is not None


async def test_fifty_conversations_keep_their_order_over_eight_workers() -> None:
    async with on_stage(workers=8) as stage:

        async def wait() -> None:
            await asyncio.sleep(0)

        stage.chat.before = wait
        for turn in range(6):
            for user in range(50):
                await stage.say(f"{turn}", f"{user}-{turn}", user_id=f"u{user}", chat_id=f"c{user % 7}")
        await stage.quiet()
    order: dict[str, list[str]] = {}
    for message in stage.road.heard:
        order.setdefault(message.user_id, []).append(message.text)
    assert len(order) == 50
    assert set(map(tuple, order.values())) == {tuple("012345")}
    assert len(stage.chat.said) == 300


async def test_messages_of_a_way_out_that_another_replica_has_wait_for_it() -> None:
    async with on_stage() as stage:
        held = True
        stage.chat.is_elsewhere = lambda: held
        await stage.say("a", "1")
        await asyncio.sleep(0.05)  # it must stay where it is, and nothing announces that
        assert stage.road.heard == []
        held = False
        await stage.quiet()
    assert stage.chat.said == [("c", "heard a", "")]


class Helper:
    """A desk that only listens."""

    def __init__(self) -> None:
        self.gone_chats: list[str] = []

    async def attend(self, message: IncomingMessage) -> Reply | None:
        return None

    async def note(self, message: IncomingMessage, reply: Reply) -> None:
        raise StoreUnavailable("counting is not worth an answer")

    async def gone(self, message: IncomingMessage) -> None:
        self.gone_chats.append(message.chat_id)


async def test_counting_that_fails_costs_no_answer_and_gone_chats_are_told() -> None:
    desk = Helper()
    async with on_stage(desk=desk) as stage:
        stage.chat.outcomes = [Sent(Outcome.SENT, "1"), Sent(Outcome.REFUSED)]
        await stage.say("a", "1")
        await stage.say("b", "2")
        await stage.quiet()
    assert [text for _, text, _ in stage.chat.said] == ["heard a"]
    assert desk.gone_chats == ["c"]


async def test_an_idle_worker_takes_a_message_in_hand_as_it_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    async with on_stage(idle_s=60.0) as stage:
        await until(lambda: stage.delivery._crew.idle == 2)
        with monkeypatch.context() as patched:
            patched.setattr(stage.store, "claim", _never)
            await stage.say("a", "1")
            await stage.quiet()
    assert stage.chat.said == [("c", "heard a", "")]


async def _never(*_: Any, **__: Any) -> Any:
    raise AssertionError("nothing is to be looked for")


async def test_what_waits_behind_a_message_in_hand_comes_next_without_a_watch() -> None:
    async with on_stage(idle_s=60.0) as stage:
        await until(lambda: stage.delivery._crew.idle == 2)
        for number in range(12):
            await stage.say(f"m{number}", str(number))
        await stage.quiet()
    assert [text for _, text, _ in stage.chat.said] == [f"heard m{number}" for number in range(12)]
