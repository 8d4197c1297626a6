"""Slash commands: what Discord is told of them, and what each becomes. All but two are words, as if they were typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bot.channels.words import LANGUAGES, ChannelWords
from bot.core.message import Language

_STRING: Final = 3
"""Type of an option that is text. Source: Discord's reference of application commands."""
_LOCALES: Final[Mapping[Language, tuple[str, ...]]] = {"zh": ("zh-CN", "zh-TW"), "en": ()}
_LONGEST: Final = 400


@dataclass(frozen=True, slots=True)
class Command:
    """A command with its options, in order; each option is required."""

    name: str
    options: tuple[str, ...] = ()
    action: str = ""
    """What it presses on the last answer."""
    plain: bool = False
    """Known further in by its name (/decide, /forget, /privacy)."""


COMMANDS: Final = (
    Command("ask", ("question",)),
    Command("fit", ("gpu", "model")),
    Command("compare", ("first", "second")),
    Command("price", ("gpu",)),
    Command("why", action="do:why"),
    Command("sources", action="do:sources"),
    Command("decide", plain=True),
    Command("privacy", plain=True),
    Command("forget", plain=True),
)


def described(words: ChannelWords) -> list[dict[str, object]]:
    """The commands as Discord wants them described, in all languages."""
    return [
        {
            "name": one.name,
            "type": 1,
            **_in_words(words, f"menu.{one.name}"),
            "options": [
                {
                    "type": _STRING,
                    "name": option,
                    **_in_words(words, f"option.{option}"),
                    "required": True,
                    "max_length": _LONGEST,
                }
                for option in one.options
            ],
        }
        for one in COMMANDS
    ]


def _in_words(words: ChannelWords, key: str) -> dict[str, object]:
    local = {place: words(key, language) for language in LANGUAGES for place in _LOCALES[language]}
    return {"description": words(key, "en"), "description_localizations": local}


def said(name: str, options: Mapping[str, str], words: ChannelWords, language: Language) -> tuple[str, str]:
    """Text and action of a command that was used."""
    command = next((one for one in COMMANDS if one.name == name), None)
    if command is None or command.plain:
        return f"/{name}", ""
    if command.action:
        return "", command.action
    values = {option: options.get(option, "") for option in command.options}
    return (values["question"] if name == "ask" else words(f"say.{name}", language, **values)), ""
