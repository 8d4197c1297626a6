"""A server is ready before it is warm: it answers meanwhile, and warms up between messages."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
from pydantic import BaseModel

from advisor.models import Frozen
from bot import service as service_module
from bot.pipeline import Assistant
from bot.service import Service
from bot.settings import Settings
from bot.stores.memory import MemoryStore
from bot.warming import warm_up
from tests.conftest import make_message


@asynccontextmanager
async def running(*, warm_up: bool = True) -> AsyncIterator[Service]:
    service = Service(Settings(store="memory:", warm_up=warm_up, _env_file=None), store=MemoryStore())
    await service.start()
    try:
        yield service
    finally:
        await service.stop()


async def answer(service: Service, event: str) -> str:
    message = make_message("How much VRAM does a 3090 have?", channel="api", event_id=event, user_id=event)
    reply = await service.delivery.answer_now(message)
    assert reply is not None
    return reply.text


def steps(*given: Callable[[], object]) -> Callable[[Assistant], Iterator[Callable[[], object]]]:
    return lambda _: iter(given)


async def test_who_asks_while_it_warms_up_is_answered_after_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []
    async with running() as service:
        await answer(service, "0")  # what a first answer loads is no part of how long the next one waits
        monkeypatch.setattr(service_module, "warming", steps(*(partial(done.append, n) for n in range(2000))))
        warming_up = asyncio.create_task(service.warm())
        await asyncio.sleep(0)
        said = await answer(service, "1")
        before = len(done)
        await warming_up
    assert "24" in said
    assert before < len(done) == 2000


async def test_a_part_that_is_broken_is_told_and_the_rest_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[str] = []

    def breaks() -> None:
        raise ValueError("what was in the file")

    async with running() as service:
        monkeypatch.setattr(service_module, "warming", steps(breaks, lambda: done.append("the next one")))
        with caplog.at_level(logging.ERROR):
            await service.warm()
        assert "24" in await answer(service, "1")
    assert done == ["the next one"]
    assert "ALERT" in caplog.text
    assert "what was in the file" not in caplog.text


async def test_where_a_core_is_dear_nothing_is_done_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []
    monkeypatch.setattr(service_module, "warming", steps(lambda: done.append(1)))
    async with running(warm_up=False) as service:
        await service.warm()
        assert "24" in await answer(service, "1")
    assert done == []


def kinds_below(kind: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for below in kind.__subclasses__():
        yield below
        yield from kinds_below(below)


def test_a_warm_bot_has_no_schema_left_to_build(assistant: Assistant) -> None:
    warm_up(assistant)
    assert [kind.__name__ for kind in kinds_below(Frozen) if not kind.__pydantic_complete__] == []
