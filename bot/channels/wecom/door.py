"""Takes what the long connection pushes: messages into the inbox in their order, events at once, beside.

WeCom never repeats a push here and waits for no acknowledgement, so a message that the inbox cannot take is offered
again for a while. Welcomes and card updates must be out within five seconds and do not wait behind messages.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from datetime import datetime

from bot.channels.wecom import frames
from bot.channels.wecom.errors import LinkError
from bot.channels.wecom.frames import Frame, text_body
from bot.channels.wecom.link import Link
from bot.channels.wecom.presses import Presses
from bot.channels.wecom.reading import Push, Reader, Unreadable, read_push
from bot.channels.words import ChannelWords
from bot.core.message import IncomingMessage, Language
from bot.core.ports import Accepted, Intake, StoreUnavailable

_LOG = logging.getLogger("xuanka.wecom")
_MOST_WAITING = 10_000
_PATIENCE = 30
_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 4.0


class SocketDoor:
    """The door of one bot's long connection."""

    def __init__(
        self,
        reader: Reader,
        presses: Presses,
        words: ChannelWords,
        language: Language,
        intake: Intake,
        now: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Wire the door; nothing runs before the first frame."""
        self._reader, self._presses, self._words, self._language = reader, presses, words, language
        self._intake, self._now, self._sleep = intake, now, sleep
        self._waiting: deque[IncomingMessage] = deque()
        self._accepting: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, link: Link, frame: Frame) -> None:
        """Take one pushed frame; never waits."""
        try:
            push = read_push(frame.body)
        except Unreadable as error:
            _LOG.warning("a push of unknown shape is ignored: %s", error)
            return
        if frame.cmd == frames.MESSAGE and push.is_message:
            self._line_up(self._reader.incoming(push, self._now(), frame.req_id))
        elif push.event_type == "enter_chat":
            self._beside(self._welcome(link, frame.req_id))
        elif push.event_type == "template_card_event":
            self._beside(self._pressed(link, push, frame.req_id))
        elif push.event_type == "feedback_event":
            message = self._presses.judged(push, self._now())
            if message is not None:
                self._line_up(message)
        else:
            _LOG.info("a push of no interest is ignored")

    async def close(self, timeout_s: float) -> None:
        """Let everything that was taken be stored, and end what is not done in time."""
        tasks = {*self._tasks, *([self._accepting] if self._accepting else [])}
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=timeout_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    # --- messages ----------------------------------------------------------------------------------------------------

    def _line_up(self, message: IncomingMessage) -> None:
        if len(self._waiting) >= _MOST_WAITING:
            _LOG.error("ALERT: too many messages wait for the inbox; one was dropped")
            return
        self._waiting.append(message)
        if self._accepting is None or self._accepting.done():
            self._accepting = asyncio.create_task(self._accept_all())

    async def _accept_all(self) -> None:
        while self._waiting:
            await self._accept(self._waiting[0])
            self._waiting.popleft()

    async def _accept(self, message: IncomingMessage) -> Accepted:
        """Offer a message until the inbox takes it, for about a minute and a half."""
        pause = _PAUSE_S
        for _ in range(_PATIENCE):
            try:
                accepted = await self._intake.accept(message)
            except StoreUnavailable:
                accepted = Accepted.FULL
            if accepted is not Accepted.FULL:
                return accepted
            await self._sleep(pause)
            pause = min(_LONGEST_PAUSE_S, pause * 2)
        _LOG.error("ALERT: the inbox takes nothing; a message was dropped")
        return Accepted.FULL

    # --- events ------------------------------------------------------------------------------------------------------

    async def _welcome(self, link: Link, req_id: str) -> None:
        await link.request(frames.WELCOME, req_id, text_body(self._words("welcome", self._language)))

    async def _pressed(self, link: Link, push: Push, req_id: str) -> None:
        """The press is stored first; then the card shows it."""
        ruling = await self._presses.pressed(push, self._now(), req_id)
        if ruling.message is not None:
            await self._accept(ruling.message)
        if ruling.update is not None:
            await link.request(frames.UPDATE, req_id, ruling.update)

    def _beside(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(_guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _guarded(work: Coroutine[object, object, None]) -> None:
    try:
        await work
    except LinkError as error:
        _LOG.warning("an event was not answered: %s", type(error).__name__)
    except StoreUnavailable as error:
        _LOG.error("an event was not taken: %s", error)
    except Exception as error:
        _LOG.error("an event failed: %s", type(error).__name__)
