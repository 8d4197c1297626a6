"""The card at hand and the machine counted before, for a message that speaks of what goes beyond them."""

from __future__ import annotations

from typing import Final

from bot.road.turn import Turn

_UPGRADE: Final = "upgrade_or_not"
_JUDGED: Final = "used_or_cheap"
_COUNT: Final = "gpu_count"


def with_card_at_hand(turn: Turn) -> Turn:
    """An upgrade goes from the card that somebody said to have to the one that is named now."""
    decision, named = turn.decision, turn.heard.wished("gpu")
    own, held = turn.state.slots.get("own_gpu"), decision.slots.get("gpu")
    if own is None or held is None or len(named) != 1 or named[0] == own.value or not _of_an_upgrade(turn):
        return turn
    both = held.model_copy(update={"value": [own.value, named[0]]})
    return turn.decided(intent=_UPGRADE, slots={**decision.slots, "gpu": both})


def _of_an_upgrade(turn: Turn) -> bool:
    """Whether a newer card is weighed: in plain words, or by asking whether it is worth it, used or not left aside."""
    if turn.heard.speaks_of("own"):
        return False
    worth = turn.decision.intent == _JUDGED and turn.heard.speaks_of("worth") and "price" not in turn.decision.slots
    return turn.decision.intent == _UPGRADE or (worth and not turn.heard.speaks_of("second_hand"))


def with_machine_before(turn: Turn) -> Turn:
    """How many a machine serves is asked of as many cards as were spoken of before."""
    decision, count = turn.decision, turn.state.slots.get("gpu_count")
    goes_on = decision.intent == _COUNT and "gpu" in decision.carried and "gpu_count" not in decision.slots
    if not goes_on or count is None or not turn.heard.shows("job", "served"):
        return turn
    return turn.decided(slots={**decision.slots, "gpu_count": count})
