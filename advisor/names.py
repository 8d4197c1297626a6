"""Names as people type them: one normal form, one index, near names when nothing fits.

An index never guesses: a name is known, or it is not and up to three near ones are offered.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

_SEPARATORS = re.compile(r"[\s_\-()]+")
NEAR_SCORE = 60.0
"""Likeness of the whole name (0-100) below which it is not worth suggesting: what shares a part is another thing."""


def name_key(name: str) -> str:
    """Normal form under which names are compared: width, case, spaces, hyphens and brackets do not matter."""
    return _SEPARATORS.sub("", unicodedata.normalize("NFKC", name).casefold())


@dataclass(slots=True)
class NameIndex:
    """Names of one kind of thing and the id each stands for. The first claim to a name stays."""

    ids: dict[str, str] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)
    """Key -> the spelling to show when the name is suggested."""
    clashes: list[tuple[str, str, str]] = field(default_factory=list)
    """(name, id that has it, id that also claims it)"""

    def add(self, ident: str, names: Iterable[str], shown: str) -> None:
        """Register the names of one thing; suggestions show it as `shown`."""
        for name in names:
            key = name_key(name)
            if not key:
                continue
            holder = self.ids.setdefault(key, ident)
            if holder != ident:
                self.clashes.append((name, holder, ident))
                continue
            self.shown.setdefault(key, shown)

    def find(self, name: str) -> str | None:
        """Id of exactly this name, or None."""
        return self.ids.get(name_key(name))

    def near(self, name: str, count: int = 3) -> tuple[str, ...]:
        """Up to `count` known names that look like this one, best first, without repeats."""
        from rapidfuzz import fuzz, process

        key = name_key(name)
        if not key:
            return ()
        found = process.extract(key, list(self.shown), scorer=fuzz.ratio, limit=count * 6, score_cutoff=NEAR_SCORE)
        found.sort(key=lambda hit: (-round(hit[1]), hit[0]))
        names: dict[str, None] = {}
        for hit, _score, _ in found:
            names.setdefault(self.shown[hit])
        return tuple(names)[:count]
