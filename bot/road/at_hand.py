"""The card at hand and the machine counted before, for a message that speaks of what goes beyond them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.core.conversation import Episode
from bot.road.turn import Turn

_UPGRADE: Final = "upgrade_or_not"
_TWO: Final = 2
_SIDE_BY_SIDE: Final = {
    "estimate_cost": "compare_gpus",
    "price_lookup": "compare_gpus",
    "estimate_time": "estimate_time",
    "check_fit": "compare_gpus",
}
"""Needs that two cards were answered about one after the other, and the one that sets both side by side."""
_JUDGED: Final = "used_or_cheap"
_COUNT: Final = "gpu_count"


def with_what_was_before(turn: Turn) -> Turn:
    """The turn with the cards that it goes on from."""
    return with_two_before(with_machine_before(with_card_at_hand(turn)))


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


def with_two_before(turn: Turn) -> Turn:
    """Which of the two that were just answered about, each with as many cards as it had."""
    if turn.heard.wished("gpu") or not turn.heard.shows("of_two", "asked"):
        return turn
    before = turn.state.episodes[-_TWO:]
    counts = dict(side for one in before if (side := _side(one)) is not None)
    needs = {_SIDE_BY_SIDE.get(one.intent, "") for one in before}
    if len(counts) < _TWO or len(needs) > 1 or "" in needs:
        return turn
    last = before[-1].slots
    several = {name: last["gpu"].model_copy(update={"value": value}) for name, value in _several(counts).items()}
    return turn.decided(intent=needs.pop(), slots={**last, **several})


def _several(counts: Mapping[str, int]) -> Mapping[str, object]:
    """The slots of several cards, each with its number and none for all."""
    return {"gpu": list(counts), "card_counts": dict(counts), "gpu_count": None}


def _side(episode: Episode) -> tuple[str, int] | None:
    """The one card that an answer was about, and how many of it."""
    held, n = episode.slots.get("gpu"), episode.slots.get("gpu_count")
    names = held.value if held is not None and isinstance(held.value, list) else []
    return (str(names[0]), int(n.value) if n is not None else 1) if len(names) == 1 else None


def with_machine_before(turn: Turn) -> Turn:
    """How many a machine serves is asked of as many cards as were spoken of before."""
    decision, count = turn.decision, turn.state.slots.get("gpu_count")
    goes_on = decision.intent == _COUNT and "gpu" in decision.carried and "gpu_count" not in decision.slots
    if not goes_on or count is None or not turn.heard.shows("job", "served"):
        return turn
    return turn.decided(slots={**decision.slots, "gpu_count": count})
