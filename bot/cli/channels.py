"""`telegram` and `wecom` run one channel; `serve` (bot/cli/serve.py) runs the web app with all of them."""

from __future__ import annotations

import asyncio

from bot.logs import set_up_logs
from bot.service import Service, run_until_stopped
from bot.settings import Settings, load_settings, require


def run_telegram_polling() -> None:
    """Answer in Telegram by polling.

    Raises:
        SettingsError: the token is missing.
    """
    settings = load_settings()
    require(settings, "telegram_token")
    set_up_logs(settings.log_level)
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
