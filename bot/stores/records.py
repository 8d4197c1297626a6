"""How messages, replies and conversations are written: JSON through their own models, texts dropped when asked.

Reading ignores fields it does not know, so that replicas of two versions can share a store during an
upgrade.
"""

from __future__ import annotations

import hashlib
import json
from datetime import date
from typing import Final

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError

from bot.core.conversation import Conversation
from bot.core.message import IncomingMessage, Reply
from bot.stores.packing import pack, unpack

_KEPT_ANSWERS: Final = 16
"""Of a conversation: whoever edits an older message gets a new answer."""


class Unreadable(ValueError):
    """A record that this version cannot read."""


def event_key(message: IncomingMessage) -> str:
    """What makes a message the same one when a platform sends it again."""
    return f"{message.bot_key}:{message.event_id}"


def owner_of(conversation_key: str) -> str:
    """Whose conversation it is, as `forget` names him: platform, bot and user."""
    channel, bot, *_, user = conversation_key.split(":")
    return f"{channel.partition('-')[0]}:{bot}:{user}"


def mark_of(name: str, salt: bytes) -> str:
    """A name that is only to be recognised, so that the store holds no id: limits and owners are found by it."""
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), key=salt[:64], digest_size=16).hexdigest()


def without_text(message: IncomingMessage) -> IncomingMessage:
    """The message as it is kept once it is handled: where to answer, not what was said."""
    reply_to = message.reply_to.model_copy(update={"text": ""}) if message.reply_to else None
    return message.model_copy(update={"text": "", "reply_to": reply_to})


def _dump(model: BaseModel) -> str:
    """As JSON, defaults left out. Halves of a surrogate pair, which no JSON can hold, become question marks."""
    try:
        return model.model_dump_json(exclude_defaults=True)
    except PydanticSerializationError:
        plain = json.dumps(model.model_dump(exclude_defaults=True), ensure_ascii=False, default=_as_text)
        return plain.encode("utf-8", "replace").decode()


def _as_text(value: object) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


def dump_message(message: IncomingMessage) -> str:
    """As JSON, defaults left out."""
    return _dump(message)


def dump_reply(reply: Reply) -> str:
    """As JSON, defaults left out."""
    return _dump(reply)


def dump_conversation(conversation: Conversation) -> str:
    """As JSON of a bounded length, see `packing`."""
    try:
        return pack(conversation)
    except PydanticSerializationError:
        return _dump(conversation.model_copy(update={"episodes": ()}))


def load_message(text: str | bytes) -> IncomingMessage:
    """Back from JSON.

    Raises:
        Unreadable: the record is broken, or of a version too far away.
    """
    try:
        return IncomingMessage.model_validate_json(text, extra="ignore")
    except ValidationError:
        raise Unreadable("message") from None


def load_reply(text: str | bytes | None) -> Reply | None:
    """Back from JSON; None stays None, and an unreadable one counts as not given yet."""
    try:
        return Reply.model_validate_json(text, extra="ignore") if text else None
    except ValidationError:
        return None


def dump_answers(known: tuple[tuple[str, str], ...], message_id: str, answer_id: str) -> str:
    """What `InboxItem.answers` becomes with one more, the newest ones kept; nothing when there is no id to keep."""
    if not (message_id and answer_id):
        return ""
    kept = [(message, answer) for message, answer in known if message != message_id]
    return json.dumps([*kept[1 - _KEPT_ANSWERS :], (message_id, answer_id)], separators=(",", ":"))


def load_answers(text: str | bytes | None) -> tuple[tuple[str, str], ...]:
    """Back from JSON; nothing where nothing was kept."""
    return tuple((str(message), str(answer)) for message, answer in json.loads(text)) if text else ()


def load_conversation(text: str | bytes | None) -> Conversation | None:
    """Back from JSON; None stays None, and an unreadable one is begun anew."""
    try:
        return unpack(text) if text else None
    except ValidationError:
        return None
