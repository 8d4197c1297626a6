"""Typed values of a later message: what an amount without its kind means, by what is in force and what was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bot.read.candidates import measured
from bot.talk.standing import Standing
from bot.talk.turn import Turn
from bot.understand.slots.context import plain_number

_COUNTS: Final = ("gpu_count", "budget", "psu_w", "ram_gb", "seq_len", "batch", "users")
"""Values that can be counted on, in the order in which they are tried."""
_UNIT_OF: Final = {
    "gpu_count": ("card", "", "piece"),
    "psu_w": ("W", "W PSU"),
    "ram_gb": ("GB", "GB RAM"),
    "users": ("person",),
}
_NAMED: Final = {"sequence_length": "seq_len", "batch_size": "batch", "gpu": "gpu_count", "card_word": "gpu_count"}
_PERIODS: Final = ("day", "week", "month", "year")
_OUT: Final = frozenset({"task", "persona", "method", "gpu_family", "deploy", "region"})
"""Words that colour a message and change no value by themselves."""


def of_topic(turn: Turn, topics: Sequence[str]) -> str:
    """The earlier subject that is meant: the one whose need the message has, else the one before the last."""
    scores = {item.intent: item.score for item in turn.read.analysis.understanding.ranking}
    older = topics[:-1] or topics
    return max(older, key=lambda topic: (scores.get(topic.split(":")[0], 0.0), older.index(topic)))


def counted_on(turn: Turn, standing: Standing) -> dict[str, Any]:
    """Changes of the form {"op", "amount", "result"}."""
    times = _times(turn, standing)
    if times or not (turn.has("more") or turn.has("fewer")):
        return times
    sign = 1 if turn.has("more") else -1
    found: dict[str, Any] = {}
    if turn.has("single") and "gpu_count" in standing.slots:
        found["gpu_count"] = _plus(standing.slots["gpu_count"], sign)
    for candidate in turn.read.candidates:
        value, unit = measured(candidate)
        if isinstance(value, (int, float)) and candidate.kind in {"number", "hardware", "other"}:
            slot = _slot_for(unit, candidate.base, standing, found)
            if slot:
                found[slot] = _plus(standing.slots[slot], sign * value)
    return found


def _times(turn: Turn, standing: Standing) -> dict[str, Any]:
    """Twice or half of what is in force."""
    slot = _multiplied(turn, standing) if turn.has("double") or turn.has("half") else ""
    if not slot:
        return {}
    factor = 2 if turn.has("double") else 0.5
    return {slot: {"op": "*", "amount": factor, "result": plain_number(standing.slots[slot] * factor)}}


def _multiplied(turn: Turn, standing: Standing) -> str:
    named = [_NAMED[one] for one in turn.concepts if one in _NAMED and _NAMED[one] in standing.slots]
    if named:
        return named[0]
    return next((slot for slot in _COUNTS if isinstance(standing.slots.get(slot), (int, float))), "")


def _slot_for(unit: str, base: str, standing: Standing, found: Mapping[str, Any]) -> str:
    money = _is_money(unit, base)
    open_slots = [slot for slot in _COUNTS if slot in standing.slots and slot not in found]
    if "budget" in open_slots and (money or (not unit and "gpu_count" not in standing.slots)):
        return "budget"
    return "" if money else next((slot for slot in open_slots if unit in _UNIT_OF.get(slot, ())), "")


def _is_money(unit: str, base: str) -> bool:
    return base == "n:money" or "/" in unit or (len(unit) == 3 and unit.isupper())


def _plus(before: Any, amount: float) -> dict[str, Any]:
    base = before["amount"] if isinstance(before, Mapping) else before
    return {"op": "+" if amount >= 0 else "-", "amount": abs(amount), "result": base + amount}


def typed_like(turn: Turn, standing: Standing) -> dict[str, Any]:
    """The values of a message; a bare amount takes the kind of what was asked for or of what it stands in place of."""
    changes = {slot: value for slot, value in turn.slots.items() if slot not in _OUT or slot in standing.slots}
    if not changes and standing.expecting:
        changes = _expected(turn, standing)
    if "duration" in changes and turn.has("nonstop"):
        changes["utilization"] = 1.0
    budget = _budget_like(turn, standing, changes)
    if budget:
        changes["budget"] = budget
    length = _length_like(turn, standing, changes)
    if length:
        changes["seq_len"] = length
    changes.update(_by_role(turn))
    return changes


def _budget_like(turn: Turn, standing: Standing, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The budget in force with what was said of it now: amount, currency or period; what was not said stays."""
    before = standing.slots.get("budget")
    if not isinstance(before, Mapping):
        return {}
    said = {key: value for key, value in dict(changes.get("budget") or {}).items() if value is not None}
    period = next((one for one in _PERIODS if turn.has(f"per_{one}")), "")
    if period:
        said = {**_bare_amount(turn), **said, "period": period}
    return {**before, **said} if said else {}


def _bare_amount(turn: Turn) -> dict[str, Any]:
    """The first number that is money or nothing else."""
    bare = [one for one in turn.read.candidates if one.base in {"n:", "n:money"} and one.quantity is not None]
    return {"amount": measured(bare[0])[0]} if bare else {}


def _length_like(turn: Turn, standing: Standing, changes: Mapping[str, Any]) -> int:
    """Thousands without a unit where a model is spoken of and no money: a length of text."""
    if "seq_len" in changes or "model" not in standing.slots or "budget" in standing.slots:
        return 0
    for one in turn.read.candidates:
        if one.quantity is not None and one.quantity.magnitude == "k" and one.base in {"n:", "n:token"}:
            return int(one.quantity.value / 1000 * 1024)
    return 0


def _expected(turn: Turn, standing: Standing) -> dict[str, Any]:
    """A bare number as the value that was asked for."""
    numbers = [measured(one)[0] for one in turn.read.candidates if one.quantity is not None]
    if not numbers:
        return {}
    if standing.expecting == "duration":
        unit, _, per = standing.ask.partition("/")
        return {"duration": {"amount": numbers[0], "unit": unit or "hour", **({"per": per} if per else {})}}
    return {standing.expecting: numbers[0]}


def _by_role(turn: Turn) -> dict[str, Any]:
    """Values that are no slot of the taxonomy but have a role of their own."""
    found: dict[str, Any] = {}
    for mention in turn.mentions:
        if (
            mention.role == "wall_power"
            and mention.unit in {"W", "W PSU", ""}
            and isinstance(mention.value, (int, float))
        ):
            found["wall_power_w"] = mention.value
    return found
