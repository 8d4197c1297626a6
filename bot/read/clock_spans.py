"""Times from one hour of a day to one of another: "from Friday 6pm to Monday 9am" are 63 hours."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypedDict

from bot.read.measured_units import Measure
from bot.read.thing_words import any_of
from bot.understand.slots.found import Reading

ARROW: Final = " \N{RIGHTWARDS ARROW} "
"""Between the two ends of such a time, in its text."""
_WEEK, _DAY, _NOON, _HOUR = 7, 24, 12, 60
_TWO: Final = 2


class _End(NamedTuple):
    """One end: where it stands, its day by name or by how far off it is, the hour."""

    start: int
    end: int
    day: int | None
    of_week: bool
    hour: float


class SpanWords(TypedDict):
    """`clock_spans` of lexicon/measures.yaml."""

    near: dict[int, list[str]]
    heads: list[str]
    late: list[str]
    signs: str
    two: str


class ClockWords(TypedDict):
    """What of lexicon/measures.yaml says hours of days."""

    clock_spans: SpanWords
    clock: dict[str, list[str]]
    weekdays_named: dict[str, list[list[str]]]


class ClockSpans:
    """Words of `clock_spans` in lexicon/measures.yaml. Holds no state."""

    def __init__(self, content: ClockWords, even: Callable[[str], str]) -> None:
        """Take the words; `even` normalises a word as messages are.

        Args:
            content: of lexicon/measures.yaml: `clock_spans`, `clock` for hours and parts of a day, `weekdays_named`.
            even: normalises a word as messages are.
        """
        own, clock = content["clock_spans"], content["clock"]
        self._near = {even(str(word)): int(days) for days, words in own["near"].items() for word in words}
        self._week = _weekdays(content["weekdays_named"], own["heads"], even)
        self._late = frozenset(even(str(word)) for word in (*clock["late"], *own["late"]))
        self._half = frozenset(even(str(word)) for word in clock["half"])
        self._signs = {sign: at for at, sign in enumerate(even(own["signs"]), start=1)} | {even(own["two"])[0]: _TWO}
        day = any_of([*self._near, *self._week], even)
        parts, marks = (any_of(clock[kind], even) for kind in ("parts", "marks"))
        hour = rf"\d{{1,2}}|[{''.join(self._signs)}]{{1,2}}"
        self._end = re.compile(
            rf"(?:(?P<day>{day})[\s,]*(?:at\b|on\b)?\s*)?(?P<part>{parts})?\s*(?<![\d.])"
            rf"(?P<hour>{hour})(?::(?P<minute>\d\d))?\s*(?P<mark>{marks})(?:\s+(?:on )?(?P<then>{day}))?"
        )

    def read(self, reading: Reading) -> tuple[Measure, ...]:
        """The time between the two hours that a message names, of two days; their characters are claimed."""
        ends = [end for end in map(self._of, self._end.finditer(reading.text)) if end is not None]
        if len(ends) != _TWO or not all(reading.is_free(one.start, one.end) for one in ends):
            return ()
        hours = _between(*ends)
        if hours is None:
            return ()
        typed = [reading.raw[reading.offsets[one.start] : reading.offsets[one.end - 1] + 1].strip() for one in ends]
        for one in ends:
            reading.claim(one.start, one.end)
        text, place = ARROW.join(typed), ends[1]
        return (Measure(hours, "time", "hour", place.start, place.end, (), "", False, (), hours, text, text),)

    def _of(self, found: re.Match[str]) -> _End | None:
        """One end; None where it is no hour of a day."""
        word = found["day"] or found["then"] or ""
        hour = self._hour(found)
        of_week = word in self._week
        day = self._week.get(word) if of_week else self._near.get(word)
        return _End(*found.span(), day, of_week, hour) if 0 <= hour <= _DAY else None

    def _hour(self, found: re.Match[str]) -> float:
        """Hours since midnight."""
        typed = found["hour"]
        hour = float(typed) if typed.isdigit() else float(sum(self._signs[sign] for sign in typed))
        hour += float(found["minute"] or 0) / _HOUR + 0.5 * (found["mark"] in self._half)
        told = {found["part"] or "", found["mark"], found["day"] or ""}
        late = bool(told & self._late)
        if hour >= _NOON + 1:
            return hour
        return hour % _NOON + _NOON * late if late or found["mark"].startswith("a") else hour


def _weekdays(
    named: Mapping[str, Sequence[Sequence[str]]], heads: Sequence[str], even: Callable[[str], str]
) -> dict[str, int]:
    """Place in the week of each name of a day, of a sign behind one of the words before it."""
    spelt = {even(str(name)): at for at, names in enumerate(named["spelt"]) for name in names}
    signs = {sign: at for week in named["days"] for at, sign in enumerate(even(str(week)))}
    return spelt | {even(str(head)) + sign: at for head in heads for sign, at in signs.items()}


def _between(first: _End, second: _End) -> float | None:
    """Hours from one to the other; None where both are of one day, or of days that are not told."""
    if first.day is None and second.day is None:
        return None
    if first.of_week != second.of_week and None not in (first.day, second.day):
        return None
    start, end = (one.day if one.day is not None else _other(one is second, first, second) for one in (first, second))
    days = (end - start) % _WEEK if first.of_week or second.of_week else end - start
    hours = days * _DAY + second.hour - first.hour
    return hours if days > 0 and hours > 0 else None


def _other(is_second: bool, first: _End, second: _End) -> int:
    """The day of an end that names none: that of the other one; the first one's before a near day is today."""
    if is_second or second.of_week:
        return (first.day if is_second else second.day) or 0
    return 0


__all__ = ["ARROW", "ClockSpans"]
