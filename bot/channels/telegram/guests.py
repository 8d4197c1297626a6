"""Guest mode (Bot API 10.0), off unless switched on: people summon the bot in chats it never joined."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from telegram import InlineQueryResultArticle, InputTextMessageContent, Message
from telegram.constants import ParseMode
from telegram.ext import ExtBot

from bot.channels.markup import telegram_html
from bot.channels.telegram.addressing import read_address
from bot.channels.telegram.chat_settings import Settings
from bot.channels.telegram.reading import Heard, Reader
from bot.core.ports import Intake


@dataclass(slots=True)
class GuestAnswers:
    """Answers guest queries with one message each; there are no buttons and no follow-ups there."""

    bot: ExtBot[str]
    reader: Reader
    intake: Intake
    enabled: bool = False

    async def answer(self, update_id: int, message: Message, now: datetime) -> None:
        """Answer one guest message, if guest mode is on and the bot has something to say."""
        if not self.enabled or not message.guest_query_id:
            return
        heard = Heard(update_id, message, read_address(message, self.reader.me), edited=False)
        said = self.reader.said(heard, Settings())
        incoming = self.reader.incoming(heard, said, Settings(), now)
        reply = await self.intake.answer_now(
            incoming.model_copy(update={"channel": "telegram-guest", "addressed_how": "guest"})
        )
        parts = telegram_html(reply.text) if reply is not None and reply.decision != "ignore" else []
        if parts:
            content = InputTextMessageContent(parts[0], parse_mode=ParseMode.HTML)
            result = InlineQueryResultArticle(id="answer", title="Xuanka", input_message_content=content)
            await self.bot.answer_guest_query(message.guest_query_id, result)
