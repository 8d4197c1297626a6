"""What delivery asks on the way of a message: the gate, the desk, the boards and quotes of a chat, the meter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from bot.core.board import Board
from bot.core.conversation import Conversation
from bot.core.message import IncomingMessage, Reply


class Verdict(StrEnum):
    """What the gate makes of a message."""

    ADMIT = "admit"
    SILENT = "silent"
    """Not allowed, or told to wait already."""
    WAIT = "wait"
    """Over the limit for the first time: one friendly line."""


class Gate(Protocol):
    """Who may ask, and how much."""

    def knows(self, message: IncomingMessage) -> bool:
        """Whether chat and user are allowed at all; asked at the door."""
        ...

    def lets_in(self, caller: str) -> bool:
        """Whether a caller of the API who names no user is allowed; `caller`: name of his key, empty for strangers."""
        ...

    async def admit(self, message: IncomingMessage, keys: Sequence[str] = ()) -> tuple[Verdict, dict[str, object]]:
        """Whether this message is within the limits; asked when it is handled.

        Beside that the small values of `keys` that there are, since they come with the same step of the store.
        """
        ...


class Desk(Protocol):
    """Commands that need the store or the data (/stats, /reload, /gaps, /privacy, /forget), and the learning loop."""

    async def attend(self, message: IncomingMessage) -> Reply | None:
        """The reply to a command, or None when the message is none."""
        ...

    async def note(self, message: IncomingMessage, reply: Reply) -> None:
        """Count an answer: helpful or not, unanswered shapes."""
        ...

    async def gone(self, message: IncomingMessage) -> None:
        """The chat of a message takes nothing any more."""
        ...


class Boards(Protocol):
    """Shared decisions of groups."""

    def is_asked(self, message: IncomingMessage) -> bool:
        """Whether a member asks for the shared decision."""
        ...

    async def load(self, message: IncomingMessage) -> Board:
        """The board of the message's thread."""
        ...

    async def note(self, message: IncomingMessage, state: Conversation) -> None:
        """Put the wishes of this turn on the board."""
        ...

    async def forget(self, message: IncomingMessage) -> int:
        """Take the wishes of the message's user off all boards; gives from how many."""
        ...


class Quotes(Protocol):
    """Prices that the members of a chat tell."""

    async def attend(self, message: IncomingMessage) -> Reply | None:
        """The reply to `/price ...` or to the button that confirms one; None when the message is neither."""
        ...

    def keys(self, message: IncomingMessage) -> tuple[str, ...]:
        """The small values that `attached` needs."""
        ...

    async def attached(self, message: IncomingMessage, kept: Mapping[str, object]) -> IncomingMessage:
        """The message with what its chat quotes; `kept` are the values of `keys` that there are."""
        ...

    async def offer(self, message: IncomingMessage, reply: Reply) -> Reply:
        """The reply, with an offer to keep the price that the message reports."""
        ...

    async def forget(self, message: IncomingMessage) -> int:
        """Take the prices that the message's user told out of all chats; gives from how many."""
        ...


class Meter(Protocol):
    """What is counted while running; labels hold no ids and no texts."""

    def accepted(self, channel: str, outcome: str) -> None:
        """An update came to the door."""
        ...

    def replied(self, channel: str, decision: str, intent: str, language: str) -> None:
        """A message got its reply."""
        ...

    def sent(self, channel: str, outcome: str) -> None:
        """A send ended."""
        ...

    def failed(self, where: str) -> None:
        """Something unexpected was caught."""
        ...

    def took(self, step: str, seconds: float) -> None:
        """A step took so long: wait, respond, send."""
        ...
