"""Looks at the words beside a number: does one of these cues stand before or after it?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bot.understand.lexicon import flatten

_WINDOW = 26


class Cues:
    """Cue words by kind, and the glue that may stand between a cue and its number."""

    def __init__(self, content: Mapping[str, Any], even: Callable[[str], str]) -> None:
        """`content` is `languages/names/cues.yaml`; `even` normalises a surface."""
        self._before: dict[str, tuple[str, ...]] = {}
        self._after: dict[str, tuple[str, ...]] = {}
        self.words: dict[str, tuple[str, ...]] = {}
        self.per: dict[str, tuple[str, ...]] = {}
        self._glue = _longest_first(content["glue"], even)
        for kind, value in content.items():
            if kind == "per":
                self.per = {
                    unit: tuple(word for word in _longest_first(words, even) if len(word) > 1)
                    for unit, words in value.items()
                }
            elif isinstance(value, Mapping):
                self._before[kind] = _longest_first(value.get("before", ()), even)
                self._after[kind] = _longest_first(value.get("after", ()), even)
            else:
                self.words[kind] = _longest_first(value, even)

    def before(self, kind: str, text: str, start: int) -> bool:
        """Whether a cue of this kind ends right before `start`, glue aside."""
        return self.ends(self._before[kind], text, start)

    def after(self, kind: str, text: str, end: int) -> bool:
        """Whether a cue of this kind starts right after `end`."""
        piece = flatten(text[end : end + _WINDOW]).lstrip(" ()")
        if starts_with_word(piece, self._after[kind]):
            return True
        for word in self.words["after_glue"]:
            if piece.startswith(word):
                return starts_with_word(piece[len(word) :].lstrip(), self._after[kind])
        return False

    def either(self, kind: str, text: str, start: int, end: int) -> bool:
        """Whether a cue stands on one of the two sides."""
        return self.after(kind, text, end) or self.before(kind, text, start)

    def ends(self, words: tuple[str, ...], text: str, start: int) -> bool:
        """Whether one of the words ends right before `start`, with up to three pieces of glue between."""
        piece = flatten(text[max(0, start - _WINDOW) : start]).rstrip(" $\uffe5\u20ac\u00a3,")
        for _ in range(4):
            if ends_with_word(piece, words):
                return True
            shorter = self._without_glue(piece)
            if shorter == piece:
                return False
            piece = shorter
        return False

    def _without_glue(self, piece: str) -> str:
        if not piece.endswith(self._glue):
            return piece
        for glue in self._glue:
            if piece.endswith(glue) and ends_with_word(piece, (glue,)):
                return piece[: len(piece) - len(glue)].rstrip(" ,")
        return piece

    def starts(self, kind: str, text: str) -> bool:
        """Whether one of the listed words stands anywhere in a short piece of text."""
        return any(word in text for word in self.words[kind])

    def period(self, text: str, start: int, end: int) -> str:
        """hour, day, week, month or year when the number is a rate ("3 yuan an hour", "monthly 500")."""
        after = flatten(text[end : end + 16]).lstrip(" ,(")
        for unit, words in self.per.items():
            if starts_with_word(after, words):
                return unit
        for unit, words in self.per.items():
            if self.ends(words, text, start):
                return unit
        return ""


def _longest_first(words: Iterable[str], even: Callable[[str], str]) -> tuple[str, ...]:
    return tuple(sorted({flatten(even(str(word))) or str(word) for word in words}, key=lambda word: (-len(word), word)))


def starts_with_word(text: str, words: tuple[str, ...]) -> bool:
    """Whether a text starts with one of the words, not in the middle of a longer Latin word."""
    if not text.startswith(words):
        return False
    for word in words:
        if text.startswith(word):
            rest = text[len(word) :]
            if not (word[-1].isascii() and word[-1].isalpha() and rest and rest[0].isascii() and rest[0].isalpha()):
                return True
    return False


def ends_with_word(text: str, words: tuple[str, ...]) -> bool:
    """Whether a text ends with one of the words, not in the middle of a longer Latin word."""
    if not text.endswith(words):
        return False
    for word in words:
        if text.endswith(word):
            rest = text[: len(text) - len(word)]
            if not (word[0].isascii() and word[0].isalpha() and rest and rest[-1].isascii() and rest[-1].isalpha()):
                return True
    return False


def plain_number(value: float) -> int | float:
    """An int where the value is whole."""
    return int(value) if value == int(value) else round(value, 4)
