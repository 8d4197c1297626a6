"""Which parts of a text ask, and what kind of thing would fill each blank: money, days, cards, yes or no."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from bot.read.measures import UnitTable

_CUT: Final = re.compile(r"[;?!()]|(?<!\d)[,:]|[,:](?!\d)|\.(?=\s|$)")
_REACH: Final = 18
"""Characters behind "how many" in which its unit stands."""


class Blanks:
    """Words of asking, lexicon/asking.yaml."""

    def __init__(self, content: Mapping[str, Any], units: UnitTable, even: Callable[[str], str]) -> None:
        """`even` normalises a word as messages are."""
        self._units = units
        self._which = _evened(content["how_many"], even)
        self._yes = _evened(content["whether"], even)
        self._kinds = {kind: _evened(words, even) for kind, words in content["kinds"].items()}

    def read(self, text: str) -> tuple[frozenset[str], list[tuple[int, int]]]:
        """The kinds that are asked for, and the parts of the text that ask."""
        blanks: set[str] = set()
        parts: list[tuple[int, int]] = []
        start = 0
        for end in [*(found.end() for found in _CUT.finditer(text)), len(text)]:
            found = self._of(text[start:end])
            if found:
                blanks |= found
                parts.append((start, end))
            start = end
        return frozenset(blanks), parts

    def _of(self, part: str) -> set[str]:
        found = {kind for kind, words in self._kinds.items() if any(_holds(part, word) for word in words)}
        if any(_holds(part, word) for word in self._yes):
            found.add("verdict")
        for word in self._which:
            at = part.find(word)
            while at >= 0:
                found |= self._unit_behind(part, at + len(word))
                at = part.find(word, at + 1)
        return found

    def _unit_behind(self, part: str, at: int) -> set[str]:
        """The kind of the first unit behind "how many"; "any" where none is named."""
        for place in range(at, min(len(part), at + _REACH)):
            if place > at and part[place].isascii() and part[place].isalpha() and part[place - 1].isascii() and part[place - 1].isalpha():
                continue
            unit = self._units.at(part, place)
            if unit is not None:
                rate = self._rate(part, unit[1])
                return {f"{unit[0].kind}_rate"} if rate and unit[0].kind in {"data", "token", "item"} else {unit[0].kind}
        return {"any"}

    @staticmethod
    def _rate(part: str, end: int) -> bool:
        return part[end : end + 2] in {"/s", "ps"} or part[end:].lstrip().startswith(("per second", "a second", "each second"))


def _holds(text: str, word: str) -> bool:
    at = text.find(word)
    while at >= 0:
        tail = at + len(word)
        left = at and word[0].isascii() and word[0].isalpha() and text[at - 1].isascii() and text[at - 1].isalpha()
        right = tail < len(text) and word[-1].isascii() and word[-1].isalpha() and text[tail].isascii() and text[tail].isalpha()
        if not left and not right:
            return True
        at = text.find(word, at + 1)
    return False


def _evened(words: Any, even: Callable[[str], str]) -> tuple[str, ...]:
    return tuple(sorted({even(str(word)) for word in words}, key=lambda word: (-len(word), word)))
