"""What the words of a wish say beside its slots: "on premises", "cheapest", "from scratch" (wish_words.yaml)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from advisor.errors import BadData, Problem
from advisor.files import load_yaml_files
from bot.core.request import Request

_WORDS = Path(__file__).with_name("wish_words.yaml")


def wishes(request: Request, name: str) -> bool:
    """Whether the message holds one of the words of this name."""
    text = unicodedata.normalize("NFKC", request.text).casefold()
    return _patterns()[name].search(text) is not None


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    """One pattern a name."""
    problems: list[Problem] = []
    content = load_yaml_files([_WORDS], problems).get(str(_WORDS), {})
    if problems:
        raise BadData(problems)
    return {
        name: re.compile("|".join(map(_cue, sorted(words, key=len, reverse=True)))) for name, words in content.items()
    }


def _cue(word: str) -> str:
    """A Latin word must not be part of a longer one."""
    plain = re.escape(word.casefold())
    return rf"(?<![a-z0-9]){plain}(?![a-z])" if word.isascii() else plain
