"""What the rooms promise each other, so that none needs to know another.

Channels hand messages to an `Intake` and are handed replies through a `Sender`; `bot.delivery` sits between, over a
`Store`. `Responder` is the pure road from message to reply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from bot.core.board import Board
from bot.core.conversation import Conversation, Episode
from bot.core.message import IncomingMessage, Reply


class Responder(Protocol):
    """The pure road: message and state in, reply and new state out. No clock, no network."""

    def respond(
        self,
        message: IncomingMessage,
        conversation: Conversation | None,
        now: datetime,
        borrowed: Episode | None = None,
    ) -> tuple[Reply, Conversation]:
        """Answer one message."""
        ...

    def decide_together(self, message: IncomingMessage, board: Board, now: datetime) -> tuple[Reply, Conversation]:
        """Who wants what, where wishes conflict, what is missing, and one recommendation for all."""
        ...

    def say(self, message: IncomingMessage, page: str, block: str = "short", **values: object) -> Reply:
        """A page that answers no question: an apology, a wait notice, an operator's report."""
        ...


class Outcome(StrEnum):
    """How a send ended."""

    SENT = "sent"
    RETRY = "retry"
    """Certainly not delivered, may be tried again (see `retry_after`)."""
    UNKNOWN = "unknown"
    """May have been delivered: not repeated."""
    REFUSED = "refused"
    """The chat is gone or the bot was thrown out: not repeated, chat marked inactive."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of a reply."""

    outcome: Outcome
    message_id: str = ""
    retry_after: float = 0.0
    moved_to: str = ""
    """New chat id when the group migrated."""
    begun: bool = True
    """False with RETRY: nothing was tried (no connection here, the budget is spent), so it counts as no attempt."""


class Sender(Protocol):
    """A channel's way out."""

    async def send(self, message: IncomingMessage, reply: Reply, *, edit: str = "") -> Sent:
        """Deliver a reply to the chat of `message`; with `edit`, replace that earlier message of the bot."""
        ...


@runtime_checkable
class Exclusive(Protocol):
    """A sender of which only one replica at a time has the way out (the long connection of WeCom)."""

    def is_elsewhere(self) -> bool:
        """Whether another replica has it: then its messages are left to that one."""
        ...


@runtime_checkable
class OfOneBot(Protocol):
    """A sender that speaks as one bot: what was said to another bot of the channel is left to that one's replicas."""

    @property
    def bot_id(self) -> str:
        """The bot, as `IncomingMessage.bot_id` names it; empty while it is not known yet."""
        ...


class Accepted(StrEnum):
    """What became of an update at the door."""

    STORED = "stored"
    DUPLICATE = "duplicate"
    IGNORED = "ignored"
    FULL = "full"
    """The inbox cannot take more; the channel must not acknowledge."""


class Intake(Protocol):
    """The door: an update counts as accepted only when this returns STORED or DUPLICATE."""

    async def accept(self, message: IncomingMessage) -> Accepted:
        """Store an update durably for answering."""
        ...

    async def answer_now(self, message: IncomingMessage) -> Reply | None:
        """Answer within the caller's request (WeCom callback, HTTP, inline): same ordering, dedupe and limits.

        A repeat of the same event gets the same reply. None: stay silent.
        """
        ...

    async def answer_passing(self, message: IncomingMessage) -> Reply | None:
        """Answer somebody who never comes back: no conversation, no mark and no budget of his own is kept.

        None: stay silent.
        """
        ...


@dataclass(frozen=True, slots=True)
class InboxItem:
    """One accepted message on its way to an answer."""

    id: str
    """The store's own name for it."""
    message: IncomingMessage
    accepted_at: float
    """Seconds since the epoch."""
    reply: Reply | None = None
    """Set once the message was handled; then the message's text is gone from the store."""
    sends: int = 0
    """How often a send was begun. More than 0 on a claimed item: an earlier send did not end."""
    passive: bool = False
    """The channel's own request carries the answer; no sender is involved."""
    claims: int = 1
    """How often it was claimed, this time included: counted by the claim itself, so before any work on it begins."""
    claimed_at: float = 0.0
    """The same clock as `accepted_at`: that of the store."""
    place: tuple[str, ...] = ()
    """The store's own: where it lies."""
    state: Conversation | None = None
    """What the conversation remembers, as of the claim; nobody else changes it while the lease holds."""
    answers: tuple[tuple[str, str], ...] = ()
    """Ids of the user's newest messages in the conversation, each with the id of the message that answers it."""


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits in the inbox."""

    waiting: int
    oldest_s: float


@dataclass(frozen=True, slots=True)
class Small:
    """A small JSON value, as `Store.put` takes it."""

    key: str
    value: object
    ttl_s: float | None
    owner: str = ""


class StoreUnavailable(RuntimeError):
    """The store cannot be reached or cannot write (disk full). Nothing was accepted; trying again later is right."""


class Store(Protocol):
    """Everything that outlives a process. Implementations: bot/stores/{memory,sqlite,valkey}.py, one contract.

    Leases, pauses, limits and due times go by the store's own clock, one for all replicas, so that no replica's wall
    clock matters; `now` is given by tests only. What lies further ahead than its own length, because that clock was
    set back, is cut to it. All methods raise `StoreUnavailable` when the store cannot do its work.
    """

    async def open(self) -> None:
        """Connect and bring the schema up to date."""
        ...

    async def close(self) -> None:
        """Let go of files and connections."""
        ...

    # --- inbox: accept -> claim -> handled -> finish ---

    async def accept(
        self, message: IncomingMessage, *, capacity: int, passive: bool = False, now: float | None = None
    ) -> Accepted:
        """Store a message durably behind the others of its conversation.

        DUPLICATE when (channel, bot, event id) was accepted before, FULL when `capacity` messages wait.
        """
        ...

    async def take_in(
        self,
        message: IncomingMessage,
        owner: str,
        *,
        capacity: int,
        lease_s: float,
        passive: bool = False,
        now: float | None = None,
    ) -> tuple[Accepted, InboxItem | None]:
        """Accept a message and, where nothing of its conversation waits before it, claim it in the same step.

        For a door that has an idle worker: what waits elsewhere is not passed, because that worker found nothing.
        """
        ...

    async def claim(
        self,
        owner: str,
        *,
        lease_s: float,
        conversation: str | None = None,
        only: tuple[str, ...] | None = None,
        now: float | None = None,
    ) -> InboxItem | None:
        """The oldest open message of a conversation nobody works on, leased to `owner` for lease_s.

        Chats take turns: the chat served longest ago comes first. Passive items are claimed only by naming their
        conversation, or once they are older than `PASSIVE_GRACE_S` (their caller is gone).
        `only` names what may be claimed, as `channel:` (any bot) or `channel:bot:`; None: everything.
        """
        ...

    async def renew(self, item: InboxItem, owner: str, *, lease_s: float, now: float | None = None) -> bool:
        """Extend the lease; False when it was lost."""
        ...

    async def handled(
        self,
        item: InboxItem,
        owner: str,
        reply: Reply,
        state: Conversation | None,
        *,
        ttl_s: float,
        beside: Sequence[Small] = (),
        now: float | None = None,
    ) -> bool:
        """Keep the reply and the conversation's new state in one step, and drop the message's text.

        Marks the send as begun (`sends` + 1). False when the lease was lost: then nothing was written. `beside` are
        small values that are kept with it.
        """
        ...

    async def resending(self, item: InboxItem, owner: str) -> bool:
        """Mark another send of a handled item as begun; False when the lease was lost."""
        ...

    async def postpone(self, item: InboxItem, owner: str, *, pause_s: float, now: float | None = None) -> bool:
        """Give the item back, not to be claimed for `pause_s`; later messages of the conversation wait behind it."""
        ...

    async def finish(
        self,
        item: InboxItem,
        owner: str,
        *,
        outcome: str,
        message_id: str,
        keep_s: float,
        answered: IncomingMessage | None = None,
        now: float | None = None,
    ) -> bool:
        """Close the item. Its dedupe mark stays for `keep_s`, and so does the reply of a passive one, so that a repeat
        gets the same; whatever else names a person or holds words is dropped.

        `answered`: the message as it stands in the chat now (a group may have moved), whose answer is `message_id`.
        Kept with the conversation, for as long as that.
        """
        ...

    async def reply_of(self, message: IncomingMessage) -> Reply | None:
        """The reply given to this event: while it is open, or kept for a passive one."""
        ...

    async def backlog(self, now: float | None = None) -> Backlog:
        """How much waits, and for how long."""
        ...

    async def tidy(self, now: float | None = None) -> None:
        """Drop what has expired, and what files still hold of it. Called every few seconds."""
        ...

    async def probe(self) -> None:
        """Write and drop something as large as a message: raises when accepting one would."""
        ...

    # --- conversations ---

    async def load_conversation(self, key: str) -> Conversation | None:
        """State of a conversation, or None when unknown or expired."""
        ...

    async def save_conversation(self, conversation: Conversation, ttl_s: float) -> None:
        """Keep the state until the time limit."""
        ...

    async def forget(self, owner: str) -> int:
        """Erase everything kept about a user (`IncomingMessage.owner_key`); gives how many records went."""
        ...

    # --- small values, counters, buckets, leases ---

    async def get(self, key: str) -> Any:
        """A small JSON value, or None."""
        ...

    async def put(self, key: str, value: object, ttl_s: float | None = None, *, owner: str = "") -> None:
        """Keep a small JSON value. `owner` (`IncomingMessage.owner_key`) is whose it is: `forget` erases it."""
        ...

    async def delete(self, key: str) -> None:
        """Drop a small value."""
        ...

    async def left(self, key: str) -> float:
        """For how many seconds a small value stays; 0.0 when there is none, infinite when it does not end."""
        ...

    async def count(self, name: str, field: str, by: int = 1, *, later: bool = False) -> None:
        """Add to a counter. With `later` it is written with others, at the next `tidy`, `counts` or `close`."""
        ...

    async def counts(self, name: str) -> dict[str, int]:
        """All fields of a counter, sorted by name."""
        ...

    async def uncount(self, name: str, field: str) -> None:
        """Erase a field of a counter."""
        ...

    async def take(
        self, bucket: str, *, rate_per_s: float, burst: float, cost: float = 1.0, now: float | None = None
    ) -> float:
        """Take from a token bucket shared by replicas: 0.0 when granted, else seconds until it would be."""
        ...

    async def take_all(self, buckets: Sequence[tuple[str, float, float]], *, now: float | None = None) -> int | None:
        """Take one token from each bucket (key, rate per second, burst), or from none.

        None when granted, else the place of the first bucket that is empty.
        """
        ...

    async def begin(
        self, buckets: Sequence[tuple[str, float, float]], keys: Sequence[str], *, now: float | None = None
    ) -> tuple[int | None, dict[str, object]]:
        """What `take_all` gives for the buckets, and those of the small values that there are: in one step."""
        ...

    async def lead(self, name: str, owner: str, *, lease_s: float, now: float | None = None) -> bool:
        """Hold or renew a named lease; False while another owner holds it."""
        ...

    async def resign(self, name: str, owner: str) -> None:
        """Give a named lease back at once."""
        ...


BROADCAST = "broadcast"
"""`IncomingMessage.addressed_how` of what an operator sends to all chats: set by the desk only, never by a channel."""

FORGOTTEN = "forget"
"""`Reply.intent` of the answer to /forget: nothing new is kept about its user."""

WAITING = "wait"
"""`Reply.intent` of the line that tells somebody over his limit to wait."""

GONE = "gone"
"""`Reply.intent` of the line that tells who pressed a button that its answer is no longer kept."""

PASSIVE_GRACE_S = 15.0
"""A passive item this old has lost its caller: any worker may close it."""
