"""Reads durations ("39 gpu hours", half a year) and usage rates ("8 hours a day", "24/7")."""

from __future__ import annotations

import itertools

from bot.understand.slots.context import Cues, plain_number
from bot.understand.slots.found import Reading, Value
from bot.understand.slots.numbers import Quantity

_UNITS = ("hour", "day", "week", "month", "year")
"""Each longer than the one before it."""
_TIMES = frozenset({*_UNITS, "term", "minute", "second"})
_NEAR = 8
"""Characters between a period and what is used of it."""
_PRICE_ASKED = ("price", "cost", "money_question", "per_hour")


def read_durations(reading: Reading, quantities: list[Quantity], cues: Cues) -> list[Quantity]:
    """Add durations; gives back the quantities that are no time."""
    rest: list[Quantity] = []
    for phrase in () if cues.all_day.isdisjoint(reading.words) else cues.words["all_day"]:
        at = reading.text.find(phrase)
        if at >= 0 and reading.is_free(at, at + len(phrase)):
            value = {"amount": 24, "unit": "hour", "per": "day"}
            reading.values.append(Value("duration", value, at, at + len(phrase), "time: all day"))
            reading.claim(at, at + len(phrase))
            break
    if not quantities:
        return rest
    for quantity in quantities:
        if quantity.unit not in _TIMES:
            rest.append(quantity)
            continue
        if (
            quantity.unit in _UNITS
            and reading.is_free(quantity.start, quantity.end)
            and _is_duration(reading, quantity, cues)
        ):
            _add(reading, quantity, cues)
    if len(rest) < len(quantities):
        _usage_of_period(reading)
    return rest


def _usage_of_period(reading: Reading) -> None:
    """Of "in half a year about 300 hours" the hours are meant: a period right before what is used of it is dropped."""
    times = [value for value in reading.values if value.slot == "duration"]
    for period, use in itertools.pairwise(times):
        between = reading.text[period.end : use.start]
        if len(between) > _NEAR or "," in between or ";" in between or "per" in period.value:
            continue
        if _is_longer(period.value["unit"], use.value["unit"]):
            reading.values.remove(period)


def _add(reading: Reading, quantity: Quantity, cues: Cues) -> None:
    value: dict[str, object] = {"amount": plain_number(quantity.value), "unit": quantity.unit}
    per = cues.period(reading, quantity.start, quantity.end)
    if per and per != quantity.unit and _is_longer(per, quantity.unit):
        value["per"] = per
    reading.values.append(
        Value(
            "duration",
            value,
            quantity.start,
            quantity.end,
            "time: number and unit",
            approximate=quantity.approximate,
            bound=quantity.bound,
        )
    )
    reading.claim(quantity.start, quantity.end)


def _is_longer(per: str, unit: str) -> bool:
    return _UNITS.index(per) > _UNITS.index(unit)


def _is_duration(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    text = reading.text
    one = quantity.value == 1
    if quantity.unit_text in cues.words["date_unit"] or (quantity.unit == "year" and quantity.value > 100):
        return False
    after = text[quantity.end : quantity.end + 14].lstrip()
    before = text[max(0, quantity.start - 8) : quantity.start].rstrip(" $\uffe5")
    if cues.starting["used_for"](after) or cues.ending["used_for"](before):
        return False
    bare_digit = before[-1:].isdigit() and reading.is_free(len(text[: quantity.start].rstrip()) - 1, quantity.start)
    if before.endswith("/") or (one and bare_digit) or before.endswith(cues.words["each_before"]):
        return False
    if one and quantity.unit == "hour" and any(concept in reading.concepts for concept in _PRICE_ASKED):
        return False
    if one and _per_of_another(reading, quantity):
        return False
    return not (quantity.words and one and reading.language == "en" and quantity.unit_text in {"s"})


def _per_of_another(reading: Reading, quantity: Quantity) -> bool:
    """Whether "one day" is the rate of another time ("8 hours one day"), already read with it."""
    return any(
        (value.slot == "duration" and value.value.get("per") == quantity.unit and abs(value.end - quantity.start) < 8)
        or (value.slot == "duration" and abs(quantity.end - value.start) < 3)
        or (value.slot in {"price", "budget"} and 0 <= quantity.start - value.end < 3)
        for value in reading.values
    )  # fmt: skip
