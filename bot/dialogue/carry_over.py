"""What an earlier turn lends to this one. What may carry over is declared per intent, never guessed here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from bot.core.conversation import HeldSlot
from bot.core.intents import Intent

OF_SUBJECT = frozenset(
    {"method", "precision", "batch", "seq_len", "resolution", "dataset", "epochs", "model", "task", "train_tokens"}
    | {"train_steps", "weight_files"}
)
"""Slots that describe the job of a subject and go with it when another job is named."""
_MODEL, _COUNT = frozenset({"model", "task"}), frozenset({"gpu_count"})
_OF_RUN = frozenset({"seq_len", "batch", "precision", "weight_files", "users"})
"""Slots that say how a job is run."""
_OF_FORMAT = frozenset({"weight_files"})
"""Slots of the format that weights are kept in."""
LASTING = frozenset({"currency", "own_gpu", "cards_of"})
"""Slots of the conversation, not of a question: every answer keeps to them."""
RIDES = {
    "epochs": "dataset",
    "train_tokens": "dataset",
    "train_steps": "dataset",
    "sound_hours": "dataset",
    "requests_total": "dataset",
    "tokens_in": "dataset",
    "tokens_out": "dataset",
    "deadline_hours": "dataset",
    "clip_seconds": "model",
    "weight_files": "precision",
    "limit_w": "gpu",
    "card_counts": "gpu",
    "most": "model",
    "kv_precision": "model",
    "optimizer": "model",
    "recompute": "model",
    "scratch": "method",
    "settings": "model",
    "usage": "duration",
    "span": "duration",
    "cheaper_than": "budget",
    "prices": "gpu",
    "lot": "price",
    "driver": "cuda_version",
    "at_once": "users",
}
"""Slots that the dialogue adds, and the declared slot with which each is lent."""
_ANEW = frozenset({"budget", "model", "task", "deploy", "gpu", "vram_gb"})
"""Slots with which a price is no longer the one to beat."""
OF_GPU = frozenset({"vram_gb", "gpu_family", "card_counts", "price", "lot"})
"""Slots that a newly named card replaces."""


def need_met(need: str, said: AbstractSet[str]) -> bool:
    """Whether one of the slots of a need, such as gpu|vram_gb, is there."""
    return any(slot in said for slot in need.split("|"))


def may_be_lent(slot: str, intent: Intent) -> bool:
    """Whether an intent goes on with a slot of an earlier turn."""
    return slot in LASTING or RIDES.get(slot, slot) in intent.carries_over


OF_CARD = frozenset({"gpu", "gpu_count", "vram_gb", "gpu_family", "card_counts"})
"""Slots of a card that a job on the processor has no use for."""


def is_on_processor(concepts: Collection[str], stated: Collection[str]) -> bool:
    """Whether the job spoken of is asked about on the processor alone."""
    return "on_cpu" in concepts and "gpu" not in stated


@dataclass(frozen=True, slots=True)
class Asked:
    """How a message stands to what was said before it."""

    stated: frozenset[str]
    """Slots of this message; they are never overridden."""
    only_needed: bool
    """The message is a question of its own, so only required slots that it lacks are lent."""
    own_question: bool = False
    """It is no mere follow-up, so the number of the cards before does not count other cards."""
    points: bool = False
    """It points at a card, so that one is meant."""
    other_job: bool = False
    """It is about another kind of job with the same model: how the one is run says nothing of the other."""


def carried(intent: Intent, earlier: Mapping[str, HeldSlot], asked: Asked) -> dict[str, HeldSlot]:
    """Earlier slots that go into the answer of `intent` beside the ones just stated.

    Args:
        intent: the need of this turn; its `carries_over` names what may be lent.
        earlier: slots of the turn before (or of the answer replied to).
        asked: how the message stands to them.
    """
    needed = _needed(intent, asked)
    return {
        slot: held
        for slot, held in earlier.items()
        if slot not in asked.stated
        and may_be_lent(slot, intent)
        and not _stays_behind(slot, asked, needed)
        and not _said_otherwise(held, asked)
    }


def _said_otherwise(held: HeldSlot, asked: Asked) -> bool:
    """Whether hours of a day or week give way to the share of the time that is said now."""
    return "utilization" in asked.stated and isinstance(held.value, dict) and bool(held.value.get("per"))


def _needed(intent: Intent, asked: Asked) -> set[str]:
    """The slots that a need still lacks."""
    either = [need for need in intent.needs if "|" in need and need_met(need, asked.stated)]
    needed = {slot for need in intent.needs for slot in need.split("|")}
    needed -= {slot for need in either for slot in need.split("|")}
    if asked.points:
        needed.add("gpu")
    if "gpu" in needed and "gpu" not in asked.stated:
        # how many there are, and how much memory, is part of the card
        needed |= {"gpu_count", "vram_gb", "ram_gb"}
    return needed


def _replaced_with_model(asked: Asked) -> AbstractSet[str]:
    """What goes when another model is named: how the job is done stays, but not in a question of its own."""
    return OF_SUBJECT if asked.only_needed else _MODEL


def _replaced_with_card(asked: Asked) -> AbstractSet[str]:
    """What goes when another card is named: in a question of its own also how many there were."""
    return OF_GPU | _COUNT if asked.own_question else OF_GPU


def _begins_anew(asked: Asked) -> bool:
    """Whether a price is no longer the one to beat."""
    return asked.own_question or not asked.stated.isdisjoint(_ANEW)


def _replaced(asked: Asked) -> AbstractSet[str]:
    """The slots that give way to what is stated now: of another model, card, format or kind of job."""
    return {
        *(_replaced_with_model(asked) if "model" in asked.stated else ()),
        *(_replaced_with_card(asked) if "gpu" in asked.stated else ()),
        *(_OF_FORMAT if "precision" in asked.stated else ()),
        *(_OF_RUN if asked.other_job else ()),
    }


def _stays_behind(slot: str, asked: Asked, needed: AbstractSet[str]) -> bool:
    """Whether a slot is of what was spoken of before, and not of this."""
    if slot == "cheaper_than" and _begins_anew(asked):
        return True
    if slot in _replaced(asked):
        return True
    return asked.only_needed and slot not in needed and slot not in LASTING
