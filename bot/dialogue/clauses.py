"""Two questions in one message: each clause read for itself, where one asks what was decided and another does not."""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.core.understanding import RankedIntent, Understanding
from bot.dialogue.ground import says, small_words
from bot.dialogue.policy import Policy
from bot.dialogue.turn import CONVERSATION

_BREAKS = re.compile(
    r"[,;?!\u3001\u3002\uff0c\uff1b\uff1f\uff01\n]+|\.\s|\band\b|\bthen\b|\balso\b|\bplus\b"
    r"|(?<=[\u4e00-\u9fff])\s+(?=\S)"
)
"""Ends of clauses; a space behind a Han character is one."""
_LEAST = 4
"""Characters of a clause that can ask something."""
_MOST = 4
"""Clauses that are read."""


def clauses_of(text: str) -> list[str]:
    """The clauses of a message that may each ask something, in order."""
    return [part.strip() for part in _BREAKS.split(text.casefold()) if len(part.strip()) >= _LEAST][:_MOST]


def other_question(
    whole: Understanding, intent: str, read: Callable[[str], Understanding], policy: Policy
) -> Understanding | None:
    """The reading of a clause that surely asks something else, beside one that surely asks for `intent`.

    Args:
        whole: the reading of the message.
        intent: what was decided for the message as a whole.
        read: reads one clause for itself.
        policy: how sure both must be.
    """
    clauses, names = _asking(whole, policy), _names(whole)
    asked = False
    other: Understanding | None = None
    for clause in clauses:
        found = _read(clause, names, read)
        best = _need_of(found)
        if best is None:
            continue
        if best.intent == intent:
            asked = asked or best.score >= policy.decided_clause_score
        elif other is None and best.score >= policy.clause_score:
            other = found
        if asked and other is not None:
            return other
    return None


def _asking(whole: Understanding, policy: Policy) -> list[str]:
    """The clauses that ask, where there are several and the message leaves room for another need.

    Reading each clause costs as much as reading all of the message.
    """
    if len(whole.ranking) < 2 or whole.ranking[1].score < policy.room_for_another:
        return []
    clauses = [clause for clause in clauses_of(whole.text) if _asks(clause)]
    return clauses if len(clauses) > 1 else []


def _names(whole: Understanding) -> list[str]:
    """The cards and models that a message names."""
    return [item.text for item in whole.slots if item.slot in {"gpu", "model"} and not item.negated]


def _need_of(found: Understanding) -> RankedIntent | None:
    """The need of a clause that is no small talk and leans on nothing."""
    best = found.ranking[0] if found.ranking else None
    return None if best is None or found.elliptical or best.intent in CONVERSATION else best


def _asks(clause: str) -> bool:
    """Whether a clause is a question by its words, not only what stands before one."""
    return clause.partition(" ")[0] in small_words()["asks_first"] or says(clause, "asks")


def _read(clause: str, names: list[str], read: Callable[[str], Understanding]) -> Understanding:
    """A clause about the card or model named beside it is read with that name."""
    if not names or any(name.casefold() in clause for name in names):
        return read(clause)
    completed = read(f"{names[0]} {clause}")
    return completed._replace(slots=tuple(item for item in completed.slots if item.slot not in {"gpu", "model"}))
