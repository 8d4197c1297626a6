"""What Discord says of an interaction, as a message: only what is needed, whatever else it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from bot.channels.discord.commands import said
from bot.channels.signing import Forged, Pressed, Signer
from bot.channels.words import ChannelWords, closest_language
from bot.core.message import IncomingMessage, Language

if TYPE_CHECKING:
    import discord

CHANNEL: Final = "discord"
COMMAND, COMPONENT = 2, 3
"""Types of interactions. Source: Discord's reference of interactions."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """One use of a command or button."""

    id: str
    token: str
    kind: int
    channel_id: str
    in_guild: bool
    user_id: str
    user_name: str
    locale: str
    name: str
    options: Mapping[str, str]
    custom_id: str


def read_interaction(heard: discord.Interaction) -> Interaction:
    """The interaction as the library gives it.

    Raises:
        KeyError, TypeError, AttributeError: it has a shape that nobody knows.
    """
    data = _mapping(heard.data)
    return Interaction(
        id=str(heard.id),
        token=heard.token,
        kind=heard.type.value,
        channel_id=str(heard.channel_id or heard.user.id),
        in_guild=heard.guild_id is not None,
        user_id=str(heard.user.id),
        user_name=heard.user.display_name,
        locale=heard.locale.value,
        name=str(data.get("name") or ""),
        options=_options(data.get("options")),
        custom_id=str(data.get("custom_id") or ""),
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _options(listed: object) -> dict[str, str]:
    found = [_mapping(one) for one in listed] if isinstance(listed, list) else []
    return {str(one.get("name")): str(one.get("value") or "") for one in found}


class Reader:
    """Makes messages of what one bot hears."""

    def __init__(self, bot_id: str, words: ChannelWords, signer: Signer, default: Language) -> None:
        """Keep who the bot is and what it goes by."""
        self.bot_id, self._words, self._signer, self._default = bot_id, words, signer, default

    def language(self, heard: Interaction) -> Language:
        """The language that the user's client is in."""
        return closest_language(heard.locale, self._default)

    def pressed(self, heard: Interaction) -> Pressed | None:
        """The verified key of a button; None when it is not ours."""
        try:
            return self._signer.verify(heard.custom_id, chat_id=heard.channel_id)
        except Forged:
            return None

    def message(self, heard: Interaction, now: datetime, key: str = "") -> IncomingMessage:
        """The message that an interaction amounts to; `key`: of the button that was pressed."""
        text, action = ("", key) if key else said(heard.name, heard.options, self._words, self.language(heard))
        return IncomingMessage(
            channel=CHANNEL,
            bot_id=self.bot_id,
            event_id=heard.id,
            chat_id=heard.channel_id,
            chat_type="group" if heard.in_guild else "private",
            user_id=heard.user_id,
            user_name=heard.user_name,
            verified=True,
            text=text,
            action=action,
            addressed_how="command",
            received_at=now,
            lang_hint=self.language(heard),
        )
