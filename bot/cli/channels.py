"""`telegram` and `wecom` run one channel; `serve` (bot/cli/serve.py) runs the web app with all of them."""

from __future__ import annotations

import asyncio

from bot.service import Service, log_for, run_until_stopped
from bot.settings import Settings, load_settings, require


def run_telegram_polling() -> None:
    """Answer in Telegram by polling.

    Raises:
        SettingsError: the token is missing.
    """
    settings = load_settings()
    require(settings, "telegram_token")
    log_for(settings)
    asyncio.run(_telegram(settings))


async def _telegram(settings: Settings) -> None:
    from bot.channels.telegram.errors import TelegramStartError
    from bot.channels.telegram.run import CHANNELS, Telegram

    if settings.telegram_mode != "polling":
        raise TelegramStartError("XUANKA_TELEGRAM_MODE is webhook: run `python -m bot serve`")
    service = Service(settings)
    channel = Telegram(settings, service.store)
    for name in CHANNELS:
        service.senders[name] = channel
    await service.start()
    try:
        await channel.start(service.delivery)
        await run_until_stopped(channel.poll, service.reload)
    finally:
        # Answers in hand still need the connections; what is not sent by then stays in the store.
        await service.delivery.stop(settings.grace_s)
        await channel.stop()
        await service.stop()


def run_wecom() -> None:
    """Answer in WeCom over the long connection.

    Raises:
        SettingsError: bot id or secret is missing.
    """
    settings = load_settings()
    require(settings, "wecom_bot_id", "wecom_secret")
    log_for(settings)
    asyncio.run(_wecom(settings))


async def _wecom(settings: Settings) -> None:
    from bot.channels.wecom.run import Wecom

    service = Service(settings)
    channel = Wecom(settings, service.store)
    service.senders["wecom"] = channel
    await service.start()
    try:
        await channel.start(service.delivery)
        await run_until_stopped(channel.run, service.reload)
    finally:
        # Answers in hand still need the connection; what is not sent by then stays in the store.
        await service.delivery.stop(settings.grace_s)
        await channel.stop()
        await service.stop()
