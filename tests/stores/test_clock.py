"""One clock for all replicas: wall clocks that jump change no lease, no pause, no limit and no mark."""

from __future__ import annotations

import asyncio
import math
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from bot.core.message import Reply
from bot.core.ports import Accepted, Outcome, Sent, Store
from bot.core.times import LONGEST_WAIT_S, clamped
from bot.delivery import Delivery, DeliveryOptions
from bot.gate import Access, AccessGate
from bot.stores.clock import anchor_of
from bot.stores.sqlite import SqliteStore
from tests.conftest import make_message
from tests.ops.stage import Chat, Road, until
from tests.stores.test_contract import T0, accept, claim, close, said, store

__all__ = ["store"]

HOUR, DAY = 3600.0, 86_400.0
REPLY = Reply(decision="answer", language="en", text="24 GiB")
JUMPS = [-HOUR, DAY, 60.0]


@pytest.mark.parametrize(
    ("known", "boot", "wall", "time_now"),
    [
        (None, "b1", 1000.0, 1000.0),
        (("b1", 900.0, 980.0), "b1", 1000.0, 1000.0),
        (("b1", 900.0, 980.0), "b1", 1000.0 - HOUR, 1000.0),
        (("b1", 900.0, 980.0), "b1", 1000.0 + DAY, 1000.0),
        (("b0", 900.0, 980.0), "b1", 5000.0, 5000.0),
        (("b0", 900.0, 980.0), "b1", 10.0, 980.0),
        (("", 900.0, 980.0), "", 5000.0, 5000.0),
        (("b1", math.nan, math.nan), "b1", 5000.0, 5000.0),
    ],
)
def test_the_wall_is_believed_only_after_a_restart_and_never_backwards(
    known: tuple[str, float, float] | None, boot: str, wall: float, time_now: float
) -> None:
    assert anchor_of(known, boot, 100.0, wall) + 100.0 == time_now


@pytest.mark.parametrize(
    ("given", "span"),
    [(5.0, 5.0), (-5.0, 0.0), (math.nan, 0.0), (math.inf, LONGEST_WAIT_S), (-math.inf, 0.0), (1e300, LONGEST_WAIT_S)],
)
def test_a_span_is_brought_into_reason(given: float, span: float) -> None:
    assert clamped(given) == span


class Wall:
    """A wall clock that can be set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead, real = 0.0, time.time
        monkeypatch.setattr(time, "time", lambda: real() + self.ahead)


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Wall:
    return Wall(monkeypatch)


@pytest.fixture
async def file(tmp_path: Path) -> AsyncIterator[Callable[[], SqliteStore]]:
    opened: list[SqliteStore] = []

    def another() -> SqliteStore:
        opened.append(SqliteStore(str(tmp_path / "state.sqlite")))
        return opened[-1]

    yield another
    for one in opened:
        await one.close()


@pytest.mark.parametrize("jump", JUMPS)
@pytest.mark.parametrize("reopened", [False, True], ids=["same process", "another process"])
async def test_a_file_keeps_its_time_whatever_the_wall_says(
    file: Callable[[], SqliteStore], wall: Wall, jump: float, reopened: bool
) -> None:
    one = file()
    await one.open()
    message = said(1)
    await one.accept(message, capacity=10)
    held = await one.claim("a", lease_s=30)
    assert held is not None
    await one.put("kept", 1, ttl_s=60)
    assert await one.take("b", rate_per_s=0.1, burst=1) == 0.0
    assert await one.lead("l", "a", lease_s=30)
    wall.ahead = jump
    other = file() if reopened else one
    await other.open()
    assert await other.claim("b", lease_s=30) is None
    assert not await other.lead("l", "b", lease_s=30)
    assert await other.get("kept") == 1
    assert await other.left("kept") == pytest.approx(60, abs=5)
    assert await other.take("b", rate_per_s=0.1, burst=1) == pytest.approx(10, abs=5)
    assert (await other.backlog()).oldest_s < 30
    assert await one.handled(held, "a", REPLY, None, ttl_s=60)
    assert await one.postpone(held, "a", pause_s=0.01)
    again: list[object] = []

    async def is_due() -> bool:
        again.append(await other.claim("b", lease_s=30))
        return again[-1] is not None

    await until(is_due)
    assert await other.finish(again[-1], "b", outcome="sent", message_id="", keep_s=600)
    await other.tidy()
    assert await other.accept(message, capacity=10) is Accepted.DUPLICATE


async def test_after_a_restart_of_the_machine_time_goes_on(
    file: Callable[[], SqliteStore], wall: Wall, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    one = file()
    await one.open()
    await one.put("kept", 1, ttl_s=60)
    await one.tidy()
    await one.close()
    monkeypatch.setattr("bot.stores.sqlite_file.boot_name", lambda: "another run")
    wall.ahead = -HOUR
    await one.open()
    assert await one.left("kept") <= 60
    await one.close()
    with sqlite3.connect(tmp_path / "state.sqlite") as db:
        assert db.execute("SELECT boot FROM clock").fetchone() == ("another run",)
    db.close()


# --- the store's clock itself is set back ----------------------------------------------------------------------------


async def test_a_lease_of_a_clock_set_back_ends_after_its_own_length(store: Store) -> None:
    await accept(store, said(1))
    assert await claim(store, "dead", lease_s=30) is not None
    back = T0 - HOUR
    assert await claim(store, "b", now=back) is None
    assert await claim(store, "b", now=back + 29) is None
    taken = await claim(store, "b", now=back + 31)
    assert taken is not None
    assert await close(store, taken, "b", now=back + 31)


async def test_a_live_lease_outlives_a_clock_set_back(store: Store) -> None:
    await accept(store, said(1))
    item = await claim(store, "alive", lease_s=30)
    assert item is not None
    back = T0 - HOUR
    assert await claim(store, "b", now=back) is None
    assert await store.renew(item, "alive", now=back + 10, lease_s=30)
    assert await claim(store, "b", now=back + 35) is None
    assert await close(store, item, "alive", now=back + 36)


async def test_a_pause_and_a_caller_of_a_clock_set_back_do_not_wait_for_an_hour(store: Store) -> None:
    await accept(store, said(1))
    item = await claim(store)
    assert item is not None
    assert await store.postpone(item, "w", pause_s=20, now=T0)
    named = said(2, user="v")
    await accept(store, named, passive=True)
    assert await store.claim("w", now=T0, lease_s=30, conversation=named.conversation_key) is not None
    back = T0 - HOUR
    assert await claim(store, now=back) is None
    assert await store.claim("x", now=back, lease_s=30, conversation=named.conversation_key) is None
    found = [await claim(store, now=back + 32) for _ in range(2)]
    assert {item.message.event_id for item in found if item} == {"1", "2"}


async def test_what_waits_when_the_clock_is_set_back_is_claimed(store: Store) -> None:
    await accept(store, said(1), said(2, user="v"))
    await accept(store, said(3, user="x"), passive=True)
    back = T0 - HOUR
    found = [await claim(store, now=back + passed) for passed in (0, 0, 16, 32, 32, 32)]
    assert {item.message.event_id for item in found if item} == {"1", "2", "3"}


async def test_buckets_and_named_leases_of_a_clock_set_back_go_on(store: Store) -> None:
    assert await store.take("b", now=T0, rate_per_s=1.0, burst=1) == 0.0
    back = T0 - HOUR
    assert await store.take("b", now=back, rate_per_s=1.0, burst=1) == pytest.approx(1.0)
    assert await store.take("b", now=back + 1, rate_per_s=1.0, burst=1) == 0.0
    assert await store.take_all([("b", 1.0, 1.0)], now=back - HOUR) == 0
    assert await store.take_all([("b", 1.0, 1.0)], now=back - HOUR + 1) is None
    assert await store.lead("l", "a", now=T0, lease_s=10)
    assert not await store.lead("l", "b", now=back, lease_s=10)
    assert await store.lead("l", "b", now=back + 11, lease_s=10)


@pytest.mark.parametrize("pause", [math.nan, math.inf, -5.0, 1e12])
async def test_a_pause_out_of_reason_is_brought_into_it(store: Store, pause: float) -> None:
    await accept(store, said(1))
    item = await claim(store)
    assert item is not None
    assert await store.postpone(item, "w", pause_s=pause, now=T0)
    assert await claim(store, now=T0 + LONGEST_WAIT_S + 1) is not None


# --- replicas whose wall clocks are wrong ----------------------------------------------------------------------------


class Slow(Chat):
    """Takes longer than a replica with a wrong clock would wait for a lease."""

    async def send(self, *args: object, **kwargs: object) -> Sent:
        await asyncio.sleep(0.05)
        return await super().send(*args, **kwargs)


@pytest.mark.parametrize("jump", [*JUMPS, -60.0])
async def test_a_replica_with_a_wrong_clock_takes_nothing_twice_and_holds_nothing_up(store: Store, jump: float) -> None:
    chat = Slow()
    chat.outcomes = [Sent(Outcome.RETRY, retry_after=0.05), Sent(Outcome.SENT, "1")]
    gate = AccessGate(Access(user_per_minute=9), store)
    options = DeliveryOptions(workers=2, idle_s=0.005, lease_s=2.0)
    roads = [Road(), Road()]
    clocks: list[Callable[[], float]] = [time.time, lambda: time.time() + jump]
    replicas = [
        Delivery(store, road, {"test": chat}, options, gate=gate, clock=clock)
        for road, clock in zip(roads, clocks, strict=True)
    ]
    for replica in replicas:
        await replica.start()
    try:
        for number in range(12):
            message = make_message(f"q{number:02}", event_id=str(number), chat_id=f"c{number % 3}")
            assert await replicas[number % 2].accept(message) is Accepted.STORED

        async def is_done() -> bool:
            return (await store.backlog()).waiting == 0

        await until(is_done, timeout_s=20.0)
    finally:
        for replica in replicas:
            await replica.stop(2.0)
    said_once = [text for _, text, _ in chat.said]
    assert len(said_once) == len(set(said_once))
    assert len(said_once) == 10  # nine within the limit, one friendly line, silence
    for place in ("c0", "c1", "c2"):
        answers = [text for where, text, _ in chat.said if where == place and text.startswith("heard")]
        assert answers == sorted(answers)
    assert len(chat.tries) == 11
