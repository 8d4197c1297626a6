"""Reads what a message does in a conversation: social line, follow-up without a predicate, yes, no, correction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from bot.core.languages import LanguageWords
from bot.understand.lexicon import flatten
from bot.understand.slots.found import Reading

_SMALL = 24
"""Han characters, a word counting as two, that a follow-up has at most."""


class Act(NamedTuple):
    """The dialogue act of one message."""

    social: bool
    elliptical: bool
    leaning: bool
    """Leans on the turn before ("and how long then?") though it has a predicate of its own."""
    mark: str


class ActReader:
    """Words of the dialogue acts, and which concepts make a predicate."""

    def __init__(
        self, languages: Iterable[LanguageWords], content: Mapping[str, Any], even: Callable[[str], str]
    ) -> None:
        """`content` is `languages/acts.yaml`."""
        self._marks: dict[str, str] = {}
        self._openers: list[tuple[str, str]] = []
        for words in languages:
            for mark, phrases in words.marks.items():
                for phrase in phrases:
                    self._marks.setdefault(flatten(even(phrase)), mark)
                    if mark == "correction":
                        self._openers.append((flatten(even(phrase)), mark))
        self._closing = tuple(flatten(even(word)) for word in content["taken_back"])
        self._sighs = tuple(sorted((flatten(even(word)) for word in content["sighs"]), key=len, reverse=True))
        self._openers.sort(key=lambda pair: (-len(pair[0]), pair[0]))
        self._opening = tuple(phrase for phrase, _ in self._openers)
        self._predicates = frozenset(content["predicates"])
        self._leads = tuple(flatten(even(word)) for word in content["leads"])
        self._tails = tuple(flatten(even(word)) for word in content["tails"])
        particles = "".join(even(p) for words in languages for p in words.particles if len(even(p)) == 1)
        self._strippable = particles + " ?!.,;~"

    def read(self, reading: Reading, traits: set[str]) -> Act:
        """The act of one message, from its words, slots and concepts."""
        flat = reading.flat.strip(" ?!.,;:~")
        bare = flat.rstrip(self._strippable) or flat
        mark = self._marks.get(flat) or self._marks.get(bare) or ""
        if not mark:
            mark = self._corrects(flat)
        social = "trait:social" in traits
        leads = flat.startswith(self._leads) and any(_starts(flat, lead) for lead in self._leads)
        tail = flat.endswith(self._tails)
        if reading.han + 2 * reading.latin > _SMALL or social or not self._predicates.isdisjoint(reading.concepts):
            elliptical = False
        else:
            elliptical = leads or tail or any(not value.negated for value in reading.values)
        return Act(social, elliptical, (leads or tail) and not elliptical, mark)

    def _corrects(self, flat: str) -> str:
        """ "correction" when a line begins ("oh, typo: ...") or ends (", sorry") like one."""
        sigh = next((sigh for sigh in self._sighs if _starts(flat, sigh)), "") if flat.startswith(self._sighs) else ""
        said = flat[len(sigh) :].lstrip(" ,.!~") if sigh else flat
        if said.startswith(self._opening) and any(len(said) > len(o) and said.startswith(o) for o, _ in self._openers):
            return "correction"
        closed = flat.endswith(self._closing) and any(_ends(flat, closing) for closing in self._closing)
        return "correction" if closed else ""


def _ends(text: str, word: str) -> bool:
    """Whether a text ends with a word that something stands before."""
    if not text.endswith(word) or len(text) == len(word):
        return False
    before = text[-len(word) - 1]
    return not (word[0].isascii() and word[0].isalpha() and before.isascii() and before.isalpha())


def _starts(text: str, word: str) -> bool:
    if not text.startswith(word):
        return False
    rest = text[len(word) :]
    return not (word[-1].isascii() and word[-1].isalpha() and rest and rest[0].isascii() and rest[0].isalpha())
