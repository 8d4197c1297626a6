"""What Telegram's errors mean for a message that was to be sent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, auto
from typing import Final

import httpx
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
)

from bot.core.times import clamped

_NEVER_LEFT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


class TelegramStartError(RuntimeError):
    """The channel cannot start. The message is one line that says what to do and holds no secret."""


class Kind(Enum):
    """What to do after an error."""

    FLOOD = auto()
    """Too many messages: wait `retry_after` seconds."""
    NOT_SENT = auto()
    """Certainly not delivered: may be tried again."""
    UNKNOWN = auto()
    """May have been delivered: not to be tried again."""
    GONE = auto()
    """Thrown out, blocked, no right to write, chat deleted."""
    MIGRATED = auto()
    """The group became a supergroup: `new_chat_id`."""
    MARKUP = auto()
    """The HTML does not parse: a fault of ours."""
    NOT_MODIFIED = auto()
    """An edit that changes nothing: fine."""
    NO_THREAD = auto()
    """The topic is gone."""
    NO_TARGET = auto()
    """The message to answer is gone."""
    NOT_EDITABLE = auto()
    """The message to edit is gone or too old."""
    TOO_OLD = auto()
    """A button press or inline query can no longer be answered: fine."""
    TOKEN = auto()
    """The token is not accepted."""
    REFUSED = auto()
    """Telegram does not want this request, for another reason."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error and what follows from it. `reason` is safe to log: it holds no text, token or address."""

    kind: Kind
    reason: str
    retry_after: float = 0.0
    new_chat_id: int = 0


_BAD_REQUESTS: tuple[tuple[str, Kind], ...] = (
    ("message is not modified", Kind.NOT_MODIFIED),
    ("can't parse entities", Kind.MARKUP),
    ("can't parse caption entities", Kind.MARKUP),
    ("thread not found", Kind.NO_THREAD),
    ("topic_deleted", Kind.NO_THREAD),
    ("topic_closed", Kind.GONE),
    ("message to be replied not found", Kind.NO_TARGET),
    ("replied message not found", Kind.NO_TARGET),
    ("message to reply not found", Kind.NO_TARGET),
    ("message to edit not found", Kind.NOT_EDITABLE),
    ("message can't be edited", Kind.NOT_EDITABLE),
    ("there is no text in the message to edit", Kind.NOT_EDITABLE),
    ("message_id_invalid", Kind.NOT_EDITABLE),
    ("query is too old", Kind.TOO_OLD),
    ("query id is invalid", Kind.TOO_OLD),
    ("query_id_invalid", Kind.TOO_OLD),
    ("chat not found", Kind.GONE),
    ("peer_id_invalid", Kind.GONE),
    ("chat_write_forbidden", Kind.GONE),
    ("not enough rights", Kind.GONE),
    ("have no rights to send", Kind.GONE),
    ("need administrator rights", Kind.GONE),
    ("user is deactivated", Kind.GONE),
    ("group chat was deactivated", Kind.GONE),
)


def diagnose(error: TelegramError) -> Failure:
    """Sort an error of the library into what to do about it."""
    if isinstance(error, RetryAfter):
        return Failure(Kind.FLOOD, "flood control", retry_after=_seconds(error.retry_after))
    if isinstance(error, ChatMigrated):
        return Failure(Kind.MIGRATED, "the group became a supergroup", new_chat_id=error.new_chat_id)
    if isinstance(error, Forbidden):
        return Failure(Kind.GONE, "forbidden")
    if isinstance(error, InvalidToken):
        return Failure(Kind.TOKEN, "the token or the method is not known to the server")
    if isinstance(error, BadRequest):
        return _diagnose_bad_request(error)
    if isinstance(error, NetworkError):
        return _diagnose_network(error)
    return Failure(Kind.NOT_SENT if isinstance(error, Conflict) else Kind.UNKNOWN, type(error).__name__)


def _diagnose_bad_request(error: BadRequest) -> Failure:
    message = error.message.lower()
    for part, kind in _BAD_REQUESTS:
        if part in message:
            return Failure(kind, part)
    return Failure(Kind.REFUSED, "bad request")


def _diagnose_network(error: NetworkError) -> Failure:
    """Never connected or never left the pool: certainly not sent. Everything else (a server that failed, a connection
    that broke, an answer that proves nothing) may have been sent.
    """
    cause = error.__cause__
    if isinstance(cause, _NEVER_LEFT):
        return Failure(Kind.NOT_SENT, type(cause).__name__)
    if isinstance(cause, httpx.HTTPError):
        return Failure(Kind.UNKNOWN, type(cause).__name__)
    return Failure(Kind.UNKNOWN, "server error" if type(error) is NetworkError else type(error).__name__)


def _seconds(value: int | timedelta) -> float:
    return clamped(value.total_seconds() if isinstance(value, timedelta) else float(value))
