"""The card at hand and the machine counted before, for a message that speaks of what goes beyond them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.answers.common import most_of
from bot.core.conversation import Episode, HeldSlot
from bot.core.going_on import ATTRIBUTE
from bot.dialogue.alone import picked_last
from bot.road.turn import Turn

_UPGRADE: Final = "upgrade_or_not"
_COMPARED: Final = "compare_gpus"
_TWO: Final = 2
_SIDE_BY_SIDE: Final = {
    "estimate_cost": "compare_gpus",
    "price_lookup": "compare_gpus",
    "estimate_time": "estimate_time",
    "check_fit": "compare_gpus",
    "used_or_cheap": "compare_gpus",
    "upgrade_or_not": "compare_gpus",
    "gpu_specs": "gpu_specs",
    "precision_advice": "compare_gpus",
    "power_supply": "power_supply",
}
"""Needs that two cards were answered about one after the other, and the one that sets both side by side."""
_JUDGED: Final = "used_or_cheap"
_COUNT: Final = "gpu_count"
_PRICED: Final = "price_lookup"


def with_what_was_before(turn: Turn) -> Turn:
    """The turn with the cards that it goes on from."""
    turn = with_sides_before(with_card_for_most(turn))
    turn = with_both_billed(with_pick_beside(with_own_side(with_card_at_hand(turn))))
    return with_two_models_before(with_two_before(with_machine_before(turn)))


def with_card_at_hand(turn: Turn) -> Turn:
    """An upgrade goes from the card that somebody said to have to the one that is named now."""
    decision = turn.decision
    own, held = turn.state.slots.get("own_gpu"), decision.slots.get("gpu")
    named: Sequence[object] = turn.heard.wished("gpu") or (held.value if held is not None else [])
    further = [name for name in named if own is not None and name != own.value]
    if own is None or held is None or len(further) != 1 or not _of_an_upgrade(turn):
        return turn
    both = held.model_copy(update={"value": [own.value, *further]})
    return turn.decided(intent=_UPGRADE, slots={**decision.slots, "gpu": both})


def with_card_for_most(turn: Turn) -> Turn:
    """The most of something that is asked behind a card is what that card holds, and no need of the model alone."""
    slots, card = turn.decision.slots, turn.state.slots.get("gpu")
    alone = turn.decision.intent == "estimate_memory" and card is not None and "gpu" not in slots
    if not alone or "vram_gb" in slots or not most_of(turn.request("check_fit")):
        return turn
    held: dict[str, HeldSlot] = {
        name: turn.state.slots[name] for name in ("gpu", "gpu_count") if name in turn.state.slots
    }
    return turn.decided(intent="check_fit", slots={**held, **slots})


def with_sides_before(turn: Turn) -> Turn:
    """Which of them is asked of the cards that were set side by side, whatever it is asked of; of prices the gap."""
    sides = _two_held(turn)
    if not sides or turn.heard.wished("gpu"):
        return turn
    if turn.decision.intent == _COMPARED:
        return _of_attribute(turn)
    return _which_of(turn, sides) if turn.heard.shows("pick", "which") else turn


def _two_held(turn: Turn) -> dict[str, HeldSlot]:
    """The two cards in force with their numbers; nothing where there are not two."""
    held = turn.state.slots.get("gpu")
    if held is None or not isinstance(held.value, list) or len(held.value) != _TWO:
        return {}
    return {name: turn.state.slots[name] for name in ("gpu", "card_counts") if name in turn.state.slots}


def _which_of(turn: Turn, sides: dict[str, HeldSlot]) -> Turn:
    """The question with both cards; which of them is cheaper is a comparison."""
    slots, heard = turn.decision.slots, turn.heard
    cheap = heard.is_few_words and heard.shows("platform", "cheap")
    if turn.decision.intent != _PRICED and not cheap:
        return turn.decided(slots={**sides, **slots})
    aspect = HeldSlot(value="price", said_at=turn.now, turn=turn.state.turn + 1)
    return turn.decided(intent=_COMPARED, slots={**slots, **sides, "aspect": aspect})


def _of_attribute(turn: Turn) -> Turn:
    """A few words that name what cards have, after they were compared: that of each."""
    named = turn.heard.is_few_words and not turn.decision.stated and bool(turn.heard.unread.placed(ATTRIBUTE))
    return turn.decided(intent="gpu_specs") if named and turn.decision.carried else turn


def with_own_side(turn: Turn) -> Turn:
    """Who has one of the two cards that were compared is told whether the other is worth going to."""
    decision, named = turn.decision, turn.heard.wished("gpu")
    held = decision.slots.get("gpu")
    told = decision.intent == _COMPARED and turn.state.intent == _COMPARED and turn.heard.speaks_of("own")
    if not told or held is None or len(held.value) != _TWO or len(named) != 1 or set(decision.stated) != {"gpu"}:
        return turn
    both = held.model_copy(update={"value": [*named, *(name for name in held.value if name not in named)]})
    return turn.decided(intent=_UPGRADE, slots={**decision.slots, "gpu": both})


def with_both_billed(turn: Turn) -> Turn:
    """A rent for so long is worked out for both of two cards that were set side by side."""
    slots = turn.decision.slots
    held, deploy = slots.get("gpu"), slots.get("deploy")
    rented = deploy is not None and deploy.value == "rent" and "duration" in slots
    both = held is not None and len(held.value) == _TWO and not turn.heard.wished("gpu")
    if turn.decision.intent != "estimate_cost" or not (rented and both) or "dataset" in slots:
        return turn
    aspect = HeldSlot(value="bill", said_at=turn.now, turn=turn.state.turn + 1)
    return turn.decided(intent=_COMPARED, slots={**slots, "aspect": aspect})


def with_pick_beside(turn: Turn) -> Turn:
    """A card that somebody would rather go for is set beside the one just recommended, for the same job."""
    named, pick = turn.heard.wished("gpu"), picked_last(turn.state)
    held = turn.decision.slots.get("gpu")
    other = turn.decision.intent == _UPGRADE and len(named) == 1 and pick not in {"", named[0]}
    if not other or held is None or len(held.value) != 1 or _has_card(turn):
        return turn
    both = held.model_copy(update={"value": [pick, named[0]]})
    return turn.decided(intent=_COMPARED, slots={**turn.decision.slots, "gpu": both})


def _has_card(turn: Turn) -> bool:
    """Whether somebody has a card that an upgrade would go from."""
    return "own_gpu" in turn.state.slots or turn.heard.speaks_of("own")


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
    return turn.decided(intent=needs.pop(), slots=_of_both(turn, before[-1].slots, counts))


def with_two_models_before(turn: Turn) -> Turn:
    """Which of the two models that were just answered about."""
    before = turn.state.episodes[-_TWO:]
    models = list(dict.fromkeys(model for one in before if (model := _one_model(one))))
    same = len({one.intent for one in before}) == 1 and len(models) == _TWO
    held = turn.decision.slots.get("model")
    if not same or held is None or turn.heard.wished("model") or not turn.heard.shows("of_two", "asked"):
        return turn
    return turn.decided(slots={**turn.decision.slots, "model": held.model_copy(update={"value": models})})


def _one_model(episode: Episode) -> str:
    """The one model that an answer was about, "" for none or several."""
    held = episode.slots.get("model")
    return str(held.value[0]) if held is not None and len(held.value) == 1 else ""


def _of_both(turn: Turn, last: Mapping[str, HeldSlot], counts: Mapping[str, int]) -> dict[str, HeldSlot]:
    """The slots of a question about both: of the last answer, of what is said now, and the cards with their numbers."""
    several = {name: last["gpu"].model_copy(update={"value": value}) for name, value in _several(counts).items()}
    said = {name: held for name, held in turn.decision.slots.items() if name in turn.decision.stated}
    return {**last, **said, **several}


def _several(counts: Mapping[str, int]) -> Mapping[str, object]:
    """The slots of several cards, each with its number and none for all."""
    return {"gpu": list(counts), "card_counts": dict(counts), "gpu_count": None}


def _side(episode: Episode) -> tuple[str, int] | None:
    """The one card that an answer was about, and how many of it."""
    held, n = episode.slots.get("gpu"), episode.slots.get("gpu_count")
    names = held.value if held is not None and isinstance(held.value, list) else []
    if episode.intent == _UPGRADE:
        names = names[-1:]  # what one would go to
    return (str(names[0]), int(n.value) if n is not None else 1) if len(names) == 1 else None


def with_machine_before(turn: Turn) -> Turn:
    """How many a machine serves is asked of as many cards as were spoken of before."""
    decision, count = turn.decision, turn.state.slots.get("gpu_count")
    goes_on = decision.intent == _COUNT and "gpu" in decision.carried and "gpu_count" not in decision.slots
    if not goes_on or count is None or not turn.heard.shows("job", "served"):
        return turn
    return turn.decided(slots={**decision.slots, "gpu_count": count})
