"""Names that no list holds, by where they stand: "what fits H1000", "can it run sd9".

A word of letters and figures that nothing else has read names a card where it is written like one of the catalogue
("h" and four figures) and stands where a card is asked about, and a model where it stands behind a word for running
one. It is given on as a name that is not known, so that an answer says so instead of going by what is left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from bot.understand.files import Strangers
from bot.understand.gazetteer import CardName
from bot.understand.slots.context import WordEnds, WordStarts, longest_first
from bot.understand.slots.found import Reading, Value

_CODE: Final = re.compile(r"(?<![a-z0-9.\-_/@])([a-z]+)[a-z0-9]*(?:[\-_.][a-z0-9]+)*(?![a-z0-9_@])")
"""A word of letters and figures, with the letters that it begins with."""
_OF_CARD: Final = re.compile(r"([a-z]{1,3})\d{2,4}[a-z]{0,2}")
_NAMED: Final = re.compile(r"\b([A-Z]{1,3})\d{2,4}[A-Za-z]{0,2}\b")
_MEMORY: Final = re.compile(r"^ ?\d{1,3} ?gb?(?![a-z])")
"""Behind the name of a card."""
_SIGNS: Final = ("", "?", ",", ".", "!")
"""What ends a question, or a part of it, behind a name."""
_SHORTEST: Final = 4
_LONGEST: Final = 24
"""Letters of a name without a figure, and of any."""
_RULE: Final = "a name that no list holds"


class NamesUnlisted:
    """Looks for such names in what other grammars left."""

    def __init__(
        self,
        cards: Iterable[CardName],
        of_cards: Strangers,
        of_models: Strangers,
        even: Callable[[str], str],
        is_word: Callable[[str], bool],
        nearest: Callable[[str], tuple[str, ...]],
    ) -> None:
        """Take the words beside such names.

        Args:
            cards: the catalogue: what letters stand before how many figures in the names of cards.
            of_cards: words before and behind a card that is asked about, letters that begin something else.
            of_models: the same of a model.
            even: normalises a surface.
            is_word: whether a word is known as another.
            nearest: cards with a number like this one.
        """
        named = [_NAMED.search(card.name) for card in cards]
        self._letters = frozenset(one[1].lower() for one in named if one)
        self._card, self._model = _Place(of_cards, even), _Place(of_models, even)
        self._is_word, self._nearest = is_word, nearest

    def read(self, reading: Reading) -> None:
        """Add every unlisted name that stands where one is asked about."""
        for match in _CODE.finditer(reading.text):
            if len(match[0]) > _LONGEST or not self._is_left(reading, match):
                continue
            card = self._is_card(match) and self._card.holds(reading.flat, match)
            if card or self._is_model(reading, match):
                self._add(reading, match, "gpu" if card else "model")

    def _is_left(self, reading: Reading, match: re.Match[str]) -> bool:
        """Whether nothing else has read a place: no name, no value, no word of the lexicon."""
        start, end = match.span()
        values = any(value.start < end and start < value.end for value in reading.values)
        # a word within a longer name that holds a figure is a part of it: "jina-embeddings-v2"
        numbered = any(map(str.isdigit, match[0]))
        words = any(
            found[0] < end and start < found[1] and not (numbered and found[1] - found[0] < end - start)
            for found in reading.places
        )
        return reading.is_free(start, end) and not values and not words

    def _is_card(self, match: re.Match[str]) -> bool:
        """Whether a code is written like the name of a card."""
        like = _OF_CARD.fullmatch(match[0])
        return like is not None and like[1] in self._letters and not self._card.is_else(match[1])

    def _is_model(self, reading: Reading, match: re.Match[str]) -> bool:
        """Whether a word may be the name of a model and is asked about as one."""
        if self._model.is_else(match[1]) or (match[0] == match[1] and not _is_name(reading, match)):
            return False
        return not self._is_word(match[1]) and self._model.holds(reading.flat, match)

    def _add(self, reading: Reading, match: re.Match[str], slot: str) -> None:
        start, end = match.span()
        said = reading.raw[reading.offsets[start] : reading.offsets[end - 1] + 1]
        value = Value(slot, said.upper() if slot == "gpu" else said, start, end, _RULE, known=False)
        if slot == "gpu":
            value.candidates = self._nearest(re.sub(r"\D", "", match[0]))
        reading.values.append(value)
        reading.claim(start, end)


def _is_name(reading: Reading, match: re.Match[str]) -> bool:
    """Whether a word without a figure is rather a name: Latin letters within Chinese text."""
    return len(match[0]) >= _SHORTEST and match.start() > 0 and reading.language == "zh"


class _Place:
    """Where one kind of name is asked about."""

    def __init__(self, words: Strangers, even: Callable[[str], str]) -> None:
        self._before = WordEnds(longest_first(map(even, words["before"])))
        self._behind = WordStarts(longest_first(map(even, words["behind"])))
        self._opened = WordStarts(longest_first(map(even, words["opened"])))
        self._else = frozenset(words["otherwise"].split())

    def is_else(self, letters: str) -> bool:
        """Whether these letters begin something else: a format, a unit, another part of a machine."""
        return letters in self._else

    def holds(self, text: str, match: re.Match[str]) -> bool:
        """Whether the words beside a name ask about it."""
        before, behind = text[: match.start()].rstrip(), _MEMORY.sub("", text[match.end() :]).lstrip()
        if not before and self._opened(behind):
            return True
        ends = behind[:1] in _SIGNS or bool(self._behind(behind))
        return bool(before) and bool(self._before(before)) and ends
