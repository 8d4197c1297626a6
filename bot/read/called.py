"""What the writer calls a thing whose price he names: the words right before the price, as they were typed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from bot.read.measured_units import Measure
from bot.understand.slots.found import Reading

_CUT: Final = re.compile(r"[,;.?!:()\n\uff0c\uff1b\u3002\uff1f\uff01\uff1a\u3001]")
_WORDS, _SIGNS = 3, 8
"""A name is no longer than so many Latin words, or so many Han characters."""
_SIGNS_OF_MONEY: Final = " $\u20ac\u00a3\u00a5"
_TEXT: Final = re.compile(r"[^\W\d_]")


class Called:
    """Words between a name and its price, and between two things, lexicon/measures.yaml."""

    def __init__(self, content: Mapping[str, Iterable[str]], even: Callable[[str], str]) -> None:
        """Take the part `called`; `even` normalises a word as messages are."""
        before, behind = (_any_of(content[kind], even) for kind in ("leads", "links"))
        self._leads = re.compile(rf"\s*(?:(?:{before})\s*)*")
        self._links = re.compile(rf"(?:\s*(?:{behind}))+$")

    def named(self, reading: Reading, measures: Sequence[Measure]) -> tuple[tuple[int, str], ...]:
        """The place of each price with what is called so; those without a name are left out."""
        found: list[tuple[int, str]] = []
        behind = 0
        for one in sorted(measures, key=lambda one: one.start):
            if one.kind in {"money", ""}:
                start, end = self._name(reading.text, behind, one.start)
                name = reading.raw[reading.offsets[start] : reading.offsets[end - 1] + 1] if end > start else ""
                if _TEXT.search(name):
                    found.append((one.start, name.strip()))
            behind = one.end
        return tuple(found)

    def _name(self, text: str, start: int, end: int) -> tuple[int, int]:
        """Where the name before a price begins and ends; nothing where there is none."""
        cut = max((found.end() for found in _CUT.finditer(text, start, end)), default=start)
        lead = self._leads.match(text, cut, end)
        begin = lead.end() if lead is not None else cut
        piece = self._links.sub("", text[begin:end].rstrip(_SIGNS_OF_MONEY))
        return _last_words(text, begin, begin + len(piece.rstrip()))


def _last_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The last few words of a piece, the last few signs where it is Han."""
    piece = text[start:end]
    if piece.isascii():
        words = list(re.finditer(r"\S+", piece))
        return (start + words[-_WORDS:][0].start(), end) if words else (start, start)
    return max(start, end - _SIGNS), end


def _any_of(words: Iterable[str], even: Callable[[str], str]) -> str:
    """A pattern of any of these words, whole ones where they are Latin, the longer first."""
    listed = sorted({even(str(word)) for word in words}, key=lambda word: (-len(word), word))
    return "|".join(rf"(?<![a-z]){re.escape(one)}(?![a-z])" if one.isascii() else re.escape(one) for one in listed)
