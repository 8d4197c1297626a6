"""Two questions in one message: the part that asks for another need than was decided, read for itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from bot.core.decision import Decision
from bot.core.question import MONEY, Ask
from bot.core.understanding import RankedIntent, SlotValue, Understanding

_CARD: Final = "gpu"
_BILL: Final = "estimate_cost"
_COMPARED: Final = "compare_gpus"
_SEVERAL: Final = 2
_NAMED = frozenset({_CARD, "model"})
_OF_A_RUN: Final = frozenset({"estimate_cost", "estimate_time", "gpu_count", "rent_or_buy"})
"""Needs that rest on all that is told of a run and its use before the first question: data, rounds, hours a day."""
_OF_ONE_CARD: Final = frozenset({*MONEY, "estimate_time", "check_fit", "estimate_memory", "gpu_specs", "gpu_count"})
"""Needs about the card of their own part, and not about all that the message names."""
_NAMES_OF: Final = {"platform_howto": frozenset({"provider"})}
"""What a part is read with that another one names, where that is neither card nor model."""


def other_questions(
    whole: Understanding, intent: str, read: Callable[[str], Understanding], text: str
) -> tuple[Understanding, ...]:
    """The readings of the parts that ask for something else than `intent`, which another part asks for.

    Where several parts ask for that need itself, all of them follow: which one was answered is seen by the answer.

    Args:
        whole: the reading of the message, with its asking parts.
        intent: what was decided for the message as a whole.
        read: reads one part for itself.
        text: the message.
    """
    same = [ask for ask in whole.asks if _is_of(ask, intent)]
    if not same:
        return ()
    others = [ask for ask in whole.asks if ask not in same]
    return tuple([_read_part(whole, ask, read, text) for ask in (*others, *(same if len(same) > 1 else ()))])


def of_its_part(decision: Decision, whole: Understanding) -> Decision:
    """The decision about the cards of its own part alone, where each asking part names cards of its own.

    Args:
        decision: what was decided for the message as a whole.
        whole: the reading of the message, with its asking parts.
    """
    held = decision.slots.get(_CARD)
    own = _own_cards(whole, decision.intent or "") if held is not None else frozenset()
    names = [name for name in held.value if name in own] if held is not None else []
    if held is None or not names or len(names) == len(held.value):
        return decision
    return decision.model_copy(update={"slots": {**decision.slots, _CARD: held.model_copy(update={"value": names})}})


def _own_cards(whole: Understanding, intent: str) -> AbstractSet[object]:
    """The cards of the part that asks for a need, where every part is about cards of its own and no other is named."""
    cards = [item for item in whole.slots if item.slot == _CARD and not item.negated]
    parts = [_cards_of(ask, cards) for ask in whole.asks]
    if not all(map(_is_apart, whole.asks, parts)) or sum(map(len, parts)) != len(cards):
        return frozenset()
    return frozenset(item.value for ask in whole.asks if _is_of(ask, intent) for item in _cards_of(ask, cards))


def _cards_of(ask: Ask, cards: Sequence[SlotValue]) -> list[SlotValue]:
    """The cards that stand in a part."""
    return [item for item in cards if item.span is not None and ask.span.start <= item.span[0] < ask.span.end]


def _is_of(ask: Ask, intent: str) -> bool:
    """Whether a part asks for a need; what a run comes to is asked for like a price."""
    return ask.need == intent or (intent == _BILL and ask.need in MONEY)


def _is_apart(ask: Ask, cards: Sequence[SlotValue]) -> bool:
    """Whether a part is about its own cards and no others: what one of them does, or several of them compared."""
    return len(cards) >= _SEVERAL if ask.need == _COMPARED else bool(cards) and ask.need in _OF_ONE_CARD


def _read_part(whole: Understanding, ask: Ask, read: Callable[[str], Understanding], text: str) -> Understanding:
    names, part = _names(whole, _NAMES_OF.get(ask.need, _NAMED)), text[ask.span.start : ask.span.end]
    alone = _read(part, names, read)
    told = text[: min(one.span.start for one in whole.asks)] if ask.need in _OF_A_RUN else ""
    found = _read(f"{told} {part}", names, read) if told.strip() else alone
    return found._replace(ranking=_of(ask, alone.ranking))


def _of(ask: Ask, ranking: Sequence[RankedIntent]) -> tuple[RankedIntent, ...]:
    """The needs of a part, that of the asking part first."""
    if ranking and ranking[0].intent == ask.need:
        return tuple(ranking)
    return (RankedIntent(ask.need, ask.score), *(item for item in ranking if item.intent != ask.need))


def _names(whole: Understanding, kinds: AbstractSet[str]) -> list[str]:
    """The cards and models that a message names, or what else a need is about."""
    return [item.text for item in whole.slots if item.slot in kinds and not item.negated]


def _read(part: str, names: Sequence[str], read: Callable[[str], Understanding]) -> Understanding:
    """A part about the card or model named beside it is read with that name."""
    if not names or any(name.casefold() in part.casefold() for name in names):
        return read(part)
    completed = read(f"{names[0]} {part}")
    return completed._replace(slots=tuple(item for item in completed.slots if item.slot not in _NAMED))
