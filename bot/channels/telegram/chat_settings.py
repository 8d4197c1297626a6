"""What the admins of a chat have switched: language, length of answers, when to speak. Kept in the store.

In a private chat the user is the admin. Who is an admin of a group is asked from Telegram and remembered for a
minute, so that a demotion takes effect soon and a row of presses costs one request.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from telegram import ChatMember, InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import TelegramError
from telegram.ext import ExtBot

from bot.channels.signing import Signer
from bot.channels.words import ChannelWords
from bot.core.message import Language, owner_key
from bot.core.ports import Store

ANONYMOUS_ADMIN = "1087968824"
"""Telegram's id for admins who post as their group (GroupAnonymousBot)."""
_ADMIN_TTL_S = 60.0
_SETTINGS_TTL_S = 10.0
_REMEMBERED = 1024
_BEFORE_TTL_S = 30 * 86_400.0
_PRIVATE_TTL_S = 400 * 86_400.0
"""Of settings that belong to one person; a group's stay until an admin changes them."""
SWITCHES = ("language", "length", "hearing", "off")


@dataclass(frozen=True, slots=True)
class Settings:
    """Switches of one chat; the defaults hold until an admin changes them."""

    language: str = ""
    """zh, en, or empty: the language of each question."""
    full: bool = False
    mention_only: bool = True
    off: bool = False

    def turned(self, switch: str) -> Settings:
        """The settings after one press on a switch."""
        if switch == "language":
            order = ["", "zh", "en"]
            return replace(self, language=order[(order.index(self.language) + 1) % 3])
        if switch == "length":
            return replace(self, full=not self.full)
        if switch == "hearing":
            return replace(self, mention_only=not self.mention_only)
        return replace(self, off=not self.off)


def chat_owner(bot_id: str, chat_id: str) -> str:
    """Whose a private chat is: it has the number of its user. Groups belong to nobody."""
    return "" if chat_id.startswith("-") else owner_key("telegram", bot_id, chat_id)


class SettingsBook:
    """Reads and writes the settings of chats."""

    def __init__(self, store: Store, bot_id: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Keep them under this bot's name."""
        self._store, self._bot_id, self._prefix = store, bot_id, f"telegram:{bot_id}:settings:"
        self._before = f"telegram:{bot_id}:was:"
        self._clock = clock
        self._known: dict[str, tuple[Settings, float]] = {}

    async def load(self, chat_id: str) -> Settings:
        """Settings of a chat; anything unreadable counts as the defaults.

        They are read again after `_SETTINGS_TTL_S`: what an admin changed at another replica holds here by then.
        """
        known = self._known.get(chat_id)
        if known and known[1] > self._clock():
            return known[0]
        found = _parse(await self._store.get(self._prefix + chat_id))
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[chat_id] = (found, self._clock() + _SETTINGS_TTL_S)
        return found

    async def save(self, chat_id: str, settings: Settings) -> None:
        """Keep the settings of a chat."""
        value = {name: getattr(settings, name) for name in ("language", "full", "mention_only", "off")}
        owner = chat_owner(self._bot_id, chat_id)
        await self._store.put(self._prefix + chat_id, value, _PRIVATE_TTL_S if owner else None, owner=owner)
        self._known.pop(chat_id, None)

    async def migrated(self, old: str, new: str) -> None:
        """A group became a supergroup: its settings go along, and its old id stays known for the buttons made there."""
        value = await self._store.get(self._prefix + old)
        if value is not None and await self._store.get(self._prefix + new) is None:
            await self._store.put(self._prefix + new, value)
            self._known.pop(new, None)
        await self._store.put(self._before + new, old, _BEFORE_TTL_S)

    async def former_id(self, chat_id: str) -> str:
        """The id that the chat had as an ordinary group, or nothing."""
        return str(await self._store.get(self._before + chat_id) or "")


class Admins:
    """Who may change a chat's settings."""

    def __init__(self, bot: ExtBot[str], clock: Callable[[], float] = time.monotonic) -> None:
        """Ask Telegram through this bot."""
        self._bot, self._clock = bot, clock
        self._known: dict[tuple[str, str], tuple[bool, float]] = {}

    async def is_admin(self, chat_id: str, user_id: str, is_private: bool) -> bool:
        """Whether this user administers this chat. A failing request counts as no and is not remembered."""
        if is_private or user_id in {ANONYMOUS_ADMIN, chat_id}:
            return True
        known = self._known.get((chat_id, user_id))
        if known and known[1] > self._clock():
            return known[0]
        try:
            member = await self._bot.get_chat_member(int(chat_id), int(user_id))
        except (TelegramError, ValueError):
            return False
        answer = member.status in {ChatMember.OWNER, ChatMember.ADMINISTRATOR}
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[chat_id, user_id] = (answer, self._clock() + _ADMIN_TTL_S)
        return answer


def panel(settings: Settings, words: ChannelWords, language: Language, is_group: bool) -> str:
    """The settings as neutral Markdown."""
    lines = [f"### {words('settings.title', language)}"]
    lines += [f"- {_shown(settings, switch, words, language)}" for switch in _switches(is_group)]
    return "\n".join([*lines, "", words("settings.hint" if is_group else "settings.hint_private", language)])


def panel_keyboard(
    settings: Settings, words: ChannelWords, language: Language, is_group: bool, signer: Signer, chat_id: str
) -> InlineKeyboardMarkup:
    """One button for each switch, saying what a press would do."""
    rows = []
    for switch in _switches(is_group):
        label = _shown(settings.turned(switch), switch, words, language)
        data = signer.sign(f"cfg:{switch}", chat_id=chat_id)
        rows.append([InlineKeyboardButton(f"\u2192 {label}", callback_data=data)])
    return InlineKeyboardMarkup(rows)


def _switches(is_group: bool) -> tuple[str, ...]:
    return SWITCHES if is_group else ("language",)


def _shown(settings: Settings, switch: str, words: ChannelWords, language: Language) -> str:
    state = {
        "language": settings.language or "auto",
        "length": "full" if settings.full else "short",
        "hearing": "mention" if settings.mention_only else "questions",
        "off": "off" if settings.off else "on",
    }[switch]
    return words(f"settings.{switch}.{state}", language)


def _parse(value: object) -> Settings:
    if not isinstance(value, dict):
        return Settings()
    language = value.get("language")
    return Settings(
        language=language if language in {"zh", "en"} else "",
        full=value.get("full") is True,
        mention_only=value.get("mention_only") is not False,
        off=value.get("off") is True,
    )
