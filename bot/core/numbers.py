"""The one gate that every number out of a message, a button or a call goes through, into a finite range.

Behind it no loop over places, no conversion to a whole number and no sum can meet an infinity, and what nobody means
(an amount beyond all money, a version with three points read as a size) is no number at all.
"""

from __future__ import annotations

from typing import Final

LARGEST: Final = 1e15
"""Beyond every amount of money, bytes or tokens that is asked about."""
MOST_FIGURES: Final = 24
"""Characters of a number in figures, separators and point included."""

COUNTED: Final = {"batch": 1_000_000, "gpu_count": 20_000, "users": 100_000}
"""Slots that count things, and the most that a message may say of each."""


def is_readable(value: float) -> bool:
    """Whether a value that was put together from words is finite and within the range; false for NaN."""
    return -LARGEST <= value <= LARGEST


def figure(text: str) -> float | None:
    """The value of a number in figures ("1,024", "2.5"); None when it is none or lies outside of the range."""
    if len(text) > MOST_FIGURES:
        return None
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if is_readable(value) else None


def whole(text: str) -> int | None:
    """The value of a whole number in figures, of any script; None for fractions, powers ("\\u00b2") and the rest."""
    return int(text) if len(text) <= MOST_FIGURES and text.isdecimal() and int(text) <= LARGEST else None


def counted(slot: str, value: float) -> float | int | None:
    """A number as a value of a slot; where it counts things, a whole one that may be said, else None."""
    most = COUNTED.get(slot)
    if most is None:
        return value
    return int(value) if value == int(value) and 1 <= value <= most else None
