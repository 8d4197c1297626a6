"""Values that come with a key (`set:slot=value`) instead of words: in the canonical form of their slot, or refused.

Programs may send any key (docs/architecture.md), so nothing is believed because a button once said it.
"""

from __future__ import annotations

import re
from typing import Final

from advisor.models import Method, Precision
from bot.core.numbers import COUNTED, figure, whole

_WHOLE: Final = {**COUNTED, "seq_len": 2_000_000}
"""Slots of whole numbers, from 1 to the most that a message may say of them."""
_NUMBERS: Final = {"vram_gb": 1e6, "ram_gb": 1e6, "psu_w": 1e6, "utilization": 1.0}
"""Slots of numbers above 0, and the most of each."""
_WORDS: Final = {
    "method": frozenset(map(str, Method)),
    "precision": frozenset(map(str, Precision)) | {"mixed", "fp4"},
}
"""Slots of which programs, too, know no other words."""
_PERIODS: Final = frozenset({"hour", "day", "week", "month", "year"})
_CURRENCY: Final = re.compile(r"[A-Z]{3}")
_RESOLUTION: Final = re.compile(r"[1-9][0-9]{1,4}x[1-9][0-9]{1,4}")
_LONGEST: Final = 40


def canonical(slot: str, value: object) -> object:
    """The text value of a key in the canonical form of its slot; what is no text is in it already.

    Raises:
        ValueError: it is no value of this slot.
    """
    if not isinstance(value, str):
        return value
    if slot in _WHOLE:
        return _within(whole(value), _WHOLE[slot])
    if slot in _NUMBERS:
        return _within(figure(value), _NUMBERS[slot])
    if slot in {"budget", "price"}:
        return _money(slot, value)
    if slot == "duration":
        amount, _, unit = value.partition(" ")
        return {"amount": _within(figure(amount)), "unit": _one_of(unit or "hour", _PERIODS)}
    return _words(slot, value)


def _words(slot: str, value: str) -> object:
    if not value.strip() or len(value) > _LONGEST or not value.isprintable():
        raise ValueError(slot)
    if slot == "resolution" and not _RESOLUTION.fullmatch(value):
        raise ValueError(slot)
    if slot in _WORDS:
        return _one_of(value, _WORDS[slot])
    return [value] if slot in {"gpu", "model"} else value


def _money(slot: str, value: str) -> dict[str, object]:
    amount, _, rest = value.partition(" ")
    currency, _, unit = rest.partition(" ")
    if currency and not _CURRENCY.fullmatch(currency):
        raise ValueError(slot)
    key, usual = ("period", "once") if slot == "budget" else ("unit", "card")
    return {
        "amount": _within(figure(amount)),
        "currency": currency or "CNY",
        key: _one_of(unit or usual, _PERIODS | {usual}),
    }


def _within(number: float | None, most: float = 1e15) -> float:
    if number is None or not 0 < number <= most:
        raise ValueError(number)
    return number


def _one_of(word: str, known: frozenset[str]) -> str:
    if word not in known:
        raise ValueError(word)
    return word
