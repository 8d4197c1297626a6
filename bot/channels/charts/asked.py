"""The picture that a reply is to show, for channels that send pictures."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from bot.channels.charts.drawing import draw
from bot.channels.charts.sheet import ChartUnavailable
from bot.channels.charts.tables import chart_table
from bot.core.message import Reply

_LOG: Final = logging.getLogger("xuanka.charts")


async def picture_of(reply: Reply) -> bytes:
    """The picture that was asked for, drawn beside the event loop; empty where none was, or it cannot be drawn."""
    if not reply.shows_chart or reply.chart is None:
        return b""
    try:
        return await asyncio.to_thread(draw, reply.chart, reply.language)
    except ChartUnavailable as error:
        _LOG.warning("no picture: %s", error)
        return b""


def in_words(reply: Reply) -> Reply:
    """The reply with the figures of its chart as a table, for where no picture can go."""
    if not reply.shows_chart or reply.chart is None:
        return reply
    return reply.model_copy(update={"text": f"{reply.text}\n\n{chart_table(reply.chart, reply.language)}"})
