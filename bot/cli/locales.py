"""The language of whoever sits at the terminal, by the variables that every program there goes by."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from bot.core.message import Language

_VARIABLES: Final = ("LC_ALL", "LC_MESSAGES", "LANGUAGE", "LANG")
YUAN: Final = "CNY"


def language_of(stated: str = "", environment: Mapping[str, str] | None = None) -> Language:
    """The language that was named, else that of the locale; English where it is neither."""
    return stated_language(stated) or (locale_language(environment) or "en")


def stated_language(stated: str) -> Language | None:
    """`zh` or `en` as named, None for anything else."""
    return "zh" if stated == "zh" else "en" if stated == "en" else None


def locale_language(environment: Mapping[str, str] | None = None) -> Language | None:
    """The language of the locale; None where none is set (C, POSIX)."""
    known = os.environ if environment is None else environment
    told = next((known[name] for name in _VARIABLES if known.get(name)), "").casefold()
    if not told or told.split(".", 1)[0] in {"c", "posix"}:
        return None
    return "zh" if told.startswith("zh") else "en"


def currency_of(language: Language) -> str:
    """Currency to answer in where none is named."""
    return YUAN if language == "zh" else "USD"
