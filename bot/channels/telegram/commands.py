"""The commands of the bot: what each becomes, their menus, and deep links that carry a question.

A command is only a short way to say something: `/compare 3090 4090` becomes the words for "compare" in the user's
language and the argument, and takes the same road as typed text. `/why` and `/sources` act like their buttons.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

from telegram import (
    BotCommand,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
    BotCommandScopeDefault,
)
from telegram.ext import ExtBot

from bot.channels.words import LANGUAGES, ChannelWords, has_han
from bot.core.message import Language

PHRASED = ("ask", "compare", "fit", "cost", "specs", "price", "help")
"""Commands that become words."""
ACTING = ("why", "sources")
"""Commands that act on the last answer; with an argument they are words, too."""
LOCAL = ("settings",)
"""Commands that the channel answers by itself. Others (/privacy, /forget, those of operators) are known further in."""
MENU = ("ask", "compare", "fit", "cost", "specs", "price", "why", "sources", "settings", "privacy", "forget", "help")
_GROUP_MENU = (*(name for name in MENU if name not in {"privacy", "forget"}), "decide")
_START_LIMIT = 64


@dataclass(frozen=True, slots=True)
class Said:
    """What a command amounts to: words, an action on the last answer, or something the channel does itself."""

    text: str = ""
    action: str = ""
    local: str = ""


def read_command(name: str, argument: str, language: Language, words: ChannelWords) -> Said:
    """Translate a command. Unknown ones are said as they stand, for whoever knows them further in."""
    spoken: Language = "zh" if has_han(argument) else language
    if name == "start":
        question = decode_question(argument)
        return Said(text=question or words("say.start", language))
    if name in LOCAL:
        return Said(local=name)
    if name in ACTING:
        return Said(text=f"{words(f'say.{name}', spoken)} {argument}".strip(), action="" if argument else f"do:{name}")
    if name == "ask":
        return Said(text=argument)
    if name in PHRASED:
        return Said(text=f"{words(f'say.{name}', spoken)} {argument}".strip())
    return Said(text=f"/{name} {argument}".strip())


def encode_question(question: str) -> str:
    """A question as a start parameter, or nothing when it is longer than the 48 bytes that fit."""
    packed = base64.urlsafe_b64encode(question.encode()).decode().rstrip("=")
    return packed if len(packed) <= _START_LIMIT else ""


def decode_question(parameter: str) -> str:
    """The question inside a start parameter, or nothing when it holds none."""
    if not parameter or len(parameter) > _START_LIMIT:
        return ""
    try:
        raw = base64.b64decode(parameter + "=" * (-len(parameter) % 4), altchars=b"-_", validate=True)
        question = raw.decode()
    except (binascii.Error, ValueError):
        return ""
    return question if question.isprintable() else ""


def deep_link(username: str, question: str = "") -> str:
    """Address that opens the private chat, with the question ready when it is short enough."""
    packed = encode_question(question)
    return f"https://t.me/{username}?start={packed}" if packed else f"https://t.me/{username}"


async def publish_menus(bot: ExtBot[str], words: ChannelWords, default: Language) -> None:
    """Set commands and descriptions: for every scope once without language code and once for the other language.

    Raises:
        TelegramError: from the first request that fails; menus are a comfort, so callers go on.
    """
    for language in LANGUAGES:
        code = "" if language == default else language
        menu = {name: BotCommand(name, words(f"menu.{name}", language)) for name in (*MENU, *_GROUP_MENU)}
        for scope, names in (
            (BotCommandScopeDefault(), MENU),
            (BotCommandScopeAllPrivateChats(), MENU),
            (BotCommandScopeAllGroupChats(), _GROUP_MENU),
        ):
            await bot.set_my_commands([menu[name] for name in names], scope=scope, language_code=code)
        await bot.set_my_description(words("description", language), language_code=code)
        await bot.set_my_short_description(words("short_description", language), language_code=code)
