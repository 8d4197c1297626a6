"""Two questions in one message: the part that asks for another need than was decided, read for itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.core.question import Ask
from bot.core.understanding import RankedIntent, Understanding

_NAMED = frozenset({"gpu", "model"})


def other_question(
    whole: Understanding, intent: str, read: Callable[[str], Understanding], text: str
) -> Understanding | None:
    """The reading of the first part that asks for something else than `intent`, which another part asks for.

    Args:
        whole: the reading of the message, with its asking parts.
        intent: what was decided for the message as a whole.
        read: reads one part for itself.
        text: the message.
    """
    if intent not in {ask.need for ask in whole.asks}:
        return None
    other = next(ask for ask in whole.asks if ask.need != intent)
    found = _read(text[other.span.start : other.span.end], _names(whole), read)
    return found._replace(ranking=_of(other, found.ranking))


def _of(ask: Ask, ranking: Sequence[RankedIntent]) -> tuple[RankedIntent, ...]:
    """The needs of a part, that of the asking part first."""
    if ranking and ranking[0].intent == ask.need:
        return tuple(ranking)
    return (RankedIntent(ask.need, ask.score), *(item for item in ranking if item.intent != ask.need))


def _names(whole: Understanding) -> list[str]:
    """The cards and models that a message names."""
    return [item.text for item in whole.slots if item.slot in _NAMED and not item.negated]


def _read(part: str, names: Sequence[str], read: Callable[[str], Understanding]) -> Understanding:
    """A part about the card or model named beside it is read with that name."""
    if not names or any(name.casefold() in part.casefold() for name in names):
        return read(part)
    completed = read(f"{names[0]} {part}")
    return completed._replace(slots=tuple(item for item in completed.slots if item.slot not in _NAMED))
