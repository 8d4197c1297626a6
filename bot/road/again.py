"""A message that went on with the last answer and would hear it again: its next likely need, else that nothing changed.

A message that stands alone, presses a button or asks for another side of an answer hears the same as often as it asks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from bot.core.conversation import Conversation, Episode
from bot.core.decision import Decision
from bot.core.understanding import RankedIntent, Understanding
from bot.dialogue.policy import POLICY
from bot.dialogue.turn import CONVERSATION
from bot.road.turn import Explained, Turn

_UNCHANGED: Final = "unchanged"
_PLAIN: Final = frozenset({"follow-up", "best intent", "goes on with one of two", "too close to call"})
"""Rules by which a message goes on with the last answer for want of a plainer sign."""

Decide = Callable[[Understanding, Conversation], Decision]
Carry = Callable[[Turn], Explained]


def not_again(turn: Turn, explained: Explained, decide: Decide, carry_out: Carry) -> Explained:
    """The answer, unless it is the last one once more: then that to the next likely need, or the same said to be so.

    Args:
        turn: as it was decided.
        explained: the answer to it.
        decide: decides anew by another reading and conversation.
        carry_out: answers a turn.
    """
    if not _repeats(turn, explained):
        return explained
    if _is_meant_for_it(turn):
        return _said_to_be_so(turn, explained)
    decision = decide(_without(turn.understanding, turn.decision.intent), turn.state.model_copy(update={"intent": ""}))
    if decision.kind == "answer" and decision.intent not in CONVERSATION | {turn.decision.intent}:
        other = carry_out(replace(turn, decision=decision))
        if other.reply.decision == "answer" and not _repeats(turn, other):
            return other
    return _said_to_be_so(turn, explained)


def _is_meant_for_it(turn: Turn) -> bool:
    """Whether a message surely goes on with the last answer, though that stays the same."""
    narrowed = turn.decision.narrowed or turn.decision.excluded != turn.state.excluded
    if narrowed or turn.decision.rule not in _PLAIN:
        return narrowed or bool(turn.decision.stated)
    used = bool(turn.decision.stated) and not turn.says_what_is_of_no_use
    return used and not _is_surely_another(turn) and not _may_be_of_another(turn)


_OF_OTHERS: Final = frozenset({"gpu", "gpu_count", "duration"})
"""Values that a choice or a list of places can do little with: what is asked about them is often another need."""
_MEANS: Final = frozenset({"budget", "deploy"})
"""What is said for the choice at hand, whatever else it may be about."""
_LIKELY, _SHARE = 0.2, 0.5
"""From this score on, and this share of that of the need that was answered, a new value may be said for another one."""


def _is_surely_another(turn: Turn) -> bool:
    """Whether the likeliest need is surely another one than what was answered."""
    if not _MEANS.isdisjoint(turn.decision.stated):
        return False
    best = turn.understanding.ranking[0] if turn.understanding.ranking else None
    other = best is not None and best.intent not in CONVERSATION | {turn.decision.intent}
    return other and best is not None and best.score >= POLICY.clause_score


def _may_be_of_another(turn: Turn) -> bool:
    """Whether a value that changed nothing of the answer is new, and about as likely said for another need."""
    answered = turn.decision.intent or ""
    spec = turn.rooms.intents.get(answered)
    joins = spec.gathers if spec is not None else ()
    new = [name for name in turn.decision.stated if name not in joins and _is_new(turn, name)]
    if not new or not _OF_OTHERS.issuperset(new):
        return False
    return any(_uses(turn, name, new) for name in _about_as_likely(turn, answered))


def _about_as_likely(turn: Turn, answered: str) -> list[str]:
    """Needs that are about as likely as the one that was answered."""
    scores = {item.intent: item.score for item in turn.understanding.ranking}
    least = max(_LIKELY, _SHARE * scores.get(answered, 0.0))
    return [name for name, score in scores.items() if score >= least and name != answered]


def _is_new(turn: Turn, name: str) -> bool:
    """Whether a value is another than the one in force."""
    now, before = turn.decision.slots.get(name), turn.state.slots.get(name)
    return now is not None and (before is None or before.value != now.value)


def _uses(turn: Turn, intent: str, names: Sequence[str]) -> bool:
    """Whether a need is no small talk and can do something with these values."""
    spec = turn.rooms.intents.get(intent)
    return spec is not None and intent not in CONVERSATION and set(names) <= set(spec.used_slots)


def _repeats(turn: Turn, explained: Explained) -> bool:
    """Whether a message that goes on would hear the last answer."""
    before, now = turn.state.episodes, explained.conversation.episodes
    goes_on = turn.state.intent and before and now and not turn.message.action and not turn.decision.act
    if not goes_on or explained.reply.decision != "answer" or turn.decision.returned:
        return False
    return now[-1] is not before[-1] and _say_the_same(now[-1], before[-1])


def _say_the_same(one: Episode, other: Episode) -> bool:
    """Whether two answers open with the same line, whatever passage stands beside them."""
    first, second = (episode.details.partition("\n")[0] for episode in (one, other))
    return bool(first) and first == second


def _without(understanding: Understanding, intent: str | None) -> Understanding:
    """The reading as if this need were none, the others as likely among themselves as they were."""
    left = [item for item in understanding.ranking if item.intent not in CONVERSATION | {intent}]
    whole = sum(item.score for item in left)
    if not left or left[0].score < POLICY.fallback_score:
        return understanding._replace(ranking=())
    return understanding._replace(
        ranking=tuple(RankedIntent(item.intent, item.score / whole, item.reasons) for item in left)
    )


def _said_to_be_so(turn: Turn, explained: Explained) -> Explained:
    """The same answer, its first line opened by the word that nothing changed."""
    words = turn.rooms.renderer.words(turn.language)(_UNCHANGED)
    reply = explained.reply
    details = f"{words}{reply.details}" if reply.details else ""
    return replace(explained, reply=reply.model_copy(update={"text": f"{words}{reply.text}", "details": details}))
