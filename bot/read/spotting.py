"""Finds all words of a table in a text in one pass, none inside a longer Latin word."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping, Set
from typing import Final

from ahocorasick import Automaton


class Spotted:
    """Where the words of a table stand in a text, found in one pass."""

    def __init__(self, text: str, places: Mapping[str, list[int]]) -> None:
        """`places` gives the beginnings of each word that stands anywhere."""
        self.text, self._places = text, places

    def add(self, word: str, places: list[int]) -> None:
        """Put in a word that is no text, such as "the name of a card"."""
        if places:
            self._places = {**self._places, word: places}

    @property
    def words(self) -> Iterable[str]:
        """The words that stand anywhere."""
        return self._places

    def of(self, word: str) -> list[int]:
        """Where a word begins, in order."""
        return self._places.get(word, _NOWHERE)

    def holds(self, word: str) -> bool:
        """Whether a word stands anywhere."""
        return word in self._places

    def any(self, words: frozenset[str]) -> bool:
        """Whether one of these words stands anywhere."""
        return not words.isdisjoint(self._places)

    def among(self, words: frozenset[str]) -> Set[str]:
        """Those of these words that stand anywhere."""
        return words.intersection(self._places)

    def said(self, words: Iterable[str]) -> list[str]:
        """Those of some words that stand anywhere, in the order of the words."""
        return [word for word in words if word in self._places]

    def within(self, word: str, start: int, end: int) -> bool:
        """Whether a word stands between two places."""
        if word not in self._places:
            return False
        last = end - len(word)
        return any(start <= at <= last for at in self._places[word])


_NOWHERE: Final[list[int]] = []
_LETTERS: Final = frozenset(string.ascii_letters)


class WordFinder:
    """All words of a table in one automaton."""

    def __init__(self, words: Iterable[str]) -> None:
        """`words` in the even form."""
        self._automaton = Automaton()
        for word in set(words):
            self._automaton.add_word(word, word)
        self._automaton.make_automaton()

    def spot(self, text: str) -> Spotted:
        """Every word of the table that stands in a text, none inside a longer Latin word."""
        places: dict[str, list[int]] = {}
        for last, word in self._automaton.iter(text):
            at = last + 1 - len(word)
            if _stands(text, word, at):
                places.setdefault(word, []).append(at)
        return Spotted(text, places)


def _stands(text: str, word: str, at: int) -> bool:
    """Whether a word that was found is no part of a longer Latin word."""
    tail = at + len(word)
    if word[0] in _LETTERS and at and text[at - 1] in _LETTERS:
        return False
    return word[-1] not in _LETTERS or text[tail : tail + 1] not in _LETTERS
