"""Typed values of a later message: what an amount without its kind means, by what is in force and what was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from bot.core.numbers import counted
from bot.core.understanding import Number
from bot.talk.standing import Standing
from bot.talk.turn import Slots, Turn, of_mapping

_COUNTS: Final = ("gpu_count", "budget", "psu_w", "ram_gb", "seq_len", "batch", "users", "duration")
"""Values that can be counted on, in the order in which they are tried."""
_UNIT_OF: Final = {
    "gpu_count": ("card", "", "piece"),
    "psu_w": ("W", "W PSU"),
    "ram_gb": ("GB", "GB RAM"),
    "users": ("person",),
}
_NAMED: Final = {"sequence_length": "seq_len", "batch_size": "batch", "gpu": "gpu_count", "card_word": "gpu_count"}
_PERIODS: Final = ("day", "week", "month", "year")
_BILLED: Final = frozenset({"estimate_cost"})
"""Needs whose answer is for so long a time."""
_OUT: Final = frozenset({"task", "persona", "method", "gpu_family", "deploy", "region"})
"""Words that colour a message and change no value by themselves."""
_NAMES: Final = frozenset({"gpu", "model", "provider", "vendor", "software"})
"""Kinds of numbers that are part of a name."""
_WORDED_COUNTS: Final = {"two": 2, "four": 4, "eight": 8}
"""Words that count cards by themselves."""
_POINTING: Final = frozenset({"the", "those", "these"})
"""Before a word that counts: so many that were spoken of."""
_TOKENS_PER_K: Final = 1024 / 1000
"""Lengths of text are said in thousands and counted in powers of two."""
_MONEY: Final = frozenset({"budget", "price", "electricity_price"})
_CENTS: Final = 1.0
"""Money below one unit of its currency is the price of a unit of electricity where power at the wall is spoken of."""


def plain(value: float) -> int | float:
    """An int where the value is whole."""
    return int(value) if value == int(value) else round(value, 4)


def of_topic(turn: Turn, topics: Sequence[str]) -> str:
    """The earlier subject that is meant: the one whose need the message has, else the one before the last."""
    scores = {item.intent: item.score for item in turn.understanding.ranking}
    older = topics[:-1] or topics
    return max(older, key=lambda topic: (scores.get(topic.split(":")[0], 0.0), older.index(topic)))


def counted_on(turn: Turn, standing: Standing) -> Slots:
    """Changes of the form {"op", "amount", "result"}: only of amounts that a word for more or fewer touches."""
    times = _times(turn, standing)
    if times or turn.has("new"):
        return times
    found: Slots = {}
    if turn.has("single") and "gpu_count" in standing.slots:
        found["gpu_count"] = _plus("gpu_count", standing.slots["gpu_count"], 1)
    for number in turn.understanding.said.numbers:
        sign = (("more" in number.beside) or _adds_a_card(turn, number)) - ("fewer" in number.beside)
        slot = _slot_for(number, standing, found) if sign and number.kind not in _NAMES else ""
        if slot:
            found[slot] = _plus(slot, standing.slots[slot], sign * number.value)
    return found


def _whole(slot: str, before: float, change: Slots) -> Slots:
    """A change; of things that are counted one that would leave half of one, or none, leaves them as they were."""
    result = change["result"]
    left = counted(slot, result) if isinstance(result, (int, float)) else None
    return {**change, "result": before if left is None else left}


def _adds_a_card(turn: Turn, number: Number) -> bool:
    """Whether so many cards come to those in force."""
    return number.unit == "card" and "add_card" in turn.concepts


def _times(turn: Turn, standing: Standing) -> Slots:
    """Twice or half of what is in force."""
    slot = _multiplied(turn, standing) if turn.has("double") or turn.has("half") else ""
    before = standing.slots.get(slot)
    if not isinstance(before, (int, float)):
        return {}
    factor = 2 if turn.has("double") else 0.5
    return {slot: _whole(slot, before, {"op": "*", "amount": factor, "result": plain(before * factor)})}


def _multiplied(turn: Turn, standing: Standing) -> str:
    named = [_NAMED[one] for one in turn.concepts if one in _NAMED]
    if named:
        return next((slot for slot in named if slot in standing.slots), "")
    return next((slot for slot in _COUNTS if isinstance(standing.slots.get(slot), (int, float))), "")


def _slot_for(number: Number, standing: Standing, found: Mapping[str, object]) -> str:
    """The value in force that a number counts on: one of its own kind."""
    open_slots = [slot for slot in _COUNTS if slot in standing.slots and slot not in found]
    if _is_money(number):
        return "budget" if "budget" in open_slots else ""
    if not number.unit and "budget" in open_slots and "gpu_count" not in standing.slots:
        return "budget"
    units = {**_UNIT_OF, "duration": _units_of_time(standing)}
    return next((slot for slot in open_slots if number.unit in units.get(slot, ())), "")


def _units_of_time(standing: Standing) -> tuple[object, ...]:
    """The unit of the time in force; none where it is one of each day, week or month."""
    held = of_mapping(standing.slots.get("duration"))
    return () if held.get("per") else (held.get("unit"),)


def _is_money(number: Number) -> bool:
    """Whether a number is money: a currency is the only unit of three capitals."""
    return number.kind == "money" or "/" in number.unit or (len(number.unit) == 3 and number.unit.isupper())


def _plus(slot: str, before: object, amount: float) -> Slots:
    base = of_mapping(before).get("amount", before)
    start = base if isinstance(base, (int, float)) else 0
    return _whole(slot, start, {"op": "+" if amount >= 0 else "-", "amount": abs(amount), "result": start + amount})


def typed_like(turn: Turn, standing: Standing) -> Slots:
    """The values of a message; a bare amount takes the kind of what was asked for or of what it stands in place of."""
    changes: Slots = {slot: value for slot, value in turn.slots.items() if slot not in _OUT or slot in standing.slots}
    if not changes and standing.expecting:
        changes = _expected(turn, standing)
    if "duration" in changes and turn.has("nonstop"):
        changes["utilization"] = 1.0
    for slot, value in (
        ("budget", _budget_like(turn, standing, changes)),
        ("seq_len", _length_like(turn, standing, changes)),
        ("duration", _time_like(turn, standing, changes)),
    ):
        if value:
            changes[slot] = value
    return {**_at_the_wall(turn, changes), **counted_in_words(turn, standing, changes)}


def counted_in_words(turn: Turn, standing: Standing, changes: Mapping[str, object]) -> Slots:
    """How many of the cards of this message, or of those in force, by a word that counts alone."""
    cards = "gpu" in changes or "gpu" in standing.slots
    if "gpu_count" in changes or not cards:
        return {}
    counts = [count for word, count in _WORDED_COUNTS.items() if turn.has(word)]
    return {"gpu_count": counts[0]} if len(counts) == 1 and _counts_cards(turn, counts[0]) else {}


def _counts_cards(turn: Turn, count: int) -> bool:
    """Whether a word that counts is neither that of a time, nor points at so many that were spoken of."""
    of_other = any(
        one.value == count and one.unit not in _UNIT_OF["gpu_count"] for one in turn.understanding.said.numbers
    )
    tokens = turn.understanding.tokens
    pointed = any(one in _POINTING and after in _WORDED_COUNTS for one, after in pairwise(tokens))
    return not (of_other or pointed)


def _budget_like(turn: Turn, standing: Standing, changes: Mapping[str, object]) -> Slots:
    """The budget in force with what was said of it now: amount, currency or period; what was not said stays.

    A period beside hours, cards or watts is none of money.
    """
    before = of_mapping(standing.slots.get("budget"))
    if not before:
        return {}
    said = {key: value for key, value in of_mapping(changes.get("budget")).items() if value is not None}
    timed = any(number.kind not in {"", "money"} for number in turn.understanding.said.numbers)
    period = "" if timed else next((one for one in _PERIODS if turn.has(f"per_{one}")), "")
    if period:
        said = {**_bare_amount(turn), **said, "period": period}
    return {**before, **said} if said else {}


def _time_like(turn: Turn, standing: Standing, changes: Mapping[str, object]) -> Slots:
    """One day, week, month or year by its word alone, where a time in force says for how long something is paid."""
    before = of_mapping(standing.slots.get("duration"))
    counted = bool(turn.understanding.said.numbers) or "duration" in changes or "budget" in standing.slots
    if standing.answered not in _BILLED or not before or before.get("per") or counted:
        return {}
    unit = next((one for one in _PERIODS if turn.has(f"per_{one}")), "")
    return {"amount": 1, "unit": unit} if unit else {}


def _bare_amount(turn: Turn) -> Slots:
    """The first number that is money or nothing else."""
    bare = [number.value for number in turn.understanding.said.numbers if number.kind in {"", "money"}]
    return {"amount": bare[0]} if bare else {}


def _length_like(turn: Turn, standing: Standing, changes: Mapping[str, object]) -> int:
    """Thousands without a unit where a model is spoken of and no money: a length of text."""
    if "seq_len" in changes or "model" not in standing.slots or "budget" in standing.slots:
        return 0
    for number in turn.understanding.said.numbers:
        if number.thousands and number.kind in {"", "token"}:
            return int(number.plain / 1000 * 1024)
    return 0


def _expected(turn: Turn, standing: Standing) -> Slots:
    """A bare number as the value that was asked for."""
    numbers = [number.value for number in turn.understanding.said.numbers]
    if not numbers or standing.expecting in _MONEY:
        return {}  # money has a currency, which is not told by a number
    if standing.expecting == "duration":
        unit, _, per = standing.ask.partition("/")
        return {"duration": {"amount": numbers[0], "unit": unit or "hour", **({"per": per} if per else {})}}
    return {standing.expecting: numbers[0]}


def _at_the_wall(turn: Turn, changes: Mapping[str, object]) -> Slots:
    """The same with what the whole machine draws, a role of its own; beside it small money is that of a unit of power.

    Watts never become money, and money never watts.
    """
    drawn = [one.value for one in turn.understanding.said.numbers if one.role == "wall_power" and one.kind != "money"]
    if not drawn:
        return dict(changes)
    found: Slots = {**changes, "wall_power_w": plain(drawn[0])}
    price = of_mapping(found.get("price"))
    amount = price.get("amount")
    if isinstance(amount, (int, float)) and amount < _CENTS:
        del found["price"]
        found["electricity_price"] = {"amount": amount, "currency": price.get("currency")}
    return found
