"""Finds many surfaces in a text in one pass, each standing on its own, and settles overlaps by length."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from itertools import product
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
Payload = TypeVar("Payload")
_Entry: TypeAlias = tuple[int, _Shape, Payload]
"""Number of the book, shape, payload."""
_Forms: TypeAlias = dict[str, tuple[_Entry[Payload], ...]]
Meant: TypeAlias = tuple[tuple[str, ...], str]
"""Concepts, and the surface that stands for them."""
Meanings: TypeAlias = tuple[tuple[str, ...], tuple[tuple[str, str], ...]]
"""The groups in which a word competes, and the values that it stands for, each with its slot."""
Surfaces: TypeAlias = Iterable[tuple[str, int, bool, Payload]]
"""Form, rank (1 for one with a slip, which is Han throughout), whether any ending may follow, payload."""
Hit: TypeAlias = tuple[float, int, int, int, Payload]
"""Negative worth (length, less for a form with a slip), negative length, start, end, payload: sorts by worth, then
leftmost. A plain tuple, since most hits of a message lose to a longer one."""


Book: TypeAlias = Mapping[str, Surfaces[Payload]]
"""By each character the surfaces that begin with it."""
_Ends: TypeAlias = Iterable[tuple[int, tuple[_Entry[Payload], ...]]]
"""Where a form ends, its last character counted in, and what it is in all books."""


class Finder(Generic[Payload]):
    """The surfaces of several books, so that a text is walked once for all of them.

    Each character's surfaces are made when it is first met: what a process does not read it need not make. Who reads
    many texts has all of them made once (`prepare`), in one automaton that walks a text in a fifth of the time.
    """

    def __init__(self, *books: Book[Payload]) -> None:
        """The hits of each book are kept apart, in the order of the books."""
        self._books = books
        self._automaton: ahocorasick.Automaton | None = None
        self._forms: _Forms[Payload] = {}
        self._sizes: dict[str, list[int]] = {}
        """Lengths of the forms that begin with a character."""

    def prepare(self) -> None:
        """Make all surfaces now: it takes as long as some thousand texts without it."""
        if self._automaton is None:
            self._automaton = _automaton(_forms(self._books, set().union(*self._books)))
            self._forms, self._sizes = {}, {}

    def hits(self, text: str) -> list[list[Hit[Payload]]]:
        """For each book every surface that stands on its own, best first."""
        found: list[list[Hit[Payload]]] = [[] for _ in self._books]
        padded = text + " "  # what stands before the first character and after the last one
        for last, entries in self._ends(text):
            end = last + 1
            for book, (size, cost, before, after), payload in entries:
                start = end - size
                if padded[start - 1] not in before and padded[end] not in after:
                    found[book].append((cost, -size, start, end, payload))
        for hits in found:
            # no two hits share place and length, so a payload is never compared
            hits.sort()
        return found

    def _ends(self, text: str) -> _Ends[Payload]:
        """Every form in a text, wherever it begins."""
        if self._automaton is None:
            return self._walk(text)
        return self._automaton.iter(text) if len(self._automaton) else ()

    def _walk(self, text: str) -> _Ends[Payload]:
        """The same without an automaton: at each character every length that a form may have there."""
        made, sizes = self._forms, self._sizes  # a thread that prepares meanwhile puts others in their place
        for head in {head for head in text if head not in sizes}:
            forms = _forms(self._books, head)
            made.update(forms)
            sizes[head] = list({len(form) for form in forms})
        return [
            (start + size - 1, entries)
            for start, head in enumerate(text)
            for size in sizes[head]
            # what is cut off by the end of the text was met at a smaller length
            if start + size <= len(text) and (entries := made.get(text[start : start + size]))
        ]


def shelved(surfaces: Surfaces[Payload]) -> Book[Payload]:
    """Surfaces that are at hand as a book."""
    shelves: dict[str, list[tuple[str, int, bool, Payload]]] = {}
    for surface in surfaces:
        shelves.setdefault(surface[0][:1], []).append(surface)
    return shelves


def _forms(books: Iterable[Book[Payload]], heads: Iterable[str]) -> _Forms[Payload]:
    """Each form that begins with one of these characters, with its entries in all books."""
    shapes: dict[_Key, _Shape] = {}
    found: _Forms[Payload] = {}
    for (number, book), head in product(enumerate(books), heads):
        for form, rank, prefix, payload in book.get(head, ()):
            found[form] = (*found.get(form, ()), (number, _shape(form, rank, prefix, shapes), payload))
    return found


def _automaton(forms: _Forms[Payload]) -> ahocorasick.Automaton:
    automaton = ahocorasick.Automaton()
    for form, entries in forms.items():
        automaton.add_word(form, entries)
    automaton.make_automaton()
    return automaton


class Hits(NamedTuple):
    """What was found in one message on behalf of each book, best first."""

    concepts: list[Hit[Meant]]
    words: list[Hit[Meanings]]
    platforms: list[Hit[Meanings]]


class MessageFinder:
    """The books that messages are read with: concepts, value words, platforms."""

    def __init__(self, concepts: Book[Meant], words: Book[Meanings], platforms: Book[Meanings]) -> None:
        """One walk finds what stands in any of the three."""
        # each book has payloads of its own, which one list of books cannot say
        self._finder: Finder[Any] = Finder(concepts, words, platforms)
        self.prepare = self._finder.prepare

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
