"""A measure with the words around it, for sums put together as they are said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bot.read.measured_units import Measure
from bot.read.term_units import SPANS
from bot.read.thing_words import CUT, piece_before, shaped

NEAR, _TAIL, RIGHT_BEHIND, TOUCHING = 24, 16, 5, 3
"""Characters before and behind a number in which a word is said of it."""
_BESIDE: Final = 4
"""Those in which a Chinese word that says more of a share stands before or behind it."""
_ROUND_THE_CLOCK: Final = re.compile(r"24 ?[x/\u00d7] ?7|7 ?[x/\u00d7] ?24")
_OF_BEFORE: Final = re.compile(r"(?:\bfrom|\u4ece|\u7531)\s*$")
CHANGED: Final = re.compile(
    r"\s*(?:[\u52a0\u589e\u63d0\u6539\u5347\u964d\u6da8\u8c03\u6269\u53d8\u6362\u51cf\u9650\u538b\u780d\u7f29]{0,2}"
    r"[\u5230\u6210\u4e3a\u81f3]|to)\s*"
)
"""Between what a value was and what it is now."""
_BETWEEN: Final = re.compile(r"\bbetween (?:the )?$|\s?\u4e4b\u95f4")
TIMES: Final = SPANS | {"time"}
_FIRST_RUN: Final = re.compile(r"^[\u4e00-\u9fff]+")


@dataclass(frozen=True, slots=True)
class Place:
    """A measure and the words around it."""

    text: str
    measure: Measure
    piece: str
    """What stands before it in its part, back to the number before."""
    tail: str
    """What stands behind it in its part."""
    touches: bool
    """What stands before it follows right behind the number before."""

    @property
    def own(self) -> str:
        """What stands before it and does not touch the number before."""
        return _FIRST_RUN.sub("", self.piece) if self.touches else self.piece

    def says(self, words: re.Pattern[str]) -> bool:
        """Whether one of these stands beside the number; a Chinese one right beside it."""
        before = self.piece[-NEAR:]
        near = [(found[0], len(before) - found.end()) for found in words.finditer(before)]
        near += [(found[0], found.start()) for found in words.finditer(self.tail)]
        return any(word.isascii() or gap < _BESIDE for word, gap in near)


def places(text: str, measures: Sequence[Measure]) -> Iterator[tuple[Place, tuple[Measure, ...]]]:
    """The measures with the words around them; "24/7" is none."""
    asleep = [found.span() for found in _ROUND_THE_CLOCK.finditer(text)]
    behind, spoken = 0, ""
    for measure, parts in shaped(text, measures):
        before = piece_before(text, behind, measure.start)
        touches = bool(behind and before and text.startswith(before, behind))
        piece, behind = spoken + before, measure.end
        # what is said of an amount stands before the time behind which it comes: "sold it 20 months later for $1,050"
        spoken = f"{piece} " if measure.kind in TIMES and not measure.per and not CUT.search(piece) else ""
        if not any(start <= measure.start < end for start, end in asleep):
            yield Place(text, measure, piece, CUT.split(text[measure.end : measure.end + _TAIL])[0], touches), parts


def is_gone(place: Place) -> bool:
    """Whether a value is what something was before, or between how many it is."""
    before = _OF_BEFORE.search(place.piece) and CHANGED.match(place.tail)
    return bool(before or _BETWEEN.search(place.piece) or _BETWEEN.match(place.tail))


__all__ = ["CHANGED", "NEAR", "RIGHT_BEHIND", "TIMES", "TOUCHING", "Place", "is_gone", "places"]
