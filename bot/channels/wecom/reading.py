"""Turns what WeCom pushes into typed events, and messages into `IncomingMessage`. Pure; alike for both transports.

Unknown fields are ignored, wrong types refused. Source: WeCom developer pages 100719 (messages) and 101027 (events).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from bot.channels.signing import case_in_text
from bot.channels.wecom.mention import strip_mention
from bot.core.message import ChatType, IncomingMessage, Language, ReplyTo
from bot.core.text import kept_part

_SPOKEN = frozenset({"text", "mixed", "voice"})
_MEDIA = frozenset({"image", "file", "video"})

Id = Annotated[StrictStr, Field(min_length=1, max_length=256)]


class Unreadable(ValueError):
    """A push that has not the shape of one. The message names fields, never values."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Content(_Part):
    content: StrictStr = ""


class _From(_Part):
    userid: Id


class _Item(_Part):
    msgtype: StrictStr = ""
    text: _Content | None = None


class _Mixed(_Part):
    msg_item: tuple[_Item, ...] = ()


class _Spoken(_Part):
    """Where words can stand, in messages and in quotes alike."""

    msgtype: StrictStr
    text: _Content | None = None
    voice: _Content | None = None
    mixed: _Mixed | None = None

    @property
    def words(self) -> str:
        """All that was said or written."""
        if self.msgtype == "text" and self.text:
            return self.text.content
        if self.msgtype == "voice" and self.voice:
            return self.voice.content
        if self.msgtype == "mixed" and self.mixed:
            return "\n".join(item.text.content for item in self.mixed.msg_item if item.msgtype == "text" and item.text)
        return ""


class _OptionIds(_Part):
    option_id: tuple[StrictStr, ...] = ()


class _Selected(_Part):
    question_key: StrictStr = ""
    option_ids: _OptionIds = _OptionIds()


class _SelectedItems(_Part):
    selected_item: tuple[_Selected, ...] = ()


class _CardEvent(_Part):
    event_key: StrictStr = ""
    task_id: StrictStr = ""
    selected_items: _SelectedItems | None = None


class _FeedbackEvent(_Part):
    id: StrictStr = ""
    type: StrictInt = 0


class _Event(_Part):
    eventtype: StrictStr
    event_key: StrictStr = ""
    task_id: StrictStr = ""
    template_card_event: _CardEvent | None = None
    feedback_event: _FeedbackEvent | None = None


class _Stream(_Part):
    id: StrictStr = ""


class Push(_Spoken):
    """One decrypted callback or pushed frame."""

    msgid: Id
    aibotid: StrictStr = ""
    chatid: Annotated[StrictStr, Field(max_length=256)] = ""
    chattype: StrictStr = ""
    sender: _From = Field(alias="from")
    response_url: Annotated[StrictStr, Field(max_length=4096)] = ""
    quote: _Spoken | None = None
    event: _Event | None = None
    stream: _Stream | None = None

    @property
    def user_id(self) -> str:
        """Who wrote or pressed."""
        return self.sender.userid

    @property
    def chat_type(self) -> ChatType:
        """Group, or private between the user and the bot."""
        return "group" if self.chattype == "group" or (not self.chattype and self.chatid) else "private"

    @property
    def chat_id(self) -> str:
        """Where answers go: the group, or the user in a single chat."""
        return self.chatid if self.chat_type == "group" and self.chatid else self.user_id

    @property
    def event_type(self) -> str:
        """Name of the event, or nothing for messages."""
        return self.event.eventtype if self.msgtype == "event" and self.event else ""

    @property
    def is_message(self) -> bool:
        """Whether somebody said something that deserves an answer; pictures and files deserve a kind line."""
        return self.msgtype in _SPOKEN or (self.msgtype in _MEDIA and self.chat_type == "private")

    @property
    def task_id(self) -> str:
        """The card that was pressed."""
        if self.event is None:
            return ""
        nested = self.event.template_card_event
        return (nested.task_id if nested else "") or self.event.task_id

    @property
    def pressed_key(self) -> str:
        """The key of the pressed button."""
        if self.event is None:
            return ""
        nested = self.event.template_card_event
        return (nested.event_key if nested else "") or self.event.event_key

    @property
    def picked(self) -> tuple[str, ...]:
        """Ids of the options picked in selectors."""
        nested = self.event.template_card_event if self.event else None
        items = nested.selected_items.selected_item if nested and nested.selected_items else ()
        return tuple(option for item in items for option in item.option_ids.option_id)


_ALIASES = {"eventkey": "event_key", "taskid": "task_id", "selecteditems": "selected_items"}


def read_push(raw: Mapping[str, object]) -> Push:
    """The push inside decoded JSON.

    Raises:
        Unreadable: a field is missing or of a wrong type.
    """
    try:
        return Push.model_validate(_renamed(raw))
    except ValidationError as error:
        names = sorted({".".join(map(str, fault["loc"][:3])) for fault in error.errors(include_input=False)})
        raise Unreadable(f"fields: {', '.join(names[:5])}") from None


def _renamed(raw: Mapping[str, object]) -> Mapping[str, object]:
    """The push with the field names of an event that the documentation's tables print instead of its samples'."""
    event = raw.get("event")
    nested = event.get("template_card_event") if isinstance(event, dict) else None
    if not isinstance(nested, dict) or not _ALIASES.keys() & nested.keys():
        return raw
    renamed = {_ALIASES.get(str(name), name): value for name, value in nested.items()}
    return {**raw, "event": {**event, "template_card_event": renamed}} if isinstance(event, dict) else raw


class Reader:
    """Reads messages for one bot."""

    def __init__(self, bot_id: str, bot_name: str, language: Language) -> None:
        """`bot_name` as members see it; `language` for words that show none, because WeCom does not tell."""
        self._bot_id, self._bot_name, self._language = bot_id, bot_name, language

    def incoming(self, push: Push, now: datetime, message_id: str) -> IncomingMessage:
        """A message as the rest of the bot takes it. `message_id` is what an answer must name."""
        is_group = push.chat_type == "group"
        text = strip_mention(kept_part(push.words), self._bot_name, guess=is_group)
        reply_to = self._quoted(push)
        if not text and reply_to is not None and not reply_to.own:
            text = reply_to.text
        return IncomingMessage(
            channel="wecom",
            bot_id=self._bot_id or push.aibotid,
            event_id=push.msgid,
            chat_id=push.chat_id,
            chat_type=push.chat_type,
            user_id=push.user_id,
            verified=True,
            text=text,
            addressed=True,
            addressed_how="mention" if is_group else "private",
            reply_to=reply_to,
            message_id=message_id,
            received_at=now,
            lang_hint=self._language,
        )

    def acted(self, push: Push, key: str, now: datetime, message_id: str, how: str) -> IncomingMessage:
        """A verified press or verdict as the rest of the bot takes it."""
        case = key.partition("#")[2]
        return IncomingMessage(
            channel="wecom",
            bot_id=self._bot_id or push.aibotid,
            event_id=push.msgid,
            chat_id=push.chat_id,
            chat_type=push.chat_type,
            user_id=push.user_id,
            verified=True,
            text="",
            addressed=True,
            addressed_how=how,
            reply_to=ReplyTo(own=True, case=case),
            action=key,
            message_id=message_id,
            received_at=now,
            lang_hint=self._language,
        )

    def _quoted(self, push: Push) -> ReplyTo | None:
        """A quote names neither its message nor its author: the case tag in its text tells that it is ours."""
        if push.quote is None:
            return None
        words = kept_part(push.quote.words)
        case = case_in_text(words)
        text = words if case else strip_mention(words, self._bot_name, guess=False)
        return ReplyTo(own=bool(case), text=text, case=case)
