"""Turns slots and the shape of a message into traits that intent rules can name ("slot:gpu", "trait:short")."""

from __future__ import annotations

from bot.understand.slots.found import Reading

_SHORT_HAN = 8
_SHORT_WORDS = 5
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
        found.add(f"slot:{value.slot}")
        distinct.setdefault(value.slot, set()).add(str(value.value))
        if not value.known and value.slot in {"gpu", "model"} and value.candidates:
            found.add(f"unknown:{value.slot}")
        if value.slot in {"method", "deploy", "task", "persona"}:
            found.add(f"{value.slot}:{value.value}")
        if value.slot == "gpu_count":
            found.update(_counted(value.value))
    for slot, values in distinct.items():
        if len(values) > 1:
            found.add(f"two:{slot}")
    if distinct.get("gpu") and distinct.get("gpu_family"):
        found.add("two:gpu_or_family")
    if "n" in reading.shape:
        found.add("trait:number")
    words, han = reading.latin, reading.han
    if han + 2 * words > _LONG:
        found.add("trait:long")
    if han <= _SHORT_HAN and words <= _SHORT_WORDS and han / _SHORT_HAN + words / _SHORT_WORDS <= 1.2:
        found.add("trait:short")
    return found


def _counted(cards: int) -> tuple[str, ...]:
    """Whether one card, several, or more than a machine holds."""
    if cards == 1:
        return ("count:one",)
    return ("count:many", "count:fleet") if cards >= _FLEET else ("count:many",)
