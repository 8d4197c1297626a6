"""What the channel says by itself: settings, a note on stale questions, onboarding in a new group."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from telegram import CallbackQuery, ChatMember, ChatMemberUpdated, InlineKeyboardMarkup
from telegram.ext import ExtBot

from bot.channels.markup import telegram_html
from bot.channels.signing import Signer
from bot.channels.telegram.chat_settings import (
    SWITCHES,
    Admins,
    Settings,
    SettingsBook,
    chat_owner,
    panel,
    panel_keyboard,
)
from bot.channels.telegram.errors import Failure, Kind
from bot.channels.telegram.posting import Post, post_text
from bot.channels.telegram.reading import Heard, Reader, thread_of
from bot.channels.words import ChannelWords, closest_language
from bot.core.message import Language
from bot.core.ports import Store

_LOG = logging.getLogger("xuanka.telegram")
_PRESENT = frozenset({ChatMember.MEMBER, ChatMember.ADMINISTRATOR, ChatMember.OWNER, ChatMember.RESTRICTED})
_ONCE_TTL_S = 86_400.0
_STALE_NOTE_TTL_S = 3600.0
_ATTEMPTS = 4
_LONGEST_PAUSE_S = 60.0


@dataclass(slots=True)
class LocalVoice:
    """Says it once, even when Telegram repeats an update."""

    bot: ExtBot[str]
    reader: Reader
    words: ChannelWords
    signer: Signer
    book: SettingsBook
    admins: Admins
    store: Store
    prefix: str
    default_language: Language
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def show_settings(self, heard: Heard, settings: Settings) -> None:
        """Answer /settings."""
        if not await self._first_time(f"did:{heard.update_id}", _ONCE_TTL_S):
            return
        language = self.reader.language(heard.message.from_user, settings)
        is_group = not heard.is_private
        markup = panel_keyboard(settings, self.words, language, is_group, self.signer, heard.chat_id)
        await self._say(self._where(heard), panel(settings, self.words, language, is_group), markup)

    async def switched(self, query: CallbackQuery, switch: str, settings: Settings) -> None:
        """An admin pressed a switch of the settings panel: keep it, show the new state."""
        message = query.message
        if message is None or switch not in SWITCHES:
            return
        chat_id, is_private = str(message.chat.id), message.chat.type == "private"
        language = self.reader.language(query.from_user, settings)
        if not await self.admins.is_admin(chat_id, str(query.from_user.id), is_private):
            await query.answer(self.words("admins_only", language))
            return
        changed = settings.turned(switch)
        await self.book.save(chat_id, changed)
        language = self.reader.language(query.from_user, changed)
        await query.answer(self.words("saved", language))
        markup = panel_keyboard(changed, self.words, language, not is_private, self.signer, chat_id)
        post = Post(message.chat.id, edit_id=message.message_id)
        await self._say(post, panel(changed, self.words, language, not is_private), markup)

    async def stale(self, heard: Heard, settings: Settings) -> None:
        """Tell a private chat, once an hour at most, that its question came too late."""
        if await self._first_time(f"stale:{heard.chat_id}", _STALE_NOTE_TTL_S, heard.chat_id):
            language = self.reader.language(heard.message.from_user, settings)
            await self._say(self._where(heard), self.words("stale", language))

    async def member_changed(self, change: ChatMemberUpdated) -> None:
        """Introduce the bot where it was added; remember where it was thrown out."""
        was, now = change.old_chat_member.status in _PRESENT, change.new_chat_member.status in _PRESENT
        chat_id = str(change.chat.id)
        owner = chat_owner(str(self.reader.me.id), chat_id)
        await self.store.put(f"{self.prefix}inactive:{chat_id}", not now, 30 * _ONCE_TTL_S, owner=owner)
        if change.chat.type not in {"group", "supergroup"} or was or not now:
            return
        if not await self._first_time(f"welcomed:{chat_id}", _ONCE_TTL_S):
            return
        settings = await self.book.load(chat_id)
        language = closest_language(settings.language or change.from_user.language_code, self.default_language)
        await self._say(Post(change.chat.id), self.words("onboarding", language, username=self.reader.me.username))

    # --- helpers -----------------------------------------------------------------------------------------------------

    def _where(self, heard: Heard) -> Post:
        thread = thread_of(heard.message)
        return Post(
            chat_id=heard.message.chat.id,
            thread_id=int(thread) if thread else None,
            reply_to=None if heard.is_private else heard.message.message_id,
        )

    async def _first_time(self, key: str, ttl_s: float, chat_id: str = "-") -> bool:
        if await self.store.get(self.prefix + key):
            return False
        await self.store.put(self.prefix + key, True, ttl_s, owner=chat_owner(str(self.reader.me.id), chat_id))
        return True

    async def _say(self, post: Post, text: str, markup: InlineKeyboardMarkup | None = None) -> None:
        """Post one text, patiently where Telegram asks for patience."""
        part, reason = telegram_html(text)[0], ""
        for _ in range(_ATTEMPTS):
            sent = await post_text(self.bot, post, part, markup)
            if not isinstance(sent, Failure):
                return
            reason = sent.reason
            if sent.kind not in {Kind.FLOOD, Kind.NOT_SENT} or sent.retry_after > _LONGEST_PAUSE_S:
                break
            await self.sleep(sent.retry_after or 1.0)
        _LOG.info("a notice of the channel was not delivered: %s", reason)
