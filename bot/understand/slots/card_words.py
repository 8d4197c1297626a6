"""Cuts the name of a card into its base, its memory and its form factor."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from bot.understand.files import Cards
from bot.understand.slots.names import squeeze

MEMORY_UNITS: Final = frozenset({"g", "gb", "gib", "gig", "gigs"})
_CONSUMER: Final = re.compile(r"(?!2050)[1-5]0[5-9]0|16[356]0")  # 2050 alone is rather a year
_LAPTOP: Final = "laptop"
_SHORTEST_NUMBER: Final = 4
"""Figures of a number that is a card's beside a suffix, whoever made it."""


class Cut(NamedTuple):
    """The words of a name without brand, memory, form factor and remarks in parentheses."""

    words: list[str]
    memory: float | None
    """In GiB, None where the name says none."""
    form: str

    @property
    def base(self) -> str:
        """The words joined: what the variants of one card share."""
        return squeeze("".join(self.words))

    @property
    def is_laptop(self) -> bool:
        """Whether it is a card of portable computers."""
        return self.words[-1:] == [_LAPTOP]


class CardWords:
    """The words that names of cards are made of."""

    def __init__(self, grammar: Cards, cut: Callable[[str], list[str]]) -> None:
        """`cut` parts a name into words."""
        self.words = cut
        self.forms = grammar["forms"]
        self.brands = frozenset(grammar["brands"]["latin"])
        self._cuts: dict[str, Cut] = {}

    def cut(self, name: str) -> Cut:
        """A name by its parts. Remembered while names are loaded: each is asked for several times."""
        found = self._cuts.get(name)
        if found is None:
            found = self._cuts[name] = self._cut(name)
        return found

    def _cut(self, name: str) -> Cut:
        words = self.words(name if name.upper().startswith("TITAN X") else re.sub(r"\(.*?\)", " ", name))
        memory: float | None = None
        form, index = "", 0
        kept: list[str] = []
        while index < len(words):
            word, following = words[index], "".join(words[index + 1 : index + 2])
            if _is_memory(word, following, kept):
                memory, index = float(word), index + 2
            elif following and word + following in self.forms:
                form, index = self.forms[word + following], index + 2
            else:
                index += 1
                form = self.forms.get(word, form)
                if word not in self.forms and not self._is_brand(word, following, kept):
                    kept.append(word)
        return Cut(kept, memory, form)

    def is_bare(self, name: str) -> bool:
        """A plain number that means a card only with a brand before it or as a well-known series."""
        words = self.words(name)
        return len(words) == 1 and is_plain_number(words)

    def _is_brand(self, word: str, following: str, kept: Sequence[str]) -> bool:
        """Whether a word is the brand before a name, not a part of it."""
        return following != "" and not kept and word != "pro" and word in self.brands


def counting_words(grammar: Cards) -> frozenset[str]:
    """What stands behind a number that counts something and is no part of a name; words between two names are none."""
    counts = frozenset(map(str, (*grammar["counted"], *grammar["no_card_before"])))
    return counts.difference(map(str, grammar["joining"]))


def is_plain_number(words: Sequence[str]) -> bool:
    """Whether a name begins with a number that is not known as a card's by itself."""
    return words[0].isdigit() and not _CONSUMER.fullmatch(words[0])


def needs_brand(words: Sequence[str]) -> bool:
    """Whether a name is a number, or begins with a short one, that only a brand makes a card's."""
    return is_plain_number(words) and (len(words) == 1 or len(words[0]) < _SHORTEST_NUMBER)


def _is_memory(word: str, following: str, kept: Sequence[str]) -> bool:
    """Whether a number and its unit are the memory of a card, not the inside of a name ("M 4 G")."""
    if following not in MEMORY_UNITS or not word.replace(".", "").isdigit():
        return False
    return not (kept and len(kept[-1]) == 1 and len(word) < 3 and following == "g")
