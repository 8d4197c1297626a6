"""Turns text of either language into search terms, the same way for passages and for questions.

A text becomes: canonical names of cards and models (`@rtx 3090`), concepts shared by both languages (`#bandwidth`),
stemmed Latin words and numbers, and bigrams of Han characters between function words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

import ahocorasick

_WORD = re.compile(r"[a-z0-9]+(?:[.+][a-z0-9]+)*\+*|[\u4e00-\u9fff]+")
_NUMBER_UNIT = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)\s?(gib|gb|g|tb|t|mb|kb|w|mhz|ghz)(?![a-z0-9])")
_VERSIONED = re.compile(r"(?:pcie|cuda|nvlink|pytorch|torch|python)(?=\d)")
_GLUED = re.compile(rf"(?<![a-z0-9])({_VERSIONED.pattern})")
"""Words that people write together with a version: "pcie4.0"."""
_PLAIN_UNIT = {"g": "gb", "gib": "gb", "t": "tflops"}
_VARIANT = re.compile(r"\s+(?:\d+\s?gb|pcie|sxm\d?|smx\d?|nvl|\(mod\))(?=\s|$)")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_REMEMBERED, _REMEMBERED_LENGTH = 8, 400
_REMEMBERED_WORDS = 20_000
_VOWELS = frozenset("aeiouy")


def normalise(text: str) -> str:
    """Width, case and white space evened out; hyphens and underscores become spaces."""
    text = unicodedata.normalize("NFKC", text).lower()
    text = text.replace("-", " ").replace("_", " ").replace("\u2019", "'")
    if _VERSIONED.search(text):
        text = _GLUED.sub(r"\1 ", text)
    return " ".join(text.split())


def has_han(text: str) -> bool:
    """Whether a text holds a Han character."""
    return not text.isascii() and _HAN.search(text) is not None


@lru_cache(maxsize=4096)
def name_key(name: str) -> str:
    """A card's name without maker, memory size and form, so that its variants meet: "a100" for "A100 80GB SXM4"."""
    key = _VARIANT.sub("", normalise(name).strip())
    for prefix in ("nvidia ", "geforce ", "tesla "):
        key = key.removeprefix(prefix)
    return key


def stem(word: str) -> str:
    """A light English stem: plural, -ing and -ed endings, with a doubled consonant undone."""
    if len(word) <= 3 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    word = _singular(word)
    for ending in ("ing", "ed"):
        if word.endswith(ending) and _is_verb(word, word[: -len(ending)]):
            return _undoubled(word[: -len(ending)])
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def _singular(word: str) -> str:
    """A word without the s of a plural: "gpus" has one, "bus" keeps its own."""
    if not word.endswith("s") or (word.endswith(("ss", "us", "is")) and not word.endswith("pus")):
        return word
    return word[:-2] if word.endswith(("ches", "shes", "xes", "sses")) else word[:-1]


def _is_verb(word: str, base: str) -> bool:
    """Whether what stands before an ending is long enough and has a vowel; "need" and "speed" have no ending."""
    return len(base) >= 3 and not word.endswith("eed") and not _VOWELS.isdisjoint(base)


def _undoubled(base: str) -> str:
    """A stem without the consonant that its ending doubled: "run" for "runn"."""
    return base[:-1] if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz" else base


def surface_terms(names: Mapping[str, str], concepts: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Term by even surface. `names`: surface -> canonical name; `concepts`: concept -> surfaces of both languages."""
    surfaces: dict[str, str] = {}
    for concept in sorted(concepts):
        for surface in concepts[concept]:
            surfaces.setdefault(normalise(str(surface)).strip(), f"#{concept}")
    for surface, name in names.items():
        term = f"@{name_key(name)}"
        plain = normalise(surface).strip()
        surfaces[plain] = term
        surfaces.setdefault(plain.replace(" ", ""), term)
    surfaces.pop("", None)
    return surfaces


class Analyzer:
    """Words of a text as terms. Knows names, concepts and function words; holds no passages."""

    def __init__(
        self,
        surfaces: Mapping[str, str],
        stop: Iterable[str] = (),
        digits: Mapping[str, str] | None = None,
        counters: Iterable[str] = (),
    ) -> None:
        """Take the words to know.

        `surfaces`: what `surface_terms` gave; `stop`: words dropped; `digits`: numerals read as figures when one of
        `counters` follows.
        """
        self.surfaces = surfaces
        self._finder = ahocorasick.Automaton()
        for surface, term in surfaces.items():
            self._finder.add_word(surface, (len(surface), term, surface[0].isascii(), surface[-1].isascii()))
        self._finder.make_automaton()
        # one character means something by itself only where no longer surface could begin
        self._begun = frozenset(surface[:2] for surface in surfaces if len(surface) > 1)
        even = {normalise(word).strip() for word in stop}
        self._stop_words = frozenset(map(stem, filter(str.isascii, even)))
        self._stop_han = _any_of(word for word in even if not word.isascii())
        self._digits = dict(digits or {})
        ahead = "".join(map(re.escape, counters))
        self._numeral = re.compile(f"[{''.join(self._digits)}](?=[{ahead}])") if self._digits and ahead else None
        self._words: dict[str, tuple[str, ...]] = {}
        self._read: dict[str, tuple[str, ...]] = {}

    def terms(self, text: str) -> tuple[str, ...]:
        """All terms of a text, in order, repeats kept. The last few short texts are remembered: a reply asks again."""
        known = self._read.get(text)
        if known is None:
            known = tuple(self._terms(text))
            if len(text) <= _REMEMBERED_LENGTH:
                if len(self._read) >= _REMEMBERED:
                    self._read = {}
                self._read[text] = known
        return known

    def _terms(self, text: str) -> list[str]:
        text = normalise(text)
        plain = text.isascii()
        if self._numeral is not None and not plain:
            text = self._numeral.sub(lambda match: f" {self._digits[match[0]]}", text)
        found = self._known(text)
        for number, unit in _NUMBER_UNIT.findall(text):
            found.append(f"{number}{_PLAIN_UNIT.get(unit, unit)}")
        if self._stop_han is not None and not plain:
            text = self._stop_han.sub(" ", text)
        words = self._words
        for word in _WORD.findall(text):
            known = words.get(word)
            found.extend(self._word(word) if known is None else known)
        return found

    def _word(self, word: str) -> tuple[str, ...]:
        """Terms of a Latin word or a run of Han characters; those read before are remembered."""
        if not word.isascii():
            terms = (word,) if len(word) == 1 else tuple(word[i : i + 2] for i in range(len(word) - 1))
        else:
            base = stem(word)
            terms = () if base in self._stop_words else (base,)
        if len(self._words) < _REMEMBERED_WORDS:
            self._words[word] = terms
        return terms

    def _known(self, text: str) -> list[str]:
        """Names and concepts, longest first, none inside another; Latin ones only between word boundaries."""
        if not self.surfaces:
            return []
        longest: dict[int, tuple[int, str]] = {}
        for last, (length, term, opens, closes) in self._finder.iter(text):
            start, stop = last - length + 1, last + 1
            if (opens and start and _joins(text[start - 1])) or (closes and not _ends(text, stop)):
                continue
            if length > 1 or text[start : start + 2] not in self._begun:
                # of those that begin at one place the longest comes last
                longest[start] = (stop, term)
        return _in_order(longest)


def _any_of(words: Iterable[str]) -> re.Pattern[str] | None:
    """A pattern of which one word matches, the longer ones first; None where there are none."""
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return re.compile("|".join(map(re.escape, ordered))) if ordered else None


def _in_order(longest: Mapping[int, tuple[int, str]]) -> list[str]:
    """The terms by where they begin, none inside another; `longest`: start -> end and term."""
    found, at = [], 0
    for start in sorted(longest):
        if start >= at:
            at, term = longest[start]
            found.append(term)
    return found


def _joins(neighbour: str) -> bool:
    """Whether a character would make a Latin word next to it longer."""
    return neighbour.isascii() and neighbour.isalnum()


def _ends(text: str, stop: int) -> bool:
    """Whether a Latin word may end at a place: what follows belongs to another, or is a mere plural."""
    if stop >= len(text) or not _joins(text[stop]):
        return True
    return text[stop] == "s" and not text[stop + 1 : stop + 2].isalnum()
