"""A bot that is stopped in the middle of a burst, and started again: every question is answered, none twice."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.fakes.telegram import FakeTelegram
from tests.ops.test_processes import environment

PEOPLE = 30


async def test_a_stop_in_the_middle_of_a_burst_loses_and_repeats_nothing(tmp_path: Path) -> None:
    async with FakeTelegram() as telegram:
        settings = environment(
            tmp_path,
            TELEGRAM_TOKEN=telegram.token,
            TELEGRAM_BASE_URL=telegram.url,
            TELEGRAM_LIMITS="false",
            DEFAULT_LANGUAGE="en",
        )

        def start() -> subprocess.Popen[bytes]:
            command = [sys.executable, "-m", "bot", "telegram"]
            return subprocess.Popen(command, cwd=tmp_path, env=settings, stderr=subprocess.DEVNULL)

        def answers() -> int:
            return sum(len(telegram.said_by_bot(number)) for number in range(100, 100 + PEOPLE))

        people = [telegram.user(number) for number in range(100, 100 + PEOPLE)]
        process = start()
        try:
            for person in people:
                await telegram.say(person, None, "4090 memory bandwidth")
            await telegram.until(lambda: answers() >= 3, 40)
            process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(process.wait, 25) == 0
            process = start()
            await telegram.until(lambda: answers() >= PEOPLE, 40)
            process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(process.wait, 25) == 0
        finally:
            process.kill()
            process.wait(10)
        assert Counter(len(telegram.said_by_bot(number)) for number in range(100, 100 + PEOPLE)) == {1: PEOPLE}
        assert not telegram.findings
