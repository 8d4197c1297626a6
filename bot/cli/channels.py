"""`telegram`, `wecom` and their kin run one channel; `serve` (bot/cli/serve.py) runs the web app with all of them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bot.channels.registry import Channel, ChannelEntry, ChannelStartError, channel_named
from bot.running import log_for, run_until_stopped
from bot.settings import Settings, load_settings, require

if TYPE_CHECKING:
    from bot.service import Service


def run_channel(name: str) -> None:
    """Answer in one channel that brings its messages by itself.

    Raises:
        ChannelStartError: its extra is not installed, or it waits for requests, for which `serve` is there.
        SettingsError: a setting is missing.
    """
    entry = channel_named(name)
    entry.check_installed()
    settings = load_settings()
    require(settings, *entry.needs)
    log_for(settings)
    asyncio.run(_run(entry, settings))


async def _run(entry: ChannelEntry, settings: Settings) -> None:
    if entry.name == "telegram" and settings.telegram_mode != "polling":
        raise ChannelStartError("XUANKA_TELEGRAM_MODE is webhook: run `python -m bot serve`")
    # only now, so that what is wrong is told before anything is loaded
    from bot.service import Service

    service = Service(settings)
    channel = entry.open(settings, service.delivery, service.store)
    join(service, channel)
    await service.start()
    warming = asyncio.create_task(service.warm(), name="warming")
    try:
        await run_until_stopped(channel.run, service.reload)
    finally:
        warming.cancel()
        # Answers in hand still need the connections; what is not sent by then stays in the store.
        await service.delivery.stop(settings.grace_s)
        await channel.close()
        await service.stop()


def join(service: Service, channel: Channel) -> None:
    """Let replies to the channel's messages go out through it."""
    for name in channel.names:
        service.senders[name] = channel.sender
