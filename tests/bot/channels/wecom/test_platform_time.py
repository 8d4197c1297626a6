"""WeCom's time is asked rarely, carried on steadily, and no answer is no time."""

from __future__ import annotations

import httpx
import pytest

from bot.channels.wecom.platform_time import ADDRESS, PlatformTime

DAY = "Sun, 22 Nov 2026 10:00:00 GMT"
TOLD = 1795341600.0


class Steady:
    """A clock that a test moves."""

    at = 5000.0

    def __call__(self) -> float:
        return self.at


def stage(answers: list[httpx.Response | Exception]) -> tuple[PlatformTime, Steady, list[str]]:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        given = answers.pop(0)
        if isinstance(given, Exception):
            raise given
        return given

    steady = Steady()
    return PlatformTime(steady, lambda: httpx.AsyncClient(transport=httpx.MockTransport(answer))), steady, asked


async def test_what_was_told_is_carried_on_for_an_hour() -> None:
    time, steady, asked = stage(
        [httpx.Response(404, headers={"date": DAY}), httpx.Response(200, headers={"date": DAY})]
    )
    assert await time.now() == TOLD
    steady.at += 3599
    assert await time.now() == TOLD + 3599
    assert asked == [ADDRESS]
    steady.at += 1
    assert await time.now() == TOLD
    assert len(asked) == 2


@pytest.mark.parametrize(
    "given",
    [
        httpx.ConnectError("no way out"),
        httpx.ReadTimeout("late"),
        httpx.Response(200),
        httpx.Response(200, headers={"date": "yesterday"}),
        httpx.Response(200, headers={"date": "Sun, 99 Nov 2026 10:00:00 GMT"}),
    ],
    ids=repr,
)
async def test_no_answer_is_no_time_and_is_not_asked_for_again_at_once(given: httpx.Response | Exception) -> None:
    time, steady, asked = stage([given, httpx.Response(200, headers={"date": DAY})])
    assert await time.now() is None
    steady.at += 59
    assert await time.now() is None
    assert len(asked) == 1
    steady.at += 1
    assert await time.now() == TOLD
