"""Sends a chart as a photo with its caption, and as words when the picture cannot be drawn or sent."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from telegram.constants import ParseMode
from telegram.error import TelegramError
from telegram.ext import ExtBot

from bot.channels.charts import ChartUnavailable, chart_table, draw
from bot.channels.markup import telegram_html
from bot.channels.markup.html import CAPTION_LIMIT
from bot.channels.telegram.errors import Failure, Kind, diagnose
from bot.channels.telegram.posting import Post, post_text, strip_tags
from bot.channels.words import ChannelWords
from bot.core.message import Chart, IncomingMessage, Reply

_LOG = logging.getLogger("xuanka.telegram")
_ATTEMPTS = 4
_TO_TEXT = frozenset({Kind.REFUSED, Kind.MARKUP})


@dataclass(frozen=True, slots=True)
class SentChart:
    """What became of a chart."""

    post: Post
    message_id: int = 0
    failure: Failure | None = None


async def send_chart(
    bot: ExtBot[str], words: ChannelWords, message: IncomingMessage, reply: Reply, post: Post
) -> SentChart:
    """Send the chart of a reply. Its text becomes the caption, cut to what a caption may hold."""
    if reply.chart is None:
        raise ValueError("this reply has no chart")
    try:
        picture = await asyncio.to_thread(draw, reply.chart, reply.language)
    except ChartUnavailable as error:
        _LOG.warning("no picture: %s", error)
        return await _as_words(bot, words, reply, reply.chart, post)
    caption = next(iter(telegram_html(reply.text, CAPTION_LIMIT)), "")
    failure = Failure(Kind.REFUSED, "nothing was tried")
    for _ in range(_ATTEMPTS):
        try:
            sent = await bot.send_photo(
                post.chat_id,
                picture,
                caption=strip_tags(caption) if post.plain else caption,
                parse_mode=None if post.plain else ParseMode.HTML,
                message_thread_id=post.thread_id,
                reply_parameters=post.target(),
                filename="chart.png",
                rate_limit_args=post.take_booking(),
            )
            return SentChart(post, sent.message_id)
        except TelegramError as error:
            failure = diagnose(error)
        if not post.mend(failure):
            break
    if failure.kind in _TO_TEXT or _photos_forbidden(failure):
        return await _as_words(bot, words, reply, reply.chart, post)
    return SentChart(post, failure=failure)


def _photos_forbidden(failure: Failure) -> bool:
    """Groups may forbid photos and allow text: Telegram then says "not enough rights to send photos"."""
    return failure.kind is Kind.GONE and "rights" in failure.reason


async def _as_words(bot: ExtBot[str], words: ChannelWords, reply: Reply, chart: Chart, post: Post) -> SentChart:
    text = f"{words('chart_missing', reply.language)}\n\n{reply.text}\n\n{chart_table(chart, reply.language)}"
    part = next(iter(telegram_html(text)), "")
    sent = await post_text(bot, post, part, None)
    return SentChart(post, failure=sent) if isinstance(sent, Failure) else SentChart(post, sent)
