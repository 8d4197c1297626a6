"""Posts one text, and mends what can be mended: a lost topic, a lost target, a moved group, markup that fails."""

from __future__ import annotations

import html
import logging
import re
from dataclasses import dataclass

from telegram import InlineKeyboardMarkup, LinkPreviewOptions, Message, ReplyParameters
from telegram.constants import ParseMode
from telegram.error import TelegramError
from telegram.ext import ExtBot

from bot.channels.telegram.errors import Failure, Kind, diagnose
from bot.channels.telegram.limits import BOOKED

_LOG = logging.getLogger("xuanka.telegram")
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
_TAG = re.compile(r"<[^<>]*>")
_ATTEMPTS = 5


@dataclass(slots=True)
class Post:
    """Where a text goes. Changed in place by what Telegram says: another chat, no topic, no target."""

    chat_id: int
    thread_id: int | None = None
    reply_to: int | None = None
    edit_id: int | None = None
    plain: bool = False
    booked: bool = False
    """The moment is reserved already; only the first attempt may use it."""

    def take_booking(self) -> str | None:
        """Use up the reserved moment, if there is one."""
        was, self.booked = self.booked, False
        return BOOKED if was else None

    def target(self) -> ReplyParameters | None:
        """The message that is quoted; if it is gone, the text stands alone."""
        return ReplyParameters(self.reply_to, allow_sending_without_reply=True) if self.reply_to else None

    def mend(self, failure: Failure) -> bool:
        """Change what the failure names; False when nothing can be changed."""
        if failure.kind is Kind.MARKUP and not self.plain:
            _LOG.error("ALERT: our HTML did not parse; sent as plain text")
            self.plain = True
        elif failure.kind is Kind.NO_THREAD and self.thread_id is not None:
            self.thread_id = None
        elif failure.kind is Kind.NO_TARGET and self.reply_to is not None:
            self.reply_to = None
        elif failure.kind is Kind.NOT_EDITABLE and self.edit_id is not None:
            self.edit_id = None
        elif failure.kind is Kind.MIGRATED and failure.new_chat_id not in {0, self.chat_id}:
            # Message ids of the old group mean nothing in the new one.
            self.chat_id, self.reply_to, self.edit_id, self.thread_id = failure.new_chat_id, None, None, None
        else:
            return False
        return True


def strip_tags(text: str) -> str:
    """Our HTML as plain text."""
    return html.unescape(_TAG.sub("", text))


async def post_text(bot: ExtBot[str], post: Post, text: str, markup: InlineKeyboardMarkup | None) -> int | Failure:
    """Send or edit; the id of the message, or why there is none. An edit whose fate is unknown may be repeated."""
    failure = Failure(Kind.REFUSED, "nothing was tried")
    for _ in range(_ATTEMPTS):
        try:
            return await _once(bot, post, text, markup)
        except TelegramError as error:
            failure = diagnose(error)
        if post.edit_id is not None and failure.kind is Kind.NOT_MODIFIED:
            return post.edit_id
        if post.edit_id is not None and failure.kind is Kind.UNKNOWN:
            return Failure(Kind.NOT_SENT, failure.reason)
        if not post.mend(failure):
            break
    return failure


async def _once(bot: ExtBot[str], post: Post, text: str, markup: InlineKeyboardMarkup | None) -> int:
    shown = strip_tags(text) if post.plain else text
    args = post.take_booking()
    mode = None if post.plain else ParseMode.HTML
    if post.edit_id is not None:
        edited = await bot.edit_message_text(
            shown,
            chat_id=post.chat_id,
            message_id=post.edit_id,
            parse_mode=mode,
            reply_markup=markup,
            link_preview_options=_NO_PREVIEW,
            rate_limit_args=args,
        )
        return edited.message_id if isinstance(edited, Message) else post.edit_id
    sent = await bot.send_message(
        post.chat_id,
        shown,
        parse_mode=mode,
        message_thread_id=post.thread_id,
        reply_parameters=post.target(),
        reply_markup=markup,
        link_preview_options=_NO_PREVIEW,
        rate_limit_args=args,
    )
    return sent.message_id
