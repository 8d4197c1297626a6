"""`telegram`, `wecom`, `serve`: runs a channel until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import sys

from bot.service import Service, run_until_stopped
from bot.settings import Settings, load_settings, require


def _log_to_stderr(level: str) -> None:
    logging.basicConfig(
        level=level.upper(), stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s %(message)s", force=True
    )


def run_telegram_polling() -> None:
    """Answer in Telegram by polling.

    Raises:
        SettingsError: the token is missing.
    """
    settings = load_settings()
    require(settings, "telegram_token")
    _log_to_stderr(settings.log_level)
    asyncio.run(_telegram(settings))


async def _telegram(settings: Settings) -> None:
    from bot.channels.telegram.run import Telegram, run_telegram

    service = Service(settings)
    channel = Telegram(settings, service.store)
    for name in ("telegram", "telegram-inline"):
        service.senders[name] = channel
    await service.start()
    try:
        await run_until_stopped(lambda stop: run_telegram(channel, service.delivery, stop), service.reload)
    finally:
        await service.stop()
