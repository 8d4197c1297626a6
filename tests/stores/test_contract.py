"""One contract, every store: what delivery relies on. Times are given, so nothing here waits."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.core.conversation import Conversation, HeldSlot
from bot.core.message import Reply
from bot.core.ports import PASSIVE_GRACE_S, Accepted, InboxItem, Store, StoreUnavailable
from bot.stores import open_store
from bot.stores.sqlite import SqliteStore
from bot.stores.valkey import ValkeyStore
from tests.conftest import make_message

T0 = 1_790_000_000.0
REPLY = Reply(decision="answer", language="zh", text="24 GiB")


@pytest.fixture(params=["memory", "sqlite", "valkey", "cluster"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    if request.param == "memory":
        opened = open_store("memory:")
    elif request.param == "sqlite":
        opened = open_store(f"sqlite:///{tmp_path / 'state.sqlite'}")
    else:
        opened = open_store(request.getfixturevalue("valkey_server" if request.param == "valkey" else "valkey_cluster"))
    await opened.open()
    if request.param in {"valkey", "cluster"}:
        await opened._db.flushall()  # a fresh store for each test
    yield opened
    await opened.close()


def said(number: int, chat: str = "c", user: str = "u", **more: Any) -> Any:
    return make_message(f"question {number}", event_id=str(number), chat_id=chat, user_id=user, **more)


async def accept(store: Store, *messages: Any, now: float = T0, passive: bool = False) -> list[Accepted]:
    return [await store.accept(one, now=now, capacity=1000, passive=passive) for one in messages]


async def claim(store: Store, owner: str = "w", now: float = T0, lease_s: float = 30.0) -> InboxItem | None:
    return await store.claim(owner, now=now, lease_s=lease_s)


async def close(store: Store, item: InboxItem, owner: str = "w", now: float = T0) -> bool:
    await store.handled(item, owner, REPLY, None, now=now, ttl_s=60)
    return await store.finish(item, owner, outcome="sent", message_id="77", now=now, keep_s=600)


async def test_claims_of_a_message_are_counted_and_the_next_one_begins_anew(store: Store) -> None:
    await accept(store, said(1), said(2))
    for time_before in range(3):
        item = await claim(store, f"w{time_before}", T0 + 100 * time_before)
        assert item is not None
        assert item.claims == time_before + 1
    assert await close(store, item, "w2", T0 + 200)
    following = await claim(store, now=T0 + 201)
    assert following is not None
    assert following.claims == 1


async def test_an_accepted_message_comes_out_whole(store: Store) -> None:
    message = said(1)
    assert await accept(store, message) == [Accepted.STORED]
    item = await claim(store)
    assert item is not None
    assert item.message == message
    assert (item.reply, item.sends, item.accepted_at) == (None, 0, T0)


async def test_the_same_event_is_stored_once_also_after_it_was_answered(store: Store) -> None:
    assert await accept(store, said(1), said(1)) == [Accepted.STORED, Accepted.DUPLICATE]
    item = await claim(store)
    assert item is not None
    await close(store, item)
    assert await accept(store, said(1)) == [Accepted.DUPLICATE]
    assert await claim(store) is None


async def test_a_full_inbox_refuses_and_says_so(store: Store) -> None:
    for number in range(3):
        await store.accept(said(number), now=T0, capacity=3)
    assert await store.accept(said(9), now=T0, capacity=3) is Accepted.FULL


async def test_one_conversation_is_worked_on_by_one_owner_in_order(store: Store) -> None:
    await accept(store, said(1), said(2))
    first = await claim(store, "a")
    assert first is not None
    assert first.message.event_id == "1"
    assert await claim(store, "b") is None
    await close(store, first, "a")
    second = await claim(store, "b")
    assert second is not None
    assert second.message.event_id == "2"


async def test_different_conversations_go_in_parallel(store: Store) -> None:
    await accept(store, said(1, user="a"), said(2, user="b"))
    found = {item.message.user_id for item in [await claim(store, "x"), await claim(store, "y")] if item}
    assert found == {"a", "b"}


async def test_a_noisy_chat_does_not_starve_a_quiet_one(store: Store) -> None:
    # Two chats that share a part of the inbox, whatever the store: the same chat id on two channels is not enough,
    # so the quiet one is looked for among many.
    await accept(store, *[said(n, chat="noisy", user=f"u{n}") for n in range(50)])
    await accept(store, *[said(100 + n, chat=f"quiet{n}") for n in range(8)])
    order = []
    for _ in range(24):
        item = await claim(store)
        assert item is not None
        order.append(item.message.chat_id)
        await close(store, item)
    assert {f"quiet{n}" for n in range(8)} <= set(order)


async def test_a_lease_that_ran_out_lets_another_take_over_and_locks_the_first_out(store: Store) -> None:
    await accept(store, said(1))
    item = await claim(store, "dead", lease_s=10)
    assert item is not None
    assert await claim(store, "next", now=T0 + 9) is None
    again = await claim(store, "next", now=T0 + 11)
    assert again is not None
    assert again.message.event_id == "1"
    assert not await store.handled(item, "dead", REPLY, None, now=T0 + 12, ttl_s=60)
    assert not await store.finish(item, "dead", outcome="sent", message_id="", now=T0 + 12, keep_s=60)
    assert not await store.renew(item, "dead", now=T0 + 12, lease_s=10)


async def test_renewing_keeps_the_lease(store: Store) -> None:
    await accept(store, said(1))
    item = await claim(store, "a", lease_s=10)
    assert item is not None
    assert await store.renew(item, "a", now=T0 + 9, lease_s=10)
    assert await claim(store, "b", now=T0 + 15) is None


async def test_a_handled_message_keeps_its_reply_and_loses_its_text(store: Store) -> None:
    await accept(store, said(1))
    item = await claim(store, "a", lease_s=10)
    assert item is not None
    state = Conversation(key=item.message.conversation_key, turn=1, slots={"batch": HeldSlot(value=16)})
    assert await store.handled(item, "a", REPLY, state, now=time.time(), ttl_s=60)
    after = await claim(store, "b", now=T0 + 11)
    assert after is not None
    assert after.reply == REPLY
    assert after.sends == 1
    assert after.message.text == ""
    assert after.message.chat_id == item.message.chat_id
    assert await store.load_conversation(state.key) == state


async def test_a_postponed_send_waits_and_holds_its_conversation(store: Store) -> None:
    await accept(store, said(1), said(2))
    item = await claim(store, "a")
    assert item is not None
    await store.handled(item, "a", REPLY, None, now=T0, ttl_s=60)
    assert await store.postpone(item, "a", pause_s=20, now=T0)
    assert await claim(store, "b", now=T0 + 19) is None
    again = await claim(store, "b", now=T0 + 21)
    assert again is not None
    assert again.message.event_id == "1"
    assert again.reply == REPLY
    assert await store.resending(again, "b")


async def test_a_repeat_of_a_passive_message_finds_the_reply_once_given(store: Store) -> None:
    message = said(1)
    await accept(store, message, passive=True)
    assert await store.reply_of(message) is None
    item = await store.claim("w", now=T0, lease_s=5, conversation=message.conversation_key)
    assert item is not None
    await close(store, item)
    assert await store.reply_of(message) == REPLY


async def test_passive_messages_wait_for_their_caller_until_it_is_gone(store: Store) -> None:
    message = said(1)
    await accept(store, message, passive=True)
    assert await claim(store, now=T0 + 1) is None
    named = await store.claim("caller", now=T0 + 1, lease_s=5, conversation=message.conversation_key)
    assert named is not None
    assert named.passive
    abandoned = await claim(store, "w", now=T0 + PASSIVE_GRACE_S + 1)
    assert abandoned is not None
    assert abandoned.passive


async def test_a_passive_message_behind_an_active_one_waits_for_its_caller(store: Store) -> None:
    await accept(store, said(1))
    await accept(store, said(2), passive=True)
    first = await claim(store)
    assert first is not None
    await close(store, first)
    assert await claim(store, now=T0 + 1) is None
    assert await store.claim("caller", now=T0 + 1, lease_s=5, conversation=said(2).conversation_key) is not None


async def test_many_passive_messages_do_not_hide_an_active_one(store: Store) -> None:
    await accept(store, *[said(n, user=f"p{n:02}") for n in range(40)], passive=True)
    await accept(store, said(99, user="zz"))
    item = await claim(store, now=T0 + 1)
    assert item is not None
    assert item.message.user_id == "zz"


async def test_within_a_chat_the_oldest_message_comes_first(store: Store) -> None:
    for place, user in enumerate(("z", "m", "a")):
        await accept(store, said(place, user=user), now=T0 + place / 10)
    order = []
    for _ in range(3):
        item = await claim(store, now=T0 + 1)
        assert item is not None
        order.append(item.message.user_id)
    assert order == ["z", "m", "a"]


async def test_a_chat_that_keeps_coming_back_does_not_pass_those_who_wait(store: Store) -> None:
    from bot.stores.valkey import part_of

    mine = part_of(said(0, chat="aaa").chat_key)
    # In Valkey chats of one part take turns, and parts do: all three are in one part here.
    alike = [name for name in (f"c{n}" for n in range(200)) if part_of(said(0, chat=name).chat_key) == mine][:2]
    await accept(store, *[said(n, chat=name) for n, name in enumerate(alike)])
    served = []
    for number in range(100, 103):
        await accept(store, said(number, chat="aaa"))
        item = await claim(store)
        assert item is not None
        served.append(item.message.chat_id)
        await close(store, item)
    assert set(alike) <= set(served)


async def test_only_what_is_named_is_claimed_and_the_rest_is_left_to_others(store: Store) -> None:
    bots = (("wecom", "a"), ("wecom-app", "a"), ("telegram", "1"), ("telegram", "12"), ("telegram", ""))
    await accept(store, *[said(n, channel=name, bot_id=bot) for n, (name, bot) in enumerate(bots)])
    found = []
    for _ in range(4):
        item = await store.claim("w", now=T0, lease_s=30, only=("wecom-app:", "telegram:1:", "nowhere:"))
        found.append((item.message.channel, item.message.bot_id) if item else None)
    assert sorted(found[:2], key=str) == [("telegram", "1"), ("wecom-app", "a")]
    assert found[2:] == [None, None]
    assert await store.claim("w", now=T0, lease_s=30, only=()) is None
    left = [await claim(store) for _ in range(4)]
    assert {(item.message.channel, item.message.bot_id) for item in left if item} == {
        ("wecom", "a"),
        ("telegram", "12"),
        ("telegram", ""),
    }


async def test_two_bots_in_one_chat_keep_everything_apart(store: Store) -> None:
    one, other = said(1, channel="telegram", bot_id="1"), said(1, channel="telegram", bot_id="2")
    assert await accept(store, one, other, passive=True) == [Accepted.STORED, Accepted.STORED]
    for message, text in ((one, "of one"), (other, "of the other")):
        item = await store.claim("w", now=T0, lease_s=30, conversation=message.conversation_key)
        assert item is not None
        assert item.message.bot_id == message.bot_id
        state = Conversation(key=message.conversation_key, turn=int(message.bot_id))
        reply = Reply(decision="answer", language="en", text=text)
        await store.handled(item, "w", reply, state, ttl_s=600)
        await store.finish(item, "w", outcome="sent", message_id="", keep_s=600)
    kept = [await store.reply_of(message) for message in (one, other)]
    assert [reply.text for reply in kept if reply] == ["of one", "of the other"]
    states = [await store.load_conversation(message.conversation_key) for message in (one, other)]
    assert [state.turn for state in states if state] == [1, 2]
    assert await store.forget(one.owner_key) == 2
    assert await store.reply_of(one) is None
    assert await store.load_conversation(one.conversation_key) is None
    assert await store.reply_of(other) is not None
    assert await store.load_conversation(other.conversation_key) is not None


async def test_names_with_colons_stay_whole(store: Store) -> None:
    message = said(1, chat="room:7:b", user="corp:lin")
    await accept(store, message, passive=True)
    item = await store.claim("w", now=T0, lease_s=5, conversation=message.conversation_key)
    assert item is not None
    assert item.message == message
    assert await close(store, item)
    assert (await store.backlog(T0)).waiting == 0


async def test_half_a_character_does_not_break_the_store(store: Store) -> None:
    assert await accept(store, make_message("4090 \ud83d?")) == [Accepted.STORED]
    item = await claim(store)
    assert item is not None
    assert item.message.text.startswith("4090 ")


async def test_tidying_drops_marks_whose_time_is_over(store: Store) -> None:
    await accept(store, said(1), now=time.time())
    item = await claim(store, now=time.time())
    assert item is not None
    await store.handled(item, "w", REPLY, None, now=time.time(), ttl_s=1)
    await store.finish(item, "w", outcome="sent", message_id="", now=time.time(), keep_s=1)
    assert await accept(store, said(1)) == [Accepted.DUPLICATE]
    if isinstance(store, SqliteStore):  # a server drops by its own clock
        await store.tidy(time.time() + 2)
        assert await accept(store, said(1), now=time.time()) == [Accepted.STORED]


async def test_the_backlog_counts_what_is_open(store: Store) -> None:
    await accept(store, said(1), said(2, user="b"))
    assert (await store.backlog(T0 + 5)).waiting == 2
    assert (await store.backlog(T0 + 5)).oldest_s == pytest.approx(5)
    item = await claim(store)
    assert item is not None
    await close(store, item)
    assert (await store.backlog(T0 + 5)).waiting == 1


async def test_forgetting_a_user_leaves_the_others(store: Store) -> None:
    for user in ("a", "b"):
        message = said(1 if user == "a" else 2, user=user)
        await accept(store, message, passive=True)
        item = await store.claim("w", now=T0, lease_s=5, conversation=message.conversation_key)
        assert item is not None
        state = Conversation(key=message.conversation_key, turn=1)
        await store.handled(item, "w", REPLY, state, now=time.time(), ttl_s=600)
        await store.finish(item, "w", outcome="sent", message_id="", now=T0, keep_s=600)
    assert await store.forget(said(1, user="a").owner_key) >= 1
    assert await store.load_conversation(said(1, user="a").conversation_key) is None
    assert await store.reply_of(said(1, user="a")) is None
    assert await store.load_conversation(said(2, user="b").conversation_key) is not None


async def test_small_values_come_back_and_go(store: Store) -> None:
    await store.put("k", {"a": [1, "\u5361"]})
    assert await store.get("k") == {"a": [1, "\u5361"]}
    await store.delete("k")
    assert await store.get("k") is None
    await store.put("gone", 1, ttl_s=0.001)
    time.sleep(0.005)  # the shortest life a store can give
    assert await store.get("gone") is None


async def test_counters_add_up(store: Store) -> None:
    await store.count("n", "good")
    await store.count("n", "good", 2)
    await store.count("n", "bad")
    assert await store.counts("n") == {"bad": 1, "good": 3}
    await store.uncount("n", "good")
    assert await store.counts("n") == {"bad": 1}


async def test_a_bucket_grants_its_burst_and_then_its_rate(store: Store) -> None:
    grants = [await store.take("b", now=T0, rate_per_s=2.0, burst=3) for _ in range(4)]
    assert grants[:3] == [0.0, 0.0, 0.0]
    assert grants[3] == pytest.approx(0.5)
    assert await store.take("b", now=T0 + 0.5, rate_per_s=2.0, burst=3) == 0.0


async def test_several_buckets_are_taken_from_together(store: Store) -> None:
    user, chat = ("user", 1.0, 2.0), ("chat", 1.0, 3.0)
    assert [await store.take_all([user, chat], now=T0) for _ in range(3)] == [None, None, 0]
    assert await store.take_all([("other", 1.0, 2.0), chat], now=T0) is None
    assert await store.take_all([("other", 1.0, 2.0), chat], now=T0) == 1
    assert await store.take_all([user, chat], now=T0 + 1) is None


async def test_who_is_refused_uses_up_nobody_elses_share(store: Store) -> None:
    user, chat = ("user", 0.001, 1.0), ("chat", 0.001, 2.0)
    places = [await store.take_all([chat, user], now=T0) for _ in range(4)]
    if isinstance(store, ValkeyStore) and "cluster" in store._address:
        # There buckets lie on several nodes and are taken from one after the other: the refused one costs the chat a token.
        assert places == [None, 1, 0, 0]
        return
    assert places == [None, 1, 1, 1]
    assert await store.take_all([("another", 0.001, 1.0), chat], now=T0) is None


async def test_one_leads_and_another_follows_when_the_lease_ends(store: Store) -> None:
    assert await store.lead("socket", "a", now=T0, lease_s=10)
    assert not await store.lead("socket", "b", now=T0 + 5, lease_s=10)
    assert await store.lead("socket", "a", now=T0 + 9, lease_s=10)
    assert await store.lead("socket", "b", now=T0 + 20, lease_s=10)
    await store.resign("socket", "b")
    assert await store.lead("socket", "a", now=T0 + 21, lease_s=10)


async def test_a_closed_store_says_that_it_is_unavailable(store: Store) -> None:
    await store.close()
    with pytest.raises(StoreUnavailable):
        await store.accept(said(1), now=T0, capacity=10)


def test_ci_has_a_store_server() -> None:
    if os.environ.get("CI"):
        assert shutil.which("redis-server") or shutil.which("valkey-server")


async def test_who_is_forgotten_while_his_answer_is_sent_is_not_remembered_by_it(store: Store) -> None:
    message = said(1, message_id="7")
    accepted, item = await store.take_in(message, "w", capacity=10, lease_s=30)
    assert accepted is Accepted.STORED
    assert item is not None
    state = Conversation(key=message.conversation_key, turn=1, slots={"batch": HeldSlot(value=16)})
    assert await store.handled(item, "w", REPLY, state, ttl_s=60)
    assert await store.load_conversation(state.key) == state
    assert await store.forget(message.owner_key) == 1
    assert await store.finish(item, "w", outcome="sent", message_id="8", keep_s=600, answered=None)
    assert await store.load_conversation(state.key) is None


async def test_what_is_taken_in_behind_others_waits_for_its_turn(store: Store) -> None:
    _, first = await store.take_in(said(1), "a", capacity=10, lease_s=30)
    assert first is not None
    assert first.claims == 1
    assert await store.take_in(said(2), "b", capacity=10, lease_s=30) == (Accepted.STORED, None)
    assert await store.take_in(said(1), "b", capacity=10, lease_s=30) == (Accepted.DUPLICATE, None)
    assert await store.take_in(said(3), "b", capacity=2, lease_s=30) == (Accepted.FULL, None)
    assert await store.claim("b", lease_s=30) is None
    state = Conversation(key=first.message.conversation_key, turn=1)
    assert await store.handled(first, "a", REPLY, state, ttl_s=60)
    assert await store.finish(first, "a", outcome="sent", message_id="", keep_s=600)
    second = await store.claim("b", lease_s=30)
    assert second is not None
    assert second.message.event_id == "2"
    assert second.state == state
    assert not await store.finish(first, "a", outcome="sent", message_id="", keep_s=600)


async def test_who_was_paused_comes_back_behind_those_who_wait(store: Store) -> None:
    from bot.stores.valkey import part_of

    mine = part_of(said(0, chat="aaa").chat_key)
    other = next(name for name in (f"c{n}" for n in range(200)) if part_of(said(0, chat=name).chat_key) == mine)
    await accept(store, *[said(n, chat="aaa", user=f"u{n}") for n in range(6)])
    for owner in range(6):
        item = await claim(store, f"w{owner}")
        assert item is not None
        assert await store.postpone(item, f"w{owner}", pause_s=5, now=T0)
    await accept(store, said(99, chat=other), now=T0 + 6)
    served = []
    for owner in range(3):
        item = await claim(store, f"x{owner}", now=T0 + 7)
        assert item is not None
        served.append(item.message.chat_id)
    assert other in served[:2]
