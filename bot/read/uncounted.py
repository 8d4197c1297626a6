"""What is left out of account in words: a part of the text that says so names nothing of the numbers beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from bot.read.hints import evened
from bot.read.spotting import Spotted, WordFinder

_PART: Final = re.compile(r"[^,;.?!\n\uff0c\uff1b\u3002\uff1f\uff01]+")


class Uncounted:
    """Words that leave something out of account, lexicon/measures.yaml. Holds no state."""

    def __init__(self, words: Iterable[object], even: Callable[[str], str]) -> None:
        """`even` normalises a word as messages are."""
        self._finder = WordFinder(evened(words, even))

    def parts(self, text: str) -> list[tuple[int, int]]:
        """Where the parts stand that hold no number and leave something out of account."""
        told = self._finder.spot(text)
        places = [at for word in told.words for at in told.of(word)]
        parts = (found.span() for found in _PART.finditer(text)) if places else ()
        return [
            (start, end)
            for start, end in parts
            if any(start <= at < end for at in places) and not any(map(str.isdigit, text[start:end]))
        ]


def without(spotted: Spotted, parts: Iterable[tuple[int, int]]) -> Spotted:
    """What was found in a text but in these parts of it."""
    cut = list(parts)
    if not cut:
        return spotted
    kept = {word: [at for at in spotted.of(word) if not any(a <= at < b for a, b in cut)] for word in spotted.words}
    return Spotted(spotted.text, {word: places for word, places in kept.items() if places})
