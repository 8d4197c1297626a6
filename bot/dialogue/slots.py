"""From the slot values of one message to slots in force: lists gathered, corrections applied, exclusions kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from advisor.trusted import trusted
from bot.core.conversation import HeldSlot
from bot.core.understanding import SlotValue, Understanding

LISTS = frozenset({"gpu", "model"})
"""Slots whose value is always a list, in the order of the text."""
GATHERED = frozenset({"precision", "provider"})
"""Slots that become a list when several values are named."""
JOINED = frozenset({"gpu_family", "disk"})
"""Text slots whose several values are joined with a comma."""
_held = trusted(HeldSlot)
_SEVERAL = LISTS | GATHERED | JOINED


@dataclass(slots=True)
class Stated:
    """What one message says about slots."""

    values: dict[str, Any] = field(default_factory=dict)
    excluded: dict[str, tuple[object, ...]] = field(default_factory=dict)
    bounds: dict[str, str] = field(default_factory=dict)
    corrected: set[str] = field(default_factory=set)
    replaced: bool = False
    """Cards were put in the place of others: they join none."""
    operation: str = ""
    """The operation that changed what is in force, "" where none did."""
    asked: str = ""
    """The need that was asked along with it."""
    pointed: bool = False
    """The card is one that was spoken of, meant without its name."""
    dropped: set[str] = field(default_factory=set)
    """Slots that are no condition any more."""
    belongs: bool = False
    """A value is what it is only because of what was spoken of, as an amount where system memory is."""


def _after_corrections(found: list[SlotValue]) -> list[SlotValue]:
    """Values that stand once a correction is taken at its word."""
    last = max((index for index, item in enumerate(found) if item.corrects), default=None)
    return found if last is None else found[last:]


def _merge(slot: str, found: list[SlotValue]) -> object:
    if slot not in _SEVERAL:
        return found[0].value
    values: list[object] = []
    for item in found:
        for value in item.value if isinstance(item.value, list) else [item.value]:
            if value not in values:
                values.append(value)
    if slot in LISTS:
        return values
    if slot in GATHERED:
        return values[0] if len(values) == 1 else values
    return ", ".join(map(str, values))


def gather(understanding: Understanding) -> Stated:
    """The slots one message states, excludes and bounds."""
    by_slot: dict[str, list[SlotValue]] = {}
    stated = Stated()
    for item in understanding.slots:
        if item.negated:
            stated.excluded[item.slot] = (*stated.excluded.get(item.slot, ()), item.value)
        else:
            by_slot.setdefault(item.slot, []).append(item)
            if item.corrects:
                stated.corrected.add(item.slot)
    _part_durations(by_slot)
    for slot, found in by_slot.items():
        standing = _after_corrections(found) if slot in stated.corrected else found
        stated.values[slot] = _merge(slot, standing)
        for item in standing:
            if item.bound:
                stated.bounds[slot] = item.bound
                break
    return stated


def _part_durations(by_slot: dict[str, list[SlotValue]]) -> None:
    """How much it is used and for how long are two things, the first said first."""
    found = by_slot.get("duration", [])
    first = bool(found and found[0].value.get("per"))
    other = [item for item in found if bool(item.value.get("per")) is not first]
    if other:
        by_slot["duration"] = [item for item in found if item not in other]
        by_slot["span" if first else "usage"] = other


def hold(values: dict[str, object], user: str, now: datetime, turn: int) -> dict[str, HeldSlot]:
    """Slots as they are remembered: with who said them and when."""
    return {slot: _held(value=value, said_by=user, said_at=now, turn=turn) for slot, value in values.items()}
