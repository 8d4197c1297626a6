"""Numbers that are said by the way: what a unit is taken for, and what stands in brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from bot.read.measured_units import Measure

_SIZE: Final = r"[kmgt](?:i?b|\b)"
_DEFINED: Final = re.compile(
    rf"(?:1 ?)?{_SIZE} ?(?:=|\u5f53\u4f5c?|\u7b97\u4f5c?|\u6309|\u662f|being|taken as|counted as) ?"
    rf"\d[\d.,^]*(?: ?[\u5343\u4e07\u4ebf])? ?(?:{_SIZE}|bytes?|\u4e2a?\u5b57\u8282)?"
)
"""So much is one of a unit: 1 TB = 1000 GB."""
_BRACKETS: Final = re.compile(r"\([^()]*\)")


def without_defined(text: str, measures: Sequence[Measure]) -> list[Measure]:
    """The numbers of a text but those that only say what a unit is taken for."""
    spans = [found.span() for found in _DEFINED.finditer(text)]
    return [one for one in measures if not any(start <= one.start < end for start, end in spans)]


def in_brackets(text: str, measures: Sequence[Measure]) -> Iterator[Measure]:
    """The numbers of a text that stand in brackets behind others."""
    first = measures[0].start if measures else 0
    spans = [found.span() for found in _BRACKETS.finditer(text) if found.start() > first]
    return (one for one in measures if any(start < one.start < end for start, end in spans))


__all__ = ["in_brackets", "without_defined"]
