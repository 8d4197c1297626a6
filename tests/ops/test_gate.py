"""Who may ask, and how much."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.core.ports import BROADCAST, Accepted, Store, Verdict
from bot.gate import Access, AccessGate
from bot.stores.memory import MemoryStore
from tests.conftest import make_message
from tests.ops.stage import T0, on_stage


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    opened = MemoryStore()
    await opened.open()
    yield opened
    await opened.close()


@pytest.mark.parametrize(
    ("access", "known"),
    [
        (Access(), True),
        (Access(deny_chats=frozenset({"c"})), False),
        (Access(deny_users=frozenset({"test:u"})), False),
        (Access(deny_users=frozenset({"telegram:u"})), True),
        (Access(allow_chats=frozenset({"c"})), True),
        (Access(allow_chats=frozenset({"other"})), False),
        (Access(allow_users=frozenset({"u"}), allow_chats=frozenset({"other"})), True),
        (Access(allow_chats=frozenset({"c"}), deny_users=frozenset({"u"})), False),
        (Access(deny_chats=frozenset({"c"}), admins=frozenset({"u"})), True),
    ],
)
def test_lists(access: Access, known: bool) -> None:
    assert AccessGate(access, MemoryStore()).knows(make_message("q")) is known


async def test_over_the_limit_one_friendly_line_then_silence_then_welcome_again(store: Store) -> None:
    gate = AccessGate(Access(user_per_minute=3), store)
    verdicts = [await gate.admit(make_message("q"), T0) for _ in range(6)]
    assert verdicts == [Verdict.ADMIT] * 3 + [Verdict.WAIT] + [Verdict.SILENT] * 2
    assert await gate.admit(make_message("q"), T0 + 21) is Verdict.ADMIT
    assert await gate.admit(make_message("q", user_id="another"), T0) is Verdict.ADMIT


async def test_a_chat_and_a_bot_have_limits_of_their_own(store: Store) -> None:
    gate = AccessGate(Access(chat_per_minute=2), store)
    assert [await gate.admit(make_message("q", user_id=str(n)), T0) for n in range(4)] == [
        Verdict.ADMIT,
        Verdict.ADMIT,
        Verdict.WAIT,
        Verdict.SILENT,
    ]
    gate = AccessGate(Access(bot_per_second=2), store)
    asked = [await gate.admit(make_message("q", user_id=f"v{n}", chat_id=f"d{n}"), T0 + 90) for n in range(3)]
    assert asked[:2] == [Verdict.ADMIT] * 2
    assert asked[2] is Verdict.WAIT


async def test_operators_and_what_they_send_to_all_have_no_limit(store: Store) -> None:
    gate = AccessGate(Access(user_per_minute=1, admins=frozenset({"test:u"})), store)
    assert {await gate.admit(make_message("q"), T0) for _ in range(5)} == {Verdict.ADMIT}
    to_all = make_message("news", user_id="", addressed_how=BROADCAST)
    assert {await gate.admit(to_all, T0) for _ in range(5)} == {Verdict.ADMIT}


async def test_limits_are_shared_by_everybody_who_shares_the_store(store: Store) -> None:
    gates = [AccessGate(Access(user_per_minute=4), store) for _ in range(3)]
    verdicts = [await gates[n % 3].admit(make_message("q"), T0) for n in range(9)]
    assert verdicts.count(Verdict.ADMIT) == 4
    assert verdicts.count(Verdict.WAIT) == 1


async def test_in_the_chat_it_reads_as_answers_one_line_and_silence() -> None:
    store = MemoryStore()
    await store.open()
    gate = AccessGate(Access(user_per_minute=2, deny_users=frozenset({"bad"})), store)
    async with on_stage(store, gate=gate) as stage:
        for number in range(6):
            await stage.say(f"q{number}", str(number))
        assert await stage.say("q", "x", user_id="bad") is Accepted.IGNORED
        await stage.quiet()
    assert [text for _, text, _ in stage.chat.said] == ["heard q0", "heard q1", "wait/short"]
