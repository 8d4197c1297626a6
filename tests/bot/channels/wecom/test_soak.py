"""Many messages under trouble: every one answered once, in the order of its conversation, within WeCom's limits."""

from __future__ import annotations

import asyncio
import os
import random
from typing import Any

from bot.core.message import IncomingMessage
from bot.core.ports import Accepted
from tests.fakes.wecom import BUSY
from tests.fakes.wecom_stage import Stage, on_callback_stage, on_stage, until

MESSAGES = int(os.environ.get("XUANKA_SOAK", "1500"))


class Counting:
    """The inbox, counting what it has taken."""

    def __init__(self, intake: Any) -> None:
        self.intake, self.taken = intake, 0

    async def accept(self, message: IncomingMessage) -> Accepted:
        accepted: Accepted = await self.intake.accept(message)
        self.taken += 1
        return accepted


async def _let_time_pass(stage: Stage) -> None:
    """Some 500 times faster than real time: an acknowledgement may take 15 seconds of it, a lease lasts 30."""
    while True:
        await stage.clock.advance(0.5)
        await asyncio.sleep(0.001)


async def _trouble(stage: Stage, chance: random.Random, counting: Counting, pushed: int) -> None:
    """Something goes wrong; the connection is cut only once everything pushed is taken, as nothing else can keep it."""
    kind = chance.choice(["lost", "busy", "clean", "abrupt"])
    if kind == "lost":
        stage.fake.trouble.lose_acks = 2
    elif kind == "busy":
        stage.fake.trouble.refuse.extend([BUSY] * 3)
    else:
        await until(lambda: counting.taken == pushed)
        await stage.fake.connected()
        await (stage.fake.close_clean() if kind == "clean" else stage.fake.close_abrupt())


async def test_over_the_long_connection_with_duplicates_cuts_and_flood_control() -> None:
    chance = random.Random(20261121)
    async with on_stage(ack_s=0.03) as stage:
        door = stage.replica.channel._door
        assert door is not None
        counting = Counting(stage.replica.delivery)
        door._intake = counting
        ticking = asyncio.create_task(_let_time_pass(stage))
        sent: dict[tuple[str, str], list[str]] = {}
        pushed = 0
        for number in range(MESSAGES):
            user, group = f"user{chance.randrange(60)}", chance.choice(["", "wr-1", "wr-2", "wr-3", "wr-4"])
            push = stage.fake.pushes.text(user, f"@选卡助手 q{number}" if group else f"q{number}", group=group)
            sent.setdefault((group or user, user), []).append(f"You said: q{number}")
            for _ in range(2 if chance.random() < 0.05 else 1):
                await stage.fake.push(push)
                pushed += 1
            # People wait, too: what WeCom's limits hold back for a quarter of an hour is given up.
            await stage.fake.until(lambda number=number: len(stage.fake.shown) > number - 200, 60)
            if chance.random() < 0.02:
                await _trouble(stage, chance, counting, pushed)
        await stage.fake.until(lambda: len(stage.fake.shown) >= MESSAGES, 60)
        await stage.quiet()
        ticking.cancel()
        got: dict[tuple[str, str], list[str]] = {}
        for shown in stage.fake.shown:
            asker = stage.fake._asked[shown.req_id].push["from"]["userid"]
            got.setdefault((shown.chat, asker), []).append(shown.text)
        assert got == sent


async def test_over_the_callback_with_repeats_all_at_once() -> None:
    chance = random.Random(20261121)
    async with on_callback_stage() as stage:
        pushes = [
            stage.platform.pushes.text(f"user{chance.randrange(30)}", f"q{number}", group=chance.choice(["", "wr-1"]))
            for number in range(300)
        ]
        calls = [push for push in pushes for _ in range(chance.choice([1, 1, 3]))]
        answers = []
        for start in range(0, len(calls), 20):
            answers += await asyncio.gather(*(stage.platform.push(push) for push in calls[start : start + 20]))
        for push, answered in zip(calls, answers, strict=True):
            assert answered.text == f"You said: {push['text']['content']}"
        assert len(stage.road.heard) == 300
