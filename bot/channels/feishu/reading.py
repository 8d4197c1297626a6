"""What Feishu says, as messages: only what is needed, whatever else an event holds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from bot.channels.feishu.cards import KEY, PRIVATE, THREAD
from bot.core.message import IncomingMessage, Language, ReplyTo

if TYPE_CHECKING:
    from lark_channel.api.im.v1.model.p2_im_message_receive_v1 import P2ImMessageReceiveV1
    from lark_channel.event.callback.model.p2_card_action_trigger import P2CardActionTrigger

CHANNEL: Final = "feishu"
_PRIVATE: Final = "p2p"
_WITH_WORDS: Final = frozenset({"text", "post"})


@dataclass(frozen=True, slots=True)
class Said:
    """A message as it was heard."""

    event_id: str
    chat_id: str
    user_id: str
    text: str
    is_private: bool
    is_addressed: bool
    parent_id: str = ""
    thread_id: str = ""


@dataclass(frozen=True, slots=True)
class Press:
    """A button that was pressed."""

    event_id: str
    chat_id: str
    card_id: str
    """Message that holds the card."""
    user_id: str
    data: str
    """The signed key, not yet verified."""
    is_private: bool = False
    thread_id: str = ""


def read_message(event: P2ImMessageReceiveV1, own_id: str) -> Said | None:
    """What a message event says; None for what no words can be read from, and for what other bots say.

    Args:
        event: as the SDK gives it.
        own_id: the bot's open id, by which it is mentioned.

    Raises:
        AttributeError, TypeError, ValueError, RecursionError: it has a shape that nobody knows.
    """
    heard, sender = event.event.message, event.event.sender
    if sender.sender_type not in (None, "user") or heard.message_type not in _WITH_WORDS:
        return None
    is_private = heard.chat_type == _PRIVATE
    names = {one.key: (one.id.open_id, one.name) for one in heard.mentions or ()}
    return Said(
        event_id=_id(heard.message_id),
        chat_id=_id(heard.chat_id),
        user_id=_id(sender.sender_id.open_id),
        text=_without(_words(heard.content), names, own_id),
        is_private=is_private,
        is_addressed=is_private or any(ident == own_id for ident, _ in names.values()),
        parent_id=heard.parent_id or "",
        thread_id=heard.thread_id or "",
    )


def read_press(event: P2CardActionTrigger) -> Press:
    """What a press says.

    Raises:
        AttributeError, TypeError, ValueError: it has a shape that nobody knows.
    """
    pressed, place = event.event, event.event.context
    value = pressed.action.value or {}
    return Press(
        event_id=_id(event.header.event_id),
        chat_id=_id(place.open_chat_id),
        card_id=_id(place.open_message_id),
        user_id=_id(pressed.operator.open_id),
        data=str(value.get(KEY) or ""),
        is_private=value.get(PRIVATE) is True,
        thread_id=str(value.get(THREAD) or ""),
    )


def message_of(said: Said, app_id: str, now: datetime, language: Language, case: str | None) -> IncomingMessage:
    """The message; `case`: of our answer that it replies to, None where it replies to none of ours."""
    own = case is not None
    return IncomingMessage(
        channel=CHANNEL,
        bot_id=app_id,
        event_id=said.event_id,
        chat_id=said.chat_id,
        chat_type="private" if said.is_private else "group",
        thread_id=said.thread_id,
        user_id=said.user_id,
        verified=True,
        text=said.text,
        addressed_how="private" if said.is_private else "mention",
        reply_to=ReplyTo(own=own, message_id=said.parent_id, case=case or "") if said.parent_id else None,
        message_id=said.event_id,
        received_at=now,
        lang_hint=language,
    )


def message_of_press(press: Press, key: str, app_id: str, now: datetime, language: Language) -> IncomingMessage:
    """The message that a verified press amounts to; it is answered below its card."""
    return IncomingMessage(
        channel=CHANNEL,
        bot_id=app_id,
        event_id=press.event_id,
        chat_id=press.chat_id,
        chat_type="private" if press.is_private else "group",
        thread_id=press.thread_id,
        user_id=press.user_id,
        verified=True,
        text="",
        action=key,
        addressed_how="button",
        message_id=press.card_id,
        received_at=now,
        lang_hint=language,
    )


def _id(value: object) -> str:
    """An id; nobody is known by none. Raises ValueError."""
    if not isinstance(value, str) or not value:
        raise ValueError("an id is missing")
    return value


def _words(content: str) -> str:
    """The words of a message: of a plain one, or of the paragraphs of a rich one."""
    read = json.loads(content)
    if "text" in read:
        return str(read["text"])
    return "\n".join("".join(_texts(line)) for line in read.get("content") or ())


def _texts(line: list[Mapping[str, object]]) -> Iterator[str]:
    for one in line:
        if one.get("tag") in ("text", "a", "code_block"):
            yield str(one.get("text") or "")
        elif one.get("tag") == "at":
            yield str(one.get("user_id") or "")


def _without(text: str, names: Mapping[str, tuple[str, str]], own_id: str) -> str:
    """The words without the bot's mention, and with people's names in the place of theirs."""
    # longer keys first: `@_user_1` begins `@_user_10`
    for key in sorted(names, key=len, reverse=True):
        ident, name = names[key]
        text = text.replace(key, "" if ident == own_id else f"@{name}")
    return " ".join(text.split()) if "\n" not in text else text.strip()
