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
from dataclasses import dataclass, field

from bot.answering import Answering
from bot.computing import Computing, Limits
from bot.core.message import IncomingMessage, Reply, key_part
from bot.core.ports import (
    Accepted,
    Exclusive,
    InboxItem,
    OfOneBot,
    Outcome,
    Responder,
    Sender,
    Sent,
    Store,
    StoreUnavailable,
)
from bot.core.stations import Boards, Desk, Gate, Meter, Quotes
from bot.crew import Crew, CrewOptions
from bot.logs import correlation
from bot.patience import Patience
from bot.sending import Sending, SendingOptions, platform_of

_LOG = logging.getLogger("xuanka.delivery")
_POLL_S = 0.01


@dataclass(frozen=True, slots=True)
class DeliveryOptions:
    """Times and sizes of delivery."""

    workers: int = 8
    lease_s: float = 30.0
    capacity: int = 10_000
    """Messages that may wait before the door says FULL."""
    conversation_ttl_s: float = 1800.0
    keep_s: float = 86_400.0
    """How long an event's dedupe mark stays. The reply to a passive one stays as long as its conversation."""
    idle_s: float = 0.25
    """How often one idle worker looks for work of other replicas and for expired leases."""
    passive_wait_s: float = 4.0
    """How long a caller of `answer_now` waits behind earlier messages of its conversation."""
    most_sends: int = 12
    oldest_send_s: float = 900.0
    """A reply that could not be sent is given up once it is so old and was tried so often: an outage of minutes costs
    nothing, and a message that waited long for its turn still gets its tries. One that could not even be tried (no
    connection) is given up with its dedupe mark."""
    longest_pause_s: float = 30.0
    """Tries come at growing distances up to this."""
    most_claims: int = 2
    """So often work on a message is begun. Whoever claims it then (its workers died or hung with it) closes it with an
    apology, so that no message can keep taking processes down."""
    limits: Limits = field(default_factory=Limits)
    """When a computation is ended."""
    patience_s: float = 60.0
    """How long a worker holds on to what it has done while the store is away, instead of doing it again."""

    @property
    def crew(self) -> CrewOptions:
        """Those that concern the workers."""
        return CrewOptions(self.workers, self.lease_s, self.idle_s)

    @property
    def sending(self) -> SendingOptions:
        """Those that concern the way out."""
        return SendingOptions(
            self.most_sends, self.oldest_send_s, self.longest_pause_s, self.keep_s, self.conversation_ttl_s
        )


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
        name_of: Callable[[str], str] | None = None,
        steady: Callable[[], float] = time.monotonic,
        callers: tuple[str, ...] = (),
        quotes: Quotes | None = None,
    ) -> None:
        """Wire the parts; nothing runs before `start`.

        `callers` names whose waiting callers are this process's own, as `channel:bot:`; those that come are added.
        `name_of` turns an event's id into its name in logs. `clock` is the wall's, for what users are told; leases,
        retries and limits go by the store's own, and deadlines in this process by `steady`.
        """
        self.store, self.responder, self.senders = store, responder, dict(senders)
        self.options = options or DeliveryOptions()
        self._gate, self._meter, self._steady = gate, meter, steady
        self._callers = set(callers)
        self._name_of = name_of or _short
        ttl = self.options.conversation_ttl_s
        self._computing = Computing(self.options.limits)
        self._answering = Answering(store, responder, clock, ttl, gate, desk, boards, meter, self._computing, quotes)
        self._patiently = Patience(self.options.patience_s, self._may_wait)
        self._sending = Sending(
            store,
            lambda: self.senders,
            self._answering,
            self.options.sending,
            self._patiently,
            self._share,
            desk,
            meter,
        )
        self._crew = Crew(store, self.options.crew, self._process, self._ours, meter)
        self._calls: set[asyncio.Task[Reply | None]] = set()

    # --- the door ----------------------------------------------------------------------------------------------------

    async def accept(self, message: IncomingMessage) -> Accepted:
        """Store an update; only then may the channel acknowledge it. FULL also stands for a store that cannot write."""
        if not message.addressed or (self._gate and not self._gate.knows(message)):
            return Accepted.IGNORED
        self._name(message)
        accepted = await self._crew.take_in(message, self.options.capacity)
        self._count(message, accepted)
        return accepted

    async def answer_now(self, message: IncomingMessage) -> Reply | None:
        """Answer within the caller's request; a repeat of the event gets the same reply.

        A caller who leaves in between takes nothing with him: his message is answered to its end and closed, so that
        the next one of his conversation need not wait for a lease to end.

        Raises:
            StoreUnavailable: nothing was accepted; the caller must not acknowledge.
        """
        if not message.addressed or (self._gate and not self._gate.knows(message)):
            return None
        call = asyncio.create_task(self._answer_call(message), name="call")
        self._calls.add(call)
        call.add_done_callback(self._call_ended)
        return await asyncio.shield(call)

    async def answer_passing(self, message: IncomingMessage) -> Reply | None:
        """See the port. A call that is cut is simply over.

        Raises:
            StoreUnavailable: the store could not be asked for the limits.
        """
        if not message.addressed or (self._gate and not self._gate.knows(message)):
            return None
        self._name(message)
        begun = time.perf_counter()
        reply, _ = await self._answering.answer(message.model_copy(update={"chat_id": "", "user_id": ""}))
        self._took("respond", time.perf_counter() - begun)
        self._answering.count(message, reply)
        return reply if reply.decision != "ignore" else None

    def _call_ended(self, call: asyncio.Task[Reply | None]) -> None:
        self._calls.discard(call)
        if not call.cancelled():
            call.exception()  # seen, should nobody wait for it any more
        self._crew.look_after_rest()

    async def _answer_call(self, message: IncomingMessage) -> Reply | None:
        self._callers.add(f"{message.bot_key}:")
        owner, lease_s = f"{self._crew.owner}-{secrets.token_hex(4)}", self.options.lease_s
        accepted, item = await self.store.take_in(
            message, owner, capacity=self.options.capacity, lease_s=lease_s, passive=True
        )
        self._count(message, accepted)
        if accepted is Accepted.FULL:
            raise StoreUnavailable("the inbox is full")
        deadline = self._steady() + self.options.passive_wait_s
        while True:
            if item is None:
                item = await self.store.claim(owner, lease_s=lease_s, conversation=message.conversation_key)
            reply = await self._process(item, owner) if item is not None else None
            known = reply if item is not None and item.message == message else await self.store.reply_of(message)
            if known is not None:
                return known if known.decision != "ignore" else None
            if item is not None:
                item = None
                continue
            if self._steady() >= deadline:
                raise StoreUnavailable("an earlier message of the conversation is still being answered")
            await asyncio.sleep(_POLL_S)

    def _count(self, message: IncomingMessage, accepted: Accepted) -> None:
        if self._meter:
            self._meter.accepted(message.channel, accepted.value)

    def _name(self, message: IncomingMessage) -> None:
        """Lines logged from here on carry the message's name: the same at the door and behind it, on any replica."""
        correlation.set(self._name_of(f"{message.channel}:{message.bot_id}:{message.event_id}"))

    def patient(self, *, cold: bool) -> None:
        """Give answers more time while the process is cold."""
        self._computing.patient(cold=cold)

    async def beside(self, work: Callable[[], object]) -> None:
        """Let work that is no message's be done in its turn: a message that comes meanwhile waits for this piece.

        Raises:
            Overran: it took longer than an answer may.
        """
        await self._computing.run(work)

    # --- workers -----------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Begin to work through the inbox."""
        self._crew.start()

    async def stop(self, grace_s: float) -> None:
        """Finish what is in hand within the grace period, then let go; open items stay in the store."""
        tasks = {*self._crew.stopping(), *self._calls}
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=grace_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        self._crew.stopped()
        self._computing.close()

    def serves(self, message: IncomingMessage) -> bool:
        """Whether the bot of a message is this process's own, be its way out here or with another replica."""
        ours, elsewhere = self._ways_out()
        return f"{message.chat_key}:".startswith(tuple(ours | elsewhere))

    def _ours(self) -> tuple[str, ...]:
        """What this process may claim: messages for which it has the way out, and those its own callers wait for.

        Another bot's messages are left to that bot's replicas, whose operators, lists and way out are its own.
        """
        ours, elsewhere = self._ways_out()
        crowded = tuple(f"{key_part(channel)}:" for channel in self._sending.crowded)
        return tuple(sorted(way for way in ours | (self._callers - elsewhere) if not way.startswith(crowded)))

    def _share(self) -> int:
        """How many workers may send for one platform: where there are others, one that hangs must leave them some."""
        is_alone = len({platform_of(channel) for channel in self.senders}) < 2
        return self.options.workers if is_alone else max(1, self.options.workers * 3 // 4)

    def _ways_out(self) -> tuple[set[str], set[str]]:
        """As `channel:` or `channel:bot:`: what can be sent from here, and what only by another replica."""
        ours: set[str] = set()
        elsewhere: set[str] = set()
        for channel, sender in self.senders.items():
            bot = sender.bot_id if isinstance(sender, OfOneBot) else None
            if bot == "":
                continue
            way = f"{key_part(channel)}:" if bot is None else f"{key_part(channel)}:{key_part(bot)}:"
            (elsewhere if isinstance(sender, Exclusive) and sender.is_elsewhere() else ours).add(way)
        return ours, elsewhere

    async def _process(self, item: InboxItem, owner: str) -> Reply | None:
        """One item from claim to close; a lost lease ends it without a trace, the next owner goes on."""
        self._name(item.message)
        worker, lost = asyncio.current_task(), asyncio.Event()
        keeper = asyncio.create_task(self._keep_lease(item, owner, worker, lost))
        try:
            reply = await self._reply_to(item, owner)
            if reply is None:
                return None
            if item.passive or reply.decision == "ignore":
                await self._sending.close(item, owner, item.message, Sent(Outcome.SENT), reply)
            else:
                await self._sending.send(item, owner, reply)
            return reply
        except asyncio.CancelledError:
            if not lost.is_set():
                raise
            if worker is not None:
                worker.uncancel()
            _LOG.warning("the lease was lost; another worker goes on")
            return None
        finally:
            keeper.cancel()
            with suppress(asyncio.CancelledError):
                await keeper

    def _took(self, step: str, seconds: float) -> None:
        if self._meter:
            self._meter.took(step, seconds)

    async def _keep_lease(
        self, item: InboxItem, owner: str, worker: asyncio.Task[object] | None, lost: asyncio.Event
    ) -> None:
        """Renew while the worker is busy; stop it when the lease is lost, so that nothing is sent twice."""
        while True:
            await asyncio.sleep(self.options.lease_s / 3)
            try:
                held = await self.store.renew(item, owner, lease_s=self.options.lease_s)
            except StoreUnavailable:
                continue
            if not held:
                lost.set()
                if worker is not None:
                    worker.cancel()
                return

    async def _reply_to(self, item: InboxItem, owner: str) -> Reply | None:
        """The reply, kept in the store before anything is sent; None when the lease was lost."""
        if item.reply is not None:
            may_send = item.passive or await self._patiently(lambda: self.store.resending(item, owner))
            return item.reply if may_send else None
        self._took("wait", max(0.0, item.claimed_at - item.accepted_at))
        begun = time.perf_counter()
        if item.claims > self.options.most_claims:
            reply, state = self._answering.given_up(item.message, item.claims), None
        else:
            reply, state = await self._answering.answer(item.message, item.state)
        self._took("respond", time.perf_counter() - begun)
        if not await self._patiently(lambda: self._answering.keep(item, owner, reply, state)):
            return None
        await self._answering.note(item.message, reply)
        return reply

    def _may_wait(self) -> bool:
        """Callers who wait for their answer have no time for an absent store, and neither has a process that stops."""
        return self._crew.is_at_work(asyncio.current_task())


def _short(ident: str) -> str:
    """A short name for logs that gives no id away."""
    return hashlib.sha256(ident.encode()).hexdigest()[:10]
