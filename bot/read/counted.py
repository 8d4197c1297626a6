"""What is said of a measure behind it: "each", half of one more, of them: of the thing that was counted last."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.read.measured_units import Measure, Unit, UnitTable
from bot.read.places import behind_spaces, longest_first

_THINGS: Final = frozenset({"card", "machine", "psu", "process", "person", "request", "item", "stream"})
"""Kinds that are counted and of which each takes something."""
_TAKEN: Final = frozenset({"power", "data", "time"})
"""Kinds of what each takes; money has ways of its own to say so."""


def of_each(found: Sequence[Measure], measure: Measure, text: str, words: tuple[str, ...]) -> Measure:
    """A number with "each" behind it as counted for the thing that was counted last before it.

    Args:
        found: the numbers before.
        measure: the number.
        text: the whole text.
        words: for "each" behind a number.
    """
    if measure.kind not in _TAKEN or not text.startswith(words, behind_spaces(text, measure.end)):
        return measure
    thing = next((one.kind for one in reversed(found) if one.kind in _THINGS), "")
    if not thing or thing in measure.per:
        return measure
    return replace(measure, per=(*measure.per, thing), per_units=(*measure.per_units, thing))


_NOUN: Final = re.compile(r"\b(?:one|each|every|an?|per) [a-z]{3,}(?![\w-])")
"""One of a thing that no table knows."""
_COUNTED: Final = frozenset({"card", "machine", "round", "run", "step", "person", "process", "item"})
"""Kinds of which so many of them are spoken of."""
_UNNAMED: Final = frozenset({"", "item"})
"""Kinds of a number that names nothing but how many."""
_WHOLE_TIMES: Final = frozenset({"time", "day", "week", "month", "year"})
"""Kinds of which half of one more is said behind the unit."""


class Behind:
    """Words behind a number that say more of it, lexicon/measures.yaml. Holds no state."""

    def __init__(self, words: Mapping[str, Iterable[str]], units: UnitTable, even: Callable[[str], str]) -> None:
        """`even` normalises a word as messages are."""
        self._units = units
        self._them = longest_first(map(even, words["of_them"]))
        self._each = tuple(map(even, words["each"]))
        self._half = longest_first(map(even, words["half_behind"]))
        self._no_half = tuple(map(even, words["half_of_other"]))

    def read(self, text: str, measures: Iterable[Measure]) -> tuple[Measure, ...]:
        """The measures with what stands behind them."""
        return tuple(self._with_half(text, self._of_them(text, one)) for one in measures)

    def _with_half(self, text: str, one: Measure) -> Measure:
        """A time with half of one more of its unit that is said behind it."""
        half = "" if one.kind not in _WHOLE_TIMES or one.per else self._at(text, one.end, self._half)
        if not half or text.startswith(self._no_half, behind_spaces(text, one.end)) or not one.number:
            return one
        number = one.number + 0.5
        end = behind_spaces(text, one.end) + len(half)
        return replace(one, value=one.value / one.number * number, number=number, end=end, text=one.text + half)

    def _of_them(self, text: str, one: Measure) -> Measure:
        """A bare number of them as one of what was spoken of last; of pieces behind a noun, else of cards."""
        told = text[one.start : one.end].endswith(self._them) or self._at(text, one.end, self._them)
        if one.kind not in _UNNAMED or one.per or not told:
            return one
        other = self._units.units["those" if _NOUN.search(text, 0, one.start) else "card"]
        unit = self._last_counted(text, one.start) or other
        return replace(one, kind=unit.kind, unit=unit.name)

    def _last_counted(self, text: str, end: int) -> Unit | None:
        """The last thing before a place of which one or each is spoken of, else the last that can be counted."""
        found = [(at, unit) for at in range(end) if (unit := self._thing_at(text, at, end)) is not None]
        single = [unit for at, unit in found if self._is_single(text[:at].rstrip())]
        return next(iter([*reversed(single), *(unit for _, unit in reversed(found))]), None)

    def _is_single(self, before: str) -> bool:
        """Whether one or each is said before a thing, at most a word that says more of it between."""
        return before.endswith(self._each) or before.rpartition(" ")[0].endswith(self._each)

    def _thing_at(self, text: str, at: int, end: int) -> Unit | None:
        """The thing that can be counted whose word begins at a place, not in the middle of another word."""
        if at and text[at - 1].isalnum() and text[at].isascii():
            return None
        found = self._units.at(text, at)
        return found[0] if found is not None and found[0].kind in _COUNTED and found[1] <= end else None

    @staticmethod
    def _at(text: str, place: int, words: tuple[str, ...]) -> str:
        """The word of these that stands behind a place, "" where none does."""
        return next((one for one in words if text.startswith(one, behind_spaces(text, place))), "")
