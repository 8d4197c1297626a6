"""Turns slots and the shape of a message into traits that intent rules can name ("slot:gpu", "trait:short")."""

from __future__ import annotations

from bot.understand.slots.found import Reading, Value

_SHORT_HAN = 8
_SHORT_WORDS = 5
_SHORT_TOGETHER = 1.2
"""Shares of both limits that a short message fills at most, added up."""
_NAMED = frozenset({"gpu", "model"})
_SPOKEN = frozenset({"method", "deploy", "task", "persona"})
"""Slots whose values are asked for one by one."""
_FLEET = 16
"""Cards from which several machines are needed."""
_LONG = 36
"""Han characters, a word counting as two."""


def traits_of(reading: Reading) -> set[str]:
    """Everything besides concepts that rules may ask for."""
    found: set[str] = set(reading.traits)
    distinct: dict[str, set[str]] = {}
    for value in reading.values:
        if value.negated:
            found.add(f"not:{value.slot}")
            continue
        found.update(_of_value(value))
        distinct.setdefault(value.slot, set()).add(str(value.value))
    found.update([f"two:{slot}" for slot, values in distinct.items() if len(values) > 1])
    if "gpu" in distinct and "gpu_family" in distinct:
        found.add("two:gpu_or_family")
    found.update(_of_shape(reading))
    return found


def _of_value(value: Value) -> list[str]:
    """What one wished value says."""
    found = [f"slot:{value.slot}"]
    if not value.known and value.slot in _NAMED and value.candidates:
        found.append(f"unknown:{value.slot}")
    if value.slot in _SPOKEN:
        found.append(f"{value.slot}:{value.value}")
    if value.slot == "gpu_count":
        found.extend(_counted(value.value))
    return found


def _of_shape(reading: Reading) -> list[str]:
    """How long a message is, and whether a number stands in it."""
    words, han = reading.latin, reading.han
    found = ["trait:number"] if "n" in reading.shape else []
    if han + 2 * words > _LONG:
        found.append("trait:long")
    if han <= _SHORT_HAN and words <= _SHORT_WORDS and han / _SHORT_HAN + words / _SHORT_WORDS <= _SHORT_TOGETHER:
        found.append("trait:short")
    return found


def _counted(cards: int) -> tuple[str, ...]:
    """Whether one card, several, or more than a machine holds."""
    if cards == 1:
        return ("count:one",)
    return ("count:many", "count:fleet") if cards >= _FLEET else ("count:many",)
