"""For what a part is asked of an amount: the cost of each epoch beside that of all, of a thousand pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from bot.read.blanks import Blank
from bot.read.measured_units import Measure, UnitTable
from bot.read.placed import Apiece
from bot.understand.slots.found import Reading

_COUNTED: Final = frozenset({"item", "round", "run", "request", "person", "card", "machine", "day", "week", "month"})
"""Kinds of things of which each may have its part."""
_RECORDED: Final = "time"
_CARD, _SHEET = "card", "item"
_MOST_CARDS: Final = 64
"""More of what counts cards are pictures."""


class ApieceReader:
    """Words for each and for sharing out, lexicon/measures.yaml."""

    def __init__(self, content: Mapping[str, Iterable[str]], units: UnitTable, even: Callable[[str], str]) -> None:
        """Take the part `apiece_asked`; `even` normalises a word as messages are."""
        each, out, recorded = (_any_of(content[kind], even) for kind in ("each", "shared_out", "recorded"))
        self._each = re.compile(rf"(?:{each})\s*")
        self._out = re.compile(rf"(?:{out})\s*")
        self._recorded = re.compile(rf"\s*(?:{recorded})")
        self._units = units

    def asked(self, reading: Reading, blanks: Sequence[Blank], measures: Sequence[Measure]) -> tuple[Apiece, ...]:
        """What has a part of the money that is asked for, in the order of the text."""
        if not any("money" in one.kinds for one in blanks):
            return ()
        taken = [(one.start, one.end) for one in measures]
        found = self._named(reading, min(one.start for one in blanks), taken)
        shared = [self._shared_out(reading, measure) for measure in measures]
        found += [one for one in shared if one is not None]
        return tuple(sorted(found, key=lambda one: one.start))

    def _named(self, reading: Reading, start: int, taken: Sequence[tuple[int, int]]) -> list[Apiece]:
        """Each of a kind that is named from the first asking part on, outside of amounts."""
        found: list[Apiece] = []
        for each in self._each.finditer(reading.text, start):
            unit = self._units.at(reading.text, each.end())
            if unit is None or any(begin <= each.start() < end for begin, end in taken):
                continue
            kind, end = unit[0].kind, unit[1]
            of = self._recorded.match(reading.text, end) if kind == _RECORDED else None
            if kind in _COUNTED or of is not None:
                end = of.end() if of is not None else end
                found.append(Apiece(kind, 1.0, each.start(), end, _typed(reading, each.start(), end)))
        return found

    def _shared_out(self, reading: Reading, measure: Measure) -> Apiece | None:
        """So many of a kind, a word for sharing out before them."""
        if measure.kind not in _COUNTED or measure.per:
            return None
        before = [one for one in self._out.finditer(reading.text, 0, measure.start) if one.end() == measure.start]
        if not before:
            return None
        start = before[0].start()
        kind = _SHEET if measure.kind == _CARD and measure.value > _MOST_CARDS else measure.kind
        return Apiece(kind, measure.value, start, measure.end, _typed(reading, start, measure.end))


def _typed(reading: Reading, start: int, end: int) -> str:
    return reading.raw[reading.offsets[start] : reading.offsets[end - 1] + 1].strip()


def _any_of(words: Iterable[str], even: Callable[[str], str]) -> str:
    """A pattern of any of these words, the longer first."""
    return "|".join(map(re.escape, sorted({even(str(word)) for word in words}, key=lambda one: (-len(one), one))))
