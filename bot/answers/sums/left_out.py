"""Cards that a sum would leave out: those of the message, and those that were spoken of before it."""

from __future__ import annotations

from typing import Final

from bot.answers.sums.choose import Chosen
from bot.core.conversation import Conversation
from bot.core.understanding import Understanding
from bot.dialogue.alone import picked_last

_TIMED: Final = frozenset({"one_card_hours", "hours_on_n"})
_NEEDED: Final = frozenset({"need_gb", "weights_gb"})
_SUPPLIES: Final = frozenset({"psu_enough", "psu_need_w", "supply_left_w"})
_CARD_WATTS: Final = frozenset({"card_w", "card_limit_w"})
_PROCESSOR: Final = frozenset({"cpu", "cpu_brand"})
"""What is asked of a supply, what cards draw from it, and ideas of the processor beside them."""


def cards_of(understanding: Understanding) -> set[str]:
    """The cards that a message names and does not rule out."""
    return {str(slot.value) for slot in understanding.slots if slot.slot == "gpu" and not slot.negated}


def leaves_out_a_card(chosen: Chosen, understanding: Understanding, state: Conversation) -> bool:
    """Whether a sum does without a card that decides what it is asked for."""
    if _needs_without_memory(chosen, understanding) or _on_another_card(chosen, understanding):
        return True
    return _supplies_no_card(chosen, understanding, state)


def _on_another_card(chosen: Chosen, understanding: Understanding) -> bool:
    """Whether a time of one card is asked for on another: how fast both are decides then."""
    return len(cards_of(understanding)) > 1 and any(one.name in _TIMED for one in chosen.solutions)


def _needs_without_memory(chosen: Chosen, understanding: Understanding) -> bool:
    """Whether a need is summed up beside a card's memory that it leaves out: then it is asked what goes with that."""
    best = understanding.ranking[0].intent if understanding.ranking else ""
    sized = any(slot.slot == "vram_gb" for slot in understanding.slots)
    return sized and best != "estimate_memory" and all(one.name in _NEEDED for one in chosen.solutions)


def _supplies_no_card(chosen: Chosen, understanding: Understanding, state: Conversation) -> bool:
    """Whether a supply is judged by a processor alone, while the cards beside it were spoken of before."""
    supply = any(one.name in _SUPPLIES for one in chosen.solutions)
    counted = any(one.name in _CARD_WATTS for one in chosen.given)
    if not supply or counted or _PROCESSOR.isdisjoint(understanding.concepts):
        return False
    return "gpu" in state.slots or bool(picked_last(state))
