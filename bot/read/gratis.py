"""What is free of an amount: traffic of which the first TB is free is paid for without that TB.

Of two amounts of one kind, counted for the same time, the one beside a word for "free" is taken off the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from bot.read.measured_units import Measure
from bot.read.places import BREAKS
from bot.read.spotting import Spotted, WordFinder

_NEAR: Final = 18
"""Characters between a word for "free" and its amount, in one part of the text."""
_KINDS: Final = frozenset({"time", "data", "energy", "token", "request", "item"})


class Gratis:
    """The words for what is not paid for, lexicon/measures.yaml. Holds no state."""

    def __init__(self, words: Iterable[object], even: Callable[[str], str]) -> None:
        """`even` normalises a word as messages are."""
        self._finder = WordFinder(even(str(word)) for word in words)

    def taken_off(self, text: str, measures: Sequence[Measure]) -> tuple[Measure, ...]:
        """The measures, what is free of an amount taken off it."""
        spotted = self._finder.spot(text)
        free = next((one for one in measures if one.kind in _KINDS and _is_free(spotted, one)), None)
        if free is None:
            return tuple(measures)
        paid = next((one for one in measures if _is_whole(one, free)), None)
        if paid is None:
            return tuple(measures)
        rest = replace(paid, value=paid.value - free.value, number=paid.number - free.number * _times(paid, free))
        return tuple(rest if one is paid else one for one in measures if one is not free)


def _times(paid: Measure, free: Measure) -> float:
    """What a number in the unit of what is free is in the unit of the whole amount."""
    unit = paid.value / paid.number if paid.number else 1.0
    return free.value / free.number / unit if free.number and unit else 1.0


def _is_free(spotted: Spotted, one: Measure) -> bool:
    """Whether a word for "free" stands before an amount or behind it, in its part of the text."""
    places = [(at, at + len(word)) for word in spotted.words for at in spotted.of(word)]
    gaps = [spotted.text[end : one.start] if end <= one.start else spotted.text[one.end : at] for at, end in places]
    return any(len(gap) <= _NEAR and BREAKS.isdisjoint(gap) and not any(map(str.isdigit, gap)) for gap in gaps)


def _is_whole(one: Measure, free: Measure) -> bool:
    """Whether an amount is the whole of which another is free."""
    return one is not free and (one.kind, one.per) == (free.kind, free.per) and one.value > free.value
