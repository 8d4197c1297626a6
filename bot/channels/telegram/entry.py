"""Telegram as the registry opens it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bot.channels.telegram.run import CHANNELS, Telegram
from bot.core.ports import Intake, Store
from bot.settings import Settings

if TYPE_CHECKING:
    import asyncio

    from starlette.routing import Route


class TelegramChannel:
    """See `bot.channels.registry.Channel`: polls, or waits for the webhook, as the settings say."""

    names = CHANNELS

    def __init__(self, settings: Settings, intake: Intake, store: Store) -> None:
        """Prepare without connecting. Raises SettingsError."""
        self.sender = Telegram(settings, store)
        self._intake = intake
        self._has_webhook = settings.telegram_mode == "webhook"

    @property
    def trouble(self) -> str:
        """Why nothing comes in now."""
        return self.sender.trouble

    def routes(self) -> Sequence[Route]:
        """The webhook's. Raises SettingsError where it has no secret."""
        return self.sender.routes() if self._has_webhook else ()

    async def run(self, stop: asyncio.Event) -> None:
        """Connect and bring updates. Raises TelegramStartError."""
        await self.sender.start(self._intake)
        if self._has_webhook:
            await self.sender.register_webhook()
            await stop.wait()
        else:
            await self.sender.poll(stop)

    async def close(self) -> None:
        """Finish what runs beside, then disconnect."""
        await self.sender.stop()


def open_telegram(settings: Settings, intake: Intake, store: Store) -> TelegramChannel:
    """The channel, not yet connected. Raises SettingsError."""
    return TelegramChannel(settings, intake, store)
