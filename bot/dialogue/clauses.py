"""Two questions in one message: the part that asks for another need than was decided, read for itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from bot.core.question import Ask
from bot.core.understanding import RankedIntent, Understanding

_NAMED = frozenset({"gpu", "model"})
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
    same = [ask for ask in whole.asks if ask.need == intent]
    if not same:
        return ()
    others = [ask for ask in whole.asks if ask.need != intent]
    return tuple([_read_part(whole, ask, read, text) for ask in (*others, *(same if len(same) > 1 else ()))])


def _read_part(whole: Understanding, ask: Ask, read: Callable[[str], Understanding], text: str) -> Understanding:
    found = _read(text[ask.span.start : ask.span.end], _names(whole, _NAMES_OF.get(ask.need, _NAMED)), read)
    return found._replace(ranking=_of(ask, found.ranking))


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
