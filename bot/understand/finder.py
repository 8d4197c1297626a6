"""Finds many surfaces in a text in one pass, each standing on its own, and settles overlaps by length."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import ahocorasick

_SLIP_COSTS = 1.5
"""Characters that a form with a slip must be longer by to be preferred to a plain one."""


class Hit(NamedTuple):
    """A surface at a place. Sorts by worth: its length, less for a form with a slip; then leftmost."""

    negative_worth: float
    negative_length: int
    start: int
    surface: str
    payload: Any


class Finder:
    """One automaton over all surfaces."""

    def __init__(self, surfaces: Mapping[str, tuple[int, bool, Any]]) -> None:
        """`surfaces`: form -> (rank, whether any ending may follow, payload)."""
        self._automaton = ahocorasick.Automaton()
        for form, (rank, prefix, payload) in surfaces.items():
            size, first, last = len(form), form[0], form[-1]
            alone = size > 2 and form.replace(" ", "").isalpha()
            # only between Latin letters and digits can a surface be part of a longer word
            opens = first.isascii() and first.isalnum()
            closes = not prefix and last.isascii() and last.isalnum()
            self._automaton.add_word(form, (form, size, _SLIP_COSTS * rank - size, opens, closes, alone, payload))
        self._automaton.make_automaton()
        self._empty = not surfaces

    def hits(self, text: str) -> list[Hit]:
        """Every surface that stands on its own, best first."""
        if self._empty:
            return []
        found: list[Hit] = []
        size = len(text)
        for last, (form, length, cost, opens, closes, alone, payload) in self._automaton.iter(text):
            start, end = last - length + 1, last + 1
            if opens and start and _joins(text[start], text[start - 1], alone):
                continue
            if closes and end < size and _joins(text[last], text[end], alone):
                continue
            found.append(Hit(cost, -length, start, form, payload))
        # no two hits share place and length, so a payload is never compared
        found.sort()
        return found


def _joins(inner: str, outer: str, alone: bool) -> bool:
    """Whether two neighbours belong to one word or number: "gpu0" and "8gpu" come apart, "2x16gb" holds no "x16"."""
    if not (inner.isascii() and outer.isascii() and inner.isalnum() and outer.isalnum()):
        return False
    return not (alone and inner.isalpha() and outer.isdigit())


def settle(hits: Iterable[Hit], size: int, blocked: Iterable[tuple[int, int]]) -> list[Hit]:
    """Hits that do not overlap a better one or a blocked span, in the order of the text."""
    taken = bytearray(size)
    for start, end in blocked:
        taken[start:end] = b"\1" * (end - start)
    kept: list[Hit] = []
    for hit in hits:
        start = hit.start
        end = start - hit.negative_length
        if 1 in taken[start:end]:
            continue
        taken[start:end] = b"\1" * (end - start)
        kept.append(hit)
    kept.sort(key=_start)
    return kept


def _start(hit: Hit) -> int:
    return hit.start
