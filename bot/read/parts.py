"""Slot values by the part that a number plays, where no grammar made one of it: what power costs, how much is used.

The words around a number tell its part, whether or not a unit does, and the part tells the slot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from bot.core.understanding import SlotValue, Span
from bot.read.candidates import Candidate
from bot.understand.slots.context import plain_number
from bot.understand.slots.currency import CENTS, CURRENCY, message_currency, stated_before

if TYPE_CHECKING:
    from bot.read.reader import Read
    from bot.understand.slots.numbers import Quantity

POWER_PRICE: Final = "electricity_price"
"""The part of what power costs; its slot has the same name."""
_COSTLIEST: Final = 2.0
"""No kilowatt-hour costs more in the coins of `_DEAR`: a larger figure without a unit is in hundredths."""
_DEAR: Final = frozenset({"USD", "EUR", "GBP", "CAD", "AUD", "CHF", "SGD", "NZD"})
_HIGHEST: Final = 100.0
_SIGN_BEFORE: Final = 5
_LEAST_SPENT: Final = 20
"""A smaller figure without a unit is no money."""
_TAKEN_BACK: Final = frozenset({"cancel", "remove", "deny"})
"""Acts in the clause of an amount by which it is spent no more: "forget the 900"."""
_PER: Final = "per_"
"""How acts that tell how often begin."""
_SHARES: Final = {"percent": 0.01, "tenth": 0.1}
_CENT: Final = "cent"
_DEGREES: Final = "c"
_POWER: Final = "electricity"
_ALL: Final = 1.0
_HARDWARE: Final = re.compile(r"(?:mfu|hfu|pue|vat|fee|tax|off|cool\w*|efficien\w*)\W*(?:\w+\W+)?$")
"""Ends what stands before a share that is none of a time of use."""
_ADDS: Final = re.compile(r"^\W*(?:off|more|less|faster|slower|extra|tax|vat|savings?)\b")


def power_price(read: Read, one: Candidate) -> dict[str, object] | None:
    """What a kilowatt-hour costs, of the number that plays that part; None where it is no such amount."""
    if isinstance(one.value, Mapping) and one.value.get("amount") is not None:
        return {"amount": one.value["amount"], "currency": one.value.get("currency")}
    quantity = one.quantity
    if quantity is None or not 0 < quantity.value <= _HIGHEST:
        return None
    said = _currency_of(read, one, quantity.unit)
    if not said and (quantity.unit not in {"", _CENT} or _is_degrees(read, quantity)):
        return None
    currency = said or message_currency(read.analysis.reading)
    parts = _parts_of_one(quantity.unit, quantity.value, currency)
    return {"amount": plain_number(round(quantity.value / parts, 4)), "currency": currency}


def _is_degrees(read: Read, quantity: Quantity) -> bool:
    """Whether a letter behind a figure is that of degrees: nothing of power is spoken of."""
    reading = read.analysis.reading
    return reading.text[quantity.end : quantity.end + 1] == _DEGREES and _POWER not in reading.concepts


def _currency_of(read: Read, one: Candidate, unit: str) -> str:
    """The currency that a number names itself, "" where none."""
    before = read.analysis.reading.text[max(0, one.start - _SIGN_BEFORE) : one.start].rstrip()
    return CURRENCY.get(unit) or CENTS.get(unit) or (stated_before(before) if before else "")


def _parts_of_one(unit: str, value: float, currency: str) -> int:
    """In how many parts of the currency a number is told."""
    if unit == _CENT and currency == "CNY":
        return 10
    return 100 if unit == _CENT or unit in CENTS or (currency in _DEAR and value > _COSTLIEST) else 1


def _use(read: Read, one: Candidate) -> float | None:
    """The share of the time in which something is used."""
    quantity = one.quantity
    part = _SHARES.get(quantity.unit) if quantity is not None else None
    if quantity is None or part is None or not 0 < quantity.value * part <= _ALL:
        return None
    text = read.analysis.reading.text
    if _HARDWARE.search(text[max(0, one.start - 24) : one.start]) or _ADDS.match(text[one.end : one.end + 12]):
        return None
    return round(quantity.value * part, 4)


def _people(_: Read, one: Candidate) -> int | None:
    """How many people."""
    quantity = one.quantity
    if quantity is None or quantity.unit not in {"", "person"} or quantity.value != int(quantity.value):
        return None
    return int(quantity.value) if quantity.value >= 1 else None


def _spent(read: Read, one: Candidate) -> dict[str, object] | None:
    """What may be spent: an amount of money, or a figure without a unit; once unless its clause says how often."""
    quantity = one.quantity
    if quantity is None or quantity.value < _LEAST_SPENT or quantity.unit not in {"", *CURRENCY}:
        return None
    acts = _acts_beside(read, one)
    if not _TAKEN_BACK.isdisjoint(acts):
        return None
    currency = _currency_of(read, one, quantity.unit) or message_currency(read.analysis.reading)
    period = next((name.removeprefix(_PER) for name in acts if name.startswith(_PER)), "once")
    return {"amount": plain_number(quantity.value), "currency": currency, "period": period}


def _acts_beside(read: Read, one: Candidate) -> list[str]:
    """The acts in the clause of a mention, in the order of the text."""
    clause = next((part for part in reversed(read.parts) if part.start <= one.start), None)
    return [name for start, _, name in read.marks.acts if clause is not None and clause.start <= start < clause.end]


_Made = Callable[["Read", Candidate], object]
_FILLING: Final[Mapping[str, tuple[str, _Made]]] = {
    POWER_PRICE: (POWER_PRICE, power_price),
    "rate": ("utilization", _use),
    "people": ("users", _people),
    "budget": ("budget", _spent),
}
"""Parts of numbers, the slot that each fills, and what makes its value."""


def filled_by_part(
    read: Read, roles: Sequence[tuple[str, float]], said: frozenset[str], sure: float
) -> list[SlotValue]:
    """Values of numbers that no grammar claimed, each for a slot that nothing fills and one number alone may.

    Args:
        read: the message.
        roles: the likeliest role of each candidate and its probability.
        said: the slots that are filled.
        sure: the probability from which a part counts.
    """
    found: dict[str, list[SlotValue]] = {}
    for one, (role, chance) in zip(read.candidates, roles, strict=True):
        slot, made = _FILLING.get(role, ("", None))
        if made is None or slot in said or chance < sure or (one.filled is not None and one.slot == slot):
            continue
        value = made(read, one)
        if value is not None:
            found.setdefault(slot, []).append(_value(read, one, slot, value))
    return [listed[0] for listed in found.values() if len(listed) == 1]


def _value(read: Read, one: Candidate, slot: str, value: object) -> SlotValue:
    start, end = read.analysis.normalised.raw_span(one.start, one.end)
    return SlotValue(slot, value, Span(start, end), read.analysis.normalised.raw[start:end], "the part it plays")
