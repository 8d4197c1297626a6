"""Numbers in forms of their own: times of the day, rows of weights."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from math import prod
from typing import Any, Final

from advisor.calculators import Given
from bot.read.measured_units import Measure
from bot.understand.slots.found import Reading

_LIST: Final = re.compile(r"\[([-+0-9., ]{5,80})\]")
_NUMBER: Final = re.compile(r"[-+]?\d+(?:\.\d+)?")
_SHAPE: Final = re.compile(r"(?<![\d.])\d+k? ?[x*\u00d7] ?\d+k?(?: ?[x*\u00d7] ?\d+)?(?![\d.])")
_SIDE: Final = re.compile(r"(\d+)(k?)")
_LEAST_SIDE: Final = 16
"""A smaller number before an x counts what stands behind it."""
_BAR: Final = re.compile(r"(?<![\d./])(\d{2,})\s?/\s?(\d{3,})(?![\d./a-z])")
_GROUP: Final = 4
_NOON: Final = 12


class Forms:
    """Words of lexicon/measures.yaml for these forms, ready for look-up."""

    def __init__(self, content: Mapping[str, Any], even: Callable[[str], str]) -> None:
        """`content` is the part `clock` and `sparse_words` of the lexicon."""
        clock = content["clock"]
        marks, between, parts = (_any_of(clock[kind], even) for kind in ("marks", "between", "parts"))
        hour = rf"({parts})?\s*(\d{{1,2}})(?::(\d{{2}}))?\s*({marks})?"
        self._clock = re.compile(rf"(?<![\d.]){hour}\s*(?:{between})\s*(?:{parts}|\s)*{hour}(?![\d%])")
        self._half = frozenset(map(even, clock["half"]))
        self._late = frozenset(map(even, clock["late"]))
        self._sparse = tuple(map(even, content["sparse_words"]))
        self._shaped = tuple(map(even, content["shape_words"]))
        self._value_bytes = {even(str(word)): float(size) for word, size in content["value_formats"].items()}

    def clock_ranges(self, reading: Reading) -> tuple[Measure, ...]:
        """Hours a day from one time of the day to another ("23:00 to 7:00"); their characters are claimed."""
        found: list[Measure] = []
        for match in self._clock.finditer(reading.text):
            start, end = match.start(2) if not match.group(1) else match.start(), match.end()
            first, second = self._time(match, 1), self._time(match, 5)
            marked = any(match.group(place) for place in (1, 3, 4, 5, 7, 8))
            if not marked or first is None or second is None or not reading.is_free(start, end):
                continue
            hours = self._between(match, first, second)
            reading.claim(start, end)
            typed = reading.raw[reading.offsets[start] : reading.offsets[end - 1] + 1]
            found.append(Measure(hours, "time", "hour", start, end, ("day",), "", False, ("day",), hours, typed))
        return tuple(found)

    @staticmethod
    def _between(match: re.Match[str], first: float, second: float) -> float:
        """Hours from one time to the next; where nothing says which half of the day the second is in, the nearer."""
        hours = (second - first) % 24 or 24.0
        unsaid = second <= _NOON and not match.group(5) and (match.group(8) or "")[-1:] != "m"
        return min(hours, (second + _NOON - first) % 24 or 24.0) if unsaid else hours

    def steps_done(self, reading: Reading) -> tuple[Given, ...]:
        """How many steps of how many a bar shows; its characters are claimed."""
        match = _BAR.search(reading.text)
        done, steps = map(float, match.groups()) if match is not None else (0.0, 0.0)
        if match is None or not 0 < done < steps or not reading.is_free(*match.span()):
            return ()
        reading.claim(*match.span())
        return (Given("steps_done", done), Given("steps", steps))

    def shapes(self, reading: Reading) -> tuple[Given, ...]:
        """How many values stand in what is so many by so many, and bytes of each; its characters are claimed."""
        if not any(word in reading.text for word in self._shaped):
            return ()
        found = [given for match in _SHAPE.finditer(reading.text) for given in _shape(reading, match)]
        size = next((size for word, size in self._value_bytes.items() if word in reading.text), None)
        return (*found, Given("value_bytes", size)) if size else tuple(found)

    def _time(self, match: re.Match[str], at: int) -> float | None:
        """Hours since midnight of one of the two times."""
        part, hour, minutes, mark = (match.group(at + step) or "" for step in range(4))
        value = float(hour)
        late = not self._late.isdisjoint((part, mark))
        if late and value < _NOON:
            value += _NOON
        if not late and mark.startswith("a") and value == _NOON:
            value = 0.0
        half = 0.5 * (mark in self._half)
        value += float(minutes) / 60 if minutes else half
        return value if value <= 24 else None

    def sparsity(self, text: str) -> tuple[Given, ...]:
        """The fewest zeros in a group of four of the rows of weights that a message about 2:4 sparsity shows."""
        rows = [entry.group(1) for entry in _LIST.finditer(text)]
        if not rows or not any(word in text for word in self._sparse):
            return ()
        fewest = [count for row in rows for count in _zeros(row)]
        return (Given("fewest_zeros", float(min(fewest))),) if fewest else ()


def _shape(reading: Reading, match: re.Match[str]) -> tuple[Given, ...]:
    """The values of one shape, its width where it is square; claims its characters."""
    sides = [float(side) * (1000.0 if kilo else 1.0) for side, kilo in _SIDE.findall(match.group())]
    if min(sides[:2]) < _LEAST_SIDE or not reading.is_free(*match.span()):
        return ()
    reading.claim(*match.span())
    square = (Given("width", sides[0]),) if sides[0] == sides[-1] else ()
    return (Given("values_each", prod(sides)), *square)


def _zeros(row: str) -> list[int]:
    """The zeros in each whole group of a row."""
    values = [float(piece) for piece in _NUMBER.findall(row)]
    groups = [values[at : at + _GROUP] for at in range(0, len(values), _GROUP)]
    return [group.count(0.0) for group in groups if len(group) == _GROUP]


def _any_of(words: Iterable[str], even: Callable[[str], str]) -> str:
    spelt = sorted({even(str(word)) for word in words}, key=lambda word: (-len(word), word))
    return "(?:" + "|".join(map(re.escape, spelt)) + ")"
