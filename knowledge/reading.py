"""What a question is about in general, by the words of `data/reading.yaml`, before any passage is looked at."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Final

from knowledge.records import ReadingWords, Words
from knowledge.terms import Analyzer

_SPACED: Final = re.compile(r"(?<=[a-z0-9]) +(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff]) +(?=[a-z0-9])")
"""Spaces between Latin and Chinese, which people write or leave out as they like."""


class Vocabulary:
    """The groups of words by which questions are told apart."""

    def __init__(self, words: ReadingWords, analyzer: Callable[[], Analyzer]) -> None:
        """`analyzer` gives what reads the words as it reads questions; not every group of words needs it."""
        self._words, self._make_analyzer = words, analyzer

    @cached_property
    def _analyzer(self) -> Analyzer:
        return self._make_analyzer()

    def anchored(self, text: str) -> bool:
        """Whether a text names what only this subject has: a card, or one of the `anchors`."""
        return any(term[0] == "@" or term in self._anchors for term in self._analyzer.terms(text))

    def programs(self, text: str) -> frozenset[str]:
        """The programs and libraries of this trade that a text names."""
        return self._programs.intersection(self._analyzer.terms(text))

    def trade(self, text: str) -> frozenset[str]:
        """The same with formats of files and ways to adapt a model."""
        return (self._programs | self._formats).intersection(self._analyzer.terms(text))

    def things(self, text: str) -> frozenset[str]:
        """Programs, formats and methods that a text names: what can be set against each other."""
        return (self._programs | self._formats | self._methods).intersection(self._analyzer.terms(text))

    def says_nothing(self, text: str) -> bool:
        """Whether a text asks for a card, a price, something better, and for nothing in particular."""
        terms = self._analyzer.terms(text)
        return bool(terms) and self._bare.issuperset(terms)

    def names_source(self, text: str) -> bool:
        """Whether a text says whose word it wants ("what did the author recommend"): `sources`."""
        lowered = f" {_SPACED.sub('', text.casefold())}"
        for word in self._sources:  # noqa: SIM110 - asked of every message; any() takes three times as long
            if word in lowered:
                return True
        return False

    def foreign(self, text: str) -> bool:
        """Whether a text is about shares, games and the like (`foreign`), whatever it names besides."""
        return not self._foreign.isdisjoint(self._analyzer.terms(text))

    @cached_property
    def amounts(self) -> frozenset[str]:
        """Terms of a question that only asks how much."""
        return self._terms_of(self._words.get("amounts"))

    @cached_property
    def _anchors(self) -> frozenset[str]:
        return self._terms_of(self._words.get("anchors"))

    @cached_property
    def _programs(self) -> frozenset[str]:
        return self._named(self._words.get("programs"))

    @cached_property
    def _formats(self) -> frozenset[str]:
        return self._named(self._words.get("formats"))

    @cached_property
    def _methods(self) -> frozenset[str]:
        return self._named(self._words.get("methods"))

    @cached_property
    def _bare(self) -> frozenset[str]:
        return self._terms_of(self._words.get("bare"))

    @cached_property
    def _sources(self) -> tuple[str, ...]:
        # a phrase begins behind a space, which the text gets at its head
        return tuple(f" {word}" if " " in word else word for word in self._words.get("sources") or ())

    @cached_property
    def _foreign(self) -> frozenset[str]:
        return frozenset(f"#!{group}" for group in self._words.get("foreign") or ())

    def _named(self, words: Words | None) -> frozenset[str]:
        """Terms of listed names, without the concepts that they belong to."""
        terms = (term for word in map(str, words or ()) for term in self._analyzer.terms(word))
        return frozenset(term for term in terms if term[0] not in "#@")

    def _terms_of(self, words: Words | None) -> frozenset[str]:
        """Terms of listed words; concepts (#) as they are, and words as they stand too."""
        found: set[str] = set()
        for word in map(str, words or ()):
            found.add(word)
            if word[0] != "#":
                found.update(self._analyzer.terms(word))
        return frozenset(found)
