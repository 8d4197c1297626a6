"""What words beside a value do with it: it comes on top, is taken off, is so much of something, shortens a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from advisor.calculators.expression import Atom
from advisor.calculators.reckon import MEASURED
from bot.read.targets import TermWords
from bot.read.term_places import NEAR, RIGHT_BEHIND, TIMES, TOUCHING, Place
from bot.read.term_units import SPANS, powers
from bot.read.thing_words import Near, any_of, words_of
from bot.read.things import Things

_TURNED: Final = 0.2
"""To take a share as it is beside a word that says what it comes on top of or is taken off."""
_UNPACED: Final = 0.15
"""To take a factor that words call a speed for another."""
_TIMES, _FOLD = "times", "fold"
_CUT: Final = 0.2
"""To take so many parts of the data for a price cut where no money is spoken of."""
ROWS: Final[Mapping[str, frozenset[str]]] = {
    "more": frozenset({"raised_share", "tax_rate"}),
    "less": frozenset({"discount"}),
    "of": frozenset({"efficiency", "utilization", "outlet_share"}),
    "speed": frozenset({"speedup"}),
    "year": frozenset({"rent_year"}),
    "plus": frozenset({"other_gb", "rest_w"}),
    "minus": frozenset({"resale"}),
}
"""What words near a number say -> the quantities whose words say so, too."""

_PLUS_A: Final = re.compile(r"(?:\+|\bplus(?: an?| another)?|\band (?:then )?add|\u52a0\u4e0a?)\s*$")
"""Right before a share that comes on top."""


class TermSigns:
    """The words of lexicon/terms.yaml beside values. Holds no state."""

    def __init__(self, content: TermWords, measures: Near, things: Things, even: Callable[[str], str]) -> None:
        """Take the words.

        Args:
            content: lexicon/terms.yaml.
            measures: lexicon/measures.yaml, for the words of quantities.
            things: words of what recurs and of what is taken.
            even: normalises a word as messages are.
        """

        def near(words: Iterable[str], kind: str = "") -> re.Pattern[str]:
            return re.compile(any_of([*words, *words_of(measures["rows"], ROWS.get(kind, frozenset()))], even))

        self._things = things
        self._more, self._less = near(content["more"], "more"), near(content["less"], "less")
        self._of, self._speed = near(content["of"], "of"), near(content["speed"], "speed")
        self._plus, self._minus = near(content["plus"], "plus"), near(content["minus"], "minus")
        self._paced, self._free = near(content["paced"]), re.compile(rf"\s?(?:{any_of(content['free'], even)})")
        self._every = re.compile(rf"(?:{things.recurring})\s*$")
        self._among = re.compile(rf"(?:{any_of(content['among'], even)})\s*$")
        self._shares = re.compile(rf"\s*(?:{any_of(content['share'], even)})")

    def factor(self, place: Place, *, paid: bool) -> Iterator[Atom]:
        """A share or a factor: what comes on top, what is left, how much faster, so much of it, so often a day."""
        spans = {name: -1 for name in place.measure.per if name in SPANS}
        if place.measure.kind == _TIMES and spans:
            yield from (Atom(place.measure.value, powers(unit)) for unit in (spans, {"run": 1, **spans}))
        else:
            parts = place.measure.kind == _FOLD and not paid
            yield from [Atom(place.measure.number, powers({_FOLD: 1}))] * parts
            yield from (one._replace(cost=one.cost + _CUT * parts) for one in self._plain(place))

    def _plain(self, place: Place) -> Iterator[Atom]:
        kind, value = place.measure.kind, place.measure.value
        turned = self._turned(place) if kind == "share" else []
        paced = self._is_pace(place)
        yield from (Atom(one, (), 0.0, "speed" if paced else "share") for one in turned or [value] * paced)
        if not paced or kind != "share":
            known = not turned and (kind == "fold" or place.says(self._of))
            yield Atom(value, (), _TURNED * bool(turned) + _UNPACED * paced, "share" if known else "share?")

    def _is_pace(self, place: Place) -> bool:
        """Whether a factor or a share says how fast the work goes."""
        if place.measure.kind == "share":
            return bool(self._paced.search(place.piece))
        return place.measure.kind == _TIMES and place.says(self._speed)

    def _turned(self, place: Place) -> list[float]:
        """A share as what all comes to with it on top, or without it."""
        share = place.measure.value
        told = ((self._more, 1.0 + share), (self._less, 1.0 - share), (self._things.taken, 1.0 - share))
        added = [1.0 + share] * bool(_PLUS_A.search(place.piece))
        return list(dict.fromkeys([*added, *(factor for words, factor in told if place.says(words))]))

    def _is_among(self, place: Place) -> bool:
        """Whether something is shared out among so many."""
        if place.measure.kind in MEASURED:
            return False
        return bool(self._among.search(place.piece) or self._shares.match(place.tail))

    def _is_every(self, place: Place) -> bool:
        """Whether something comes back after so much each time."""
        return not place.measure.per and place.measure.number > 1 and bool(self._every.search(place.piece))

    def sign(self, place: Place) -> str:
        """Whether a value comes on top, is taken off, or is one that something comes back every so often after."""
        if self._is_every(place) or self._is_among(place):
            return "every"
        if place.measure.kind in TIMES:
            return "-" if self._free.match(place.tail) else ""
        before, tail = place.piece[-NEAR:], place.tail
        if self._minus.search(before) or self._minus.search(tail[:RIGHT_BEHIND]):
            return "-"
        return "+" if self._plus.search(before) or self._plus.search(tail[:TOUCHING].replace("+", "")) else ""


__all__ = ["ROWS", "TermSigns"]
