"""What an earlier turn lends to this one. What may carry over is declared per intent, never guessed here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from bot.core.conversation import HeldSlot
from bot.core.intents import Intent

OF_SUBJECT = frozenset({"method", "precision", "batch", "seq_len", "resolution", "dataset", "epochs", "model", "task"})
"""Slots that describe the job of a subject and go with it when another job is named."""
LASTING = frozenset({"currency"})
"""Slots of the conversation, not of a question: every answer keeps to them."""
RIDES = {"epochs": "dataset", "usage": "duration", "span": "duration", "cheaper_than": "budget"}
"""Slots that the dialogue adds, and the declared slot with which each is lent."""
_ANEW = frozenset({"budget", "model", "task", "deploy", "gpu", "vram_gb"})
"""Slots with which a price is no longer the one to beat."""
OF_GPU = frozenset({"vram_gb", "gpu_family"})
"""Slots that a newly named card replaces."""


def need_met(need: str, said: AbstractSet[str]) -> bool:
    """Whether one of the slots of a need ("gpu|vram_gb") is there."""
    return any(slot in said for slot in need.split("|"))


def may_be_lent(slot: str, intent: Intent) -> bool:
    """Whether an intent goes on with a slot of an earlier turn."""
    return slot in LASTING or RIDES.get(slot, slot) in intent.carries_over


def carried(
    intent: Intent,
    earlier: Mapping[str, HeldSlot],
    stated: Iterable[str],
    *,
    only_needed: bool,
    own_question: bool = False,
    points: bool = False,
) -> dict[str, HeldSlot]:
    """Earlier slots that stay in force under `intent` beside the ones just stated.

    Args:
        intent: the need of this turn; its `carries_over` names what may be lent.
        earlier: slots of the turn before (or of the answer replied to).
        stated: slots of this message; they are never overridden.
        own_question: the message is no mere follow-up, so the number of the cards before does not count other cards.
        points: the message points at a card ("on it"), so that one is meant.
        only_needed: the message is a question of its own, so only required slots that it lacks are lent.
    """
    said = set(stated)
    needed = {slot for need in intent.needs for slot in need.split("|")}
    if any(need_met(need, said) for need in intent.needs if "|" in need):
        needed -= {slot for need in intent.needs if "|" in need and need_met(need, said) for slot in need.split("|")}
    if points:
        needed.add("gpu")
    if "gpu" in needed and "gpu" not in said:
        # how many there are, and how much memory, is part of the card
        needed |= {"gpu_count", "vram_gb", "ram_gb"}
    kept: dict[str, HeldSlot] = {}
    for slot, held in earlier.items():
        if slot in said or not may_be_lent(slot, intent):
            continue
        if slot == "cheaper_than" and (own_question or not said.isdisjoint(_ANEW)):
            continue
        # "and for a 13B?" keeps how the job is done; a question of its own about a new model does not
        replaced = slot in {"model", "task"} or (only_needed and slot in OF_SUBJECT)
        if "model" in said and replaced:
            continue
        if "gpu" in said and (slot in OF_GPU or (own_question and slot == "gpu_count")):
            continue
        if only_needed and slot not in needed and slot not in LASTING:
            continue
        kept[slot] = held
    return kept
