"""Bytes that are kept for each parameter, part by part: weights, gradients, what the optimizer holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.read.hints import evened
from bot.read.measured_units import Measure
from bot.read.placed import Amounts, Placed
from bot.read.readings import without

_UNKNOWN: Final = "state_gb"
_QUANTITY: Final = "bytes_per_param"
_BEHIND: Final = 6
"""Characters behind a number of bytes in which a word for each stands."""
_SURE: Final = 2.0


class Bytewise:
    """Parts of what training keeps, lexicon/measures.yaml."""

    def __init__(self, parts: Mapping[str, int], each: Sequence[str], even: Callable[[str], str]) -> None:
        """Take the lists of the lexicon.

        Args:
            parts: how many values for each parameter a word stands for.
            each: words for "each of them".
            even: normalises a word as messages are.
        """
        self._counts = {even(word): count for word, count in parts.items()}
        spelt = sorted(self._counts, key=lambda word: (-len(word), word))
        self._parts = re.compile("|".join(map(re.escape, spelt)))
        self._each = evened(each, even)

    def added(self, amounts: Amounts, text: str, measures: Sequence[Measure]) -> Amounts:
        """The amounts with the bytes of all parts as those of one parameter, where the state of training is asked."""
        if not any(one.name == _UNKNOWN and one.score >= _SURE for one in amounts.asked):
            return amounts
        found = self._found(text, [one for one in measures if one.kind == "byte"])
        taken = {one.measure.start for one in found}
        kept = without(amounts, taken)
        return replace(kept, placed=(*kept.placed, *found))

    def _found(self, text: str, sizes: Sequence[Measure]) -> list[Placed]:
        """The bytes of each parameter that each size stands for; none where no part is named."""
        starts = [0, *(one.end for one in sizes)]
        named = [self._parts.findall(text, start, one.start) for start, one in zip(starts, sizes, strict=False)]
        if not any(named):
            return []
        told = zip(starts, sizes, named, strict=False)
        return [Placed(one, _QUANTITY, one.value * self._times(text, at, one, words), _SURE) for at, one, words in told]

    def _times(self, text: str, start: int, size: Measure, words: Sequence[str]) -> int:
        """How many values of that size are kept: all parts where it is said of each, else one."""
        near = text[start : size.start] + text[size.end : size.end + _BEHIND]
        each = any(word in near for word in self._each)
        return sum(self._counts[word] for word in words) if each and words else 1
