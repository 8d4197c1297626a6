"""The sentence of a passage that a question is about, for short forms that would otherwise leave it out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

_END = re.compile(r"(?<=[\u3002\uff1b\uff01\uff1f])|(?<=[.;!?])\s+|\n+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_BULLET = re.compile(r"^\s*-\s+")
AS_CLOSE = 0.85
"""A sentence says at least this share of what the short text says of the question."""
ADDS = 0.15
"""A sentence without figures adds at least this share of the question's weight that the short text lacks."""
ALIKE = 0.7
"""Share of terms in common from which a sentence without new figures repeats the short text."""
MANY = 3
"""Figures that a sentence adds even when it says nothing more of the question."""
SHORTEST, LONGEST = 18, 260
"""Characters; a longer sentence is left to the full form."""
_YEAR = re.compile(r"20[12]\d")


def sentences(text: str) -> list[str]:
    """The sentences and halves of sentences of neutral Markdown, without bullets and unpaired emphasis."""
    found = []
    for part in _END.split(text):
        plain = _BULLET.sub("", part or "").strip()
        if plain.count("**") % 2:
            plain = plain.replace("**", "")
        if plain:
            plain = plain[0].upper() + plain[1:]
            found.append(f"{plain[:-1]}." if plain[-1] == ";" else plain.replace("\uff1b", "\u3002"))
    return found


def telling(short: str, full: str, title: str, asked: dict[str, float], terms: Callable[[str], Iterable[str]]) -> str:
    """The sentence of `full` that is worth telling after `short`; empty when there is none.

    `asked`: terms of the question with their weight; `terms` reads a text. Figures of the title are those of names.
    """
    own, figures = set(terms(short)), set(_NUMBER.findall(f"{short} {title}"))
    known = sum(asked.get(term, 0.0) for term in sorted(own))
    total = sum(asked.values())
    best, best_weight = "", 0.0
    for sentence in sentences(full):
        if not SHORTEST <= len(sentence) <= LONGEST:
            continue
        found = set(terms(sentence))
        weight = sum(asked.get(term, 0.0) for term in sorted(found))
        if weight <= best_weight or weight < AS_CLOSE * known:
            continue
        stated = {number for number in _NUMBER.findall(sentence) if not _YEAR.fullmatch(number)}
        gain = sum(asked.get(term, 0.0) for term in sorted(found - own))
        repeats = len(found & own) > ALIKE * len(found)
        fresh = len(stated - figures)
        if (not fresh or (fresh < MANY and not gain)) if stated else (repeats or gain < ADDS * total):
            continue
        best, best_weight = sentence, weight
    return best
