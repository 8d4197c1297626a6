"""Commands of users and operators, what is counted, and what /forget erases."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.answering import Answering
from bot.boards import GroupBoards
from bot.core.conversation import Conversation, HeldSlot
from bot.core.message import Reply
from bot.core.ports import BROADCAST, Store
from bot.desk import CHATS, DECISIONS, FEEDBACK, GAP_TEXTS, GAPS, DeskOptions, FrontDesk
from bot.stores.memory import MemoryStore
from tests.conftest import make_message
from tests.ops.stage import T0, Road, moment


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    opened = MemoryStore()
    await opened.open()
    yield opened
    await opened.close()


def desk_of(store: Store, **changes: Any) -> FrontDesk:
    options = DeskOptions(**changes.pop("options", {}))
    road = Road()
    return FrontDesk(
        store,
        lambda: road,
        lambda message: message.user_id == "boss",
        data_version=lambda: "v1",
        clock=lambda: T0,
        options=options,
        **changes,
    )


async def said(desk: FrontDesk, text: str, user: str = "u", **changes: Any) -> str | None:
    reply = await desk.attend(make_message(text, user_id=user, **changes))
    return reply.text if reply else None


@pytest.mark.parametrize("command", ["/stats", "/gaps", "/reload", "/broadcast hello", "/STATS@our_bot"])
async def test_operators_commands_are_for_operators(store: Store, command: str) -> None:
    desk = desk_of(store)
    assert await said(desk, command) == "desk/not_allowed"
    told = await said(desk, command, user="boss")
    assert told is not None
    assert told != "desk/not_allowed"


async def test_other_words_are_no_business_of_the_desk(store: Store) -> None:
    desk = desk_of(store)
    assert await said(desk, "stats please") is None
    assert await said(desk, "/compare 3090 4090") is None
    assert await said(desk, "/stats", user="boss", action="do:why#K7QK") is None


async def test_privacy_says_what_is_kept(store: Store) -> None:
    kept = (("conversation", 30, "minutes"), ("counts", 0, ""))
    assert await said(desk_of(store, options={"kept": kept}), "/privacy@bot") == f"desk/privacy kept={kept}"


async def test_stats_add_up(store: Store) -> None:
    desk = desk_of(store)
    for decision in ("answer", "answer", "ask"):
        await desk.note(make_message("q"), Reply(decision=decision, language="en", intent="help"))
    await desk.note(make_message("", action="do:good#K7QK"), Reply(decision="answer", language="en", intent="help"))
    assert await store.counts(DECISIONS) == {"answer|help|en": 2, "ask|help|en": 1}
    assert await store.counts(FEEDBACK) == {"help|v1|good": 1}
    told = await said(desk, "/stats", user="boss")
    assert told is not None
    assert "decisions=[('answer', 2), ('ask', 1)]" in told
    assert "'good': 1" in told


async def test_questions_that_were_not_answered_are_counted_by_shape_and_kept_by_words_only_on_request(
    store: Store,
) -> None:
    gap = Reply(decision="fallback", language="en", gap="gpu+duration")
    await desk_of(store).note(make_message("my secret question"), gap)
    assert await store.counts(GAPS) == {"gpu+duration": 1}
    assert await store.get(f"{GAP_TEXTS}:gpu+duration") is None
    await desk_of(store, options={"keep_texts": True}).note(make_message("another question"), gap)
    assert await store.get(f"{GAP_TEXTS}:gpu+duration") == "another question"
    told = await said(desk_of(store), "/gaps", user="boss")
    assert told == "desk/gaps gaps=[('gpu+duration', 2)]"


async def test_reload_says_what_came_of_it(store: Store) -> None:
    async def reload() -> tuple[bool, str]:
        return False, "prices.csv:7: unknown card"

    desk = desk_of(store, reload=reload)
    assert await said(desk, "/reload", user="boss") == "desk/reloaded done=False line=prices.csv:7: unknown card"


async def test_broadcasts_are_off_by_default_and_then_no_chat_is_remembered(store: Store) -> None:
    sent: list[str] = []

    async def broadcast(text: str) -> int:
        sent.append(text)
        return 2

    desk = desk_of(store, broadcast=broadcast)
    await desk.note(make_message("q"), Reply(decision="answer", language="en"))
    assert await store.counts(CHATS) == {}
    assert await said(desk, "/broadcast hi", user="boss") == "desk/broadcast_off"
    desk = desk_of(store, broadcast=broadcast, options={"allow_broadcast": True})
    await desk.note(make_message("q"), Reply(decision="answer", language="en"))
    await desk.note(make_message("q", chat_id="d"), Reply(decision="answer", language="en"))
    assert len(await store.counts(CHATS)) == 2
    assert await said(desk, "/broadcast", user="boss") == "desk/broadcast_off"
    assert await said(desk, "/broadcast hi all", user="boss") == "desk/broadcast_done count=2"
    assert sent == ["hi all"]
    await desk.gone(make_message("", chat_id="d"))
    assert len(await store.counts(CHATS)) == 1


async def test_what_is_sent_to_all_is_said_as_it_is_and_not_counted(store: Store) -> None:
    desk = desk_of(store, options={"allow_broadcast": True})
    message = make_message("/stats are up", user_id="", addressed_how=BROADCAST)
    reply = await desk.attend(message)
    assert reply is not None
    assert reply.text == "/stats are up"
    await desk.note(message, reply)
    assert await store.counts(DECISIONS) == {}
    assert await store.counts(CHATS) == {}


async def wish(boards: GroupBoards, user: str, value: int, thread: str = "") -> None:
    message = make_message("q", user_id=user, chat_type="group", thread_id=thread, user_name=f"name of {user}")
    slot = HeldSlot(value=value, said_by=user, said_at=moment(T0), turn=1)
    state = Conversation(
        key=message.conversation_key, turn=1, intent="recommend_gpu", slots={"vram_gb": slot}, updated_at=moment(T0)
    )
    await boards.note(message, state)


async def test_forget_erases_conversation_wishes_and_chat(store: Store) -> None:
    boards = GroupBoards(store, ttl_s=600)
    desk = desk_of(store, boards=boards, options={"allow_broadcast": True})
    for user in ("u", "v"):
        await wish(boards, user, 24)
        message = make_message("q", user_id=user)
        await store.save_conversation(Conversation(key=message.conversation_key, turn=1), 600)
        await desk.note(make_message("q", user_id=user, chat_id=user), Reply(decision="answer", language="en"))
    await wish(boards, "u", 48, thread="other")
    assert await said(desk, "/forget", user="u", chat_id="u") == "desk/forgotten gone=3"
    await desk.note(make_message("/forget", user_id="u", chat_id="u"), Reply(decision="answer", language="en"))
    assert await store.load_conversation(make_message("", user_id="u").conversation_key) is None
    assert await store.load_conversation(make_message("", user_id="v").conversation_key) is not None
    group = make_message("", chat_type="group")
    assert [one.by for one in (await boards.load(group)).constraints] == ["v"]
    assert (await boards.load(group.model_copy(update={"thread_id": "other"}))).constraints == ()
    assert list(await store.counts(CHATS)) == ['["test", "", "private", "v"]']
    assert await said(desk, "/forget", user="u", chat_id="u") == "desk/forgotten gone=0"


async def test_members_who_speak_at_once_all_stand_on_the_board(store: Store) -> None:
    import asyncio

    boards = [GroupBoards(store, ttl_s=600) for _ in range(3)]
    await asyncio.gather(*(wish(boards[n % 3], f"u{n}", n) for n in range(12)))
    board = await boards[0].load(make_message("", chat_type="group"))
    assert {one.by for one in board.constraints} == {f"u{n}" for n in range(12)}


async def test_a_command_is_answered_in_the_language_of_the_talk(store: Store) -> None:
    said_in: list[str] = []

    class Heard(Road):
        def say(self, message: Any, page: str, block: str = "short", **values: Any) -> Reply:
            said_in.append(message.lang_hint)
            return super().say(message, page, block, **values)

    road = Heard()
    desk = FrontDesk(store, lambda: road, lambda message: False, data_version=lambda: "v1", clock=lambda: T0)
    answering = Answering(store, road, lambda: T0, 1800.0, desk=desk)
    talk = Conversation(key="k", language="zh")
    await answering.answer(make_message("/forget", chat_type="group", lang_hint="en"), talk)
    await answering.answer(make_message("/forget", chat_type="group", lang_hint="en"), None)
    assert said_in == ["zh", "en"]
