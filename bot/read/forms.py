"""Numbers in forms of their own: times of the day, rows of weights."""

from __future__ import annotations

import re
from typing import Final

from advisor.calculators import Given
from bot.read.measures import Measure
from bot.understand.slots.found import Reading

_HOUR: Final = r"(\d{1,2})(?::(\d{2}))?\s*(\u70b9\u949f|\u70b9\u534a|\u70b9|\u65f6|am|pm|a\.m\.|p\.m\.)?"
_TO: Final = r"\s*(?:to|till|until|-|~|\u5230|\u81f3)\s*(?:\u7b2c\u4e8c\u5929|\u6b21\u65e5|\u65e9\u4e0a|\u4e0a\u5348|\u4e0b\u5348|\u665a\u4e0a|\u51cc\u6668|\u6e05\u6668|\u665a)*\s*"
_CLOCK: Final = re.compile(_HOUR + _TO + _HOUR + r"(?![\d%])")
_HALF: Final = "\u70b9\u534a"
_LIST: Final = re.compile(r"\[([-+0-9., ]{5,80})\]")
_PATTERN: Final = re.compile(r"2\s*:\s*4|sparsity|sparse|\u7a00\u758f")
_GROUP: Final = 4


def clock_ranges(reading: Reading) -> tuple[Measure, ...]:
    """Hours a day from one time of the day to another ("23:00 to 7:00"); their characters are claimed."""
    found: list[Measure] = []
    for match in _CLOCK.finditer(reading.text):
        first, second = _time(match, 1), _time(match, 4)
        marked = any(match.group(place) for place in (2, 3, 5, 6))
        if not marked or first is None or second is None or not reading.is_free(match.start(), match.end()):
            continue
        hours = (second - first) % 24 or 24.0
        reading.claim(match.start(), match.end())
        found.append(Measure(hours, "time", "hour", match.start(), match.end(), ("day",), "", False, ("day",), hours))
    return tuple(found)


def _time(match: re.Match[str], at: int) -> float | None:
    hour, minutes, mark = int(match.group(at)), match.group(at + 1), match.group(at + 2) or ""
    if mark.startswith("p") and hour < 12:
        hour += 12
    if mark.startswith("a") and hour == 12:
        hour = 0
    return hour + (float(minutes) / 60 if minutes else 0.5 if mark == _HALF else 0.0) if hour <= 24 else None


def sparsity(text: str) -> tuple[Given, ...]:
    """The fewest zeros in a group of four of the rows of weights that a message about 2:4 sparsity shows."""
    rows = [entry.group(1) for entry in _LIST.finditer(text)]
    if not rows or not _PATTERN.search(text):
        return ()
    fewest: list[int] = []
    for row in rows:
        values = [float(piece) for piece in re.findall(r"[-+]?\d+(?:\.\d+)?", row)]
        groups = [values[at : at + _GROUP] for at in range(0, len(values), _GROUP)]
        fewest += [sum(value == 0 for value in group) for group in groups if len(group) == _GROUP]
    return (Given("fewest_zeros", float(min(fewest))),) if fewest else ()
