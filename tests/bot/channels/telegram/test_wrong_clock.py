"""A wall clock that is wrong makes no question an old one: whoever asks is answered, whatever this machine believes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import httpx
import pytest

from bot.channels.telegram.platform_time import PlatformTime
from tests.fakes.stage import on_stage

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize("jump", [86_400.0, 82_800.0, 3_600.0, -3_600.0, 60.0])
async def test_a_clock_that_is_set_while_it_runs_costs_nobody_an_answer(jump: float) -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "before")
        await stage.reply(lin)
        telegrams = stage.fake.clock
        stage.channel._time._wall = lambda: datetime.fromtimestamp(telegrams() + jump, UTC)
        await stage.fake.say(lin, None, "after")
        assert (await stage.reply(lin, 2))["text"] == "You said: after"


async def test_an_old_question_is_still_told_from_a_new_one() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "old", age_s=3_000)
        await stage.fake.say(lin, None, "new")
        await stage.reply(lin, 2)
        assert [one.text for one in stage.road.heard] == ["new"]


class Machine:
    """A machine whose wall clock is `off` by so many seconds."""

    def __init__(self, off: float) -> None:
        self.off, self.passed = off, 0.0

    def wall(self) -> datetime:
        return NOON + timedelta(seconds=self.passed + self.off)

    def steady(self) -> float:
        return self.passed


async def test_a_machine_that_starts_a_day_ahead_goes_by_what_telegram_says() -> None:
    machine = Machine(86_400.0)
    clock = PlatformTime(machine.wall, machine.steady)
    assert clock.now() == NOON + timedelta(days=1)
    for date in ("garbage", "", "Sun, 22 Nov 2026 12:00:00"):
        await clock.heard(httpx.Response(200, headers={"date": date}))
    assert clock.now() == NOON + timedelta(days=1)
    await clock.heard(httpx.Response(200, headers={"date": "Sun, 22 Nov 2026 12:00:00 GMT"}))
    machine.passed = 30.0
    assert clock.now() == NOON + timedelta(seconds=30)


async def test_a_telegram_that_says_a_wrong_day_makes_nothing_older() -> None:
    machine = Machine(0.0)
    clock = PlatformTime(machine.wall, machine.steady)
    await clock.heard(httpx.Response(200, headers={"date": "Mon, 22 Nov 2027 12:00:00 GMT"}))
    assert clock.now() == NOON
