"""Turns text of either language into search terms, the same way for passages and for questions.

A text becomes: canonical names of cards and models (`@rtx 3090`), concepts shared by both languages (`#bandwidth`),
stemmed Latin words and numbers, and bigrams of Han characters between function words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

_WORD = re.compile(r"[a-z0-9]+(?:[.+][a-z0-9]+)*\+*|[\u4e00-\u9fff]+")
_NUMBER_UNIT = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)\s?(gib|gb|g|tb|t|mb|kb|w|mhz|ghz)(?![a-z0-9])")
_GLUED = re.compile(r"(?<![a-z0-9])(pcie|cuda|nvlink|pytorch|torch|python)(?=\d)")
"""Words that people write together with a version: "pcie4.0"."""
_PLAIN_UNIT = {"g": "gb", "gib": "gb", "t": "tflops"}
_SPACES = re.compile(r"\s+")
_VARIANT = re.compile(r"\s+(?:\d+\s?gb|pcie|sxm\d?|smx\d?|nvl|\(mod\))(?=\s|$)")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_REMEMBERED, _REMEMBERED_LENGTH = 8, 400
_VOWELS = frozenset("aeiouy")


def normalise(text: str) -> str:
    """Width, case and white space evened out; hyphens and underscores become spaces."""
    text = unicodedata.normalize("NFKC", text).lower()
    text = _GLUED.sub(r"\1 ", text.replace("-", " ").replace("_", " ").replace("\u2019", "'"))
    return _SPACES.sub(" ", text)


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
    if word.endswith("s") and (word.endswith("pus") or not word.endswith(("ss", "us", "is"))):
        word = word[:-2] if word.endswith(("ches", "shes", "xes", "sses")) else word[:-1]
    for ending in ("ing", "ed"):
        base = word[: -len(ending)]
        if (
            word.endswith(ending)
            and not word.endswith("eed")
            and len(base) >= 3
            and any(letter in _VOWELS for letter in base)
        ):
            if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz":
                return base[:-1]
            return base
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


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
        lengths: dict[str, set[int]] = {}
        for surface in surfaces:
            lengths.setdefault(surface[:2], set()).add(len(surface))
        self._lengths = {start: tuple(sorted(found, reverse=True)) for start, found in lengths.items()}
        plain_stop = sorted({normalise(word).strip() for word in stop}, key=lambda s: (-len(s), s))
        self._stop_words = frozenset(stem(word) for word in plain_stop if word.isascii())
        han_stop = [re.escape(word) for word in plain_stop if not word.isascii()]
        self._stop_han = re.compile("|".join(han_stop)) if han_stop else None
        self._digits = dict(digits or {})
        ahead = "".join(map(re.escape, counters))
        self._numeral = re.compile(f"[{''.join(self._digits)}](?=[{ahead}])") if self._digits and ahead else None
        self._cache: dict[str, tuple[str, ...]] = {}
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
        if self._numeral is not None:
            text = self._numeral.sub(lambda match: f" {self._digits[match[0]]}", text)
        found = self._known(text)
        for number, unit in _NUMBER_UNIT.findall(text):
            found.append(f"{number}{_PLAIN_UNIT.get(unit, unit)}")
        if self._stop_han is not None and _HAN.search(text):
            text = self._stop_han.sub(" ", text)
        for word in _WORD.findall(text):
            if word.isascii():
                base = stem(word)
                if base not in self._stop_words:
                    found.append(base)
            else:
                found.extend(self._han(word))
        return found

    def _han(self, run: str) -> tuple[str, ...]:
        known = self._cache.get(run)
        if known is None:
            known = (run,) if len(run) == 1 else tuple(run[i : i + 2] for i in range(len(run) - 1))
            if len(self._cache) < 20_000:
                self._cache[run] = known
        return known

    def _known(self, text: str) -> list[str]:
        """Names and concepts, longest first, none inside another; Latin ones only between word boundaries."""
        found = []
        at, end = 0, len(text)
        lengths, surfaces = self._lengths, self.surfaces
        while at < end:
            fitting = lengths.get(text[at : at + 2]) or lengths.get(text[at])
            if fitting:
                for length in fitting:
                    surface = text[at : at + length]
                    term = surfaces.get(surface)
                    if term is not None and self._stands_alone(text, at, at + length, surface):
                        found.append(term)
                        at += length
                        break
                else:
                    at += 1
            else:
                at += 1
        return found

    @staticmethod
    def _stands_alone(text: str, start: int, stop: int, surface: str) -> bool:
        if surface[0].isascii() and start and text[start - 1].isascii() and text[start - 1].isalnum():
            return False
        if not surface[-1].isascii() or stop >= len(text):
            return True
        after = text[stop]
        if after == "s" and not text[stop + 1 : stop + 2].isalnum():
            return True
        return not (after.isascii() and after.isalnum())
