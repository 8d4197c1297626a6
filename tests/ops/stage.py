"""A delivery over a store in memory, a road that answers as told, a sender that fails as told, and a clock to be moved."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bot.core.board import Board
from bot.core.conversation import Conversation, Episode
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import Outcome, Sent, Store
from bot.delivery import Delivery, DeliveryOptions
from bot.stores.sqlite import SqliteStore
from tests.conftest import make_message
from tests.fakes.inventoried import Inventoried

T0 = float(int(time.time()))


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.at = T0

    def __call__(self) -> float:
        return self.at


@dataclass
class Road:
    """Repeats what it heard; `breaks_on` names texts that break it."""

    breaks_on: dict[str, Exception] = field(default_factory=dict)
    heard: list[IncomingMessage] = field(default_factory=list)
    states: list[Conversation | None] = field(default_factory=list)

    def respond(
        self,
        message: IncomingMessage,
        conversation: Conversation | None,
        now: datetime,
        borrowed: Episode | None = None,
    ) -> tuple[Reply, Conversation]:
        self.heard.append(message)
        self.states.append(conversation)
        if message.text in self.breaks_on:
            raise self.breaks_on[message.text]
        turn = (conversation.turn if conversation else 0) + 1
        reply = Reply(decision="answer", language="en", text=f"heard {message.text}", case="K7QK", intent="help")
        return reply, Conversation(key=message.conversation_key, turn=turn, updated_at=now)

    def decide_together(self, message: IncomingMessage, board: Board, now: datetime) -> tuple[Reply, Conversation]:
        names = ",".join(f"{wish.by}={wish.value}" for wish in board.constraints)
        return Reply(decision="answer", language="en", text=names), Conversation(key=message.conversation_key)

    def say(self, message: IncomingMessage, page: str, block: str = "short", **values: Any) -> Reply:
        told = " ".join(f"{name}={value}" for name, value in values.items())
        return Reply(decision="fallback", language="en", text=f"{page}/{block} {told}".strip())


@dataclass
class Chat:
    """A sender: `outcomes` are what the next sends end with, SENT when there are none left."""

    outcomes: list[Sent | Exception] = field(default_factory=list)
    said: list[tuple[str, str, str]] = field(default_factory=list)
    """(chat, text, id of the message that was edited)"""
    tries: list[tuple[str, str]] = field(default_factory=list)
    before: Callable[[], Any] | None = None

    async def send(self, message: IncomingMessage, reply: Reply, *, edit: str = "") -> Sent:
        self.tries.append((message.chat_id, reply.text))
        if self.before is not None:
            await self.before()
        outcome = self.outcomes.pop(0) if self.outcomes else Sent(Outcome.SENT, f"out-{len(self.tries)}")
        if isinstance(outcome, Exception):
            raise outcome
        if outcome.outcome is Outcome.SENT:
            self.said.append((message.chat_id, reply.text, edit))
        return outcome


@dataclass
class Stage:
    store: Store
    road: Road
    chat: Chat
    clock: Clock
    delivery: Delivery

    async def say(self, text: str, event: str, **changes: Any) -> Any:
        return await self.delivery.accept(make_message(text, event_id=event, **changes))

    async def quiet(self) -> None:
        """Until everything that may be answered now is."""
        await until(self._nothing_waits)

    async def _nothing_waits(self) -> bool:
        return (await self.store.backlog(self.clock())).waiting == 0


async def until(condition: Callable[[], Any], timeout_s: float = 5.0) -> None:
    """Wait for a condition, plain or awaitable."""
    async with asyncio.timeout(timeout_s):
        while True:
            found = condition()
            if await found if asyncio.iscoroutine(found) else found:
                return
            await asyncio.sleep(0.002)


async def until_waiting(store: Store, count: int) -> None:
    """Wait until so many messages are not yet done with: what was answered is closed a moment after it was sent."""

    async def are_left() -> bool:
        return (await store.backlog()).waiting == count

    await until(are_left)


@asynccontextmanager
async def on_stage(store: Store | None = None, *, workers: int = 2, **parts: Any) -> AsyncIterator[Stage]:
    """A running delivery; `lease_s`, `patience_s` and others are options, gate, desk, boards and meter are parts."""
    road, chat, clock = Road(), Chat(), Clock()
    store = store or Inventoried()
    if isinstance(store, SqliteStore):
        store._clock = clock
    await store.open()
    wiring = {name: parts.pop(name) for name in ("gate", "desk", "boards", "meter") if name in parts}
    options = DeliveryOptions(workers=workers, **{"idle_s": 0.005, "patience_s": 5.0, **parts})
    delivery = Delivery(store, road, {"test": chat}, options, clock=clock, steady=clock, **wiring)
    await delivery.start()
    try:
        yield Stage(store, road, chat, clock, delivery)
    finally:
        await delivery.stop(2.0)
        await store.close()


def moment(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)
