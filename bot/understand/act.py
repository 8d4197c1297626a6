"""Reads what a message does in a conversation: social line, follow-up without a predicate, yes, no, correction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from bot.core.languages import LanguageWords
from bot.understand.files import Acts
from bot.understand.lexicon import flatten
from bot.understand.slots.found import Reading

_CORRECTION = "correction"
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

    def __init__(self, languages: Iterable[LanguageWords], content: Acts, even: Callable[[str], str]) -> None:
        """`content` is `languages/acts.yaml`."""
        listed = list(languages)

        def flat(phrases: Iterable[str]) -> tuple[str, ...]:
            """Phrases in the form in which messages are matched."""
            return tuple(flatten(even(phrase)) for phrase in phrases)

        marked = [(mark, flat(phrases)) for words in listed for mark, phrases in words.marks.items()]
        self._marks: dict[str, str] = {}
        for mark, phrases in marked:
            for phrase in phrases:
                self._marks.setdefault(phrase, mark)
        self._opening = tuple(phrase for mark, phrases in marked if mark == _CORRECTION for phrase in phrases)
        self._closing = flat(content["taken_back"])
        self._sighs = tuple(sorted(flat(content["sighs"]), key=len, reverse=True))
        self._predicates = frozenset(content["predicates"])
        self._leads, self._tails = flat(content["leads"]), flat(content["tails"])
        particles = [even(particle) for words in listed for particle in words.particles]
        self._strippable = "".join(filter(_is_single, particles)) + " ?!.,;~"

    def read(self, reading: Reading, traits: set[str]) -> Act:
        """The act of one message, from its words, slots and concepts."""
        flat = reading.flat.strip(" ?!.,;:~")
        social = "trait:social" in traits
        leads = flat.startswith(self._leads) and any(_starts(flat, lead) for lead in self._leads)
        leaning = leads or flat.endswith(self._tails)
        elliptical = (
            not social
            and reading.han + 2 * reading.latin <= _SMALL
            and self._predicates.isdisjoint(reading.concepts)
            and (leaning or any(not value.negated for value in reading.values))
        )
        return Act(social, elliptical, leaning and not elliptical, self._mark(flat))

    def _mark(self, flat: str) -> str:
        """Yes, no, a correction and the like, where a whole line says no more; "" for none."""
        bare = flat.rstrip(self._strippable)
        mark = self._marks.get(flat) or self._marks.get(bare)
        return mark or (_CORRECTION if self._corrects(flat) else "")

    def _corrects(self, flat: str) -> bool:
        """Whether a line begins ("oh, typo: ...") or ends (", sorry") as a correction does."""
        sigh = next((sigh for sigh in self._sighs if _starts(flat, sigh)), "") if flat.startswith(self._sighs) else ""
        said = flat[len(sigh) :].lstrip(" ,.!~") if sigh else flat
        if said.startswith(self._opening) and any(said != o and said.startswith(o) for o in self._opening):
            return True
        return flat.endswith(self._closing) and any(_ends(flat, closing) for closing in self._closing)


def _is_single(particle: str) -> bool:
    return len(particle) == 1


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
