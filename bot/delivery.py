"""Carries accepted messages to their answers: accept, store, handle in order, send, close.

The guarantee (docs/guarantees.md): an update counts as accepted once it is in the store. Every accepted message is
answered, in the order of its conversation, by whichever replica claims it. A send that ended without a clear answer is
not repeated. A process that dies between beginning a send and closing the item leaves one message that may be answered
twice: after its lease the next worker sends the stored reply again.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.core.conversation import Conversation, Episode
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import (
    Accepted,
    Boards,
    Desk,
    Gate,
    InboxItem,
    Meter,
    Outcome,
    Responder,
    Sender,
    Sent,
    Store,
    StoreUnavailable,
    Verdict,
)
from bot.logs import correlation

_LOG = logging.getLogger("xuanka.delivery")


@dataclass(frozen=True, slots=True)
class DeliveryOptions:
    """Times and sizes of delivery."""

    workers: int = 8
    lease_s: float = 30.0
    capacity: int = 10_000
    """Messages that may wait before the door says FULL."""
    conversation_ttl_s: float = 1800.0
    keep_s: float = 86_400.0
    """How long an event's dedupe mark and reply stay."""
    idle_s: float = 0.25
    """How often an idle worker looks for work of other replicas and for expired leases."""
    passive_wait_s: float = 4.0
    """How long a caller of `answer_now` waits behind earlier messages of its conversation."""
    most_sends: int = 12
    oldest_send_s: float = 900.0
    """A reply that could not be sent is given up once it is so old and was tried so often: an outage of minutes costs
    nothing, and a message that waited long for its turn still gets its tries."""
    longest_pause_s: float = 30.0
    """Tries come at growing distances up to this."""


class Delivery:
    """The intake of all channels and the workers behind it."""

    def __init__(
        self,
        store: Store,
        responder: Responder,
        senders: Mapping[str, Sender],
        options: DeliveryOptions | None = None,
        gate: Gate | None = None,
        desk: Desk | None = None,
        boards: Boards | None = None,
        meter: Meter | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Wire the parts; nothing runs before `start`."""
        self.store, self.responder, self.senders = store, responder, dict(senders)
        self.options = options or DeliveryOptions()
        self._gate, self._desk, self._boards, self._meter = gate, desk, boards, meter
        self._clock = clock
        self._owner = f"w-{secrets.token_hex(6)}"
        self._work = asyncio.Event()
        self._stopping = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def now(self) -> float:
        """Seconds since the epoch by the clock in use."""
        return self._clock()

    # --- the door ----------------------------------------------------------------------------------------------------

    async def accept(self, message: IncomingMessage) -> Accepted:
        """Store an update; only then may the channel acknowledge it. FULL also stands for a store that cannot write."""
        if not message.addressed or (self._gate and not self._gate.knows(message)):
            return Accepted.IGNORED
        try:
            accepted = await self.store.accept(message, now=self._clock(), capacity=self.options.capacity)
        except StoreUnavailable as error:
            _LOG.error("not accepted: %s", error)
            accepted = Accepted.FULL
        if self._meter:
            self._meter.accepted(message.channel, accepted.value)
        if accepted is Accepted.STORED:
            self._work.set()
        return accepted

    async def answer_now(self, message: IncomingMessage) -> Reply | None:
        """Answer within the caller's request; a repeat of the event gets the same reply.

        Raises:
            StoreUnavailable: nothing was accepted; the caller must not acknowledge.
        """
        if not message.addressed or (self._gate and not self._gate.knows(message)):
            return None
        now = self._clock()
        accepted = await self.store.accept(message, now=now, capacity=self.options.capacity, passive=True)
        if accepted is Accepted.FULL:
            raise StoreUnavailable("the inbox is full")
        deadline = now + self.options.passive_wait_s
        owner = f"{self._owner}-{secrets.token_hex(4)}"
        while True:
            known = await self.store.reply_of(message)
            if known is not None:
                return known if known.decision != "ignore" else None
            item = await self.store.claim(
                owner, now=self._clock(), lease_s=self.options.lease_s, conversation=message.conversation_key
            )
            if item is not None:
                await self._process(item, owner)
                continue
            if self._clock() >= deadline:
                raise StoreUnavailable("an earlier message of the conversation is still being answered")
            await asyncio.sleep(0.01)

    # --- workers -----------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Begin to work through the inbox."""
        self._stopping.clear()
        for number in range(self.options.workers):
            self._tasks.append(asyncio.create_task(self._worker(f"{self._owner}-{number}"), name=f"worker-{number}"))

    async def stop(self, grace_s: float) -> None:
        """Finish what is in hand within the grace period, then let go; open items stay in the store."""
        self._stopping.set()
        self._work.set()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=grace_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        self._tasks.clear()

    async def _worker(self, owner: str) -> None:
        while not self._stopping.is_set():
            try:
                item = await self.store.claim(owner, now=self._clock(), lease_s=self.options.lease_s)
                if item is not None:
                    await self._process(item, owner)
                    continue
            except StoreUnavailable as error:
                _LOG.error("the store cannot be used: %s", error)
            self._work.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._work.wait(), self.options.idle_s)

    async def _process(self, item: InboxItem, owner: str) -> None:
        """One item from claim to close; a lost lease ends it without a trace, the next owner goes on."""
        correlation.set(f"{item.message.channel}-{item.id}"[-24:] if item.id.isdigit() else _short(item.id))
        keeper = asyncio.create_task(self._keep_lease(item, owner, asyncio.current_task()))
        try:
            reply = item.reply
            if reply is None:
                begun = time.perf_counter()
                reply = await self._handle(item, owner)
                self._took("wait", max(0.0, self._clock() - item.accepted_at))
                self._took("respond", time.perf_counter() - begun)
                if reply is None:
                    return
            elif not item.passive and not await self.store.resending(item, owner):
                return
            if item.passive or reply.decision == "ignore":
                await self._close(item, owner, Sent(Outcome.SENT))
            else:
                await self._send(item, owner, reply)
        except asyncio.CancelledError:
            if self._stopping.is_set() or keeper.done():
                return
            raise
        finally:
            keeper.cancel()
            with suppress(asyncio.CancelledError):
                await keeper

    def _took(self, step: str, seconds: float) -> None:
        if self._meter:
            self._meter.took(step, seconds)

    async def _keep_lease(self, item: InboxItem, owner: str, worker: asyncio.Task[None] | None) -> None:
        """Renew while the worker is busy; stop it when the lease is lost, so that nothing is sent twice."""
        while True:
            await asyncio.sleep(self.options.lease_s / 3)
            try:
                held = await self.store.renew(item, owner, now=self._clock(), lease_s=self.options.lease_s)
            except StoreUnavailable:
                continue
            if not held:
                if worker is not None:
                    worker.cancel()
                return

    async def _handle(self, item: InboxItem, owner: str) -> Reply | None:
        """Run the pure road and keep what came of it; None when the lease was lost."""
        message = item.message
        new_state: Conversation | None = None
        try:
            reply = await self._without_the_road(message)
            moment = _moment(message, self._clock())
            if reply is None and self._boards and self._boards.is_asked(message):
                board = await self._boards.load(message)
                reply, new_state = self.responder.decide_together(message, board, moment)
            elif reply is None:
                state = await self.store.load_conversation(message.conversation_key)
                borrowed = await self._borrowed(message)
                reply, new_state = self.responder.respond(message, state, moment, borrowed)
                if self._boards:
                    await self._boards.note(message, new_state)
        except StoreUnavailable:
            raise
        except Exception as error:  # the channel's edge: whatever broke, the user gets a line and an id
            error_id = secrets.token_hex(3)
            _LOG.error("answering failed, id %s: %s", error_id, type(error).__name__, exc_info=_safe(error))
            if self._meter:
                self._meter.failed("respond")
            reply = self.responder.say(message, "sorry", error_id=error_id)
        ttl = self.options.conversation_ttl_s
        held = await self.store.handled(item, owner, reply, new_state, now=self._clock(), ttl_s=ttl)
        if held and reply.case and message.chat_type == "group":
            await self.store.put(_case_key(message, reply.case), message.conversation_key, ttl)
        if held and self._meter:
            self._meter.replied(message.channel, reply.decision, reply.intent or "", reply.language)
        if held and self._desk:
            await self._desk.note(message, reply)
        return reply if held else None

    async def _without_the_road(self, message: IncomingMessage) -> Reply | None:
        """What limits and commands say, when they say something."""
        if self._gate:
            verdict = await self._gate.admit(message, self._clock())
            if verdict is Verdict.SILENT:
                return Reply(decision="ignore", language="zh")
            if verdict is Verdict.WAIT:
                return self.responder.say(message, "wait")
        return await self._desk.attend(message) if self._desk else None

    async def _borrowed(self, message: IncomingMessage) -> Episode | None:
        """The answer to somebody else that this message replies to."""
        case = message.reply_to.case if message.reply_to and message.reply_to.own else ""
        if not case and "#" in message.action:
            case = message.action.rsplit("#", 1)[1]
        if not case:
            return None
        key = await self.store.get(_case_key(message, case))
        if not isinstance(key, str) or key == message.conversation_key:
            return None
        other = await self.store.load_conversation(key)
        episodes = other.episodes if other else ()
        return next((episode for episode in episodes if episode.case == case), None)

    async def _send(self, item: InboxItem, owner: str, reply: Reply) -> None:
        message = item.message
        sender = self.senders.get(message.channel)
        if sender is None:
            _LOG.error("no sender for channel %s", message.channel)
            await self._close(item, owner, Sent(Outcome.REFUSED))
            return
        edit = ""
        if message.edits:
            edit = await self.store.get(_answer_key(message, message.edits)) or ""
        begun = time.perf_counter()
        sent = await sender.send(message, reply, edit=edit)
        self._took("send", time.perf_counter() - begun)
        if self._meter:
            self._meter.sent(message.channel, sent.outcome.value)
        if sent.outcome is Outcome.RETRY:
            now = self._clock()
            is_young = now - item.accepted_at < self.options.oldest_send_s
            if is_young or not sent.begun or item.sends + 1 < self.options.most_sends:
                pause = min(0.1 * 2**item.sends, self.options.longest_pause_s) if sent.begun else 0.1
                await self.store.postpone(item, owner, until=now + max(sent.retry_after, pause))
                return
            _LOG.error("a reply was given up after %d sends", item.sends + 1)
        await self._close(item, owner, sent)

    async def _close(self, item: InboxItem, owner: str, sent: Sent) -> None:
        message = item.message
        if sent.message_id and message.message_id:
            await self.store.put(
                _answer_key(message, message.message_id), sent.message_id, self.options.conversation_ttl_s
            )
        await self.store.finish(
            item,
            owner,
            outcome=sent.outcome.value,
            message_id=sent.message_id,
            now=self._clock(),
            keep_s=self.options.keep_s,
        )


def _short(ident: str) -> str:
    """A short name for logs that gives no id away."""
    return hashlib.sha256(ident.encode()).hexdigest()[:10]


def _moment(message: IncomingMessage, now: float) -> datetime:
    """When the message is answered, never before it was received."""
    return max(datetime.fromtimestamp(now, UTC), message.received_at.astimezone(UTC))


def _case_key(message: IncomingMessage, case: str) -> str:
    return f"case:{message.channel}:{message.chat_id}:{case}"


def _answer_key(message: IncomingMessage, message_id: str) -> str:
    return f"answer:{message.channel}:{message.chat_id}:{message_id}"


def _safe(error: BaseException) -> tuple[type[BaseException], BaseException, object] | None:
    """A traceback without the exception's own words, which may quote the user's."""
    bare = type(error).__new__(type(error))
    bare.args = ()
    return (type(error), bare, error.__traceback__)
