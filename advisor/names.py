"""Names as people type them: one normal form, one index, near names when nothing fits.

An index never guesses: a name is known, or it is not and up to three near ones are offered.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

_SEPARATORS: Final = re.compile(r"[\s_\-()]+")
_NOTHING: Final = dict.fromkeys(map(ord, " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f_-()"))
"""The ASCII characters that `_SEPARATORS` matches."""
_NUMBER: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_LEAST_FIGURES: Final = 3
_LOOKED_AT: Final = 6
SAME_NUMBER: Final = 20.0
"""What the same number (of three figures or more) is worth in points of likeness."""
ALIKE: Final = 75.0
"""Likeness that a name with another number needs beside one with the same."""
SAME_SERIES: Final = 75.0
"""Likeness of two first words (0-100) from which one is taken for a slip of the other."""
NEAR_SCORE: Final = 60.0
"""Likeness of the whole name (0-100) below which it is not worth suggesting: what shares a part is another thing."""


def name_key(name: str) -> str:
    """Normal form under which names are compared: width, case, spaces, hyphens and brackets do not matter."""
    if name.isascii():
        return name.lower().translate(_NOTHING)  # most names; a third of the time
    return _SEPARATORS.sub("", unicodedata.normalize("NFKC", name).casefold())


@dataclass(slots=True)
class NameIndex:
    """Names of one kind of thing and the id each stands for. The first claim to a name stays."""

    ids: dict[str, str] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)
    """Key -> the spelling to show when the name is suggested."""
    groups: dict[str, str] = field(default_factory=dict)
    """Key -> who makes it: near names are offered of one maker only."""
    clashes: list[tuple[str, str, str]] = field(default_factory=list)
    """(name, id that has it, id that also claims it)"""

    def add(self, ident: str, names: Iterable[str], shown: str, group: str = "") -> None:
        """Register the names of one thing; suggestions show it as `shown`, beside others of its `group` only."""
        for name in names:
            key = name_key(name)
            if not key:
                continue
            holder = self.ids.setdefault(key, ident)
            if holder != ident:
                self.clashes.append((name, holder, ident))
                continue
            self.shown.setdefault(key, shown)
            self.groups.setdefault(key, group)

    def find(self, name: str) -> str | None:
        """Id of exactly this name, or None."""
        return self.ids.get(name_key(name))

    def near(self, name: str, count: int = 3, group: str | None = None) -> tuple[str, ...]:
        """Up to `count` known names that look like this one, best first, without repeats, all of one group.

        The group is the one given, else that of the likest name. A name with the same number goes before one that
        only looks alike: of "RTX 5080 Super" the RTX 5080 is nearer than the RTX 4080 Super.
        """
        key = name_key(name)
        if not key:
            return ()
        scored = self._likeness(key, [one for one in self.shown if group in (None, self.groups[one])], count)
        found = sorted(scored, key=lambda hit: (-round(scored[hit]), hit))
        of = self.groups[found[0]] if found and group is None else group
        names = dict.fromkeys(self.shown[hit] for hit in found if self.groups[hit] == of)
        return tuple(names)[:count]

    def _likeness(self, key: str, known: list[str], count: int) -> dict[str, float]:
        """The names worth offering for a key, each with its points."""
        from rapidfuzz import fuzz, process

        number = _longest_number(key)
        numbered = [one for one in known if number and number in one]
        hits = process.extract(key, known, scorer=fuzz.ratio, limit=count * _LOOKED_AT, score_cutoff=NEAR_SCORE)
        same = process.extract(key, numbered, scorer=fuzz.ratio, limit=count * 2)
        of_number = {hit for hit, _, _ in same}
        return {
            hit: score + SAME_NUMBER * (hit in of_number) + SAME_NUMBER * key.startswith(hit)
            for hit, score, _ in (*hits, *same)
            if not same or hit in of_number or score >= ALIKE
        }

    def near_series(self, name: str, count: int = 3) -> tuple[str, ...]:
        """Near names of the series that a name begins with, or of one whose first word is written almost so."""
        from rapidfuzz import fuzz

        series = series_of(name)
        if series in self.groups.values():
            return self.near(name, count, series)
        found = self.near(name, count)
        alike = found and fuzz.ratio(series, self.groups[name_key(found[0])]) >= SAME_SERIES
        return found if alike else ()


def _longest_number(key: str) -> str:
    """The figures by which a name is told from its neighbours, "" where there are too few of them."""
    return max((one for one in _NUMBER.findall(key) if len(one) >= _LEAST_FIGURES), key=len, default="")


def series_of(name: str) -> str:
    """The first word of a name, letters only: what near names of models must share ("qwen" of "Qwen3.5-35B-A3B")."""
    found = _WORD.match(unicodedata.normalize("NFKC", name).casefold().rsplit("/", 1)[-1].lstrip(" _-"))
    return found.group() if found else ""


@dataclass(frozen=True, slots=True)
class Makers:
    """Words that say who made a card (`data/makers.yaml`)."""

    words: Mapping[str, str]
    """Lower-case word -> maker."""

    def of(self, name: str) -> str | None:
        """The maker that a name says, None when it says none."""
        text = unicodedata.normalize("NFKC", name).casefold()
        said = (
            self.words[word] for word in re.split(r"[\s_()]+|-(?!head)|(?<=[^\W\d_])(?=\d)", text) if word in self.words
        )
        return next(said, None) or next((m for w, m in self.words.items() if not w.isascii() and w in text), None)
