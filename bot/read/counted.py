"""What "each" means where nothing stands behind it: the thing that was counted last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.read.measured_units import Measure
from bot.read.places import behind_spaces

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
