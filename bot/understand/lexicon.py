"""Finds concepts: the shared ideas behind the words of both languages ("vram", "enough", "second_hand").

Surfaces come from the shared synonym table and from `bot/languages/concepts`. One automaton finds all of them in a
single pass; the longest match wins, and a surface may stand for several concepts. Slips are tolerated: an English
word of six letters or more may have one wrong, missing, doubled or swapped letter; a Chinese surface may have two
neighbours swapped or, from four characters on, one character wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import ahocorasick

from bot.understand.normalise import is_han

_PLAIN = str.maketrans({"-": " ", "_": " "})
_LONG_ENOUGH = 6


class Found(NamedTuple):
    """Concepts read at one place. `slip` says what was mended, or is empty."""

    start: int
    end: int
    concepts: tuple[str, ...]
    surface: str
    slip: str = ""


def flatten(text: str) -> str:
    """The form surfaces are matched in: hyphens and underscores as spaces, same length."""
    return text.translate(_PLAIN)


def inflections(word: str) -> tuple[str, ...]:
    """Regular English forms of a single word, the word itself first."""
    last = word.rsplit(" ", 1)[-1]
    if not last.isascii() or not last.isalpha() or len(last) < 3:
        return (word,)
    if word.endswith(("s", "x", "ch", "sh")):
        return (word, f"{word}es")
    if word.endswith("y") and word[-2] not in "aeiou":
        return (word, f"{word[:-1]}ies")
    return (word, f"{word}s")


class _Surface(NamedTuple):
    text: str
    concepts: tuple[str, ...]
    prefix: bool
    slip: str


class Lexicon:
    """All surfaces of all concepts, and the spelling repair over their vocabulary."""

    def __init__(
        self,
        concepts: Mapping[str, Iterable[str]],
        implied: Mapping[str, tuple[str, ...]],
        plain: Iterable[str],
        *,
        slips: bool = True,
        never_slips: Iterable[str] = (),
    ) -> None:
        """`concepts`: concept -> surfaces; `implied`: concept -> others it brings; `plain`: everyday words."""
        owners: dict[str, set[str]] = {}
        prefixes: dict[str, bool] = {}
        for concept in sorted(concepts):
            for surface in concepts[concept]:
                prefix = surface.endswith("*")
                base = flatten(surface.rstrip("*"))
                for form in (base,) if prefix else inflections(base):
                    owners.setdefault(form, set()).add(concept)
                    prefixes[form] = prefix or prefixes.get(form, False)
        self._automaton = ahocorasick.Automaton()
        table: dict[str, _Surface] = {}
        real_words = frozenset(never_slips)
        for form in sorted(owners):
            named = {other for concept in owners[form] for other in (concept, *implied.get(concept, ()))}
            table[form] = _Surface(form, tuple(sorted(named)), prefixes[form], "")
        for form in sorted(owners):
            for slipped in _han_slips(form) if slips else ():
                if slipped in real_words:
                    continue
                table.setdefault(slipped, _Surface(slipped, table[form].concepts, False, form))
        for form, surface in table.items():
            self._automaton.add_word(form, surface)
        self._automaton.make_automaton()
        self.vocabulary = frozenset(
            word for form in owners for word in form.split() if word.isascii() and word.isalpha() and len(word) > 2
        )
        self.known_words = self.vocabulary | frozenset(plain)
        self._prefixes = tuple(sorted(form for form, prefix in prefixes.items() if prefix and form.isascii()))
        self._whole = frozenset(form for form, prefix in prefixes.items() if not prefix) - frozenset(plain)
        self._deletes = _deletions(
            sorted(word for word in self.vocabulary if len(word) >= _LONG_ENOUGH and word not in plain)
        )

    def knows(self, word: str) -> bool:
        """Whether a Latin word is in the vocabulary or among the everyday words."""
        return word in self.known_words or word.startswith(self._prefixes)

    def repair(self, word: str) -> str:
        """The one known word that is a single slip away from an unknown word of six letters or more, or ""."""
        if len(word) < _LONG_ENOUGH or not word.isalpha() or self.knows(word):
            return ""
        candidates: dict[str, None] = {}
        for key in (word, *(word[:i] + word[i + 1 :] for i in range(len(word)))):
            for known in self._deletes.get(key, ()):
                candidates[known] = None
        close = sorted(known for known in candidates if _one_slip(word, known))
        return close[0] if close else ""

    def find(self, text: str, blocked: Iterable[tuple[int, int]] = ()) -> list[Found]:
        """Longest non-overlapping surfaces in a flattened text, in the order of the text; `blocked` spans are left out."""
        hits: list[tuple[int, int, int, _Surface]] = []
        size = len(text)
        for last, surface in self._automaton.iter(text):
            length = len(surface.text)
            start, end = last - length + 1, last + 1
            if start and _joins(text[start - 1], text[start], surface.text, before=True):
                continue
            if not surface.prefix and end < size and _joins(text[end - 1], text[end], surface.text, before=False):
                continue
            hits.append((1 if surface.slip else 0, -length, start, surface))
        hits.sort(key=lambda hit: hit[:3])
        taken = bytearray(size)
        for start, end in blocked:
            taken[start:end] = b"\1" * (end - start)
        found: list[Found] = []
        for _, negative, start, surface in hits:
            end = start - negative
            if any(taken[start:end]):
                continue
            taken[start:end] = b"\1" * (end - start)
            found.append(
                Found(start, end, surface.concepts, surface.slip or surface.text, surface.slip and surface.text)
            )
        found.sort()
        return found


def _joins(left: str, right: str, surface: str, *, before: bool) -> bool:
    """Whether two neighbours belong to one word or number: "gpu0" and "8gpu" come apart, "2x16gb" holds no "x16"."""
    if not (left.isascii() and right.isascii() and left.isalnum() and right.isalnum()):
        return False
    inner, outer = (right, left) if before else (left, right)
    whole_word = len(surface) > 2 and surface.replace(" ", "").isalpha()
    return not (whole_word and inner.isalpha() and outer.isdigit())


def _han_slips(form: str) -> list[str]:
    """Forms of a Chinese surface with one slip: two neighbours swapped (from two characters on)."""
    if len(form) < 2 or len(form) > 6 or not all(map(is_han, form)):
        return []
    slips = []
    for index in range(len(form) - 1):
        if form[index] != form[index + 1]:
            slips.append(form[:index] + form[index + 1] + form[index] + form[index + 2 :])
    return slips


def _deletions(words: list[str]) -> dict[str, tuple[str, ...]]:
    """Each word under itself and under each form with one letter left out."""
    table: dict[str, list[str]] = {}
    for word in words:
        for key in {word, *(word[:i] + word[i + 1 :] for i in range(len(word)))}:
            table.setdefault(key, []).append(word)
    return {key: tuple(value) for key, value in table.items()}


def _one_slip(left: str, right: str) -> bool:
    """Whether one letter inserted, left out, replaced or two neighbours swapped turns one word into the other."""
    if abs(len(left) - len(right)) > 1:
        return False
    start = 0
    limit = min(len(left), len(right))
    while start < limit and left[start] == right[start]:
        start += 1
    a, b = left[start:], right[start:]
    if len(a) == len(b):
        return a[1:] == b[1:] or (len(a) > 1 and a[0] == b[1] and a[1] == b[0] and a[2:] == b[2:])
    return a[1:] == b if len(a) > len(b) else a == b[1:]


def concept_surfaces(content: Mapping[str, Any], even: Callable[[str], str]) -> dict[str, tuple[str, ...]]:
    """Surfaces of each concept of one file (`concept: {zh: [...], en: [...]}`), both languages together."""
    return {
        concept: tuple(even(str(surface)) for language in ("zh", "en") for surface in words.get(language, ()))
        for concept, words in content.items()
    }
