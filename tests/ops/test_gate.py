"""Who may ask, and how much."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.core.message import IncomingMessage
from bot.core.ports import BROADCAST, Accepted, Store
from bot.core.stations import Verdict
from bot.gate import Access, AccessGate
from bot.identity import Identity, read_identities
from bot.stores.memory import MemoryStore
from tests.conftest import make_message
from tests.ops.stage import T0, on_stage


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    opened = MemoryStore()
    await opened.open()
    yield opened
    await opened.close()


async def verdict(gate: AccessGate, message: IncomingMessage, now: float) -> Verdict:
    found, _ = await gate.admit(message, now=now)
    return found


def ids(*written: str) -> frozenset[Identity]:
    return read_identities(written)


def said_by(user: str, **changes: Any) -> IncomingMessage:
    fields: dict[str, Any] = {"channel": "telegram", "bot_id": "123", "chat_id": "-5", "user_id": user}
    return make_message("q", **fields | changes)


USER, CHAT = ids("telegram:123:7"), ids("telegram:-5")


@pytest.mark.parametrize(
    ("access", "known"),
    [
        (Access(), True),
        (Access(deny_chats=CHAT), False),
        (Access(deny_users=USER), False),
        (Access(deny_users=ids("telegram:9:7")), True),
        (Access(deny_users=ids("wecom:7")), True),
        (Access(allow_chats=CHAT), True),
        (Access(allow_chats=ids("telegram:-6")), False),
        (Access(allow_users=USER, allow_chats=ids("telegram:-6")), True),
        (Access(allow_chats=CHAT, deny_users=USER), False),
        (Access(deny_chats=CHAT, admins=USER), True),
    ],
)
@pytest.mark.parametrize("channel", ["telegram", "telegram-inline", "telegram-guest"])
def test_lists(access: Access, known: bool, channel: str) -> None:
    assert AccessGate(access, MemoryStore()).knows(said_by("7", channel=channel)) is known


EVERYTHING = ids("telegram:123:7", "telegram:7", "wecom:bot:7", "wecom:7", "api:ci:7")


@pytest.mark.parametrize(
    "changes",
    [
        {"channel": "api", "bot_id": "", "verified": False},
        {"channel": "api", "bot_id": "desk"},
        {"channel": "web", "bot_id": "", "verified": False},
        {"channel": "telegram", "verified": False},
        {"channel": "test"},
        {"channel": "telegrams"},
        {"channel": ""},
    ],
    ids=str,
)
def test_an_id_that_nobody_vouches_for_is_nobody(changes: dict[str, Any]) -> None:
    stranger = said_by("7", chat_id="7", **changes)
    assert not AccessGate(Access(admins=EVERYTHING), MemoryStore()).is_admin(stranger)
    assert not AccessGate(Access(allow_users=EVERYTHING), MemoryStore()).knows(stranger)
    assert not AccessGate(Access(allow_chats=EVERYTHING), MemoryStore()).knows(stranger)
    assert AccessGate(Access(deny_users=EVERYTHING, deny_chats=EVERYTHING), MemoryStore()).knows(stranger)


@pytest.mark.parametrize(
    ("channel", "bot", "written"),
    [
        ("telegram", "123", "telegram:123:7"),
        ("telegram", "123", "telegram:7"),
        ("wecom", "aib", "wecom:aib:7"),
        ("wecom-app", "ww1.7", "wecom:ww1.7:7"),
        ("api", "ci", "api:ci:7"),
    ],
)
def test_an_operator_is_one_for_his_own_bot(channel: str, bot: str, written: str) -> None:
    gate = AccessGate(Access(admins=ids(written)), MemoryStore())
    assert gate.is_admin(said_by("7", channel=channel, bot_id=bot))
    assert not gate.is_admin(said_by("8", channel=channel, bot_id=bot))
    for other in {"telegram", "wecom", "wecom-app", "api", "web"} - {channel}:
        if other.partition("-")[0] != channel.partition("-")[0]:
            assert not gate.is_admin(said_by("7", channel=other, bot_id=bot))
    if written.count(":") == 2:
        assert not gate.is_admin(said_by("7", channel=channel, bot_id="another"))


async def test_a_name_typed_into_the_api_costs_nobody_else_his_limits(store: Store) -> None:
    gate = AccessGate(Access(user_per_minute=2, chat_per_minute=2), store)
    forged = said_by("7", channel="api", bot_id="", verified=False)
    assert [await verdict(gate, forged, T0) for _ in range(3)][-1] is Verdict.WAIT
    assert await verdict(gate, said_by("7"), T0) is Verdict.ADMIT
    assert await verdict(gate, said_by("7", bot_id="456"), T0) is Verdict.ADMIT


async def test_over_the_limit_one_friendly_line_then_silence_then_welcome_again(store: Store) -> None:
    gate = AccessGate(Access(user_per_minute=3), store)
    verdicts = [await verdict(gate, make_message("q"), T0) for _ in range(6)]
    assert verdicts == [Verdict.ADMIT] * 3 + [Verdict.WAIT] + [Verdict.SILENT] * 2
    assert await verdict(gate, make_message("q"), T0 + 21) is Verdict.ADMIT
    assert await verdict(gate, make_message("q", user_id="another"), T0) is Verdict.ADMIT


async def test_a_chat_and_a_bot_have_limits_of_their_own(store: Store) -> None:
    gate = AccessGate(Access(chat_per_minute=2), store)
    assert [await verdict(gate, make_message("q", user_id=str(n)), T0) for n in range(4)] == [
        Verdict.ADMIT,
        Verdict.ADMIT,
        Verdict.WAIT,
        Verdict.SILENT,
    ]
    gate = AccessGate(Access(bot_per_second=2), store)
    asked = [await verdict(gate, make_message("q", user_id=f"v{n}", chat_id=f"d{n}"), T0 + 90) for n in range(3)]
    assert asked[:2] == [Verdict.ADMIT] * 2
    assert asked[2] is Verdict.WAIT


async def test_operators_and_what_they_send_to_all_have_no_limit(store: Store) -> None:
    gate = AccessGate(Access(user_per_minute=1, admins=USER), store)
    assert {await verdict(gate, said_by("7"), T0) for _ in range(5)} == {Verdict.ADMIT}
    to_all = make_message("news", user_id="", addressed_how=BROADCAST)
    assert {await verdict(gate, to_all, T0) for _ in range(5)} == {Verdict.ADMIT}


async def test_limits_are_shared_by_everybody_who_shares_the_store(store: Store) -> None:
    gates = [AccessGate(Access(user_per_minute=4), store) for _ in range(3)]
    verdicts = [await verdict(gates[n % 3], make_message("q"), T0) for n in range(9)]
    assert verdicts.count(Verdict.ADMIT) == 4
    assert verdicts.count(Verdict.WAIT) == 1


async def test_in_the_chat_it_reads_as_answers_one_line_and_silence() -> None:
    store = MemoryStore()
    await store.open()
    gate = AccessGate(Access(user_per_minute=2, deny_users=ids("telegram:66")), store)
    async with on_stage(store, gate=gate) as stage:
        for number in range(6):
            await stage.say(f"q{number}", str(number))
        assert await stage.say("q", "x", channel="telegram", user_id="66") is Accepted.IGNORED
        await stage.quiet()
    assert [text for _, text, _ in stage.chat.said] == ["heard q0", "heard q1", "wait/short"]
