"""Judges a number by rows: what is seen of it, and what it is then. The first row that holds decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from bot.understand.slots.context import Cues
from bot.understand.slots.found import Reading
from bot.understand.slots.numbers import Quantity

Said = TypeVar("Said")
Sign: TypeAlias = Callable[[Reading, Quantity, Cues], bool]
"""Something that is seen of a number in its message."""
Rows: TypeAlias = tuple[tuple[Sign, Said], ...]
"""Signs in the order in which they are asked for, each with the verdict that it carries."""


def verdict(rows: Rows[Said], reading: Reading, quantity: Quantity, cues: Cues, otherwise: Said) -> Said:
    """What the first row says whose sign is seen; `otherwise` where none is."""
    for seen, says in rows:
        if seen(reading, quantity, cues):
            return says
    return otherwise
