"""The way out: a reply becomes the message that Discord has been holding open for it, and more below where it is long.

An interaction may be answered for a quarter of an hour; its token is kept in the store for so long, so that any replica
can send.
"""

from __future__ import annotations

import hashlib
import logging
from contextlib import suppress
from typing import Final, Protocol

from bot.channels.charts import in_words, picture_of
from bot.channels.markup import discord_markdown
from bot.channels.signing import Signer
from bot.core.message import Choice, IncomingMessage, Reply
from bot.core.ports import BROADCAST, Outcome, Sent, Store, StoreUnavailable
from bot.core.times import clamped

_LOG: Final = logging.getLogger("xuanka.discord")
TOKEN_S: Final = 880.0
"""A little less than the 15 minutes of an interaction."""
_ROWS, _PER_ROW, _LABEL, _KEY = 5, 5, 80, 100
"""Rows, buttons in one, characters of a label and of a key. Source: Discord's reference of components."""
_BUTTON: Final = {"type": 2, "style": 2}
_GONE: Final = frozenset({401, 403, 404})
_FLOOD: Final = 429
_PAUSE_S: Final = 1.0


class Refused(RuntimeError):
    """Discord answered with an error. `status` is that of HTTP."""

    def __init__(self, status: int, retry_after: float = 0.0) -> None:
        """Keep the status, and for how long to wait; nothing of what was sent."""
        super().__init__(f"status {status}")
        self.status, self.retry_after = status, retry_after


class Post(Protocol):
    """The requests that are made."""

    async def fill(self, token: str, payload: dict[str, object], picture: bytes = b"") -> str:
        """Write the message that is held open; gives its id. Raises Refused, OSError."""
        ...

    async def follow(self, token: str, payload: dict[str, object], picture: bytes = b"") -> str:
        """Write another message below, once at most; gives its id. Raises Refused, OSError."""
        ...

    async def write(self, channel_id: str, payload: dict[str, object], nonce: str) -> str:
        """Write into a channel; Discord drops a repeat by its nonce. Gives its id. Raises Refused, OSError."""
        ...


def parts_key(bot_id: str, event_id: str) -> str:
    """Where is kept how many messages of a long answer are out."""
    return f"discord:{bot_id}:parts:{event_id}"


def token_key(bot_id: str, event_id: str) -> str:
    """Where the token of an interaction is kept."""
    return f"discord:{bot_id}:token:{event_id}"


def mark_of(message: IncomingMessage) -> str:
    """What names a message to Discord, 25 characters at most."""
    return hashlib.sha256(f"{message.bot_id}\0{message.event_id}".encode()).hexdigest()[:24]


class DiscordSender:
    """Sends replies of one bot."""

    def __init__(self, post: Post, store: Store, signer: Signer) -> None:
        """Keep the parts."""
        self._post, self._store, self._signer = post, store, signer

    async def send(self, message: IncomingMessage, reply: Reply, *, edit: str = "") -> Sent:
        """Deliver a reply (port `Sender`). `edit` never comes: commands are not edited."""
        if message.addressed_how == BROADCAST:
            return await self._tell(message, reply)
        token = await self._store.get(token_key(message.bot_id, message.event_id))
        if not isinstance(token, str):
            return Sent(Outcome.REFUSED)
        picture = await picture_of(reply)
        payloads = self.payloads(message, reply if picture else in_words(reply))
        key = parts_key(message.bot_id, message.event_id)
        done = int(await self._store.get(key) or 0) if len(payloads) > 1 else 0
        first = ""
        for number in range(done, len(payloads)):
            made = await self._write(token, payloads[number], number, picture if number == len(payloads) - 1 else b"")
            if isinstance(made, Sent):
                return made
            first = first or made
            if len(payloads) > 1:
                with suppress(StoreUnavailable):  # what is out is out: it must not count as not sent
                    await self._store.put(key, number + 1, TOKEN_S)
        return Sent(Outcome.SENT, message_id=first)

    async def _write(self, token: str, payload: dict[str, object], number: int, picture: bytes) -> str | Sent:
        """One message of a reply: its id, or what ends the sending."""
        try:
            ask = self._post.follow if number else self._post.fill
            return await ask(token, payload, picture)
        except Refused as error:
            return self._failed(error, is_edit=not number)
        except OSError:
            # The first one is an edit of the message that is held open: done twice, it says the same.
            return Sent(Outcome.UNKNOWN if number else Outcome.RETRY, retry_after=_PAUSE_S)

    async def _tell(self, message: IncomingMessage, reply: Reply) -> Sent:
        """Write into a channel what answers nobody."""
        payload = self.payloads(message, reply)[0]
        try:
            sent = await self._post.write(message.chat_id, payload, mark_of(message))
        except Refused as error:
            return self._failed(error, is_edit=True)
        except OSError:
            return Sent(Outcome.RETRY, retry_after=_PAUSE_S)
        return Sent(Outcome.SENT, message_id=sent)

    @staticmethod
    def _failed(error: Refused, *, is_edit: bool) -> Sent:
        """What a refusal proves: too many requests were not taken; an error of the server says nothing."""
        _LOG.warning("discord refused a message: %s", error)
        if error.status in _GONE:
            return Sent(Outcome.REFUSED)
        if error.status == _FLOOD:
            return Sent(Outcome.RETRY, retry_after=clamped(error.retry_after) or _PAUSE_S)
        return Sent(Outcome.RETRY if is_edit and error.status >= 500 else Outcome.UNKNOWN, retry_after=_PAUSE_S)

    def payloads(self, message: IncomingMessage, reply: Reply) -> list[dict[str, object]]:
        """The messages of a reply, buttons below the last. Nobody is ever notified by a name in it."""
        parts = discord_markdown(reply.text) or ["\u2026"]
        made: list[dict[str, object]] = [{"content": part, "allowed_mentions": {"parse": []}} for part in parts]
        made[-1]["components"] = self._rows(message, reply)
        return made

    def _rows(self, message: IncomingMessage, reply: Reply) -> list[dict[str, object]]:
        asker = "" if reply.shared else message.user_id
        buttons = [
            {**_BUTTON, "label": choice.label[:_LABEL], "custom_id": key}
            for choice in reply.choices
            if (key := self._key(choice, message.chat_id, asker))
        ][: _ROWS * _PER_ROW]
        return [
            {"type": 1, "components": buttons[start : start + _PER_ROW]} for start in range(0, len(buttons), _PER_ROW)
        ]

    def _key(self, choice: Choice, chat_id: str, asker: str) -> str:
        """The signed key of a button; nothing for one that has no place."""
        if not choice.label.strip() or not choice.key.isascii():
            return ""
        signed = self._signer.sign(choice.key, chat_id=chat_id, asker=asker)
        return signed if len(signed) <= _KEY else ""
