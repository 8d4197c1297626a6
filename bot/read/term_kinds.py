"""What a number counts where its word stands for two things: people or requests, boards or coins."""

from __future__ import annotations

import re
from typing import Final

from bot.read.measured_units import Measure
from bot.read.term_units import SPANS

FACTORS: Final = frozenset({"share", "times", "fold"})
"""Kinds of what is only multiplied by."""
_EACH: Final = "each"
_REQUEST, _PEOPLE = "request", "\u4eba"
_COUNTED, _SIZED = re.compile("\u5757$"), re.compile(r"\s?\d[\d.]*\s?(?:[tg]b?|w)(?![a-z])")
"""The word that counts boards and coins alike, and the size of a board behind it."""


def are_people(measure: Measure) -> bool:
    """Whether so many are called people: requests at once they may be elsewhere."""
    return measure.kind == _REQUEST and measure.text.rstrip().endswith(_PEOPLE)


def is_a_board(text: str, measure: Measure) -> bool:
    """Whether the word that counts boards and coins alike stands between a number and the size of a board."""
    return measure.kind == "money" and bool(_COUNTED.search(text[: measure.end]) and _SIZED.match(text, measure.end))


def said_by_the_way(measure: Measure, tail: str) -> bool:
    """Whether a value is one, said in words or "each", or a span in words: a sum may do without it."""
    one = measure.number == 1 and measure.kind not in FACTORS
    one_each = one and not measure.kind and tail.lstrip().startswith(_EACH)
    return one_each or (measure.words and (one or measure.kind in SPANS))


__all__ = ["FACTORS", "are_people", "is_a_board", "said_by_the_way"]
