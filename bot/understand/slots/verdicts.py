"""Judges a number by rows: what is seen of it, and what it is then. The first row that holds decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from bot.understand.slots.context import Cues
    from bot.understand.slots.found import Reading
    from bot.understand.slots.numbers import Quantity

Sign: TypeAlias = "Callable[[Reading, Quantity, Cues], bool]"
"""Something that is seen of a number in its message."""
Rows: TypeAlias = "tuple[tuple[Sign, bool], ...]"
"""Signs in the order in which they are asked for, each with the verdict that it carries."""


def verdict(rows: Rows, reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """What the first row says whose sign is seen; False where none is."""
    for seen, says in rows:
        if seen(reading, quantity, cues):
            return says
    return False
