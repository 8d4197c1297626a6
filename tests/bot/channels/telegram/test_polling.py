"""Polls that bring nothing at once, again and again, are made at growing distances; what has no number moves nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from telegram.error import RetryAfter

from bot.channels.telegram.polling import Poller, Take
from bot.core.ports import Accepted

Wait = Callable[[float], Awaitable[None]]
START = datetime(2026, 11, 21, tzinfo=UTC)


class Server:
    """Answers getUpdates with the next of its answers, at once; then stops the poller."""

    def __init__(self, answers: list[Any], stop: asyncio.Event, took_s: float = 0.0) -> None:
        self.answers, self.stop, self.took = answers, stop, timedelta(seconds=took_s)
        self.now, self.polls = START, 0
        self.offsets: list[str | None] = []

    async def post(self, url: str, request_data: Any = None, read_timeout: float | None = None) -> Any:
        self.polls += 1
        self.offsets.append(request_data.json_parameters.get("offset"))
        self.now += self.took
        if not self.answers:
            self.stop.set()
            return []
        return self.answers.pop(0)


class Bot:
    base_url = "http://telegram"


async def run(server: Server, take: Take, settle: Wait, sleep: Wait) -> None:
    """Poll a server until it has no answer left."""
    poller = Poller(Bot(), server, take, settle, (), sleep, lambda: server.now)
    await asyncio.wait_for(poller.run(server.stop), 5)


async def polled(answers: list[Any], took_s: float = 0.0) -> tuple[Server, list[float], list[int]]:
    stop = asyncio.Event()
    server, slept, taken = Server(answers, stop, took_s), [], []

    async def take(raw: dict[str, Any]) -> Accepted:
        taken.append(raw["update_id"])
        return Accepted.STORED

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def settle(_seconds: float) -> None:
        return None

    await run(server, take, settle, sleep)
    return server, slept, taken


@pytest.mark.parametrize("answer", [[], None, {}, "busy", [{}], [{"update_id": None}], [{"update_id": "7"}], [7]])
async def test_answers_that_bring_nothing_are_asked_for_at_growing_distances(answer: Any) -> None:
    _, slept, taken = await polled([answer] * 6)
    assert taken == []
    assert slept[:6] == [0.5, 1.0, 2.0, 4.0, 5.0, 5.0]


async def test_an_empty_poll_that_took_its_time_is_followed_by_the_next_at_once() -> None:
    _, slept, _ = await polled([[]] * 4, took_s=30)
    assert slept == []


async def test_an_update_ends_the_pauses_and_moves_the_offset() -> None:
    server, slept, taken = await polled([[], [], [{"update_id": 7}], [{}, {"update_id": 8}], []])
    assert taken == [7, 8]
    assert slept[:3] == [0.5, 1.0, 0.5]
    assert server.offsets[3:5] == ["8", "9"]


@pytest.mark.parametrize("number", [True, -3, 1.5, 10**40, 2**40, "9"])
async def test_a_number_that_is_none_moves_nothing(number: Any) -> None:
    server, _, taken = await polled([[{"update_id": 7}], [{"update_id": number}], [{"update_id": 8}]])
    assert taken == [7, 8]
    assert server.offsets[:3] == [None, "8", "8"]


async def test_a_number_far_ahead_does_not_confirm_what_comes_below_it() -> None:
    """The server says a number that is a fault, then nothing, then goes on where it was."""
    server, _, taken = await polled([[{"update_id": 7}], [{"update_id": 900_000_000}], [], [{"update_id": 8}]])
    assert taken == [7, 900_000_000, 8]
    assert server.offsets[:4] == [None, "8", "900000001", "8"]


async def test_numbers_that_start_anew_far_ahead_go_on_there() -> None:
    server, _, taken = await polled([[{"update_id": 7}], [{"update_id": 900_000_000}], [{"update_id": 900_000_001}]])
    assert taken == [7, 900_000_000, 900_000_001]
    assert server.offsets[3] == "900000002"


async def test_no_pause_between_polls_is_longer_than_a_minute() -> None:
    class Flooded(Server):
        async def post(self, url: str, request_data: Any = None, read_timeout: float | None = None) -> Any:
            if self.polls == 0:
                self.polls = 1
                raise RetryAfter(900)
            return await super().post(url, request_data, read_timeout)

    stop = asyncio.Event()
    server, slept = Flooded([], stop), []

    async def take(_raw: dict[str, Any]) -> Accepted:
        return Accepted.STORED

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    await run(server, take, sleep, sleep)
    assert 60.0 in slept
    assert max(slept) == 60.0
