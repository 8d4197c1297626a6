"""How near words of a table stand to a number, what labels it, and which verb governs it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Final

from bot.read.measured_units import Measure
from bot.read.spotting import Spotted

SIGNS: Final = ",;.?!:\uff0c\u3002\uff1b\uff1f\uff01"
_BREAK: Final = re.compile(r"[;?!()]|(?<!\d)[,:]|[,:](?!\d)|\.(?=\s|$)")
_DIGITS: Final = re.compile(r"\d+")
_NEAR: Final = 24.0
"""Characters beyond which a word no longer says what a number is."""
_LABELLED: Final = 6
"""Characters between a label and its number: "batch size of 64"."""
_ELSEWHERE: Final = 0.35
"""What a word of another part of the sentence is worth."""


def parts(text: str) -> list[tuple[int, int]]:
    """The text cut at its signs."""
    cuts = [0, *(found.end() for found in _BREAK.finditer(text)), len(text)]
    return [(start, end) for start, end in pairwise(cuts) if end > start]


def nearest(spotted: Spotted, cut: list[tuple[int, int]], measure: Measure, cues: frozenset[str]) -> float:
    """What the nearest of these words is worth: right beside the number most, in its own part of the text more."""
    said = spotted.among(cues)
    if not said:
        return 0.0
    best = 0.0
    start, end = next(((a, b) for a, b in cut if a <= measure.start < b), (0, len(spotted.text)))
    for cue in said:
        for at in spotted.of(cue):
            gap = _gap(spotted.text, at, at + len(cue), measure)
            if gap <= _NEAR:
                worth = 2.0 / (1.0 + gap / 4.0) + min(len(cue), 8) / 20
                best = max(best, worth if start <= at < end else worth * _ELSEWHERE)
    return best


def _gap(text: str, start: int, end: int, measure: Measure) -> float:
    """Characters between a word and a number; a Han character counts double, other numbers between cost more."""
    if end <= measure.start:
        between = text[end : measure.start]
    elif start >= measure.end:
        between = text[measure.end : start]
    else:
        return 0.0
    wide = len(between) - sum(map(str.isascii, between))
    digits = len(_DIGITS.findall(between))
    return len(between) * 0.6 + wide * 0.6 + digits * 6.0


def labelled(spotted: Spotted, start: int, labels: Iterable[str], *, strictly: bool) -> bool:
    """Whether a label stands right before a number, small words between."""
    most = 0 if strictly else _LABELLED
    for label in spotted.said(labels):
        for at in spotted.of(label):
            between = spotted.text[at + len(label) : start].strip(" =:") if at < start else SIGNS
            if len(between) <= most and not any(c.isdigit() or c in SIGNS for c in between):
                return label != "x" or not between
    return False


def governed(
    spotted: Spotted, cut: list[tuple[int, int]], measure: Measure, verbs: Mapping[str, frozenset[str]]
) -> str:
    """The quantity whose verb stands last before a number in its part of the text; "" where none does."""
    start = next((a for a, b in cut if a <= measure.start < b), 0)
    last = [
        (at + len(word), quantity)
        for quantity, words in verbs.items()
        for word in spotted.among(words)
        for at in spotted.of(word)
        if start <= at and at + len(word) <= measure.start
    ]
    return max(last)[1] if last else ""
