"""Sending stays below Telegram's limits, waits in order, and drops nothing. Time is simulated, not waited for."""

from __future__ import annotations

import asyncio
import heapq
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from telegram.error import RetryAfter

from bot.channels.telegram.limits import ChatLimiter, Limits, LocalBudget
from bot.channels.telegram.shared_budget import SharedBudget
from bot.stores.memory import MemoryStore
from tests.fakes.stage import on_stage, until
from tests.fakes.telegram import Flood
from tests.fakes.telegram_world import USERNAME


class Simulation:
    """A clock that jumps to the next sleeper once everybody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Event]] = []
        self._count = count()

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.Event()
        heapq.heappush(self._sleepers, (self.now + seconds, next(self._count), woken))
        await woken.wait()

    async def run(self, tasks: list[asyncio.Task[None]]) -> None:
        while not all(task.done() for task in tasks):
            for _ in range(20):
                await asyncio.sleep(0)
            if self._sleepers and not all(task.done() for task in tasks):
                self.now, _, woken = heapq.heappop(self._sleepers)
                woken.set()
        await asyncio.gather(*tasks)


def most_within(times: list[float], period: float) -> int:
    """The most events in any window of this length."""
    times = sorted(times)
    return max((sum(start <= at < start + period - 1e-6 for at in times) for start in times), default=0)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([-1, -2, 5, 6, 7]), st.floats(0, 90)), min_size=1, max_size=120))
def test_no_window_ever_holds_too_many_and_every_message_goes(plan: list[tuple[int, float]]) -> None:
    sent: list[tuple[int, float, int]] = []

    async def scene() -> None:
        world = Simulation()
        limiter = ChatLimiter(LocalBudget(Limits(4, 1, 20), world.clock), world.sleep)

        async def post(number: int, chat: int, at: float) -> None:
            await world.sleep(at)

            async def callback() -> bool:
                sent.append((chat, world.now, number))
                return True

            await limiter.process_request(callback, (), {}, "sendMessage", {"chat_id": chat}, None)

        ordered = sorted(plan, key=lambda item: item[1])
        await world.run([asyncio.create_task(post(n, chat, at)) for n, (chat, at) in enumerate(ordered)])

    asyncio.run(scene())
    assert len(sent) == len(plan)
    assert most_within([at for _, at, _ in sent], 1.0) <= 4
    for chat in {chat for chat, _, _ in sent}:
        times = [at for where, at, _ in sent if where == chat]
        assert most_within(times, 1.0) <= 1
        assert chat > 0 or most_within(times, 60.0) <= 20
        numbers = [number for where, _, number in sent if where == chat]
        assert numbers == sorted(numbers)


async def test_a_busy_group_does_not_hold_up_a_private_chat() -> None:
    world = Simulation()
    limiter = ChatLimiter(LocalBudget(Limits(), world.clock), world.sleep)
    done: dict[str, float] = {}

    async def post(chat: int, name: str) -> None:
        async def callback() -> bool:
            done[name] = world.now
            return True

        await limiter.process_request(callback, (), {}, "sendMessage", {"chat_id": chat}, None)

    tasks = [asyncio.create_task(post(-5, f"group {number}")) for number in range(60)]
    tasks.append(asyncio.create_task(post(7, "private")))
    await world.run(tasks)
    assert done["private"] < 1.0
    assert done["group 59"] >= 120.0


async def test_flood_control_pauses_only_its_chat_and_those_who_wait_wait_longer() -> None:
    world = Simulation()
    limiter = ChatLimiter(LocalBudget(Limits(30, 1, 20), world.clock), world.sleep)
    sent: list[tuple[int, float]] = []
    refused = []

    async def post(chat: int, refuse: bool = False) -> None:
        async def callback() -> bool:
            if refuse:
                raise RetryAfter(10)
            sent.append((chat, world.now))
            return True

        try:
            await limiter.process_request(callback, (), {}, "sendMessage", {"chat_id": chat}, None)
        except RetryAfter:
            refused.append(chat)

    await world.run([asyncio.create_task(post(5, refuse=True))])
    await world.run([asyncio.create_task(post(chat)) for chat in (5, 5, 6)])
    assert refused == [5]
    assert [chat for chat, at in sent if at < 1] == [6]
    assert [at for chat, at in sent if chat == 5] == pytest.approx([10.0, 11.05])


async def test_answers_to_presses_inline_results_and_queries_are_free() -> None:
    world = Simulation()
    limiter = ChatLimiter(LocalBudget(Limits(1, 1, 1), world.clock), world.sleep)
    done = []

    async def callback() -> bool:
        done.append(world.now)
        return True

    for endpoint, data in (
        ("answerCallbackQuery", {"callback_query_id": "1"}),
        ("answerInlineQuery", {"inline_query_id": "1"}),
        ("getChatMember", {"chat_id": -5}),
        ("sendChatAction", {"chat_id": -5}),
    ):
        for _ in range(5):
            await limiter.process_request(callback, (), {}, endpoint, data, None)
    assert done == [0.0] * 20


async def test_many_chats_do_not_pile_up() -> None:
    world = Simulation()
    budget = LocalBudget(Limits(0, 1, 20), world.clock)
    for chat in range(20_000):
        world.now += 0.1
        await budget.take(str(chat), is_group=False)
    assert len(budget._chats) <= 4097


async def test_a_burst_in_a_group_never_meets_flood_control_and_holds_nobody_up() -> None:
    """Time stands still but for what the test adds, so that only the plan decides what arrives when."""
    async with on_stage(limits=Limits(), flood=Flood(group_per_min=20), workers=2, frozen=True) as stage:
        chat = stage.fake.group(-1001000000001)
        people = [stage.fake.user(100 + number) for number in range(25)]
        for number, person in enumerate(people):
            await stage.fake.say(person, chat, f"@{USERNAME} question {number}")
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "and me?")

        async def private_answered() -> bool:
            stage.clock.offset += 0.1
            await asyncio.sleep(0.02)
            return bool(stage.fake.said_by_bot(11))

        await until(private_answered)
        assert len(stage.fake.said_by_bot(chat)) < 20

        async def all_answered() -> bool:
            stage.clock.offset += 0.5
            await asyncio.sleep(0.02)
            return len(stage.fake.said_by_bot(chat)) == 25

        await until(all_answered, timeout_s=30.0)
        assert {call.error for call in stage.fake.calls if call.method == "sendMessage"} == {0}
        texts = [message["text"] for message in stage.fake.said_by_bot(chat)]
        assert sorted(texts) == sorted(f"You said: question {number}" for number in range(25))


async def test_the_sum_of_replicas_stays_below_the_limits() -> None:
    world = Simulation()
    store = MemoryStore(world.clock)
    await store.open()
    sent: list[tuple[int, float]] = []

    def replica() -> ChatLimiter:
        budget = SharedBudget(LocalBudget(Limits(), world.clock), store, "telegram:1")
        return ChatLimiter(budget, world.sleep, world.clock)

    async def post(limiter: ChatLimiter, chat: int) -> None:
        async def callback() -> bool:
            sent.append((chat, world.now))
            return True

        await limiter.process_request(callback, (), {}, "sendMessage", {"chat_id": chat}, None)

    replicas = [replica() for _ in range(3)]
    chats = [*[-5] * 20, *range(100, 130), *[7] * 6]
    tasks = [asyncio.create_task(post(limiter, chat)) for chat in chats for limiter in replicas]
    await world.run(tasks)
    await store.close()
    assert len(sent) == len(tasks)
    assert most_within([at for _, at in sent], 1.0) <= 30
    assert most_within([at for chat, at in sent if chat == -5], 60.0) <= 20
    assert most_within([at for chat, at in sent if chat == 7], 1.0) <= 1


async def test_a_pause_is_kept_by_all_replicas() -> None:
    world = Simulation()
    store = MemoryStore(world.clock)
    await store.open()
    first, second = (SharedBudget(LocalBudget(Limits(), world.clock), store, "telegram:1") for _ in range(2))
    await first.pause("-5", 30)
    assert await second.is_paused("-5")
    assert await second.go("-5", is_group=True) == pytest.approx(30)
    world.now = 31
    assert not await second.is_paused("-5")
    assert await second.go("-5", is_group=True) == 0
    await store.close()
