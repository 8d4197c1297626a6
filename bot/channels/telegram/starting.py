"""What is said and silenced when the channel starts."""

from __future__ import annotations

import logging

from telegram import User
from telegram.error import InvalidToken, TelegramError

from bot.channels.telegram.errors import TelegramStartError, diagnose

_LOG = logging.getLogger("xuanka.telegram")


def start_error(error: TelegramError) -> TelegramStartError:
    """The one line for a start that failed; the library's own words may hold the token."""
    if isinstance(error, InvalidToken):
        return TelegramStartError("Telegram does not accept XUANKA_TELEGRAM_TOKEN: check it with @BotFather")
    return TelegramStartError(f"Telegram cannot be reached at XUANKA_TELEGRAM_BASE_URL ({diagnose(error).reason})")


def silence_libraries() -> None:
    """Keep tokens and texts out of the logs: httpx logs addresses, python-telegram-bot logs payloads."""
    for name in ("httpx", "httpcore", "telegram"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def log_abilities(me: User) -> None:
    """Log once what @BotFather allows this bot."""
    _LOG.info(
        "telegram bot @%s: groups %s, reads all group messages %s, inline %s",
        me.username,
        me.can_join_groups,
        me.can_read_all_group_messages,
        me.supports_inline_queries,
    )
    if not me.supports_inline_queries:
        _LOG.info("inline mode is off; @BotFather /setinline switches it on")
