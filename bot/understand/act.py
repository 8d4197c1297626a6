"""Reads what a message does in a conversation: social line, follow-up without a predicate, yes, no, correction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from bot.core.languages import LanguageWords
from bot.understand.lexicon import flatten
from bot.understand.slots.found import Reading

_SHORT_MARK = 14


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
        self._openers.sort(key=lambda pair: (-len(pair[0]), pair[0]))
        self._predicates = frozenset(content["predicates"])
        self._leads = tuple(flatten(even(word)) for word in content["leads"])
        self._tails = tuple(flatten(even(word)) for word in content["tails"])
        self._particles = "".join(even(p) for words in languages for p in words.particles if len(even(p)) == 1)

    def read(self, reading: Reading, traits: set[str]) -> Act:
        """The act of one message, from its words, slots and concepts."""
        flat = flatten(reading.text).strip(" ?!.,;:~")
        bare = flat.rstrip(self._particles + " ?!.,;~") or flat
        mark = self._marks.get(flat) or self._marks.get(bare) or ""
        if not mark:
            mark = next((m for phrase, m in self._openers if flat.startswith(phrase) and len(flat) > len(phrase)), "")
        social = "trait:social" in traits
        leads = flat.startswith(self._leads) and any(_starts(flat, lead) for lead in self._leads)
        tail = flat.endswith(self._tails)
        has_slot = any(not value.negated for value in reading.values)
        predicate = bool(reading.concepts & self._predicates)
        words = sum(1 for token in reading.tokens if token.kind in "wn")
        han = sum(1 for token in reading.tokens if token.kind == "h")
        small = han + 2 * words <= 24
        elliptical = small and not predicate and not social and (leads or tail or has_slot)
        return Act(social, elliptical, (leads or tail) and not elliptical, mark)


def _starts(text: str, word: str) -> bool:
    if not text.startswith(word):
        return False
    rest = text[len(word) :]
    return not (word[-1].isascii() and word[-1].isalpha() and rest and rest[0].isascii() and rest[0].isalpha())
