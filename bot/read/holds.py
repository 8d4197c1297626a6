"""Which numbers of a message are of what there is, against which what is needed is held: a supply, a disk, a budget."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from bot.read.clock_spans import ARROW
from bot.read.measured_units import Measure
from bot.read.thing_words import any_of

_BEFORE, _BEHIND = 10, 8
"""Characters between a word and a number of which it is said, before and behind it."""
_BESIDE: Final = 3
"""The same of a Chinese word."""
_ANY, _SHARE, _TIME, _STEP = "any", "share", "time", "step"
_DATA, _RATE = "data", "data_rate"
_TIMES: Final = frozenset({"time", "day", "week", "month", "year"})


class Holds:
    """The words of `holds` in lexicon/terms.yaml, by the kind of number of which they are said. Holds no state."""

    def __init__(self, content: Mapping[str, Sequence[str]], spent: Sequence[str], even: Callable[[str], str]) -> None:
        """Take the words.

        Args:
            content: kind of number -> words; "any": of any number but a share.
            spent: right before or behind a value that is used up.
            even: normalises a word as messages are.
        """
        general, gone = content[_ANY], any_of(spent, even)
        self._spent = re.compile(rf"\s*(?:are |is |has been )?(?:{gone})"), re.compile(rf"(?:{gone})\s*$")
        self._words = {
            kind: re.compile(any_of([*words, *(general if kind != _SHARE else ())], even))
            for kind, words in content.items()
        }

    def say(self, measure: Measure, piece: str, tail: str) -> bool:
        """Whether a word beside a number says that so much is there.

        Args:
            measure: the number with its unit, and the words in it.
            piece: what stands before it, back to the number before.
            tail: what stands behind it.
        """
        if measure.kind == _TIME and ARROW in measure.text:
            return True
        work = measure.kind == _STEP or (measure.kind in _TIMES and measure.per)
        return not (work or self._is_spent(piece, tail)) and self._is_there(measure, piece, tail)

    def _is_spent(self, piece: str, tail: str) -> bool:
        """Whether the words right before or behind a number say that it is used up."""
        behind, before = self._spent
        return bool(behind.match(tail) or before.search(piece))

    def _is_there(self, measure: Measure, piece: str, tail: str) -> bool:
        kind = _RATE if measure.kind == _DATA and "time" in measure.per else measure.kind
        words = self._words.get(kind) or self._words[_ANY]
        if measure.kind not in _TIMES and words.search(measure.rated):
            return True
        gaps = [(found[0], len(piece) - found.end(), _BEFORE) for found in words.finditer(piece)]
        gaps += [(found[0], found.start(), _BEHIND) for found in words.finditer(tail)]
        return any(gap <= (reach if word.isascii() else _BESIDE) for word, gap, reach in gaps)


__all__ = ["Holds"]
