"""Times that are billed by the full hour: each of them is as many hours as it has begun."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import ceil
from typing import Final

from bot.read.measured_units import Measure
from bot.read.thing_words import any_of

_TIME, _HOUR = "time", "hour"
_NEARLY: Final = 1e-9


class WholeHours:
    """The words that say so. Holds no state."""

    def __init__(self, words: Iterable[str], even: Callable[[str], str]) -> None:
        """`words`: a time is rounded up to full hours; `even` normalises a word as messages are."""
        self._words = re.compile(any_of(words, even))

    def rounded(self, text: str, measures: Sequence[Measure]) -> tuple[Measure, ...]:
        """The measures, times in full hours where a message says that they are billed so; rates stay as they are."""
        if not self._words.search(text):
            return tuple(measures)
        return tuple(_full(one) if one.kind == _TIME and not one.per else one for one in measures)


def _full(time: Measure) -> Measure:
    """A time in full hours, told with what it is of."""
    hours = float(ceil(time.value - _NEARLY))
    if hours == time.value:
        return time
    text = f"{hours:g} h ({time.text})"
    return replace(time, value=hours, unit=_HOUR, number=hours, text=text, rated=text)


__all__ = ["WholeHours"]
