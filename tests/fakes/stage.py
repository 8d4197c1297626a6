"""The whole Telegram channel on a stage: real library, real delivery and store, a fake server, a scripted road.

Time on the stage is real time plus what was slept: whoever would wait only moves the clock.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.channels.markup import escape
from bot.channels.telegram.limits import ChatLimiter, Limits, LocalBudget
from bot.channels.telegram.run import Telegram
from bot.core.conversation import Conversation, Episode
from bot.core.message import Chart, Choice, Fact, IncomingMessage, Reply
from bot.core.ports import Responder, Store
from bot.delivery import Delivery, DeliveryOptions
from bot.settings import Settings
from tests.fakes.inventoried import Inventoried
from tests.fakes.telegram import TOKEN, FakeTelegram, Flood

CASE = "K7QK"
NO_LIMITS = Limits(0, 0, 0)


class Clock:
    """Real time, moved on by sleeping; a frozen one is moved on only by whoever sets `offset`."""

    def __init__(self, *, frozen: bool = False) -> None:
        self.offset = 0.0
        self.slept: list[float] = []
        self._frozen_at = time.time() if frozen else 0.0

    def time(self) -> float:
        return (self._frozen_at or time.time()) + self.offset

    def monotonic(self) -> float:
        return self.offset if self._frozen_at else time.monotonic() + self.offset

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.time(), UTC)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if self._frozen_at:
            until = self.offset + seconds
            while self.offset < until:
                await asyncio.sleep(0.002)
            return
        self.offset += seconds
        await asyncio.sleep(0)


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
        language = "zh" if (message.language or message.lang_hint) == "zh" else "en"
        reply = self.replies.get(key) or echo(f"{message.text}{message.action}", language)
        return reply, Conversation(key=message.conversation_key)

    def apologise(self, message: IncomingMessage, error_id: str) -> Reply:
        return Reply(decision="fallback", language="en", text=f"sorry {error_id}")


def echo(text: str, language: str = "en", **changes: object) -> Reply:
    """An answer that shows the text."""
    fields: dict[str, object] = {"decision": "answer", "language": language, "text": f"You said: {escape(text)}"}
    return Reply.model_validate(fields | changes)


def answer(text: str, *acts: str, chart: Chart | None = None, case: str = CASE) -> Reply:
    """An answer with buttons under it."""
    choices = tuple(Choice(label=act.title(), key=f"do:{act}#{case}") for act in acts)
    fact = Fact(name="vram_needed", value=9.8, unit="GiB")
    return Reply(
        decision="answer",
        language="en",
        text=text,
        choices=choices,
        case=case,
        chart=chart,
        shows_chart=chart is not None and not choices,
        facts=(fact,),
    )


def question(text: str, slot: str, *values: str) -> Reply:
    """A question with one button for each value."""
    choices = tuple(Choice(label=value, key=f"set:{slot}={value}#{CASE}") for value in values)
    return Reply(decision="ask", language="en", text=text, choices=choices, asks=(slot,), case=CASE)


@dataclass
class Stage:
    """Everything a test touches."""

    fake: FakeTelegram
    channel: Telegram
    delivery: Delivery
    store: Store
    road: Script
    clock: Clock

    async def reply(self, chat: object, count: int = 1, timeout_s: float = 10.0) -> dict[str, object]:
        """Wait until the bot has said so many things in a chat, and give the last."""
        where = chat["id"] if isinstance(chat, dict) else chat
        await self.fake.until(lambda: len(self.fake.said_by_bot(where)) >= count, timeout_s)
        return self.fake.said_by_bot(where)[-1]

    def calls(self, method: str) -> list[dict[str, object]]:
        """The fields of all calls of a method."""
        return [call.fields for call in self.fake.calls if call.method == method]

    async def quiet(self) -> None:
        """Wait until everything that was sent to the bot is taken and answered."""
        await self.fake.until(lambda: not self.fake.pending())
        assert self.channel._door is not None
        await self.channel._door.close(5.0)
        await until(self._is_idle)

    async def _is_idle(self) -> bool:
        return (await self.store.backlog(self.clock.time())).waiting == 0


async def until(condition: Callable[[], object], timeout_s: float = 10.0) -> None:
    """Wait for an asynchronous condition that nothing announces."""
    async with asyncio.timeout(timeout_s):
        while not await condition():
            await asyncio.sleep(0.005)


def settings_for(fake: FakeTelegram, **changes: object) -> Settings:
    """Settings that point at the fake."""
    fields: dict[str, object] = {
        "telegram_token": fake.token,
        "telegram_base_url": fake.url,
        "store": "memory:",
        "default_language": "en",
        "signing_key": "a key that replicas share",
        "_env_file": None,
    }
    return Settings(**(fields | changes))


@asynccontextmanager
async def on_stage(
    road: Responder | None = None,
    *,
    flood: Flood | None = None,
    limits: Limits = NO_LIMITS,
    privacy: bool = True,
    poll: bool = True,
    workers: int = 4,
    store: Store | None = None,
    frozen: bool = False,
    **settings: object,
) -> AsyncIterator[Stage]:
    """A running bot; at the end nothing may have been found against the specification."""
    clock = Clock(frozen=frozen)
    async with FakeTelegram(token=TOKEN, flood=flood, privacy=privacy, clock=clock.time) as fake:
        mine = store or Inventoried(clock.time)
        await mine.open()
        limiter = ChatLimiter(LocalBudget(limits, clock.monotonic), clock.sleep, clock.monotonic)
        config = settings_for(fake, **settings)
        channel = Telegram(config, mine, limiter=limiter, now=clock.now, sleep=clock.sleep, steady=clock.monotonic)
        script = road or Script()
        options = DeliveryOptions(workers=workers, idle_s=0.01)
        delivery = Delivery(mine, script, {"telegram": channel}, options, clock=clock.time, steady=clock.monotonic)
        stage = Stage(fake, channel, delivery, mine, script, clock)
        stop = asyncio.Event()
        await channel.start(delivery)
        await delivery.start()
        polling = asyncio.create_task(channel.poll(stop)) if poll else None
        try:
            yield stage
        finally:
            stop.set()
            if polling is not None:
                await polling
            await delivery.stop(5.0)
            await channel.stop()
            await mine.close()
        assert not fake.findings, fake.findings
