"""Every name, number and qualifier of a message that may play a part in it, in the order of the text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from bot.understand.lexicon import Found
from bot.understand.slots.context import plain_number
from bot.understand.slots.currency import CENTS, CURRENCY
from bot.understand.slots.found import Reading, Value
from bot.understand.slots.numbers import Quantity

_KIND_OF: Final = {
    "gpu": "gpu", "model": "model", "provider": "provider", "gpu_family": "vendor", "cpu": "hardware",
    "psu_w": "hardware", "cuda_version": "software", "framework": "software", "precision": "other", "method": "other",
    "deploy": "other", "region": "other", "disk": "other", "dataset": "number", "resolution": "number",
}  # fmt: skip
"""What kind of mention the value of a slot is; every other slot holds a number."""
_NAMES: Final = frozenset({"gpu", "model", "provider"})
_NO_MENTION: Final = frozenset({"task", "persona", "os"})
"""Slots of words that describe a message as a whole."""
_CONDITIONS: Final = frozenset(
    {"second_hand", "new_only", "buying", "renting", "mining", "laptop", "water_cooling", "workstation", "training"}
)
"""Concepts that are a mention when they are ruled out or demanded."""
_TOO_DEAR: Final = "expensive"
_MONEY: Final = frozenset(CURRENCY) | frozenset(CENTS) | {"cent"}
_TIMES: Final = frozenset({"second", "minute", "hour", "day", "week", "month", "year", "term"})
_IN_GB: Final = {"gib": 1.0, "mib": 1 / 1024, "tib": 1024.0}
_UNIT_OF_SLOT: Final = {
    "ram_gb": "GB RAM",
    "vram_gb": "GB",
    "psu_w": "W PSU",
    "seq_len": "token",
    "users": "person",
    "cpu": "",
}
_MEMORY: Final = frozenset({"gib", "mib", "tib"})
_POWER: Final = frozenset({"watt", "kilowatt", "kwh"})

_MOST: Final = 32
"""Candidates of one message; of 6,400 turns that people wrote none has more than 16."""


class Candidate(NamedTuple):
    """One piece of the text that may be a mention."""

    start: int
    end: int
    kind: str
    base: str
    """Kind, and of a number the family of its unit: "n:money", "n:time", "n:card" ..."""
    slot: str
    """The slot that the grammars filled with it, "" where none."""
    value: Any
    unit: str
    quantity: Quantity | None
    filled: Value | None


def candidates_of(reading: Reading) -> list[Candidate]:
    """The candidates, none overlapping another; what a grammar made a value of comes before a bare number.

    Each is looked at beside all others, so that a text made of nothing else has at most `_MOST` of them.
    """
    taken = bytearray(len(reading.text) + 1)
    numbers = {quantity.start: quantity for quantity in reading.quantities}
    found = _wider(reading, taken)
    found += [_of_value(value, _number_of(value, numbers)) for value in _free_values(reading, taken)]
    for quantity in reading.quantities:
        if not _is_in_word(reading, quantity) and _take(taken, quantity.start, quantity.end):
            found.append(_of_quantity(quantity))
    for place in reading.places:
        if _is_condition(place) and _take(taken, place.start, place.end):
            found.append(_of_place(place))
    found.sort(key=_start)
    return found[:_MOST]


def _is_in_word(reading: Reading, quantity: Quantity) -> bool:
    """Whether a bare figure is the head of a word, as of a file or a setting: it counts nothing."""
    behind = reading.text[quantity.end : quantity.end + 2]
    return (
        not quantity.unit
        and not quantity.words
        and len(behind) == 2
        and behind.isascii()
        and behind[0].isalpha()
        and behind[1] == "_"
    )


def _is_condition(place: Found) -> bool:
    """Whether a word is a qualifier; that something cannot be afforded is none."""
    return not _CONDITIONS.isdisjoint(place.concepts) and _TOO_DEAR not in place.concepts


def has_condition(reading: Reading) -> bool:
    """Whether a qualifier stands in the message that may be ruled out."""
    return not _CONDITIONS.isdisjoint(reading.concepts)


def _wider(reading: Reading, taken: bytearray) -> list[Candidate]:
    """Qualifiers that hold the word for a way to come by a card and more."""
    ways = [value for value in reading.values if value.slot == "deploy"]
    if not ways:
        return []
    places = [place for place in reading.places if not _CONDITIONS.isdisjoint(place.concepts)]
    wider = [place for place in places if any(_holds_more(place, way) for way in ways)]
    return [_of_place(place) for place in wider if _take(taken, place.start, place.end)]


def _holds_more(place: Found, way: Value) -> bool:
    return place.start <= way.start and way.end <= place.end and place.end - place.start > way.end - way.start


def _free_values(reading: Reading, taken: bytearray) -> list[Value]:
    """Values of which none overlaps another: names first."""
    names = [value for value in reading.values if value.slot in _NAMES]
    others = [value for value in reading.values if value.slot not in _NAMES and value.slot not in _NO_MENTION]
    return [value for value in (*names, *others) if _take(taken, value.start, value.end)]


def _take(taken: bytearray, start: int, end: int) -> bool:
    """Take a piece of the text, unless it is empty or part of it is taken."""
    if end <= start or taken.find(1, start, end) >= 0:
        return False
    taken[start:end] = b"\1" * (end - start)
    return True


def _number_of(value: Value, numbers: Mapping[int, Quantity]) -> Quantity | None:
    """The number that a value was made of: it stands where the value does, or behind the sign of its currency."""
    return numbers.get(value.start) or numbers.get(value.start + 1)


def _start(candidate: Candidate) -> int:
    return candidate.start


def _of_value(value: Value, quantity: Quantity | None) -> Candidate:
    kind = _KIND_OF.get(value.slot, "number")
    unit = quantity.unit if quantity is not None else ""
    base = f"n:{_family(unit)}" if kind == "number" else kind
    return Candidate(value.start, value.end, kind, base, value.slot, value.value, unit, quantity, value)


def _of_quantity(quantity: Quantity) -> Candidate:
    kind = "hardware" if quantity.unit == "core" else "number"
    base = f"n:{_family(quantity.unit)}"
    return Candidate(quantity.start, quantity.end, kind, base, "", quantity.value, quantity.unit, quantity, None)


def _of_place(place: Found) -> Candidate:
    concept = next(concept for concept in place.concepts if concept in _CONDITIONS)
    return Candidate(place.start, place.end, "other", f"o:{concept}", "", concept, "", None, None)


def _family(unit: str) -> str:
    """Units that are said of the same kind of thing."""
    if unit in _MONEY:
        return "money"
    if unit in _TIMES:
        return "time"
    if unit in _MEMORY:
        return "memory"
    return "power" if unit in _POWER else unit


def measured(candidate: Candidate) -> tuple[Any, str]:
    """Canonical value and unit: money by its currency, memory in GB, power in W, time with its period."""
    if isinstance(candidate.value, dict):
        return _of_dict(candidate)
    quantity = candidate.quantity
    if quantity is None:
        return candidate.value, _UNIT_OF_SLOT.get(candidate.slot, "")
    if quantity.unit in _MEMORY:
        ram = " RAM" if candidate.slot == "ram_gb" else ""
        return plain_number(quantity.value * _IN_GB[quantity.unit]), f"GB{ram}"
    if quantity.unit in {"watt", "kilowatt"}:
        return plain_number(quantity.value * (1000 if quantity.unit == "kilowatt" else 1)), "W"
    if quantity.unit in CURRENCY:
        return plain_number(quantity.value), CURRENCY[quantity.unit]
    if candidate.slot == "utilization":
        return candidate.value, "share"
    if candidate.kind in {"gpu", "model", "provider", "vendor", "software", "other"}:
        return candidate.value, ""
    return plain_number(quantity.value), _UNIT_OF_SLOT.get(candidate.slot) or quantity.unit


def _of_dict(candidate: Candidate) -> tuple[Any, str]:
    """Amount and unit of money or time that the grammars read."""
    value = candidate.value
    if candidate.slot == "duration":
        per = f"/{value['per']}" if value.get("per") else ""
        return value["amount"], f"{value['unit']}{per}"
    per = value.get("unit") or value.get("period") or ""
    rate = f"/{per}" if per in {"hour", "day", "week", "month", "year", "kwh"} else ""
    return value.get("amount"), f"{value.get('currency') or ''}{rate}"
