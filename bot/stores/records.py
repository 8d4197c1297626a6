"""How messages, replies and conversations are written: JSON through their own models, texts dropped when asked."""

from __future__ import annotations

from bot.core.conversation import Conversation
from bot.core.message import IncomingMessage, Reply


def event_key(message: IncomingMessage) -> str:
    """What makes a message the same one when a platform sends it again."""
    return f"{message.channel}:{message.bot_id}:{message.event_id}"


def chat_key(message: IncomingMessage) -> str:
    """The chat, for taking turns."""
    return f"{message.channel}:{message.chat_id}"


def without_text(message: IncomingMessage) -> IncomingMessage:
    """The message as it is kept once it is handled: where to answer, not what was said."""
    reply_to = message.reply_to.model_copy(update={"text": ""}) if message.reply_to else None
    return message.model_copy(update={"text": "", "reply_to": reply_to})


def dump_message(message: IncomingMessage) -> str:
    """As JSON, defaults left out."""
    return message.model_dump_json(exclude_defaults=True)


def dump_reply(reply: Reply) -> str:
    """As JSON, defaults left out."""
    return reply.model_dump_json(exclude_defaults=True)


def dump_conversation(conversation: Conversation) -> str:
    """As JSON, defaults left out."""
    return conversation.model_dump_json(exclude_defaults=True)


def load_message(text: str | bytes) -> IncomingMessage:
    """Back from JSON."""
    return IncomingMessage.model_validate_json(text)


def load_reply(text: str | bytes | None) -> Reply | None:
    """Back from JSON; None stays None."""
    return Reply.model_validate_json(text) if text else None


def load_conversation(text: str | bytes | None) -> Conversation | None:
    """Back from JSON; None stays None."""
    return Conversation.model_validate_json(text) if text else None
