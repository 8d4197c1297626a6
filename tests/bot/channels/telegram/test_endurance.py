"""Long runs and violent ends: every accepted question is answered once, in the order of its conversation."""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tests.fakes.stage import Script, on_stage, until
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_world import USERNAME

UPDATES = int(os.environ.get("XUANKA_SOAK", "600"))
ROOT = Path(__file__).resolve().parents[4]


def unreliable(fake: FakeTelegram, dice: random.Random) -> None:
    """Let one send in eight fail, in the ways that certainly deliver nothing."""
    inner = fake.methods.call

    def call(method: str, fields: dict[str, Any]) -> Any:
        if method in {"sendMessage", "editMessageText"}:
            roll = dice.random()
            if roll < 0.05:
                raise fake.flood_error(dice.randint(1, 5))
            if roll < 0.12:
                raise fake.flood_error(dice.randint(1, 2))
        return inner(method, fields)

    fake.methods.call = call


async def test_a_soak_with_duplicates_edits_and_server_errors() -> None:
    dice = random.Random(20261121)
    async with on_stage(workers=8, frozen=True, stale_after_s=86_400) as stage:
        fake = stage.fake
        unreliable(fake, dice)
        people = [fake.user(100 + number, f"P{number}") for number in range(12)]
        groups = [fake.group(-1001000000000 - number) for number in range(3)]
        asked: list[dict[str, Any]] = []
        expected: dict[tuple[int, int], str] = {}
        for number in range(UPDATES):
            roll = dice.random()
            if asked and roll < 0.08:
                old = dice.choice(asked[-20:])
                text = old["text"].partition(" v")[0] + f" v{number}"
                await fake.edit(old, text)
                expected[old["chat"]["id"], old["message_id"]] = text
            elif asked and roll < 0.2:
                await fake.queue(dice.choice(fake.history[-40:]))
            else:
                person, chat = dice.choice(people), dice.choice([None, *groups])
                text = f"@{USERNAME} q{number}" if chat else f"q{number}"
                message = await fake.say(person, chat, text)
                asked.append(message)
                expected[message["chat"]["id"], message["message_id"]] = text

        seen = 0

        async def all_done() -> bool:
            nonlocal seen
            if seen == len(fake.calls):  # nothing moves: everybody waits for a pause to end
                stage.clock.offset += 0.2
            seen = len(fake.calls)
            return not fake.pending() and (await stage.store.backlog(stage.clock.time())).waiting == 0

        await until(all_done, timeout_s=120 + UPDATES / 10)
        answered = [message for place in fake.chats for message in fake.said_by_bot(place)]
        shown = Counter(message["text"] for message in answered)
        wanted = Counter(f"You said: {text.removeprefix(f'@{USERNAME} ')}" for text in expected.values())
        assert shown == wanted
        for person in people:
            own = [int(m["text"].split("q")[1].split()[0]) for m in fake.said_by_bot(person["id"])]
            assert own == sorted(own)


async def test_killing_the_process_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    async with FakeTelegram() as fake:
        people = [fake.user(100 + number) for number in range(10)]
        for number in range(120):
            await fake.say(people[number % 10], None, f"q{number}")

        def said() -> list[str]:
            return [m["text"] for person in people for m in fake.said_by_bot(person["id"])]

        for goal in (15, 45, 80):
            process = await start_bot(fake, tmp_path)
            await fake.until(lambda goal=goal: len(set(said())) >= goal, 60)
            process.kill()
            await process.wait()
        process = await start_bot(fake, tmp_path)
        wanted = {f"You said: q{number}" for number in range(120)}
        await fake.until(lambda: set(said()) == wanted, 60)
        process.kill()
        await process.wait()
        # What was on its way when the process died may come twice, once per worker and kill, as the guarantee says.
        assert len(said()) - len(wanted) <= 3 * 4
        for person in people:
            first = list(dict.fromkeys(m["text"] for m in fake.said_by_bot(person["id"])))
            assert first == sorted(first, key=lambda text: int(text.split("q")[1]))
        assert fake.findings == []


async def start_bot(fake: FakeTelegram, directory: Path) -> asyncio.subprocess.Process:
    """The bot as a process over a store in a file."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.fakes.run_bot", fake.url, str(directory / "bot.sqlite"), cwd=ROOT
    )


async def test_a_conversation_is_answered_in_order_even_when_others_fail() -> None:
    async with on_stage(Script(), workers=8) as stage:
        stage.fake.fail("sendMessage", 429, "Too Many Requests: retry after 1", times=3, retry_after=1)
        lin = stage.fake.user(11)
        for number in range(8):
            await stage.fake.say(lin, None, f"q{number}")

        async def answered() -> bool:
            stage.clock.offset += 0.5
            return len(stage.fake.said_by_bot(11)) == 8

        await until(answered)
        assert [m["text"] for m in stage.fake.said_by_bot(11)] == [f"You said: q{number}" for number in range(8)]
