"""Reads how many people use something, and the width of weights where a word for people is one for bits too."""

from __future__ import annotations

import re
from typing import Final

from bot.understand.slots.context import Cues
from bot.understand.slots.found import Reading, Value
from bot.understand.slots.numbers import PAIR, Quantity

_TOUCHING: Final = 3
"""Characters from a width of weights to the name of the model that has it."""
_WIDTHS: Final = {4: "int4", 8: "int8", 16: "fp16"}
"""Bits of a weight -> precision."""
_MOST_USERS: Final = 100_000_000
_OF_PEOPLE: Final = frozenset({"", "person", "piece"})
"""Units of a number that may count people."""
_PLAIN: Final = frozenset({"", PAIR})
_COUNTED: Final = re.compile(r" (?!cards|gpus|tokens|requests|models|images|hours)[a-z]{3,}s(?= )")
"""A word for several of whoever asks, behind their number."""
_OF_US: Final = " of us"


def read_people(reading: Reading, quantity: Quantity, cues: Cues) -> None:
    """Add `users`, or `precision`, for a number with a word for people behind it."""
    if not _bits(reading, quantity, cues):
        _users(reading, quantity)


def _bits(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Read the width of weights where a word for people is one for bits too and no noun of people stands behind it."""
    width = _WIDTHS.get(int(quantity.value))
    if width is None or quantity.unit_text not in cues.words["bits"]:
        return False
    behind = reading.text[quantity.end :].lstrip()
    named = any(0 <= value.start - quantity.end < _TOUCHING for value in reading.values if value.slot == "model")
    if behind and not named and not cues.starting["behind_bits"](behind):
        return False
    reading.values.append(Value("precision", width, quantity.start, quantity.end, "width of the weights"))
    return True


def _users(reading: Reading, quantity: Quantity) -> None:
    if (
        1 <= quantity.value <= _MOST_USERS
        and not (quantity.value == 1 and quantity.words)
        and not _joins(reading, quantity)
    ):
        reading.values.append(Value("users", int(quantity.value), quantity.start, quantity.end, "count: people"))


def settle_at_once(reading: Reading, cues: Cues) -> None:
    """Of the people who use something those who do so at the same time count, where both numbers are said.

    A number behind a word for asking at once is one of people even without a word for them.
    """
    found = next((one for one in reading.quantities if _is_at_once(reading, one, cues)), None)
    if found is None:
        return
    everyone = [value for value in reading.values if value.slot == "users" and value.start != found.start]
    if any(value.value <= found.value for value in everyone):
        return
    reading.values[:] = [value for value in reading.values if value.slot != "users"]
    reading.values.append(Value("users", int(found.value), found.start, found.end, "number of people at once"))


def _is_at_once(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a number of nothing but people stands beside a word for doing so at the same time."""
    whole = quantity.value == int(quantity.value) and 1 < quantity.value <= _MOST_USERS
    if not whole or quantity.unit not in _OF_PEOPLE or quantity.magnitude not in _PLAIN:
        return False
    if not _is_beside(reading, quantity, cues):
        return False
    return not any(one.slot != "users" and one.start <= quantity.start < one.end for one in reading.values)


def _is_beside(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a number stands beside a word for doing so at the same time, or counts "of us"."""
    if cues.right_before("at_once", reading, quantity.start):
        return True
    if not quantity.unit and reading.text.startswith(_OF_US, quantity.end):
        return True
    return any(cues.after("at_once", reading, end) for end in _ends(reading, quantity))


def _ends(reading: Reading, quantity: Quantity) -> tuple[int, ...]:
    """Where a number ends, alone and with the things that it counts: "40 lawyers at once"."""
    counted = _COUNTED.match(reading.text, quantity.end) if not quantity.unit else None
    return (quantity.end, counted.end()) if counted else (quantity.end,)


def _joins(reading: Reading, quantity: Quantity) -> bool:
    """Whether a stroke joins a number to a name before it: a second name ("3090/4090 people")."""
    before = reading.text[: quantity.start].rstrip()
    return before.endswith("/") and any(name.end == len(before) - 1 for name in reading.names)
