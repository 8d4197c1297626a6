"""Values of a message that stand beside each other: which of several counts, prices and times is meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from bot.core.understanding import SlotValue
from bot.read.candidates import measured

if TYPE_CHECKING:
    from bot.read.reader import Read

ASIDE: Final = frozenset({"quoted", "past", "background"})
"""Roles of what is said beside the point: never a wish."""
SURE: Final = 0.75
"""Probability of such a role from which a value is set aside. Below, what the grammars read stands."""
LIKELY: Final = 0.4
PAID: Final = frozenset({"purchase_price", "rent_price"})
COUNT, CARD_UNIT = "count", "card"
_NOT_PAID: Final = ASIDE | {"resale_value"}
"""Parts of prices that nobody pays now."""
_NO_WORK: Final = frozenset({"deadline", "span"})
"""Times that say nothing of how long something runs, where another one does."""


class Played(NamedTuple):
    """The part that a value plays, and how surely."""

    role: str = ""
    chance: float = 0.0


def own_count(
    read: Read, roles: Sequence[tuple[str, float]], kept: Sequence[tuple[SlotValue, Played]]
) -> Sequence[tuple[SlotValue, Played]]:
    """The same; of so many cards that others speak of and the only number that counts one's own, the latter."""
    pairs = zip(read.candidates, roles, strict=True)
    own = [measured(one) for one, (role, chance) in pairs if role == COUNT and chance >= SURE]
    if len(own) != 1 or own[0][1] != CARD_UNIT:
        return kept
    count = own[0][0]
    return [
        (replace(slot, value=count), its)
        if slot.slot == "gpu_count" and its.role in ASIDE and its.chance >= LIKELY
        else (slot, its)
        for slot, its in kept
    ]


def told_apart(kept: Sequence[tuple[SlotValue, Played]], *, several: bool) -> list[SlotValue]:
    """The values without those that stand for two things at once: prices of several kinds, times of several kinds."""
    kept = kept if several else _without_unsure_prices(kept)
    gone = "price" if several or _has_prices(kept) else ""
    worked = any(slot.slot == "duration" and its.role not in _NO_WORK for slot, its in kept)
    return [slot for slot, its in kept if slot.slot != gone and not (worked and _is_no_work(slot, its))]


def _has_prices(kept: Sequence[tuple[SlotValue, Played]]) -> bool:
    """Whether prices of several kinds are said."""
    return len({(str(slot.value), its.role) for slot, its in kept if slot.slot == "price"}) > 1


def _without_unsure_prices(kept: Sequence[tuple[SlotValue, Played]]) -> Sequence[tuple[SlotValue, Played]]:
    """The same; beside one price that is surely paid those go that are likelier gone, somebody else's or got back."""
    sure = [its for slot, its in kept if slot.slot == "price" and its.role in PAID and its.chance >= SURE]
    if len(sure) != 1:
        return kept
    return [(slot, its) for slot, its in kept if slot.slot != "price" or its.role not in _NOT_PAID]


def _is_no_work(slot: SlotValue, its: Played) -> bool:
    """Whether a time says nothing of how long something runs."""
    return slot.slot == "duration" and its.role in _NO_WORK and its.chance >= LIKELY
