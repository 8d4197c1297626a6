"""Cards that are meant without their names: those of somebody, and of what was spoken of the one of a maker."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from bot.dialogue.ground import Ground, has_any, small_words
from bot.dialogue.slots import Stated

CARDS_OF: Final = "cards_of"
"""Slot of the cards that people have: whose, which, and how many of it."""
OWN, OTHERS = "own", "others"
_NAMED: Final = frozenset({"gpu", "gpu_family", "vram_gb"})
_LONGEST: Final = 60
_SEVERAL: Final = 2


@cache
def _owners() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Whose something is, by the words that say so (languages/dialogue.yaml), others first."""
    return tuple((str(whose), re.compile(pattern)) for whose, pattern in small_words()["owners"].items())


def owner_in(text: str) -> str:
    """Whose card a message speaks of: one's own, another person's; "" where it says neither, or both."""
    left, found = text.casefold(), []
    for whose, pattern in _owners():
        if pattern.search(left):
            found.append(whose)
            left = pattern.sub(" ", left)
    return found[0] if len(found) == 1 else ""


def of_owner(text: str, stated: Stated, ground: Ground) -> bool:
    """The card that somebody was said to have, where only its owner is named and another card was spoken of last."""
    told, held = ground.earlier.get(CARDS_OF), ground.earlier.get("gpu")
    if told is None or ground.pending is not None or len(text) > _LONGEST or not _NAMED.isdisjoint(stated.values):
        return False
    card = told.value.get(owner_in(text)) or _machine_spoken_of(text, told.value)
    if card is None or (held is not None and held.value == [card[0]]):
        return False
    name, count = card
    stated.values["gpu"], stated.pointed = [name], True
    if count > 1 or "gpu_count" in ground.earlier:
        stated.values.setdefault("gpu_count", count)
    return True


def _machine_spoken_of(text: str, told: Mapping[str, tuple[str, int]]) -> tuple[str, int] | None:
    """The only one of them that has several cards, where a machine is pointed at."""
    several = [card for card in told.values() if card[1] >= _SEVERAL]
    return several[0] if len(several) == 1 and has_any(text, small_words()["that_machine"]) else None


def spoken_of(ground: Ground) -> Sequence[str]:
    """The cards in force where they are several, else those of the newest answer that set the one in force beside
    others, else all that were asked about one after the other.
    """
    now = _cards(ground.earlier.get("gpu"))
    if len(now) >= _SEVERAL:
        return now
    before = [_cards(slots.get("gpu")) for slots in ground.before]
    listed = next((cards for cards in before if len(cards) >= _SEVERAL and set(now) <= set(cards)), None)
    return listed or list(dict.fromkeys((*now, *(card for cards in before for card in cards))))


def _cards(held: object) -> list[str]:
    """The cards of a slot."""
    value = getattr(held, "value", None)
    return list(map(str, value)) if isinstance(value, list) else []
