"""Takes updates at the door: what is a question goes into the inbox, what concerns the chat itself is done here.

`take` returns only when the inbox has a question safely, so that polling and webhook may acknowledge it then. What
the channel does by itself (settings, onboarding, inline results, answers to button presses) runs beside it.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from telegram import CallbackQuery, Update
from telegram.error import TelegramError
from telegram.ext import ExtBot

from bot.channels.signing import Forged, Pressed, Signer
from bot.channels.telegram import keyboards
from bot.channels.telegram.chat_settings import Settings, SettingsBook
from bot.channels.telegram.errors import diagnose
from bot.channels.telegram.guests import GuestAnswers
from bot.channels.telegram.inline import InlineAnswers
from bot.channels.telegram.local import LocalVoice
from bot.channels.telegram.reading import Heard, Reader
from bot.channels.words import ChannelWords
from bot.core.message import IncomingMessage
from bot.core.ports import Accepted, Intake
from bot.core.text import whole_strings

_LOG = logging.getLogger("xuanka.telegram")
Read = TypeVar("Read")
ALLOWED_UPDATES = ("message", "edited_message", "callback_query", "inline_query", "my_chat_member")


@dataclass(slots=True)
class Doorkeeper:
    """One bot's door."""

    bot: ExtBot[str]
    reader: Reader
    words: ChannelWords
    signer: Signer
    book: SettingsBook
    voice: LocalVoice
    inline: InlineAnswers
    guests: GuestAnswers
    intake: Intake
    now: Callable[[], datetime]
    platform_now: Callable[[], datetime]
    """By which the age of a message is told."""
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    fresh: list[asyncio.Task[None]] = field(default_factory=list)

    async def take(self, raw: dict[str, object]) -> Accepted:
        """Take one update as Telegram wrote it.

        Raises:
            Exception: the inbox or the store failed; the update must not be acknowledged.
        """
        update = self._parse(raw)
        if update is None:
            return Accepted.IGNORED
        if update.callback_query is not None:
            return await self._take_press(update.update_id, update.callback_query)
        if update.inline_query is not None:
            self._beside(self.inline.answer(update.update_id, update.inline_query))
            return Accepted.IGNORED
        if update.my_chat_member is not None:
            self._beside(self.voice.member_changed(update.my_chat_member))
            return Accepted.IGNORED
        if update.guest_message is not None:
            self._beside(self.guests.answer(update.update_id, update.guest_message, self.now()))
            return Accepted.IGNORED
        if update.message is not None and update.message.migrate_to_chat_id:
            await self.book.migrated(str(update.message.chat.id), str(update.message.migrate_to_chat_id))
            return Accepted.IGNORED
        heard = _readable(lambda: self.reader.hear(update))
        return Accepted.IGNORED if heard is None else await self._take_message(heard)

    async def settle(self, timeout_s: float) -> None:
        """Wait for what was begun since the last call, so that it is done before its update is acknowledged.

        What takes longer (a group whose budget is spent) goes on beside and holds nobody up again.
        """
        if self.fresh:
            fresh, self.fresh = self.fresh, []
            await asyncio.wait(fresh, timeout=timeout_s)

    async def close(self, timeout_s: float) -> None:
        """Let everything that runs beside finish, and end what does not."""
        if self.tasks:
            _, late = await asyncio.wait(set(self.tasks), timeout=timeout_s)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)

    # --- reading -----------------------------------------------------------------------------------------------------

    def _parse(self, raw: dict[str, object]) -> Update | None:
        """The update as the library sees it, or None when it has a shape that the library cannot read."""
        whole = {name: whole_strings(value) for name, value in raw.items()}
        update: Update | None = _readable(lambda: Update.de_json(whole, self.bot))
        return update

    # --- messages ----------------------------------------------------------------------------------------------------

    async def _take_message(self, heard: Heard) -> Accepted:
        settings = await self.book.load(heard.chat_id)
        if not heard.address.how and (settings.mention_only or heard.edited):
            return Accepted.IGNORED
        said = _readable(lambda: self.reader.said(heard, settings))
        if said is None or (settings.off and said.local != "settings"):
            return Accepted.IGNORED
        stale = self.reader.is_stale(heard, self.platform_now())
        if not stale and not said.local:
            return await self._accept(lambda: self.reader.incoming(heard, said, settings, self.now()))
        if not heard.edited:
            self._remark(heard, settings, stale=stale)
        return Accepted.IGNORED

    def _remark(self, heard: Heard, settings: Settings, *, stale: bool) -> None:
        """Show the settings that were asked for; of what comes too late only a private chat is told."""
        if not stale:
            self._beside(self.voice.show_settings(heard, settings))
        elif heard.is_private:
            self._beside(self.voice.stale(heard, settings))

    async def _accept(self, read: Callable[[], IncomingMessage]) -> Accepted:
        message: IncomingMessage | None = _readable(read)
        return Accepted.IGNORED if message is None else await self.intake.accept(message)

    # --- presses -----------------------------------------------------------------------------------------------------

    async def _take_press(self, update_id: int, query: CallbackQuery) -> Accepted:
        if query.message is None or not query.data:
            self._beside(self._notice(query, "expired"))
            return Accepted.IGNORED
        chat_id = str(query.message.chat.id)
        pressed = await self._verified(query.data, chat_id)
        if pressed is None:
            _LOG.info("a button with a wrong signature was refused")
            self._beside(self._notice(query, "expired"))
            return Accepted.IGNORED
        if not pressed.may(str(query.from_user.id)):
            self._beside(self._notice(query, "not_yours"))
            return Accepted.IGNORED
        settings = await self.book.load(chat_id)
        if pressed.key.startswith("cfg:"):
            self._beside(self.voice.switched(query, pressed.key.removeprefix("cfg:"), settings))
            return Accepted.IGNORED
        self._beside(self._acknowledge(query, pressed))
        return await self._accept(lambda: self.reader.pressed(update_id, query, pressed, settings, self.now()))

    async def _verified(self, data: str, chat_id: str) -> Pressed | None:
        """The pressed key; buttons made before the group became a supergroup stay valid."""
        try:
            return self.signer.verify(data, chat_id=chat_id)
        except Forged:
            before = await self.book.former_id(chat_id)
        try:
            return self.signer.verify(data, chat_id=before) if before else None
        except Forged:
            return None

    async def _acknowledge(self, query: CallbackQuery, pressed: Pressed) -> None:
        """Stop the button's spinner; feedback is thanked for and asked no more."""
        verdict = pressed.key.partition("#")[0].removeprefix("do:")
        if verdict not in {"good", "bad"}:
            await query.answer()
            return
        await self._notice(query, f"thanks.{verdict}")
        message = query.message
        if message is not None and message.is_accessible:
            await query.edit_message_reply_markup(keyboards.without_feedback(message))  # type: ignore[arg-type]

    async def _notice(self, query: CallbackQuery, key: str) -> None:
        chat_id = str(query.message.chat.id) if query.message else ""
        settings = await self.book.load(chat_id)
        await query.answer(self.words(key, self.reader.language(query.from_user, settings)))

    # --- beside ------------------------------------------------------------------------------------------------------

    def _beside(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(_guarded(work))
        self.tasks.add(task)
        self.fresh.append(task)
        task.add_done_callback(self.tasks.discard)


def _readable(read: Callable[[], Read]) -> Read | None:
    """What reading gives, or None. An update that cannot be read would come again and again: it is let go."""
    try:
        return read()
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        _LOG.warning("an update of unknown shape is ignored: %s in %s", type(error).__name__, where.name)
        return None


async def _guarded(work: Coroutine[object, object, None]) -> None:
    try:
        await work
    except TelegramError as error:
        _LOG.info("telegram refused a side request: %s", diagnose(error).reason)
    except Exception as error:
        _LOG.error("a side task failed: %s", type(error).__name__)
