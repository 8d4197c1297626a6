"""The WeCom channel on a stage: real delivery and store, a fake server, a scripted road, a clock that tests move."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from starlette.applications import Starlette

from bot.channels.markup import escape
from bot.channels.wecom.limits import CONVERSATION, Bucket
from bot.channels.wecom.link import LinkTimes
from bot.channels.wecom.run import Wecom
from bot.channels.wecom.socket import Clocks, Times
from bot.core.conversation import Conversation, Episode
from bot.core.message import Choice, Fact, IncomingMessage, Reply
from bot.core.ports import Responder, Store
from bot.delivery import Delivery, DeliveryOptions
from bot.settings import Settings
from tests.fakes.inventoried import Inventoried
from tests.fakes.wecom import FakeWecom
from tests.fakes.wecom_callback import FakePlatform
from tests.fakes.wecom_crypto import Seal
from tests.fakes.wecom_pushes import BOT_ID, BOT_NAME, SECRET

CASE = "K7QK"
AES_KEY = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"
TOKEN = "QDG6eK"


class MovedClock:
    """Time that stands still until a test moves it. Whoever sleeps is woken in order of time."""

    def __init__(self) -> None:
        self._start = time.time()
        self.passed = 0.0
        self.slept: list[float] = []
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()

    def wall(self) -> float:
        return self._start + self.passed

    def steady(self) -> float:
        return self.passed

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.wall(), UTC)

    async def sleep(self, seconds: float) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.slept.append(seconds)
        heapq.heappush(self._sleepers, (self.passed + seconds, next(self._numbers), future))
        await future

    def sleeping(self, seconds: float) -> bool:
        """Whether somebody sleeps until so many seconds from now."""
        return any(abs(at - self.passed - seconds) < 1e-6 and not future.done() for at, _, future in self._sleepers)

    async def advance(self, seconds: float) -> None:
        """Let time pass; whoever wakes up gets to run before it goes on."""
        target = self.passed + seconds
        while self._sleepers and self._sleepers[0][0] <= target:
            at, _, future = heapq.heappop(self._sleepers)
            self.passed = max(self.passed, at)
            if not future.done():
                future.set_result(None)
                for _ in range(5):
                    await asyncio.sleep(0)
        self.passed = target

    def clocks(self) -> Clocks:
        return Clocks(self.wall, self.steady, self.sleep, lambda low, high: (low + high) / 2)


@dataclass
class Script:
    """A road that repeats what it heard, and remembers it. `replies` maps a text or an action to a reply of its own."""

    replies: dict[str, Reply] = field(default_factory=dict)
    heard: list[IncomingMessage] = field(default_factory=list)

    def respond(
        self,
        message: IncomingMessage,
        conversation: Conversation | None,
        now: datetime,
        borrowed: Episode | None = None,
    ) -> tuple[Reply, Conversation]:
        self.heard.append(message)
        key = message.action.partition("#")[0] or message.text
        reply = self.replies.get(key) or echo(f"{message.text}{message.action}")
        return reply, Conversation(key=message.conversation_key)

    def say(self, message: IncomingMessage, page: str, block: str = "short", **values: Any) -> Reply:
        return Reply(decision="answer", language="en", text=f"{page} {block}")


def echo(text: str, **changes: object) -> Reply:
    """An answer that shows the text."""
    fields: dict[str, object] = {"decision": "answer", "language": "en", "text": f"You said: {escape(text)}"}
    return Reply.model_validate(fields | changes)


def answer(text: str, *acts: str, case: str = CASE) -> Reply:
    """An answer with a fact, and acts that can be asked for."""
    choices = tuple(Choice(label=act.title(), key=f"do:{act}#{case}") for act in acts)
    fact = Fact(name="vram_needed", value=9.8, unit="GiB")
    return Reply(decision="answer", language="en", text=text, choices=choices, case=case, facts=(fact,))


def question(text: str, slot: str, *values: str, **changes: object) -> Reply:
    """A question with one option for each value."""
    choices = tuple(Choice(label=value, key=f"set:{slot}={value}#{CASE}") for value in values)
    reply = Reply(decision="ask", language="en", text=text, choices=choices, asks=(slot,), case=CASE)
    return reply.model_copy(update=changes)


async def until(condition: Callable[[], object], timeout_s: float = 10.0) -> None:
    """Wait for a condition that nothing announces; it may be asynchronous."""
    async with asyncio.timeout(timeout_s):
        while True:
            met = condition()
            if isinstance(met, Awaitable):
                met = await met
            if met:
                return
            await asyncio.sleep(0.002)


def settings_for(url: str, **changes: object) -> Settings:
    """Settings that point at the fake."""
    fields: dict[str, object] = {
        "wecom_bot_id": BOT_ID,
        "wecom_secret": SECRET,
        "wecom_ws_url": url,
        "wecom_bot_name": BOT_NAME,
        "store": "memory:",
        "default_language": "en",
        "signing_key": "a key that replicas share",
        "_env_file": None,
    }
    return Settings(**(fields | changes))


@dataclass
class Replica:
    """One process of the bot: channel and delivery over a store that others may share."""

    channel: Wecom
    delivery: Delivery
    store: Store

    async def stop(self) -> None:
        await self.delivery.stop(5.0)
        await self.channel.stop()

    async def is_idle(self) -> bool:
        return (await self.store.backlog(0.0)).waiting == 0


@dataclass
class Stage:
    """Everything a test touches."""

    fake: FakeWecom
    clock: MovedClock
    road: Script
    replica: Replica
    times: Times
    allowed_findings: list[str] = field(default_factory=list)

    async def live(self) -> None:
        """Wait until the bot holds the connection and its heart beats."""
        await self.fake.connected()
        await until(lambda: self.replica.channel.state == "live" and self.clock.sleeping(self.times.link.heartbeat_s))

    async def quiet(self) -> None:
        """Wait until everything that was pushed is stored and answered."""
        door = self.replica.channel._door
        assert door is not None
        await door.close(5.0)
        await until(self.replica.is_idle)


async def start_replica(
    fake: FakeWecom,
    clock: MovedClock,
    road: Responder,
    store: Store,
    *,
    times: Times | None = None,
    buckets: tuple[Bucket, ...] = CONVERSATION,
    workers: int = 4,
    **settings: object,
) -> Replica:
    """Start one process of the bot."""
    channel = Wecom(settings_for(fake.url, **settings), store, times=times, clocks=clock.clocks(), buckets=buckets)
    options = DeliveryOptions(workers=workers, idle_s=0.01)
    delivery = Delivery(store, road, {"wecom": channel}, options, clock=clock.wall, steady=clock.wall)
    await delivery.start()
    await channel.start(delivery)
    return Replica(channel, delivery, store)


@asynccontextmanager
async def on_stage(
    road: Responder | None = None,
    *,
    ack_s: float = 5.0,
    findings: tuple[str, ...] = (),
    store: Store | None = None,
    buckets: tuple[Bucket, ...] = CONVERSATION,
    connected: bool = True,
    **settings: object,
) -> AsyncIterator[Stage]:
    """A running bot; at the end the fake may have found nothing but `findings`."""
    clock = MovedClock()
    times = Times(link=LinkTimes(ack_s=ack_s))
    fake = FakeWecom(clock=clock.steady)
    async with fake.running():
        mine = store or Inventoried(clock.wall)
        await mine.open()
        script = road or Script()
        replica = await start_replica(fake, clock, script, mine, times=times, buckets=buckets, **settings)
        stage = Stage(fake, clock, script, replica, times)
        try:
            if connected:
                await stage.live()
            yield stage
        finally:
            await replica.stop()
            await mine.close()
    assert fake.findings == list(findings)


@dataclass
class CallbackStage:
    """Everything a test of the callback touches."""

    platform: FakePlatform
    clock: MovedClock
    road: Script
    channel: Wecom
    delivery: Delivery
    store: Store


@asynccontextmanager
async def on_callback_stage(
    road: Responder | None = None,
    *,
    findings: tuple[str, ...] = (),
    store: Store | None = None,
    receive_id: str = "",
    real_time: bool = False,
    ahead_s: float = 0.0,
    **settings: object,
) -> AsyncIterator[CallbackStage]:
    """A bot behind its callback; at the end WeCom may have found nothing but `findings`.

    `ahead_s`: how far the bot's own clock is ahead of WeCom's, from the start; then WeCom tells the time when asked.
    """
    clock = MovedClock()
    mine = store or Inventoried(None if real_time else clock.wall)
    await mine.open()
    script = road or Script()
    config = settings_for(
        "wss://unused.invalid",
        wecom_bot_id="",
        wecom_secret=None,
        wecom_token=TOKEN,
        wecom_aes_key=AES_KEY,
        wecom_receive_id=receive_id,
        **settings,
    )
    clocks = Clocks() if real_time else clock.clocks()
    if ahead_s:

        async def told() -> float | None:
            return clock.wall()

        clocks = replace(clocks, wall=lambda: clock.wall() + ahead_s, platform=told)
    channel = Wecom(config, mine, clocks=clocks)
    wall = time.time if real_time else clock.wall
    delivery = Delivery(
        mine, script, {"wecom": channel}, DeliveryOptions(workers=2, idle_s=0.01), clock=wall, steady=wall
    )
    await delivery.start()
    platform = FakePlatform(Starlette(routes=channel.routes(delivery)), Seal(TOKEN, AES_KEY, receive_id), wall)
    async with platform.running():
        try:
            yield CallbackStage(platform, clock, script, channel, delivery, mine)
        finally:
            await delivery.stop(5.0)
            await channel.stop()
            await mine.close()
    assert platform.findings == list(findings)
