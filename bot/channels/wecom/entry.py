"""WeCom as the registry opens it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bot.channels.wecom.run import Wecom
from bot.core.ports import Intake, Store
from bot.settings import Settings

if TYPE_CHECKING:
    import asyncio

    from starlette.routing import Route


class WecomChannel:
    """See `bot.channels.registry.Channel`: the long connection, the callbacks, or both."""

    names = ("wecom",)

    def __init__(self, settings: Settings, intake: Intake, store: Store) -> None:
        """Prepare without connecting. Raises SettingsError."""
        self.sender = Wecom(settings, store)
        self._intake = intake

    @property
    def trouble(self) -> str:
        """Why nothing comes in now."""
        return self.sender.trouble

    def routes(self) -> Sequence[Route]:
        """Those of the callbacks. Raises WecomStartError for an AES key that is none."""
        return self.sender.routes(self._intake)

    async def run(self, stop: asyncio.Event) -> None:
        """Connect and bring messages. Raises WecomStartError."""
        await self.sender.start(self._intake)
        await self.sender.run(stop)

    async def close(self) -> None:
        """Store what was pushed, let follow-ups finish, give the connection back."""
        await self.sender.stop()


def open_wecom(settings: Settings, intake: Intake, store: Store) -> WecomChannel:
    """The channel, not yet connected. Raises SettingsError."""
    return WecomChannel(settings, intake, store)
