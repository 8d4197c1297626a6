"""What a number counts where its word stands for two things: people or requests, boards or coins."""

from __future__ import annotations

import re

from bot.read.measured_units import Measure

_REQUEST, _PEOPLE = "request", "\u4eba"
_COUNTED, _SIZED = re.compile("\u5757$"), re.compile(r"\s?\d[\d.]*\s?(?:[tg]b?|w)(?![a-z])")
"""The word that counts boards and coins alike, and the size of a board behind it."""


def are_people(measure: Measure) -> bool:
    """Whether so many are called people: requests at once they may be elsewhere."""
    return measure.kind == _REQUEST and measure.text.rstrip().endswith(_PEOPLE)


def is_a_board(text: str, measure: Measure) -> bool:
    """Whether the word that counts boards and coins alike stands between a number and the size of a board."""
    return measure.kind == "money" and bool(_COUNTED.search(text[: measure.end]) and _SIZED.match(text, measure.end))


__all__ = ["are_people", "is_a_board"]
