"""Finds many surfaces in a text in one pass, each standing on its own, and settles overlaps by length."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import ahocorasick

_SLIP_COSTS = 1.5
"""Characters that a form with a slip must be longer by to be preferred to a plain one."""
_LETTERS = frozenset(string.ascii_letters)
_ALNUM = frozenset(string.ascii_letters + string.digits)
_NOTHING: frozenset[str] = frozenset()

_Shape: TypeAlias = tuple[int, float, frozenset[str], frozenset[str]]
"""Of a surface: length, negative worth, the characters that must stand neither before nor after it."""
_Key: TypeAlias = tuple[int, int, bool, bool, bool]
_Entry: TypeAlias = tuple[int, _Shape, object]
"""Number of the book, shape, payload."""
Payload = TypeVar("Payload")
Meant: TypeAlias = tuple[tuple[str, ...], str]
"""Concepts, and the surface that stands for them."""
Meanings: TypeAlias = tuple[tuple[str, ...], tuple[tuple[str, str], ...]]
"""The groups in which a word competes, and the values that it stands for, each with its slot."""
Surfaces: TypeAlias = Iterable[tuple[str, int, bool, Payload]]
"""Form, rank (1 for one with a slip, which is Han throughout), whether any ending may follow, payload."""
Hit: TypeAlias = tuple[float, int, int, int, Payload]
"""Negative worth (length, less for a form with a slip), negative length, start, end, payload: sorts by worth, then
leftmost. A plain tuple, since most hits of a message lose to a longer one."""


class Finder(Generic[Payload]):
    """One automaton over the surfaces of several books, so that a text is walked once for all of them.

    Until it meets a text that is more than ASCII, it holds the surfaces of ASCII alone, a fifth of all of them: what a
    process does not read it need not make.
    """

    def __init__(self, *books: Callable[[], Surfaces[Payload]]) -> None:
        """Each book gives its surfaces anew; the hits of each are kept apart, in the order of the books."""
        self._books = books
        self._automaton = _automaton(_latin(book()) for book in books)
        self._is_whole = False

    def hits(self, text: str) -> list[list[Hit[Payload]]]:
        """For each book every surface that stands on its own, best first."""
        found: list[list[Hit[Payload]]] = [[] for _ in self._books]
        if not (self._is_whole or text.isascii()):
            self._automaton, self._is_whole = _automaton(book() for book in self._books), True
        automaton = self._automaton
        padded = text + " "  # what stands before the first character and after the last one
        for last, entries in automaton.iter(text) if len(automaton) else ():
            end = last + 1
            for book, (size, cost, before, after), payload in entries:
                start = end - size
                if padded[start - 1] not in before and padded[end] not in after:
                    found[book].append((cost, -size, start, end, payload))
        for hits in found:
            # no two hits share place and length, so a payload is never compared
            hits.sort()
        return found


def _latin(surfaces: Surfaces[Payload]) -> Surfaces[Payload]:
    return (surface for surface in surfaces if surface[0].isascii())


def _automaton(books: Iterable[Surfaces[Payload]]) -> ahocorasick.Automaton:
    """Each form with its entries in all books."""
    shapes: dict[_Key, _Shape] = {}
    entries: dict[str, tuple[_Entry, ...]] = {}
    for book, surfaces in enumerate(books):
        entry: tuple[_Entry, ...] = ()
        last: tuple[int, object] = (0, None)
        for form, rank, prefix, payload in surfaces:
            # the slips of one surface come together: those of one length share everything
            if not rank or last[0] != len(form) or last[1] is not payload:
                entry = ((book, _shape(form, rank, prefix, shapes), payload),)
                last = (len(form) if rank else 0, payload)
            entries[form] = entries[form] + entry if form in entries else entry
    automaton = ahocorasick.Automaton()
    for form, listed in entries.items():
        automaton.add_word(form, listed)
    automaton.make_automaton()
    return automaton


class Hits(NamedTuple):
    """What was found in one message on behalf of each book, best first."""

    concepts: list[Hit[Meant]]
    words: list[Hit[Meanings]]
    platforms: list[Hit[Meanings]]


class MessageFinder:
    """The books that messages are read with: concepts, value words, platforms."""

    def __init__(
        self,
        concepts: Callable[[], Surfaces[Meant]],
        words: Callable[[], Surfaces[Meanings]],
        platforms: Callable[[], Surfaces[Meanings]],
    ) -> None:
        """One automaton holds all three."""
        # each book has payloads of its own, which one list of books cannot say
        self._finder: Finder[Any] = Finder(concepts, words, platforms)

    def hits(self, text: str) -> Hits:
        """For each book every surface that stands on its own, best first."""
        return Hits(*self._finder.hits(text))


def _shape(form: str, rank: int, prefix: bool, shapes: dict[_Key, _Shape]) -> _Shape:
    """What must not stand around a surface: only between Latin letters and digits can it be part of a longer word.

    A word and a number come apart ("gpu0", "8gpu"), but "2x16gb" holds no "x16".
    """
    size = len(form)
    opens, closes = form[0] in _ALNUM, not prefix and form[-1] in _ALNUM
    alone = (opens or closes) and size > 2 and form.replace(" ", "").isalpha()
    key = (size, rank, opens, closes, alone)
    if key not in shapes:
        joining = _LETTERS if alone else _ALNUM
        shapes[key] = (size, _SLIP_COSTS * rank - size, joining if opens else _NOTHING, joining if closes else _NOTHING)
    return shapes[key]


def settle(hits: Iterable[Hit[Payload]], size: int, blocked: Iterable[tuple[int, int]] = ()) -> list[Hit[Payload]]:
    """Hits that do not overlap a better one or a blocked span, in the order of the text."""
    taken = bytearray(size)
    for start, end in blocked:
        taken[start:end] = b"\1" * (end - start)
    kept: list[Hit[Payload]] = []
    for hit in hits:
        _, _, start, end, _ = hit
        if taken.find(1, start, end) < 0:
            taken[start:end] = b"\1" * (end - start)
            kept.append(hit)
    kept.sort(key=_start)
    return kept


def _start(hit: Hit[object]) -> int:
    return hit[2]
