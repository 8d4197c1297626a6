"""Alarms through the group push robot: what goes out, how often, and what never does."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from bot.channels.wecom.alerts import AlertRobot
from bot.stores.memory import MemoryStore
from tests.fakes.wecom_stage import MovedClock, until

URL = "https://robot.invalid/cgi-bin/webhook/send?key=693axxx6"
LOG = logging.getLogger("xuanka.test")


class Robot:
    """The push robot: at most 20 a minute, texts of at most 2048 bytes."""

    def __init__(self, clock: MovedClock) -> None:
        self.clock = clock
        self.texts: list[str] = []
        self.times: list[float] = []
        self.findings: list[str] = []
        self.answer = httpx.Response(200, json={"errcode": 0})

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        text = body["text"]["content"]
        now = self.clock.steady()
        if body["msgtype"] != "text" or len(text.encode()) > 2048 or "\ufffd" in text:
            self.findings.append("a text that the robot refuses")
        self.times.append(now)
        if sum(now - at < 60 for at in self.times) > 20:
            self.findings.append("more than 20 a minute")
        self.texts.append(text)
        return self.answer


@asynccontextmanager
async def robot_stage() -> AsyncIterator[tuple[Robot, MovedClock]]:
    clock = MovedClock()
    store = MemoryStore(clock.wall)
    await store.open()
    robot = Robot(clock)
    client = httpx.AsyncClient(transport=httpx.MockTransport(robot))
    alerts = AlertRobot(URL, store, clock.wall, client=client, sleep=clock.sleep)
    alerts.start()
    try:
        yield robot, clock
    finally:
        await alerts.stop()
        await store.close()
    assert robot.findings == []


async def test_errors_of_ours_are_told_and_nothing_else() -> None:
    async with robot_stage() as (robot, _):
        LOG.warning("a warning")
        logging.getLogger("other").error("not ours")
        LOG.error("ALERT: %s", "the store is gone")
        await until(lambda: robot.texts)
        assert robot.texts == ["Xuanka ERROR xuanka.test: ALERT: the store is gone"]


async def test_the_same_line_is_told_once_in_five_minutes() -> None:
    async with robot_stage() as (robot, clock):
        LOG.error("again")
        LOG.error("again")
        await until(lambda: robot.texts)
        await clock.advance(301)
        LOG.error("again")
        await until(lambda: len(robot.texts) == 2)


async def test_a_storm_stays_below_twenty_a_minute_and_says_what_it_dropped() -> None:
    async with robot_stage() as (robot, clock):
        for number in range(150):
            LOG.error("storm %d", number)
        await until(lambda: len(robot.texts) == 8)
        while len(robot.texts) < 100:
            await clock.advance(1)
            await asyncio.sleep(0.001)
            assert clock.passed < 1000
        assert any("(+" in text for text in robot.texts)


async def test_a_long_line_is_cut_between_characters() -> None:
    async with robot_stage() as (robot, _):
        LOG.error("显" * 2000)
        await until(lambda: robot.texts)


@pytest.mark.parametrize("answer", [httpx.Response(500), httpx.Response(200, json={"errcode": 93000})])
async def test_a_robot_that_fails_is_logged_without_its_key(
    answer: httpx.Response, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with robot_stage() as (robot, _):
        robot.answer = answer
        LOG.error("one")
        await until(lambda: "push robot refused" in caplog.text)
        LOG.error("two")
        await until(lambda: len(robot.texts) == 2)
    assert "693axxx6" not in caplog.text
