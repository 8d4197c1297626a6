"""Turns a Telegram message or button press into an `IncomingMessage`. Pure: what the store knows is an argument."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from telegram import CallbackQuery, Chat, Message, Update, User

from bot.channels.signing import Pressed, case_in_text
from bot.channels.telegram.addressing import Address, is_own, read_address
from bot.channels.telegram.chat_settings import Settings
from bot.channels.telegram.commands import Said, read_command
from bot.channels.telegram.keyboards import case_of
from bot.channels.words import ChannelWords, closest_language
from bot.core.message import ChatType, IncomingMessage, Language, ReplyTo

_KEPT_BY_TELEGRAM = timedelta(hours=25)


@dataclass(frozen=True, slots=True)
class Heard:
    """A message that may concern the bot, before the chat's settings are known."""

    update_id: int
    message: Message
    address: Address
    edited: bool

    @property
    def chat_id(self) -> str:
        """Where it was said."""
        return str(self.message.chat.id)

    @property
    def is_private(self) -> bool:
        """Whether nobody else reads along."""
        return self.message.chat.type == Chat.PRIVATE


class Reader:
    """Reads updates for one bot."""

    def __init__(self, me: User, words: ChannelWords, default_language: Language, stale_after_s: float) -> None:
        """`me` is what getMe said."""
        self.me, self._words, self._default = me, words, default_language
        self._stale_after = timedelta(seconds=stale_after_s)

    def hear(self, update: Update) -> Heard | None:
        """The message of an update, or None when it is none that a bot answers."""
        message = update.message or update.edited_message
        if message is None or message.chat.type == Chat.CHANNEL or not _from_person(message, self.me):
            return None
        # A photo or a sticker in a private chat deserves a kind line; in a group it is none of our business.
        is_worth_a_line = message.chat.type == Chat.PRIVATE and message.effective_attachment is not None
        if not (message.text or message.caption or is_worth_a_line):
            return None
        return Heard(update.update_id, message, read_address(message, self.me), update.edited_message is not None)

    def is_stale(self, heard: Heard, now: datetime) -> bool:
        """Whether so much time has passed that an answer would come out of the blue.

        Telegram keeps updates for a day at most: an older date is a wrong clock somewhere, not an old question.
        """
        age = now - (heard.message.edit_date if heard.edited and heard.message.edit_date else heard.message.date)
        return self._stale_after < age < _KEPT_BY_TELEGRAM

    def language(self, user: User | None, settings: Settings) -> Language:
        """Language for what the channel says by itself."""
        if settings.language:
            return "zh" if settings.language == "zh" else "en"
        return closest_language(user.language_code if user else None, self._default)

    def said(self, heard: Heard, settings: Settings) -> Said:
        """The words of a message: what its command stands for, or what it replies to when it has none of its own."""
        address = heard.address
        if address.command:
            said = read_command(
                address.command, address.text, self.language(heard.message.from_user, settings), self._words
            )
        else:
            said = Said(text=address.text)
        quoted = heard.message.reply_to_message
        if not said.text and not said.action and not said.local and quoted is not None and not is_own(quoted, self.me):
            return Said(text=quoted.text or quoted.caption or "")
        return said

    def incoming(self, heard: Heard, said: Said, settings: Settings, now: datetime) -> IncomingMessage:
        """The message as the rest of the bot takes it."""
        message = heard.message
        user = message.from_user
        return IncomingMessage(
            channel="telegram",
            bot_id=str(self.me.id),
            event_id=str(heard.update_id),
            chat_id=heard.chat_id,
            chat_type=_chat_type(message.chat),
            thread_id=thread_of(message),
            user_id=user_of(message),
            verified=True,
            text=said.text,
            addressed=True,
            addressed_how=heard.address.how or "overheard",
            reply_to=self._reply_to(message),
            action=said.action,
            edits=str(message.message_id) if heard.edited else "",
            message_id=str(message.message_id),
            received_at=now,
            lang_hint=closest_language(user.language_code, self._default) if user and user.language_code else "",
            language=settings.language,
            full=settings.full,
        )

    def pressed(
        self, update_id: int, query: CallbackQuery, pressed: Pressed, settings: Settings, now: datetime
    ) -> IncomingMessage:
        """A verified button press as the rest of the bot takes it. `message_id` is the message with the button."""
        message = query.message
        if message is None:
            raise ValueError("a press on a message sent in inline mode has no chat")
        accessible = message if isinstance(message, Message) else None
        text = (accessible.text or accessible.caption or "") if accessible else ""
        return IncomingMessage(
            channel="telegram",
            bot_id=str(self.me.id),
            event_id=str(update_id),
            chat_id=str(message.chat.id),
            chat_type=_chat_type(message.chat),
            thread_id=thread_of(accessible) if accessible else "",
            user_id=str(query.from_user.id),
            verified=True,
            text="",
            addressed_how="button",
            reply_to=ReplyTo(own=True, text=text, message_id=str(message.message_id), case=pressed.case),
            action=pressed.key,
            message_id=str(message.message_id),
            received_at=now,
            lang_hint=closest_language(query.from_user.language_code, self._default),
            language=settings.language,
            full=settings.full,
        )

    def _reply_to(self, message: Message) -> ReplyTo | None:
        earlier = message.reply_to_message
        if earlier is None or earlier.forum_topic_created is not None:
            return None
        own = is_own(earlier, self.me)
        whole = earlier.text or earlier.caption or ""
        shown = message.quote.text if message.quote else whole
        case = (case_of(earlier) or case_in_text(whole)) if own else ""
        return ReplyTo(own=own, text=shown, message_id=str(earlier.message_id), case=case)


def thread_of(message: Message) -> str:
    """The topic of a message. Replies in ordinary groups carry a thread id as well, which is no topic."""
    return str(message.message_thread_id) if message.is_topic_message and message.message_thread_id else ""


def _chat_type(chat: Chat) -> ChatType:
    return "private" if chat.type == Chat.PRIVATE else "group"


def user_of(message: Message) -> str:
    """Who speaks: a person, or the group or channel in whose name was posted."""
    if message.sender_chat is not None:
        return str(message.sender_chat.id)
    return str(message.from_user.id) if message.from_user else ""


def _from_person(message: Message, me: User) -> bool:
    """Whether somebody wrote this by hand: no bot, no post forwarded by itself, no result of our own inline mode."""
    if message.is_automatic_forward or (message.via_bot is not None and message.via_bot.id == me.id):
        return False
    if message.sender_chat is not None:
        return True
    return message.from_user is not None and not message.from_user.is_bot
