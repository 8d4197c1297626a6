"""What is kept after a turn: slots in force, the question that is open, the answer as an episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from advisor.trusted import trusted
from bot.core.answers import Answer, Decline
from bot.core.conversation import KEPT_EPISODES, Conversation, Episode, HeldSlot, Pending
from bot.core.going_on import asked_by
from bot.core.sums import SumFrame
from bot.dialogue.carry_over import OF_GPU, OF_SUBJECT
from bot.render import Rendered
from bot.road.turn import Turn
from bot.road.versions import versions_after

_PASSING: Final = frozenset({"cheaper_than", "aspect", "against"})
"""What holds for follow-ups of one answer and is not remembered beyond them."""
_CARD_OR_SIZE: Final = "gpu|vram_gb"
_conversation, _episode = trusted(Conversation), trusted(Episode)


@dataclass(frozen=True, slots=True)
class Kept:
    """What a turn adds to the conversation."""

    slots: Mapping[str, HeldSlot] = field(default_factory=dict)
    episode: Episode | None = None
    pending: Pending | None = None
    intent: str | None = None
    """Where it is another one than was decided."""
    outcome: Answer | Decline | None = None


def touched(turn: Turn) -> Conversation:
    """The conversation one turn older and otherwise as it was; a sum right before stays the one to go on with."""
    now, sums = turn.state.turn + 1, turn.state.sums
    if sums is not None and sums.turn == turn.state.turn:
        sums = sums.model_copy(update={"turn": now})
    return turn.state.model_copy(update={"turn": now, "language": turn.language, "updated_at": turn.now, "sums": sums})


def following(turn: Turn, kept: Kept) -> Conversation:
    """The conversation after a turn that said or asked something."""
    episodes = turn.state.episodes
    if kept.episode is not None:
        episodes = (*episodes, kept.episode)[-KEPT_EPISODES:]
    return _conversation(
        key=turn.state.key,
        turn=turn.state.turn + 1,
        intent=turn.need if kept.intent is None else kept.intent,
        language=turn.language,
        slots=_without_total(turn, {**_still_in_force(turn, kept.slots), **kept.slots}),
        excluded=turn.decision.excluded,
        pending=kept.pending,
        episodes=episodes,
        older=turn.state.older,
        asked_back=turn.state.turn + 1 if kept.pending and kept.pending.kind == "clarify" else turn.state.asked_back,
        updated_at=turn.now,
        sums=_bill_of(turn, kept.episode),
        versions=versions_after(turn, kept.outcome),
    )


_PRICED, _HOURS, _BILL = "price_per_gpu_hour", "gpu_hours", "rental_cost"
"""Facts of a rental: what a card costs an hour, its hours on all cards, what they come to."""
_ROUNDED: Final = 0.01
"""A bill differs from hours times price by rounding only, or it is no such product."""


def _bill_of(turn: Turn, episode: Episode | None) -> SumFrame | None:
    """A rental as a sum that money said next is measured against; None where the answer was none."""
    told = {fact.name: fact for fact in episode.facts} if episode is not None else {}
    facts = {name: fact.value for name, fact in told.items() if isinstance(fact.value, float)}
    if not {_PRICED, _HOURS, _BILL} <= facts.keys():
        return None
    price, hours, bill = facts[_PRICED], facts[_HOURS], facts[_BILL]
    if abs(price * hours - bill) > _ROUNDED * bill:
        return None
    count = turn.decision.slots.get("gpu_count")
    cards = float(count.value) if count is not None and count.value else 1.0
    given = {"rent_card_hour": price, "cards": cards, "hours_total": hours / cards}
    return SumFrame(turn=turn.state.turn + 1, given=given, currency=told[_BILL].unit, of_record=True)


def _still_in_force(turn: Turn, slots: Mapping[str, HeldSlot]) -> dict[str, HeldSlot]:
    """Slots of before that what is said now leaves standing."""
    gone = _displaced(turn, slots)
    return {name: held for name, held in _of_before(turn).items() if name not in gone}


def _of_before(turn: Turn) -> Mapping[str, HeldSlot]:
    """What was in force: with the answer that is gone back to, or at last."""
    decision = turn.decision
    if decision.returned and decision.subject:
        return decision.subject.slots
    return {name: held for name, held in turn.state.slots.items() if name not in _PASSING}


_SEVERAL: Final = 2


def _without_total(turn: Turn, slots: dict[str, HeldSlot]) -> dict[str, HeldSlot]:
    """Slots without the memory of all cards together, which is none of the card that is named."""
    size = slots.get("vram_gb")
    if size is None or size.value != _memory_together(turn, slots):
        return slots
    return {name: held for name, held in slots.items() if name != "vram_gb"}


def _memory_together(turn: Turn, slots: Mapping[str, HeldSlot]) -> float | None:
    """What the memory of several cards of the one kind that is named comes to."""
    cards, count = slots.get("gpu"), slots.get("gpu_count")
    if cards is None or count is None or count.value < _SEVERAL or len(cards.value) != 1:
        return None
    gpu = turn.rooms.services.catalog.find_gpu(cards.value[0])
    return gpu.vram_gib * count.value if gpu is not None and gpu.vram_gib else None


def _displaced(turn: Turn, slots: Mapping[str, HeldSlot]) -> frozenset[str]:
    """Slots that have no place beside what is stated now."""
    stated = turn.decision.stated
    spec = turn.rooms.intents.get(turn.decision.intent or "")
    other_card = "gpu" in stated and spec is not None and _CARD_OR_SIZE in spec.needs
    return frozenset(turn.decision.dropped).union(
        OF_SUBJECT if "model" in stated else (),
        {"model"} if "task" in stated and "model" not in slots else (),  # another task has no use for it
        OF_GPU if other_card else (),
        _met_by_pick(turn, slots),
    )


def _met_by_pick(turn: Turn, slots: Mapping[str, HeldSlot]) -> tuple[str, ...]:
    """What was demanded of a choice, where this message goes on with the card that was chosen."""
    said = {"gpu", "vram_gb"}.intersection(turn.decision.stated) or "gpu" in turn.state.slots
    return ("vram_gb",) if "gpu" in slots and not said else ()


def _asked(turn: Turn) -> Mapping[str, tuple[str, ...]]:
    """What later messages go on asking; what is ruled out or allowed again is nothing that is asked for."""
    ruled = turn.decision.excluded != turn.state.excluded
    before = turn.state.episodes[-1].asks if ruled and turn.state.turn and turn.state.episodes else None
    return asked_by(turn.heard, turn.need) if before is None else before


def episode_of(turn: Turn, rendered: Rendered, outcome: Answer | Decline) -> Episode:
    """An answer as later turns go back to it."""
    answer = outcome if isinstance(outcome, Answer) else None
    return _episode(
        case=turn.case,
        intent=turn.need,
        language=turn.language,
        slots=turn.decision.slots,
        facts=outcome.facts,
        sources=outcome.sources,
        trace=outcome.trace,
        conflicts=answer.conflicts if answer else (),
        details=rendered.details,
        passages=answer.told.passages if answer else (),
        chart=answer.chart.model_dump(mode="json") if answer and answer.chart else None,
        asks=_asked(turn),
        at=turn.now,
    )
