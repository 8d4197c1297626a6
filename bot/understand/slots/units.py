"""Units of all languages: which one starts at a token."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from bot.core.languages import LanguageWords
from bot.understand.slots.found import Reading
from bot.understand.tokens import Token


class Unit(NamedTuple):
    """A unit that stands behind a number; `kind` is "" where none does."""

    kind: str
    """Such as hour, cny, gib, card."""
    end: int
    """The token behind it."""
    text: str
    """How it is spelt."""


class Units:
    """Spellings of units by their first character, the longer ones first."""

    def __init__(self, languages: Iterable[LanguageWords], even: Callable[[str], str]) -> None:
        """`even` normalises a surface as messages are."""
        self._kinds: dict[str, str] = {}
        for words in languages:
            for kind, spellings in words.units.items():
                for spelling in spellings:
                    self._kinds.setdefault(even(spelling), kind)
        lengths: dict[str, set[int]] = {}
        for spelling in self._kinds:
            lengths.setdefault(spelling[0], set()).add(len(spelling))
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}

    def at(self, reading: Reading, index: int) -> Unit:
        """The unit that starts at a token; of no kind, ending there, where none does."""
        tokens = reading.tokens
        if index >= len(tokens):
            return Unit("", index, "")
        token = tokens[index]
        lengths = self._lengths.get(token.text[0])
        # the h of "8 H100" and the t of "2 T4" are no hours and no terabytes
        if lengths is None or reading.claimed[token.start]:
            return Unit("", index, "")
        start, text = token.start, reading.text
        for length in lengths:
            piece = text[start : start + length]
            kind = self._kinds.get(piece)
            if kind is None or _goes_on(text, start + length):
                continue
            stop = _token_behind(tokens, index, start + length)
            if stop:
                return Unit(kind, stop, piece)
        return Unit("", index, "")


def _token_behind(tokens: list[Token], index: int, end: int) -> int:
    """The token behind a character, counted from the one at `index`; 0 where it is not the end of one."""
    while index < len(tokens) and tokens[index].start < end:
        index += 1
    return index if tokens[index - 1].end == end else 0


def _goes_on(text: str, end: int) -> bool:
    """Whether a Latin word does not end here."""
    pair = text[end - 1 : end + 1]
    return len(pair) == 2 and pair.isascii() and pair.isalpha()
