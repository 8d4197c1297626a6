"""Words on a chart: in the reader's language where the word is known, and only characters that the fonts can draw.

Handlers name axes, parts and titles in English; `templates/_shared/words/chart.{zh,en}.yaml` says what is shown.
Names of cards and models are shown as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from bot.channels.words import channel_words
from bot.core.message import Language

FONT: Final = Path(__file__).parent / "fonts" / "XuankaSansSC-Regular.otf"
"""Chinese of everyday use; what it lacks is left out."""
_LONGEST: Final = 34
_LONGEST_TITLE: Final = 72
_NOT_A_KEY: Final = re.compile(r"[^a-z0-9]+")
_COUNTED: Final = re.compile(r"([\d.,]+) ([a-z /]+)")
_JOINED: Final = {"zh": "\uff1a", "en": ": "}
_LISTED: Final = {"zh": "\uff0c", "en": ", "}


def words(text: str, language: Language) -> str:
    """A label in a language; parts of "a: b" each for itself, and of "a, b" where the two are not known together."""
    known = channel_words("chart").everything(language)
    return _JOINED[language].join([_part(part, known, language) for part in text.split(": ")])


def _part(part: str, known: Mapping[str, str], language: Language) -> str:
    found = _known(part, known)
    if found or ", " not in part:
        return found or part
    return _LISTED[language].join([_known(one, known) or one for one in part.split(", ")])


def _known(part: str, known: Mapping[str, str]) -> str:
    """What is said for a part, also for one that begins with a number ("20 h a week"); empty where nothing is known."""
    if not part.isascii():
        return ""
    counted = _COUNTED.fullmatch(part)
    said = known.get(f"n_{_key(counted[2])}") if counted else None
    return said.replace("{n}", counted[1]) if said and counted else known.get(_key(part), "")


def _key(word: str) -> str:
    return _NOT_A_KEY.sub("_", word.casefold()).strip("_")


def label(text: str, language: Language, length: int = _LONGEST) -> str:
    """A label as it is drawn: cut to its length, and `$` is a dollar, not mathematics."""
    drawn = "".join(char for char in words(text, language) if char.isspace() or ord(char) in _drawable())
    kept = " ".join(drawn.split())
    cut = kept if len(kept) <= length else kept[: length - 1].rstrip() + "\u2026"
    return cut.replace("$", r"\$")


def title(text: str, language: Language) -> str:
    """A title as it is drawn."""
    return label(text, language, _LONGEST_TITLE)


@lru_cache(maxsize=1)
def _drawable() -> frozenset[int]:
    """Characters that one of the fonts has."""
    from matplotlib import get_data_path
    from matplotlib.ft2font import FT2Font

    latin = Path(get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
    return frozenset(code for path in (latin, FONT) for code in FT2Font(str(path)).get_charmap())
