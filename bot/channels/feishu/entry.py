"""Feishu as the registry opens it."""

from __future__ import annotations

from bot.channels.feishu.channel import FeishuChannel
from bot.core.ports import Intake, Store
from bot.settings import Settings


def open_feishu(settings: Settings, intake: Intake, store: Store) -> FeishuChannel:
    """The channel, not yet connected. Raises SettingsError."""
    return FeishuChannel(settings, intake, store)
