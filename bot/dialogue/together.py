"""Many wishes into one need: what agrees, what conflicts, what is missing, and which reading is taken meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.board import Board, Constraint

_LARGEST = frozenset({"vram_gb", "gpu_count", "users", "seq_len", "batch"})
"""Demands: the largest one covers the others."""
_GATHERED = frozenset({"model", "gpu"})
"""Lists: everybody's entries count."""
_WANTED = (("model", "task"), ("budget",), ("deploy",))
"""Without one of each group the recommendation stays broad."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Members who want different things of one slot, and the value taken meanwhile."""

    slot: str
    wishes: tuple[Constraint, ...]
    taken: object


@dataclass(frozen=True, slots=True)
class Need:
    """One need out of all wishes."""

    slots: dict[str, object]
    conflicts: tuple[Conflict, ...]
    missing: tuple[str, ...]


def _entries(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else [value]


def _take(slot: str, wishes: list[Constraint]) -> object:
    """The value to go on with: the largest demand, the smallest budget, everybody's lists, else the newest word."""
    values = [one.value for one in wishes]
    if slot in _GATHERED:
        return list(dict.fromkeys(entry for value in values for entry in _entries(value)))
    if slot in _LARGEST:
        return max(values)
    if slot == "budget" and len({(value["currency"], value["period"]) for value in values}) == 1:
        return min(values, key=lambda value: float(value["amount"]))
    return values[-1]


def merge(board: Board) -> Need:
    """One need out of a board. A conflict is a slot with different values, lists aside."""
    by_slot: dict[str, list[Constraint]] = {}
    for one in board.constraints:
        by_slot.setdefault(one.slot, []).append(one)
    slots = {slot: _take(slot, wishes) for slot, wishes in by_slot.items()}
    conflicts = tuple(
        Conflict(slot, tuple(wishes), slots[slot])
        for slot, wishes in by_slot.items()
        if slot not in _GATHERED and any(one.value != wishes[0].value for one in wishes[1:])
    )
    missing = tuple(group[0] for group in _WANTED if not any(slot in slots for slot in group))
    return Need(slots, conflicts, missing)
