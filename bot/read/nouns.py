"""What a number counts: the noun behind a word or two that say more of it; one "each" that is said of two numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from bot.read.measured_units import Measure, Unit, UnitTable
from bot.read.places import BREAKS, behind_spaces, next_word
from bot.understand.slots.found import Reading

_NAMED: Final = frozenset({"item", "request", "person", "process", "step", "layer", "head", "core", "run", "parameter"})
"""Kinds whose noun may stand a few words behind its number: "900 small images"."""
_ADJECTIVES: Final = 2
"""Words between a number and its noun."""
_SHORTEST: Final = 3
"""Letters of the shortest word for "each", an article aside."""
_TELLING: Final = 5
"""Letters from which on a word says more of a noun and is no small one."""
_SIZED: Final = frozenset({"core", "data", "power", "process", "token"})
"""Kinds of which two are said of each of something: "12 cores and 90 GB per card"."""


class Nouns:
    """The noun that a number counts, behind words that say more of it. Holds no state."""

    def __init__(self, units: UnitTable, words: Iterable[object], even: Callable[[str], str]) -> None:
        """`words`: small words that stand before no noun of the number; `even` normalises them as messages are."""
        self._units = units
        self._small = frozenset(even(str(one)) for one in words)

    def behind(self, reading: Reading, end: int) -> tuple[Unit | None, int]:
        """The unit behind the next word or two, and where it ends; None and the place itself where there is none."""
        unit, after = self._behind(reading.text, end)
        return (unit, after) if reading.is_free(end, after) else (None, end)

    def _behind(self, text: str, end: int) -> tuple[Unit | None, int]:
        place = end
        for _ in range(_ADJECTIVES):
            start = behind_spaces(text, place)
            after = next_word(text, start)
            word = text[start:after] if after is not None else ""
            if start == place or not self._describes(word):
                break
            place = start + len(word)
            found = self._units.at(text, behind_spaces(text, place))
            if found is not None and found[0].kind in _NAMED:
                return found
        return None, end

    def _describes(self, word: str) -> bool:
        """Whether a word says more of the noun behind it."""
        return len(word) >= _TELLING and word.isascii() and word.isalpha() and word not in self._small

    def counted_for(self, text: str, start: int, word: str) -> tuple[Unit, int] | None:
        """The unit behind "each" or "per" and one word more: "each dataloader worker"."""
        if len(word) < _SHORTEST or not word.isascii():
            return None
        unit, end = self._behind(text, start - 1) if text[start - 1 : start] == " " else (None, start)
        return (unit, end) if unit is not None else None


def shared(found: Sequence[Measure], text: str, joins: tuple[str, ...]) -> list[Measure]:
    """Two numbers of which "each" is said once, behind the second, each with that."""
    listed = list(found)
    for at in range(len(listed) - 1, 0, -1):
        one, other = listed[at - 1], listed[at]
        between = text[one.end : other.start].strip()
        alike = {one.kind, other.kind} <= _SIZED and one.kind != other.kind and not one.per
        if alike and other.per and between in joins and BREAKS.isdisjoint(between):
            listed[at - 1] = replace(one, per=other.per, per_units=other.per_units)
    return listed
