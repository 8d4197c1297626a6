"""The way out: a reply becomes a card below the message that it answers; plain words where no card is taken."""

from __future__ import annotations

import hashlib
import logging
from contextlib import suppress
from typing import Final, Protocol

from bot.channels.charts import in_words, picture_of
from bot.channels.feishu.cards import card_of, fits
from bot.channels.feishu.post import NotTaken
from bot.channels.markup import plain_text
from bot.channels.signing import Signer
from bot.core.message import IncomingMessage, Reply
from bot.core.ports import Outcome, Sent, Store, StoreUnavailable

_LOG: Final = logging.getLogger("xuanka.feishu")
_LONGEST_TEXT: Final = 8_000
_PAUSE_S: Final = 1.0
SILENT: Final = ("do:good", "do:bad")


class Way(Protocol):
    """The requests that are made; see `Post`."""

    async def reply(self, message_id: str, kind: str, content: dict[str, object], uuid: str) -> str:
        """Reply to a message. Raises NotTaken, OSError."""
        ...

    async def write(self, chat_id: str, kind: str, content: dict[str, object], uuid: str) -> str:
        """Write into a chat. Raises NotTaken, OSError."""
        ...

    async def upload(self, picture: bytes) -> str:
        """Upload a picture. Raises NotTaken, OSError."""
        ...


def said_key(bot_id: str, chat_id: str, message_id: str) -> str:
    """Where the case of an answer is kept by the id of its message, so that a reply to it finds it."""
    return f"feishu:{bot_id}:said:{chat_id}:{message_id}"


class FeishuSender:
    """Sends replies of one app."""

    def __init__(self, way: Way, store: Store, signer: Signer, ttl_s: float) -> None:
        """Keep the parts; `ttl_s`: how long an answer can be replied to."""
        self._way, self._store, self._signer, self._ttl_s = way, store, signer, ttl_s

    async def send(self, message: IncomingMessage, reply: Reply, *, edit: str = "") -> Sent:
        """Deliver a reply (port `Sender`). `edit` never comes. Feishu drops repeats, so all may be tried again."""
        if reply.decision == "ignore" or not reply.text.strip():
            return Sent(Outcome.SENT)
        try:
            sent = await self._deliver(message, reply)
        except NotTaken as error:
            _LOG.warning("feishu did not take a message: %s", error)
            return Sent(Outcome.RETRY, retry_after=_PAUSE_S) if error.is_limit else Sent(Outcome.REFUSED)
        except OSError as error:
            _LOG.warning("feishu cannot be reached: %s", type(error).__name__)
            return Sent(Outcome.RETRY, retry_after=_PAUSE_S)
        if reply.case and sent:
            key = said_key(message.bot_id, message.chat_id, sent)
            with suppress(StoreUnavailable):  # what is out is out: it must not count as not sent
                await self._store.put(key, reply.case, self._ttl_s, owner=message.owner_key)
        return Sent(Outcome.SENT, message_id=sent)

    async def _deliver(self, message: IncomingMessage, reply: Reply) -> str:
        picture = await self._picture(reply)
        shown = reply if picture else in_words(reply)
        card = card_of(message, shown, self._signer, picture)
        if fits(card):
            try:
                return await self._say(message, "interactive", card)
            except NotTaken as error:
                if not error.is_of_card:
                    raise
                _LOG.error("ALERT feishu does not take a card: %s", error)
        words = plain_text(shown.text)[:_LONGEST_TEXT]
        return await self._say(message, "text", {"text": words})

    async def _say(self, message: IncomingMessage, kind: str, content: dict[str, object]) -> str:
        """Below what is answered; what answers nothing (a broadcast) into the chat."""
        uuid = hashlib.sha256(f"{message.bot_id}\0{message.event_id}".encode()).hexdigest()[:40]
        if not message.message_id:
            return await self._way.write(message.chat_id, kind, content, uuid)
        return await self._way.reply(message.message_id, kind, content, uuid)

    async def _picture(self, reply: Reply) -> str:
        """The key of the picture that was asked for; empty where there is none."""
        drawn = await picture_of(reply)
        if not drawn:
            return ""
        try:
            return await self._way.upload(drawn)
        except NotTaken as error:
            if error.is_limit:
                raise
            _LOG.warning("feishu does not take a picture: %s", error)
            return ""
