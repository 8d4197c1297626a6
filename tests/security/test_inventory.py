"""What is kept stands in one table, and what a user has forgotten is in no file any more."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.core.conversation import Conversation
from bot.core.inventory import INVENTORY, Content, Owner, Topic, as_table, in_units, kind_of, lives
from bot.core.message import Reply
from bot.core.ports import Outcome, Sent, Store
from bot.service import Service, _salt
from bot.settings import Settings
from bot.stores import open_store
from bot.stores.records import mark_of
from bot.stores.sqlite import SqliteStore
from tests.conftest import make_message
from tests.fakes.inventoried import Inventoried
from tests.ops.stage import until
from tests.stores.test_contract import store

__all__ = ["store"]
ROOT = Path(__file__).resolve().parents[2]
USER, SECRET = "7770007770", "zebra-quartz"
REPLY = Reply(decision="answer", language="en", text="24 GiB")


# --- the table -------------------------------------------------------------------------------------------------------


def test_the_operators_page_holds_the_table_of_the_program() -> None:
    assert as_table() in (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def test_words_and_answers_always_have_an_owner_and_an_end() -> None:
    for kept in INVENTORY:
        if kept.content in {Content.WORDS, Content.ANSWERS}:
            assert kept.owner in {Owner.USER, Owner.MEMBERS}, kept
            assert kept.life_s is not None, kept
        if kept.owner is Owner.USER:
            assert kept.life_s is not None, kept


def test_every_topic_is_told_in_both_languages(assistant: Any) -> None:
    told = lives({}, keeps_texts=True, knows_chats=True)
    assert {topic for topic, _ in told} == set(Topic) - {Topic.OWN}
    rows = tuple((topic.value, *(in_units(span) if span is not None else (0, ""))) for topic, span in told)
    for hint, unit in (("en", "30 minutes"), ("zh", "30 分钟")):
        text = assistant.say(make_message("/privacy", lang_hint=hint), "desk", "privacy", kept=rows).text
        assert unit in text
        assert "kept." not in text
        assert text.count("\n- ") == len(rows)


def test_off_is_not_told_and_settings_change_spans() -> None:
    told = dict(lives({"CONVERSATION_TTL_S": 600.0}, keeps_texts=False, knows_chats=False))
    assert told[Topic.CONVERSATION] == 600.0
    assert not {Topic.GAP_WORDS, Topic.KNOWN_CHATS} & set(told)
    assert in_units(600.0) == (10, "minutes")
    assert in_units(86_400.0) == (1, "days")
    assert in_units(90_000.0) == (25, "hours")


def test_a_key_that_nobody_declared_is_refused() -> None:
    assert kind_of("small", "telegram:1:settings:-5").owner is Owner.CHAT
    assert kind_of("small", "telegram:1:settings:5").owner is Owner.USER
    with pytest.raises(KeyError):
        kind_of("small", "something:new")


async def test_a_strict_store_refuses_what_belongs_to_a_user_without_saying_so() -> None:
    strict = Inventoried()
    await strict.open()
    with pytest.raises(AssertionError):
        await strict.put("case:telegram:1:5:K7QK", "x", 60)
    with pytest.raises(AssertionError):
        await strict.put("wecom:pressed:abc", "x", 86_400)
    with pytest.raises(KeyError):
        await strict.count("favourites", "x")
    await strict.close()


# --- forgetting ------------------------------------------------------------------------------------------------------


async def test_what_has_an_owner_goes_with_him_and_nobody_elses(store: Store) -> None:
    mine, other = make_message("", user_id="a").owner_key, make_message("", user_id="b").owner_key
    for key, owner, ttl_s in (("k1", mine, 60), ("k2", mine, 6000), ("k3", other, 60), ("k4", "", None)):
        await store.put(key, key, ttl_s, owner=owner)
    await store.put("k3", "again", 60, owner=other)
    assert await store.forget(mine) == 2
    assert [await store.get(key) for key in ("k1", "k2", "k3", "k4")] == [None, None, "again", "k4"]
    assert await store.forget(mine) == 0


class Chats:
    """A sender that remembers what was posted."""

    bot_id = "123"

    def __init__(self) -> None:
        self.said: list[str] = []

    async def send(self, message: Any, reply: Any, *, edit: str = "") -> Sent:
        self.said.append(reply.text)
        return Sent(Outcome.SENT, f"out{len(self.said)}")


@asynccontextmanager
async def bot(folder: Path) -> AsyncIterator[tuple[Service, Chats]]:
    settings = Settings(
        store=f"sqlite:///{folder / 'state.sqlite'}",
        telegram_token="123:abc",
        keep_texts=True,
        allow_broadcast=True,
        user_per_minute=1000,
        chat_per_minute=1000,
        _env_file=None,
    )
    service, chats = Service(settings), Chats()
    service.senders["telegram"] = chats
    await service.start()
    try:
        yield service, chats
    finally:
        await service.stop()


def written(folder: Path) -> bytes:
    """Every byte of every file that the store has."""
    return b"".join(file.read_bytes() for file in sorted(folder.iterdir()) if "state.sqlite" in file.name)


async def test_after_forget_no_file_holds_the_user_his_words_or_his_answers(tmp_path: Path) -> None:
    texts = (
        f"which card for {SECRET} 7b fine-tuning?",
        "can a 4090 run llama 3.1 8b?",
        f"how do I {SECRET} the fnord of my gizmo {SECRET}?",
        "我想给 qwen2.5-14b 做 lora，预算 2 万",
        "why?",
        "/price 3090 750 used",
        "/price ok",
        "/report 4090 qwen2.5-7b lora batch 1 seq 2048 peak 17.1 GiB",
        "/report ok",
        "/report 4090 qwen2.5-7b lora batch 2 seq 2048 peak 19 GiB",
        "/decide",
    )
    async with bot(tmp_path) as (service, chats):
        number = 0

        async def say(text: str, user: str, chat: str, **more: Any) -> None:
            nonlocal number
            number += 1
            fields = {"channel": "telegram", "bot_id": "123", "chat_id": chat, "user_id": user, "lang_hint": "en"}
            message = make_message(text, event_id=str(number), message_id=str(number), **fields | more)
            await service.delivery.accept(message)

        for text in texts:
            for user in (USER, "5550005550"):
                await say(text, user, user)
                await say(text, user, "-100200", chat_type="group", user_name=f"Name of {user}")
        fields = {"channel": "telegram-inline", "bot_id": "123", "chat_id": USER, "user_id": USER}
        await service.delivery.answer_now(make_message(f"inline {SECRET}", event_id="i1", **fields))
        await until(lambda: len(chats.said) == number, timeout_s=30.0)
        before = written(tmp_path)
        assert USER.encode() in before
        person = {"channel": "telegram", "bot_id": "123"}
        owners = [make_message("", user_id=user, **person).owner_key for user in (USER, "5550005550")]
        marks = [mark_of(owner, _salt(service.settings)).encode() for owner in owners]
        assert all(mark in before for mark in marks)
        await say("/forget", USER, USER)
        await until(lambda: len(chats.said) == number, timeout_s=10.0)
        assert "已删除" in chats.said[-1]

        async def is_gone() -> bool:
            return USER.encode() not in written(tmp_path)

        await until(is_gone)  # once its own message is closed
        raw = written(tmp_path)
        assert f"Name of {USER}".encode() not in raw
        assert b"5550005550" in raw
        assert [mark in raw for mark in marks] == [False, True]
        await say("/forget", "5550005550", "5550005550")
        await until(lambda: len(chats.said) == number, timeout_s=10.0)
        await until(lambda: b"5550005550" not in written(tmp_path))
        for word in (SECRET, "fnord", "gizmo", "Name of", "qwen2.5-14b"):
            assert word.encode() not in written(tmp_path), word


async def test_free_pages_hold_nothing_of_many_who_came_and_went(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state.sqlite"
    opened = SqliteStore(str(path))
    await opened.open()
    people = [f"person{number:04}x" for number in range(300)]
    for number, person in enumerate(people):
        message = make_message(f"secret of {person} " * 9, event_id=str(number), chat_id=person, user_id=person)
        await opened.accept(message, capacity=0, passive=number % 2 == 0)
        item = await opened.claim("w", lease_s=30, conversation=message.conversation_key)
        assert item is not None
        state = Conversation(key=message.conversation_key, intent=f"intent of {person} " * (number % 30))
        await opened.handled(item, "w", REPLY, state, ttl_s=600)
        await opened.put(f"answer:{message.chat_key}:{number}", person, 600, owner=message.owner_key)
        await opened.take(f"user:{message.owner_key}", rate_per_s=1.0, burst=2.0)
        await opened.finish(item, "w", outcome="sent", message_id="1", keep_s=600)
    monkeypatch.setattr("bot.stores.sqlite_file._SCRUB_EVERY_S", 0.0)
    for first in (1, 0, 2):
        for person in people[first::3]:
            await opened.forget(make_message("", user_id=person).owner_key)
        await opened.tidy()
        raw = written(tmp_path)
        assert [person for person in people[first::3] if person.encode() in raw] == []
    assert not [person for person in people if person.encode() in raw]
    await opened.close()


async def test_files_are_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    sqlite3.connect(path).close()
    path.touch(mode=0o644)
    path.chmod(0o644)
    opened = open_store(f"sqlite:///{path}")
    await opened.open()
    await opened.put("k", 1)
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert len(modes) == 3
    assert set(modes.values()) == {0o600}, modes
    await opened.close()
