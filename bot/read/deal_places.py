"""How well a number of a message stands in a place of a sum: by its unit, and by the words around it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import fabs, log, sqrt
from typing import Final

from advisor.calculators import QUANTITIES
from bot.read.deal_words import Place
from bot.read.measured_units import Measure
from bot.read.units import in_unit_of

SPARE: Final = "spare"
"""Side of a number that fills a place that needs one and no other."""
_NUMBER: Final = "#"
"""Stands in a pattern for the number whose place is looked for."""
_EXACT, _ALIKE, _BARE = 0.6, 0.4, 0.2
"""What it is worth that a number is in the unit of its place, in one that turns into it, or in none."""
_AT: Final = 2.5
"""What it is worth that the words of a place stand around the number itself."""
_AROUND: Final = 40
"""Characters on either side in which they stand."""
_NEAR: Final = 1.5
_REACH: Final = 10.0
"""What a word near a number is worth at most, and the characters in which that falls to a half."""
_BEYOND_SIGN, _BEYOND_NUMBER = 0.5, 0.35
"""What is left of it behind a sign of the sentence, and behind another number."""
_SPOKEN: Final = 0.25
"""From here on words speak for a place."""
_IN_ORDER: Final = 0.03
"""What it costs for each place that a number stands out of the order of its kind."""
_LARGEST_HOURLY: Final = 500.0
"""A bare number above is no price of an hour."""
_LEAST_PRICE: Final = 50.0
"""So many cards are hardly counted: the number is their price."""
_FAR: Final = 0.15
"""What it costs a value called nothing to change one of before by a factor of e."""
_COUNTED: Final = frozenset({"", "run", "item", "times", "request", "person", "round", "step", "card", "machine"})
_SPANS: Final = frozenset({"day", "week", "month", "year"})
_TIMES: Final = frozenset({"time", *_SPANS})
_SIGNS: Final = re.compile(r"[,;.?!:\uff0c\uff1b\u3002\uff1f\uff01]")
_AS: Final[Mapping[str, frozenset[str]]] = {
    "person": frozenset({"person", "request"}),
    "run": frozenset({"run", "times", "round"}),
    "times": frozenset({"run", "times", "round"}),
}
"""What is counted by the same words."""
_SIGN_BEFORE: Final = re.compile(r"[$\u20ac\u00a3\u00a5\uffe5]\s?$")
_ALIKE_UNITS: Final[Mapping[str, frozenset[str]]] = {
    "hour": _TIMES,
    "day": _SPANS | {"time"},
    "week": _SPANS,
    "month": frozenset({"month", "year", "week", "day"}),
    "year": frozenset({"year", "month"}),
    "money": frozenset({"money"}),
    "share": frozenset({"share", "fold"}),
    "W": frozenset({"power"}),
    "kWh": frozenset({"energy"}),
    "GB": frozenset({"data"}),
    "token": frozenset({"token"}),
    "times": frozenset({"times"}),
}
"""Unit of a quantity -> kinds of measures that turn into it; of any other unit what is counted is."""
_KINDS: Final = {"hour": "time", "W": "power", "kWh": "energy", "GB": "data"}
"""Kind of a measure in the very unit of a quantity, where its name is another one."""
_MONTHS: Final = {"year": 12.0, "week": 7 / 30.416666666666668, "day": 1 / 30.416666666666668}
_PAID_FOR: Final[Mapping[str, frozenset[str]]] = {
    "hour": frozenset({"time"}),
    "kwh": frozenset({"energy"}),
    "Mtok": frozenset({"token"}),
    "GB": frozenset({"data"}),
    "GBmonth": frozenset({"data", "month", "day"}),
}
_HOLDERS: Final = frozenset({"card", "machine", "person", "run", "item", "request"})
"""What an amount may be said of each of, its unit left as it is."""


def worth(out_of_order: int, measure: Measure, place: Place, text: str, known: Mapping[str, float]) -> float:
    """What speaks for a number in a place; 0 where it cannot stand there."""
    unit = 0.0 if measure.side == SPARE and place.optional else unit_worth(place, measure)
    words = _words(place, measure, text) if unit else 0.0
    before = known.get(place.quantity, 0.0)
    if not unit or (place.must and words < _SPOKEN and not before):
        return 0.0
    if before > 0 and not words:
        unit += _ALIKE - min(unit, _FAR * abs(log(value_of(measure, place.quantity) / before)))
    return max(0.01, unit + words - _IN_ORDER * fabs(out_of_order) * sqrt(fabs(out_of_order)))


def _words(place: Place, measure: Measure, text: str) -> float:
    """What the words of a place say for a number."""
    if place.at is not None:
        before = _SIGN_BEFORE.sub("", text[max(0, measure.start - _AROUND) : measure.start])
        # where a rate or a unit was read as a part of the number, the words may stand on it
        ends = (measure.end, _digits_end(text, measure))
        if any(_holds(place.at.ready, f"{before}{_NUMBER}{text[end : end + _AROUND]}", len(before)) for end in ends):
            return _AT
    if place.near is None:
        return 0.0
    return max(
        (_nearness(text, found.start(), found.end(), measure) for found in place.near.ready.finditer(text)), default=0.0
    )


def _digits_end(text: str, measure: Measure) -> int:
    """Where the figures of a number end, its unit aside."""
    found = re.compile(r"[^\d]{0,3}[\d.,]*\d").match(text, measure.start)
    return found.end() if found is not None else measure.end


def _holds(pattern: re.Pattern[str], text: str, where: int) -> bool:
    """Whether words stand around the number at a place."""
    return any(found.start() <= where < found.end() for found in pattern.finditer(text))


def _nearness(text: str, start: int, end: int, measure: Measure) -> float:
    """What a word is worth for a number: less with every character, sign and number between."""
    if end <= measure.start:
        between = text[end : measure.start]
    elif start >= measure.end:
        between = text[measure.end : start]
    else:
        return _NEAR
    wide = sum(not character.isascii() for character in between)
    worth = _NEAR / (1.0 + (len(between) + wide) / _REACH)
    worth *= _BEYOND_SIGN ** min(2, len(_SIGNS.findall(between)))
    return worth * _BEYOND_NUMBER ** min(2, len(re.findall(r"\d+", between)))


def unit_worth(place: Place, measure: Measure) -> float:
    """What the unit of a number says for a place; 0 where it cannot be of it."""
    base, _, paid_for = QUANTITIES[place.quantity].unit.partition("/")
    if not _is_rate(place, measure, base, paid_for):
        return 0.0
    if place.of:
        return _EXACT if any(measure.kind in _AS.get(kind, {kind}) for kind in place.of) else 0.0
    if measure.kind == _KINDS.get(base, base):
        return _EXACT
    return _alike_worth(measure, base) if measure.kind else _BARE * (base != "share" or measure.value < 1)


def _alike_worth(measure: Measure, base: str) -> float:
    """What a number in another unit than that of a place is worth there."""
    priced = base == "money" and measure.kind == "card" and measure.value >= _LEAST_PRICE  # "a 2400 card"
    return _BARE if priced else _ALIKE * (measure.kind in _ALIKE_UNITS.get(base, _COUNTED))


def _is_rate(place: Place, measure: Measure, base: str, paid_for: str) -> bool:
    """Whether a number is counted for what its place is."""
    per = set(measure.per) - _HOLDERS
    if place.per:
        return per <= place.per and bool(per or not place.rated)
    if base == "money":
        dear = paid_for == "hour" and not (per or measure.kind) and measure.value > _LARGEST_HOURLY
        return not dear and per <= _PAID_FOR.get(paid_for, frozenset())
    if base == "hour":
        return not per & _SPANS or bool(paid_for)
    return True


def value_of(measure: Measure, quantity: str) -> float:
    """A number in the unit of a quantity."""
    base = QUANTITIES[quantity].unit.partition("/")[0]
    if base == "month":
        return measure.value * _MONTHS.get(measure.kind, 1.0)
    if base == "year":
        return measure.value / (12.0 if measure.kind == "month" else 1.0)
    return in_unit_of(measure, quantity)


def is_sound(place: Place, value: float) -> bool:
    """Whether a value is between the ends of its place and of its quantity."""
    quantity = QUANTITIES[place.quantity]
    return max(place.low, quantity.low) <= value <= min(place.high, quantity.high)
