"""Discord as the registry opens it."""

from __future__ import annotations

from bot.channels.discord.channel import DiscordChannel
from bot.core.ports import Intake, Store
from bot.settings import Settings


def open_discord(settings: Settings, intake: Intake, store: Store) -> DiscordChannel:
    """The channel, not yet connected. Raises SettingsError."""
    return DiscordChannel(settings, intake, store)
