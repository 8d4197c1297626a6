"""What the rooms promise each other, so that none needs to know another.

Channels hand messages to an `Intake` and are handed replies through a `Sender`; `bot.delivery` sits between, over a
`Store`. `Responder` is the pure road from message to reply.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from bot.core.conversation import Conversation
from bot.core.message import IncomingMessage, Reply


class Responder(Protocol):
    """The pure road: message and state in, reply and new state out. No clock, no network."""

    def respond(
        self, message: IncomingMessage, conversation: Conversation | None, now: datetime
    ) -> tuple[Reply, Conversation]:
        """Answer one message."""
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


class Sender(Protocol):
    """A channel's way out."""

    async def send(self, message: IncomingMessage, reply: Reply, *, edit: str = "") -> Sent:
        """Deliver a reply to the chat of `message`; with `edit`, replace that earlier message of the bot."""
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


class ChatSettings(Protocol):
    """Per-chat switches set by its admins."""

    language: str
    full: bool
    mention_only: bool
    off: bool


class Store(Protocol):
    """Everything that outlives a process. Implementations: bot/stores/{memory,sqlite,valkey}.py, one contract."""

    async def load_conversation(self, key: str) -> Conversation | None:
        """State of a conversation, or None when unknown or expired."""
        ...

    async def save_conversation(self, conversation: Conversation, ttl_s: float) -> None:
        """Keep the state until the time limit."""
        ...

    async def get(self, key: str) -> Any:
        """A small JSON value, or None."""
        ...

    async def put(self, key: str, value: Any, ttl_s: float | None = None) -> None:
        """Keep a small JSON value."""
        ...
