"""Numbers that are said by the way: what a unit is taken for, and what stands in brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from bot.read.measured_units import Measure

_SIZE: Final = r"[kmgt](?:i?b|\b)"
_DEFINED: Final = re.compile(
    rf"(?:1 ?|(?<![a-z])){_SIZE} ?(?:=|\u5f53\u4f5c?|\u7b97\u4f5c?|\u6309|\u662f|being|taken as|counted as) ?"
    rf"\d[\d.,^]*(?: ?[\u5343\u4e07\u4ebf])? ?(?:{_SIZE}|bytes?|\u4e2a?\u5b57\u8282)?"
)
"""So much is one of a unit: 1 TB = 1000 GB."""
_HEAT: Final = re.compile(
    r"(?:1 ?(?:k?w|k?watts?)|an? k?watt|one (?:kilo)?watt)(?: of heat)? ?"
    r"(?:=|is|equals|makes|gives|\u7b49\u4e8e|\u662f|\u5408|\u7ea6) ?[\d.,]+ ?btu(?:/h| ?per hour|/hr)?"
)
"""So much heat is a watt."""
_BYTE: Final = r"(?:bytes?|\u5b57\u8282)"
_EIGHT: Final = r"(?:8|eight|\u516b) ?(?:bits?|\u6bd4\u7279|\u4f4d)"
_MAKES: Final = r" ?(?:=|\u4e3a|\u662f|\u7b97|\u7b49\u4e8e|\u6709|(?:to|per|in|is|make)(?= ))? ?"
_BITS: Final = re.compile(
    rf"{_EIGHT}{_MAKES}(?:(?:an?|one|1|\u4e00 ?\u4e2a?|\u6bcf) ?)?{_BYTE}"
    rf"|(?:1|an?|one|\u4e00 ?\u4e2a?) ?{_BYTE}{_MAKES}{_EIGHT}"
)
"""So many bits are a byte."""
_DAY, _HOURS = "day", 24.0
_EVERY_DAY: Final = re.compile(r",? ?(?:every|each|a|per) (?:single )?day\b|,? ?daily\b|,? ?\u6bcf\u5929")
_EVERY_DAY_BEFORE: Final = re.compile(r"(?:\u6bcf\u5929|every day|each day)[^,.;\d\uff0c\u3002]{0,8}$")
_SAME: Final = 1e-9
_BRACKETS: Final = re.compile(r"\([^()]*\)")

_OPENS, _CLOSES = (
    re.compile(r".{0,4}\((?:=|i\.?e\.?|that is|\u5373|\u4e5f\u5c31\u662f)?\s?[$\u20ac\u00a3\u00a5]?"),
    re.compile(r"[^\w]|[a-z]*[)\s]"),
)
"""Between a number and the same in brackets, and behind that."""


def without_defined(text: str, measures: Sequence[Measure]) -> list[Measure]:
    """The numbers of a text but those that only say what a unit is taken for."""
    spans = [found.span() for pattern in (_DEFINED, _BITS, _HEAT) for found in pattern.finditer(text)]
    return [one for one in measures if not any(start <= one.start < end for start, end in spans)]


def by_the_day(text: str, measures: Sequence[Measure]) -> list[Measure]:
    """The numbers of a text, a part of a day beside "every day" as so many hours of each: half a day, every day."""
    return [_of_each_day(one) if _is_of_each_day(text, one) else one for one in measures]


def _is_of_each_day(text: str, one: Measure) -> bool:
    """Whether half a day or so is said of every day."""
    if one.unit != _DAY or one.per or not 0 < one.value < 1:
        return False
    return _EVERY_DAY.match(text, one.end) is not None or _EVERY_DAY_BEFORE.search(text[: one.start]) is not None


def _of_each_day(one: Measure) -> Measure:
    """Part of a day as hours a day."""
    hours = one.value * _HOURS
    return replace(one, value=hours, number=hours, kind="time", unit="hour", per=(_DAY,), per_units=(_DAY,))


def said_once(text: str, measures: Sequence[Measure]) -> list[Measure]:
    """The numbers of a text, what is said again in brackets in its place alone: 300 M (300 Mbps)."""
    told: list[Measure] = []
    for one in measures:
        if told and _is_again(text, told[-1], one):
            told.pop()
        told.append(one)
    return told


def _is_again(text: str, one: Measure, then: Measure) -> bool:
    """Whether a number in brackets is the one right before these in another unit."""
    if _OPENS.fullmatch(text, one.end, then.start) is None or _CLOSES.match(text, then.end) is None:
        return False
    if one.kind == then.kind:
        return abs(one.value - then.value) <= _SAME * abs(one.value)
    return _figures(one) == _figures(then)


def _figures(measure: Measure) -> str:
    """The digits of a number without its point and its zeros at either end."""
    return f"{measure.number:.9g}".replace(".", "").strip("0")


def in_brackets(text: str, measures: Sequence[Measure]) -> Iterator[Measure]:
    """The numbers of a text that stand in brackets behind others."""
    first = measures[0].start if measures else 0
    spans = [found.span() for found in _BRACKETS.finditer(text) if found.start() > first]
    return (one for one in measures if any(start < one.start < end for start, end in spans))


__all__ = ["by_the_day", "in_brackets", "said_once", "without_defined"]
