"""Strips the "@BotName " that WeCom leaves in front of what was said in a group.

Display names may hold spaces, and one or two spaces follow them, so a name that is not known can only be guessed: up
to two spaces in a row, else the first word. A later @ is part of the question and stays.
"""

from __future__ import annotations

import re

_GAP = re.compile(r"[\s\u2005\u200b]*")
_FIRST_WORD = re.compile(r"@[^\s\u2005]+[\s\u2005\u200b]*")
_TO_GAP = re.compile(r"@[^\n]{1,32}?(?:[^\S\n]{2}|\u2005)[\s\u2005\u200b]*")


def strip_mention(text: str, bot_name: str, *, guess: bool) -> str:
    """The text without the mention at its start.

    Args:
        text: as it came.
        bot_name: the bot's display name, or nothing when it is not known.
        guess: take any leading @ for the bot's mention (groups push only what mentions it).
    """
    rest = text.strip()
    name = bot_name.strip().removeprefix("@")
    exact = _without_name(rest, name)
    if exact is not None:
        return exact
    if not guess or not rest.startswith("@"):
        return rest
    found = _TO_GAP.match(rest) or _FIRST_WORD.match(rest)
    if found is None:
        return rest
    rest = rest[found.end() :].strip()
    after = _without_name(rest, name)
    return rest if after is None else after


def _without_name(text: str, name: str) -> str | None:
    """The text behind "@name", or None when it does not begin with it."""
    if not name or not text.startswith("@"):
        return None
    found = text[1 : len(name) + 1]
    if found.casefold() != name.casefold():
        return None
    rest = text[len(name) + 1 :]
    if rest and name[-1].isascii() and name[-1].isalnum() and rest[0].isascii() and rest[0].isalnum():
        return None
    return rest[_end(rest) :].strip()


def _end(text: str) -> int:
    found = _GAP.match(text)
    return found.end() if found else 0
