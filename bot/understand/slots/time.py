"""Reads durations ("39 gpu hours", half a year) and usage rates ("8 hours a day", "24/7")."""

from __future__ import annotations

import itertools
import re

from bot.understand.slots.context import Cues, plain_number
from bot.understand.slots.found import Reading, Value, holds
from bot.understand.slots.numbers import Quantity
from bot.understand.slots.shapes import claim_value

_UNITS = ("hour", "day", "week", "month", "year")
"""Each longer than the one before it."""
_TIMES = frozenset({*_UNITS, "term", "minute", "second"})
_DAY = {"amount": 24, "unit": "hour"}
_ALL_DAY = {**_DAY, "per": "day"}
_NEAR = 8
"""Characters between a period and what is used of it."""
_BESIDE_DAYS = 22
"""Characters between the hours of a day and the name of the days; behind them twice as many."""
_DAYS_NAMED = (("weekday_use", 5), ("weekend_use", 2))
_ROUND_BEFORE, _ROUND_BEHIND = 20, 12
"""Characters between a round and what it takes."""
_DEED = re.compile(r"( of [a-z-]+)( [a-z-]+)?(?= )")
"""What is done in a time, right behind it."""
_MOST_YEARS = 100
_PRICE_ASKED = frozenset({"price", "cost", "money_question", "per_hour"})


def read_durations(reading: Reading, quantities: list[Quantity], cues: Cues) -> list[Quantity]:
    """Add durations; gives back the quantities that are no time."""
    if _all_day(reading, cues):
        # the numbers of "24/7" count nothing else
        quantities = [quantity for quantity in quantities if reading.is_free(quantity.start, quantity.end)]
    rest = [quantity for quantity in quantities if quantity.unit not in _TIMES]
    for quantity in quantities:
        if quantity.unit in _UNITS and _is_duration(reading, quantity, cues):
            _add(reading, quantity, cues)
    if len(rest) < len(quantities):
        _whole_days(reading)
        _by_sessions(reading, quantities, cues)
        _usage_of_period(reading)
        _by_days_of_week(reading, cues)
    return rest


def _whole_days(reading: Reading) -> None:
    """24 hours beside a longer time are those of each day ("5 days x 24h")."""
    times = [value for value in reading.values if value.slot == "duration"]
    for value in times if len(times) > 1 else ():
        if value.value == _DAY and any(_is_longer(one.value["unit"], "hour") for one in times):
            value.value = dict(_ALL_DAY)


def _by_sessions(reading: Reading, quantities: list[Quantity], cues: Cues) -> None:
    """So many times in a period, so long each time: "three times a week, 5 hours each" are 15 hours a week."""
    each = next((value for value in reading.values if _is_of_each(reading, value, cues)), None)
    quantity = next((one for one in quantities if _sessions_per(reading, one, cues)), None)
    if each is None or quantity is None:
        return
    amount, per = quantity.value * each.value["amount"], _sessions_per(reading, quantity, cues)
    each.value = {"amount": plain_number(amount), "unit": "hour", "per": per}
    reading.values[:] = [value for value in reading.values if not _is_counted_in(value, each, quantity)]


def _by_days_of_week(reading: Reading, cues: Cues) -> None:
    """Hours of some days of the week: "5 days a week, 6 hours a day", "4 hours every weekday", "only at weekends"."""
    times = [value for value in reading.values if value.slot == "duration"]
    uses = [value for value in times if value.value["unit"] == "hour"]
    if len(uses) == 1 and uses[0].value.get("per", "day") == "day":
        _of_week(reading, uses[0], list(filter(_is_of_week, times)), cues)


def _of_week(reading: Reading, use: Value, listed: list[Value], cues: Cues) -> None:
    """Make hours of a day those of a week, by the days of it that are listed or named beside them."""
    days = listed[0].value["amount"] if _is_of_each_day(reading, use, listed, cues) else _named_days(reading, use, cues)
    if days:
        use.value = {"amount": plain_number(use.value["amount"] * days), "unit": "hour", "per": "week"}
        reading.values[:] = [value for value in reading.values if value not in listed]


def _is_of_each_day(reading: Reading, use: Value, listed: list[Value], cues: Cues) -> bool:
    """Whether hours are those of each of the days of a week that are counted."""
    return bool(listed) and ("per" in use.value or cues.either("session", reading, use.start, use.end))


def _is_of_week(value: Value) -> bool:
    """Whether days of each week are counted."""
    return bool(value.value.get("unit") == "day" and value.value.get("per") == "week")


def _named_days(reading: Reading, use: Value, cues: Cues) -> int:
    """How many days of the week are named beside the hours of each, nothing for none or for all."""
    near = reading.flat[max(0, use.start - _BESIDE_DAYS) : use.end + 2 * _BESIDE_DAYS]
    named = [days for kind, days in _DAYS_NAMED if holds(near, cues.words[kind])]
    return named[0] if len(named) == 1 else 0


def _sessions_per(reading: Reading, quantity: Quantity, cues: Cues) -> str:
    """The period in which something is done so many times, "" where a number counts none."""
    counts = quantity.unit == "session" or quantity.unit_text in cues.words["night"]
    per = cues.period(reading, quantity.start, quantity.end) if counts else ""
    return per if per in _UNITS[1:] else ""


def _is_counted_in(value: Value, each: Value, quantity: Quantity) -> bool:
    """Whether another time is the period of the sessions, or the number of them."""
    if value.slot != "duration" or value is each:
        return False
    if "per" not in value.value and value.start < each.start:
        return True
    return min(quantity.start, each.start) <= value.start < max(quantity.end, each.end)


def _is_of_each(reading: Reading, value: Value, cues: Cues) -> bool:
    """Whether an amount of hours is that of each of several times, or of each night."""
    if value.slot != "duration" or value.value["unit"] != "hour":
        return False
    return value.value.get("per") == "day" or cues.either("session", reading, value.start, value.end)


def _all_day(reading: Reading, cues: Cues) -> bool:
    """Day and night ("24/7") is a usage of 24 hours a day; whether it was said."""
    for phrase in () if cues.all_day.isdisjoint(reading.words) else cues.words["all_day"]:
        at = reading.text.find(phrase)
        if at >= 0 and reading.is_free(at, at + len(phrase)):
            value = dict(_ALL_DAY)
            claim_value(reading, "duration", value, (at, at + len(phrase)), "time: all day")
            return True
    return False


def _usage_of_period(reading: Reading) -> None:
    """Of "in half a year about 300 hours" the hours are meant: a period right before what is used of it is dropped."""
    times = [value for value in reading.values if value.slot == "duration"]
    for period, use in itertools.pairwise(times):
        between = reading.text[period.end : use.start]
        if len(between) > _NEAR or "," in between or ";" in between or "per" in period.value or use.value == _ALL_DAY:
            continue
        if _is_longer(period.value["unit"], use.value["unit"]):
            reading.values.remove(period)


def _add(reading: Reading, quantity: Quantity, cues: Cues) -> None:
    value: dict[str, object] = {"amount": plain_number(quantity.value), "unit": quantity.unit}
    per = _per(reading, quantity, cues)
    if per:
        # 24 hours are all day, whatever period stands before them; "24 hours a month" says so behind them
        all_day = value == _DAY and bool(cues.period_ahead(reading, quantity.start))
        value["per"] = "day" if all_day else per
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


def _per(reading: Reading, quantity: Quantity, cues: Cues) -> str:
    """The longer time that an amount is used of: what stands right before it, what opens its clause or stands behind.

    Chinese names the period first and goes on with another right behind; English names it behind.
    """
    opening = cues.period_of_clause(reading, quantity.start) if quantity.unit == "hour" else ""
    behind = next(filter(None, (cues.period_behind(reading, end) for end in _ends(reading, quantity))), "")
    ahead = cues.period_ahead(reading, quantity.start)
    first = (ahead, opening, behind) if reading.language == "zh" else (behind, ahead, opening)
    told = (*first, cues.period(reading, quantity.start, quantity.end))
    return next((per for per in told if per and _is_longer(per, quantity.unit)), "")


def _ends(reading: Reading, quantity: Quantity) -> tuple[int, ...]:
    """Where a period may stand behind an amount of time: or behind what is done in it ("6 hours of tuning a week")."""
    deed = _DEED.match(reading.text, quantity.end)
    return (quantity.end, deed.end(1), deed.end()) if deed else (quantity.end,)


def _is_longer(per: str, unit: str) -> bool:
    return _UNITS.index(per) > _UNITS.index(unit)


def _is_duration(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether an amount of time that nobody claimed is how long something takes."""
    if not reading.is_free(quantity.start, quantity.end):
        return False
    if _is_date(quantity, cues) or _is_of_something_else(reading, quantity, cues):
        return False
    return quantity.value != 1 or not _is_rate(reading, quantity)


def _is_date(quantity: Quantity, cues: Cues) -> bool:
    """Whether a day of a month or a year of the calendar is said."""
    return quantity.unit_text in cues.words["date_unit"] or (quantity.unit == "year" and quantity.value > _MOST_YEARS)


def _is_of_something_else(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether the words beside a time make it that of a life, or what each of several takes."""
    before = _before(reading, quantity)
    if before.endswith("/") or before.endswith(cues.words["each_before"]) or cues.ending["used_for"](before):
        return True
    behind = reading.text[quantity.end : quantity.end + _ROUND_BEHIND].lstrip()
    return cues.starting["used_for"](behind) or _is_of_round(reading, quantity, cues, behind)


def _is_of_round(reading: Reading, quantity: Quantity, cues: Cues, behind: str) -> bool:
    """Whether it is what one round, step or picture takes, said right behind it or before it in its clause."""
    if cues.starting["each_round"](behind):
        return True
    before = reading.flat[max(0, quantity.start - _ROUND_BEFORE) : quantity.start]
    clause = re.split(r"[,;?!.]", before)[-1]
    return holds(clause, cues.words["each_round"])


def _is_rate(reading: Reading, quantity: Quantity) -> bool:
    """Whether "one hour" and the like is what something else is counted by."""
    text, before = reading.text, _before(reading, quantity)
    if before[-1:].isdigit() and reading.is_free(len(text[: quantity.start].rstrip()) - 1, quantity.start):
        return True
    if quantity.unit == "hour" and not reading.concepts.isdisjoint(_PRICE_ASKED):
        return True
    a_second = quantity.words and reading.language == "en" and quantity.unit_text == "s"
    return a_second or _per_of_another(reading, quantity)


def _before(reading: Reading, quantity: Quantity) -> str:
    """What stands right before a time, signs of money left out."""
    return reading.text[max(0, quantity.start - 12) : quantity.start].rstrip(" $\uffe5")


def _per_of_another(reading: Reading, quantity: Quantity) -> bool:
    """Whether "one day" is the rate of another time ("8 hours one day"), already read with it."""
    return any(_takes_as_rate(value, quantity) for value in reading.values)


def _takes_as_rate(value: Value, quantity: Quantity) -> bool:
    """Whether a value beside a time of one is counted by it."""
    if value.slot == "duration":
        per = value.value.get("per") == quantity.unit and abs(value.end - quantity.start) < _NEAR
        return per or abs(quantity.end - value.start) < 3
    if value.slot not in {"price", "budget"}:
        return False
    # "a month 3,500" says the period first
    counted = quantity.unit in {value.value.get("unit"), value.value.get("period")}
    return 0 <= quantity.start - value.end < 3 or (counted and 0 <= value.start - quantity.end < 3)
