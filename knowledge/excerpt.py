"""The sentence of a passage that a question is about, for short forms that would otherwise leave it out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_END = re.compile(r"(?<=[\u3002\uff1b\uff01\uff1f])|(?<=[.;!?])\s+|\n+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_BULLET = re.compile(r"^\s*-\s+")
AS_CLOSE = 0.85
"""A sentence says at least this share of what the short text says of the question."""
MUCH, ADDING = 0.25, 0.5
"""The same, lower, for a sentence that speaks of much of the question that the short text leaves out."""
ADDS = 0.15
"""A sentence without figures adds at least this share of the question's weight that the short text lacks."""
ALIKE = 0.7
"""Share of terms in common from which a sentence without new figures repeats the short text."""
REPEATING, ROOM = 0.6, 200
"""The same for a sentence that the question does not plainly speak of, and its most width; Han characters count 2."""
FIGURE, WORD = 0.1, 0.03
"""What a new figure and a new word are worth beside it, as shares of the question."""
MANY = 3
"""Figures that a sentence adds even when it says nothing more of the question."""
SHORTEST, LONGEST = 18, 260
"""Characters; a longer sentence is left to the full form."""
_HAN = re.compile("[\\u4e00-\\u9fff]")
_YEAR = re.compile(r"20[12]\d")
_GAP = "\t"
"""Stands between terms that are written together; no term holds one."""


def sentences(text: str) -> list[str]:
    """The sentences and halves of sentences of neutral Markdown, without bullets and unpaired emphasis."""
    found = []
    for part in _END.split(text):
        plain = _BULLET.sub("", part or "").strip()
        if plain.count("**") % 2:
            plain = plain.replace("**", "")
        if plain:
            # a Chinese sentence may begin with a command or a name as it is written
            plain = plain if _HAN.search(plain) else plain[0].upper() + plain[1:]
            found.append(f"{plain[:-1]}." if plain[-1] == ";" else plain.replace("\uff1b", "\u3002"))
    return found


class Sentence(NamedTuple):
    """A sentence of a full text, and how it stands to the short text."""

    text: str
    terms: frozenset[str]
    fresh: int
    """How many figures the short text lacks."""
    stated: bool
    """Whether it has figures at all."""
    common: int
    """How many of its terms the short text has."""
    wide: int
    """Its width; Han characters count 2."""

    def adds(self, gain: float, total: float) -> bool:
        """Whether it says more than the short text: a new figure, or enough of the question where it has none.

        `gain`: what it says of the question, of `total`, that the short text leaves out.
        """
        if self.stated:
            return self.fresh > 0 and (self.fresh >= MANY or gain > 0)
        return self.common <= ALIKE * len(self.terms) and gain >= ADDS * total


@dataclass(frozen=True, slots=True)
class Reading:
    """A passage in one language, read for `telling`: terms of its short text, and each sentence of the full one."""

    own: frozenset[str]
    sentences: tuple[Sentence, ...]

    @classmethod
    def of(cls, short: str, full: str, title: str, terms: Callable[[str], Iterable[str]]) -> Reading:
        """Read the texts; `terms` reads one. Figures of the title are those of names."""
        own, figures = frozenset(terms(short)), set(_NUMBER.findall(f"{short} {title}"))
        read = []
        for sentence in sentences(full):
            if SHORTEST <= len(sentence) <= LONGEST:
                found = frozenset(terms(sentence))
                stated = {number for number in _NUMBER.findall(sentence) if not _YEAR.fullmatch(number)}
                wide = sum(2 if character > "\u2e7f" else 1 for character in sentence)
                fresh = len(stated - figures)
                read.append(Sentence(sentence, found, fresh, bool(stated), len(found & own), wide))
        return cls(own, tuple(read))

    def written(self) -> str:
        """The reading as one text, in which it takes little room until it is wanted."""
        read = [(text, _GAP.join(sorted(found)), *rest) for text, found, *rest in self.sentences]
        return json.dumps([_GAP.join(sorted(self.own)), read], ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def parse(cls, written: str) -> Reading:
        """Take back what `written` gave."""
        own, read = json.loads(written)
        return cls(_together(own), tuple([Sentence(text, _together(found), *rest) for text, found, *rest in read]))

    def telling(self, asked: Mapping[str, float]) -> str:
        """The sentence that is worth telling after the short text; empty when there is none.

        `asked`: terms of the question with their weight.
        """
        total = sum(asked.values())
        words = [(term, says, term in self.own) for term, says in asked.items()]
        known = sum(says for _, says, told in words if told)
        best, best_weight = "", 0.0
        weights = []
        for sentence in self.sentences:
            weight, gain = _said(words, sentence.terms)
            weights.append(weight)
            least = (ADDING if gain >= MUCH * total else AS_CLOSE) * known
            if weight > best_weight and weight >= least and sentence.adds(gain, total):
                best, best_weight = sentence.text, weight
        return best or self._adding(weights, total or 1.0)

    def _adding(self, weights: Sequence[float], total: float) -> str:
        """The sentence that adds most when none speaks of the question as plainly: the reason behind a short text.

        `weights`: what each sentence says of the question, of `total`. The first sentence of a full text says what the
        short one says.
        """
        best, most = "", 0.0
        for (sentence, found, fresh, _, common, wide), weight in zip(self.sentences[1:], weights[1:], strict=True):
            if not weight or wide > ROOM or common > REPEATING * len(found):
                continue
            adds = weight / total + FIGURE * min(fresh, MANY) + WORD * (len(found) - common)
            if adds > most:
                best, most = sentence, adds
        return best


def _said(words: Iterable[tuple[str, float, bool]], terms: frozenset[str]) -> tuple[float, float]:
    """How much of a question a sentence says, and how much of that the short text leaves out.

    `words`: terms of the question, what each says, whether the short text has it.
    """
    weight = gain = 0.0
    for term, says, told in words:
        if term in terms:
            weight += says
            if not told:
                gain += says
    return weight, gain


def _together(terms: str) -> frozenset[str]:
    """Terms that were written together."""
    return frozenset(terms.split(_GAP)) if terms else frozenset()
