"""Numbers in forms of their own that sums of money are told in: a half, 1 in 6, twice, three of us."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypedDict

from bot.read.measured_units import Measure

_NOON, _DAY = 12.0, 24.0
_HOUR: Final = re.compile(r"\d+")
_SPANS: Final = frozenset({"day", "week", "month", "year"})


class FormEntry(TypedDict, total=False):
    """One form as it is listed."""

    like: str
    value: float
    weights: list[float]
    over: bool
    clock: bool


class ClockWords(TypedDict):
    """Words of an hour: those of its second half of the day, those that say which half it is, hours with a name."""

    later: str
    sure: str
    named: Mapping[str, float]


class FormEntries(TypedDict):
    """The part of the lexicon: the signs of one to nine in order, those of halves and the like, the forms by kind."""

    digits: str
    halves: Mapping[str, float]
    clock: ClockWords
    told: Mapping[str, Iterable[FormEntry]]


@dataclass(frozen=True, slots=True)
class _Form:
    """One form: what it looks like, the kind of the measure, and its value, or what its groups are multiplied by."""

    like: re.Pattern[str]
    kind: str
    value: float
    weights: tuple[float, ...]
    over: bool
    """The first group over the second one."""
    clock: bool
    """From the first hour of the day to the second one."""


class SaidForms:
    """The part `forms` of lexicon/deals.yaml."""

    def __init__(self, content: FormEntries) -> None:
        """`content` is that part."""
        self._digits = {sign: float(at) for at, sign in enumerate(content["digits"], start=1)}
        self._digits |= {sign: float(value) for sign, value in content["halves"].items()}
        self._later, self._sure = (re.compile(content["clock"][one]) for one in ("later", "sure"))
        self._hours = content["clock"]["named"]
        self._forms = tuple(_form(kind, entry) for kind, listed in content["told"].items() for entry in listed)

    def told(self, text: str, measures: Sequence[Measure]) -> list[Measure]:
        """The measures of a text, those in forms of their own in the place of what was read there."""
        found: list[Measure] = []
        for form in self._forms:
            for match in form.like.finditer(text):
                value = self._value(form, match)
                free = all(match.end() <= one.start or one.end <= match.start() for one in found)
                if value is not None and free:
                    start, end = match.span()
                    found.append(Measure(value, form.kind, form.kind, start, end, (), number=value, text=match[0]))
        kept = [_cut(one, found) for one in measures if not any(_covers(form, one) for form in found)]
        return sorted([*kept, *found], key=lambda one: one.start)

    def _value(self, form: _Form, match: re.Match[str]) -> float | None:
        """What a form is worth; None where it holds no number after all."""
        if form.clock:
            return self._between(*match.groups()[:2])
        groups = [self._number(one) for one in match.groups() if one is not None]
        told = [one for one in groups if one is not None]
        return _made(form, told) if len(told) == len(groups) else None

    def _between(self, first: str, second: str) -> float:
        """Hours from one hour of the day to the next one that is so called."""
        sure = self._sure.search(first + second) is not None
        return _hours_between(self._hour(first), self._hour(second), sure=sure)

    def _hour(self, typed: str) -> float:
        """An hour of the day; one after noon by its words."""
        digits = _HOUR.search(typed)
        if digits is None:
            return next((hour for name, hour in self._hours.items() if name in typed), 0.0)
        hour = float(digits[0])
        return hour % _NOON + _NOON * (self._later.search(typed) is not None) if self._sure.search(typed) else hour

    def _number(self, typed: str) -> float | None:
        try:
            return self._digits.get(typed) or float(typed)
        except ValueError:
            return None


def _form(kind: str, entry: FormEntry) -> _Form:
    return _Form(
        re.compile(entry["like"]),
        kind,
        float(entry.get("value", 0.0)),
        tuple(map(float, entry.get("weights", ()))),
        bool(entry.get("over")),
        bool(entry.get("clock")),
    )


def _made(form: _Form, told: Sequence[float]) -> float | None:
    """The value of a form by the numbers in it."""
    if form.over:
        return told[0] / told[1] if len(told) > 1 and told[1] else None
    if form.weights:
        return sum(one * weight for one, weight in zip(told, form.weights, strict=False))
    return form.value


def _covers(form: Measure, one: Measure) -> bool:
    """Whether a form stands on the figures of a measure, or on its unit."""
    width = max(1, min(len(one.text), one.end - one.start))  # as typed it may hold spaces that the even text has not
    return form.start < one.start + width and one.start < form.end


def _cut(one: Measure, forms: Iterable[Measure]) -> Measure:
    """A measure without the rate behind it that is a form of its own."""
    first = min((form.start for form in forms if one.start < form.start < one.end), default=one.end)
    return one if first == one.end else replace(one, end=first, per=tuple(kind for kind in one.per if kind in _SPANS))


def _hours_between(first: float, second: float, *, sure: bool) -> float:
    """Hours from one hour to the next; up to twelve may be of the other half of the day, unless that is said."""
    return (second - first) % (_DAY if sure or max(first, second) > _NOON else _NOON) or _NOON


__all__ = ["FormEntries", "SaidForms"]
