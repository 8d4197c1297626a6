"""The way out: a reply becomes the message that Discord has been holding open for it, and more below where it is long.

An interaction may be answered for a quarter of an hour; its token is kept in the store for so long, so that any replica
can send.
"""

from __future__ import annotations

import logging
from typing import Final, Protocol

from bot.channels.charts import in_words, picture_of
from bot.channels.markup import discord_markdown
from bot.channels.signing import Signer
from bot.core.message import Choice, IncomingMessage, Reply
from bot.core.ports import Outcome, Sent, Store

_LOG: Final = logging.getLogger("xuanka.discord")
TOKEN_S: Final = 880.0
"""A little less than the 15 minutes of an interaction."""
_ROWS, _PER_ROW, _LABEL, _KEY = 5, 5, 80, 100
"""Rows, buttons in one, characters of a label and of a key. Source: Discord's reference of components."""
_BUTTON: Final = {"type": 2, "style": 2}
_GONE: Final = frozenset({401, 403, 404})


class Refused(RuntimeError):
    """Discord answered with an error. `status` is that of HTTP."""

    def __init__(self, status: int) -> None:
        """Keep the status; nothing of what was sent."""
        super().__init__(f"status {status}")
        self.status = status


class Post(Protocol):
    """The two requests that are made."""

    async def fill(self, token: str, payload: dict[str, object], picture: bytes = b"") -> str:
        """Write the message that is held open; gives its id. Raises Refused, OSError."""
        ...

    async def follow(self, token: str, payload: dict[str, object], picture: bytes = b"") -> str:
        """Write another message below; gives its id. Raises Refused, OSError."""
        ...


def token_key(bot_id: str, event_id: str) -> str:
    """Where the token of an interaction is kept."""
    return f"discord:{bot_id}:token:{event_id}"


class DiscordSender:
    """Sends replies of one bot."""

    def __init__(self, post: Post, store: Store, signer: Signer) -> None:
        """Keep the parts."""
        self._post, self._store, self._signer = post, store, signer

    async def send(self, message: IncomingMessage, reply: Reply, *, edit: str = "") -> Sent:
        """Deliver a reply (port `Sender`). `edit` never comes: commands are not edited."""
        token = await self._store.get(token_key(message.bot_id, message.event_id))
        if not isinstance(token, str):
            return Sent(Outcome.REFUSED)
        picture = await picture_of(reply)
        payloads = self.payloads(message, reply if picture else in_words(reply))
        first = ""
        for number, payload in enumerate(payloads):
            try:
                ask = self._post.follow if number else self._post.fill
                made = await ask(token, payload, picture if number == len(payloads) - 1 else b"")
            except Refused as error:
                return self._failed(error, begun=bool(number))
            except OSError:
                # The first one is an edit of the message that is held open: done twice, it says the same.
                return Sent(Outcome.UNKNOWN if number else Outcome.RETRY)
            first = first or made
        return Sent(Outcome.SENT, message_id=first)

    @staticmethod
    def _failed(error: Refused, *, begun: bool) -> Sent:
        _LOG.warning("discord refused a message: %s", error)
        if error.status in _GONE:
            return Sent(Outcome.REFUSED)
        return Sent(Outcome.UNKNOWN if begun or error.status < 500 else Outcome.RETRY)

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
