"""A question of its own: acted on, clarified, or declined by the thresholds of `policy`."""

from __future__ import annotations

import re
from typing import Final

from bot.core.decision import Decision
from bot.core.understanding import RankedIntent
from bot.dialogue.answer import answer
from bot.dialogue.doubt import IN_DOUBT, asked_between, asked_lately
from bot.dialogue.turn import CONVERSATION, Turn

_TWO: Final = 2
_ONE_CARD: Final = frozenset({"gpu", "task", "method", "model", "deploy", "vram_gb", "precision"})
"""What is said of one card and its purpose, and nothing else."""
_PURPOSES: Final = frozenset({"task", "method", "model"})
_CHOOSING: Final = frozenset({"recommend_gpu", "compare_gpus"})
"""Needs that one card alone seldom has."""
_LIKELY: Final = 5
"""Intents that may still be meant where none is sure."""
_BESIDE: Final = frozenset({"compare", "or_word"})
_CLAUSES: Final = re.compile(r"[,;?!\u3002\uff0c\uff1b\uff1f\uff01\n]|\band\b|\bthen\b")
_DESCRIBING: Final = frozenset({"task", "method", "persona", "os", "region", "gpu_family", "deploy"})
"""Slots that colour many questions and point to none."""
_NO_FIT: Final = "no intent fits"


def fresh_question(turn: Turn) -> Decision:
    """The decision about a message that goes on with nothing."""
    best, policy = turn.best, turn.policy
    if best is None or turn.score < policy.fallback_score:
        return turn.decided("fallback", best.intent if best else None, slots=turn.held, rule=_NO_FIT)
    if best.intent == "out_of_scope" and turn.score >= policy.answer_score:
        return turn.decided("fallback", "out_of_scope", slots=turn.held, rule="out of scope")
    close = _close_behind(turn)
    unclear = turn.score < policy.answer_score or bool(close and turn.score < policy.clarify_score)
    decision = _of_one_card(turn, best, unclear=unclear) or _asked_back(turn, best, close if unclear else None)
    if decision is not None:
        return decision
    fresh = not turn.elliptical
    return answer(turn, best.intent, turn.held, "best intent", fresh=fresh, carry=True, second=_second_need(turn))


def _asked_back(turn: Turn, best: RankedIntent, close: list[str] | None) -> Decision | None:
    """A choice of needs; `close`: those about as likely as the best, None where that one is clear by its score."""
    if close is not None:
        return _clarified(turn, best, close)
    options = asked_between(turn)
    if not options:
        return None
    return turn.decided("clarify", best.intent, slots=turn.held, options=options, rule=IN_DOUBT)


def _of_one_card(turn: Turn, best: RankedIntent, *, unclear: bool) -> Decision | None:
    """Where no need is sure: whether one card will do for its purpose, or a card beside a machine."""
    choosing = best.intent in _CHOOSING and turn.score < turn.policy.one_card_score
    if (unclear or choosing) and _asks_of_one_card(turn):
        return answer(turn, "check_fit", turn.held, "one card and a purpose", fresh=True, carry=True)
    if unclear and _sets_a_mac_beside(turn):
        return answer(turn, "compare_gpus", turn.held, "a machine beside a card", fresh=True, carry=True)
    return None


def _close_behind(turn: Turn) -> list[str]:
    """Needs that are about as likely as the likeliest."""
    return [
        item.intent
        for item in turn.understanding.ranking[1:3]
        if turn.score - item.score < turn.policy.clarify_margin and item.intent not in CONVERSATION
    ]


def _clarified(turn: Turn, best: RankedIntent, close: list[str]) -> Decision | None:
    """Two or three needs to choose from, a refusal where there is none; None to act on the only one, or on the best
    where it was asked back just before.
    """
    likely = (best.intent, *close) if close else tuple(item.intent for item in turn.understanding.ranking[:3])
    options = tuple(option for option in likely if option not in CONVERSATION)
    if len(options) >= _TWO:
        return _one_of(turn, best, options)
    if not options or best.intent in CONVERSATION:
        return turn.decided("fallback", best.intent, slots=turn.held, rule=_NO_FIT)
    return None


def _one_of(turn: Turn, best: RankedIntent, options: tuple[str, ...]) -> Decision | None:
    """Which of several needs is meant: asked back, unless that was done just now or the talk tells."""
    talk = best.intent in CONVERSATION
    if not talk and asked_lately(turn):
        return None
    if _goes_on_with_one(turn, options):
        return answer(turn, turn.last_intent, turn.held, "goes on with one of two", carry=True)
    # small talk and other subjects are no choice, so the first of the others stands for them
    meant = options[0] if talk else best.intent
    return turn.decided("clarify", meant, slots=turn.held, options=options[:3], rule="too close to call")


def _goes_on_with_one(turn: Turn, options: tuple[str, ...]) -> bool:
    """Whether a line that states nothing may well ask what the last answer was about."""
    return turn.last_intent in options and not turn.stated.values and turn.pending is None


def _asks_of_one_card(turn: Turn) -> bool:
    """Whether a message of no sure intent names one card and what it is for, and nothing else.

    Whatever else is meant, whether the card will do is what people want to hear of it.
    """
    stated, likely = turn.stated.values, {item.intent for item in turn.understanding.ranking[:_LIKELY]}
    if len(stated.get("gpu", ())) != 1 or not stated.keys() <= _ONE_CARD or "check_fit" not in likely:
        return False
    if stated.get("deploy", "laptop") != "laptop":
        return False  # whether to buy or rent it is another question
    return not stated.keys().isdisjoint(_PURPOSES) or "language_model" in turn.understanding.concepts


def _sets_a_mac_beside(turn: Turn) -> bool:
    """Whether a message of no sure intent weighs a Mac without its chip against one card."""
    stated, concepts = turn.stated.values, turn.understanding.concepts
    weighed = "apple_silicon" in concepts and not _BESIDE.isdisjoint(concepts)
    return weighed and len(stated.get("gpu", ())) == 1 and "gpu_family" in stated


def _second_need(turn: Turn) -> str:
    """Another need that the message states beside the first, to be offered after the answer."""
    policy = turn.policy
    intent = ""
    for item in turn.understanding.ranking[1:2]:
        strong = item.score >= max(policy.second_score, policy.second_share * turn.score)
        intent = item.intent if strong and item.intent not in CONVERSATION else _user_of_leftovers(turn)
    return intent if intent and _has_clauses(turn.message.text) else ""


def _has_clauses(text: str) -> bool:
    """Whether a message has more than one clause."""
    return len([part for part in _CLAUSES.split(text.casefold()) if len(part.strip()) > 2]) > 1


def _user_of_leftovers(turn: Turn) -> str:
    """The intent that would use what is stated and the best intent cannot, as the time in a question of fit."""
    best = turn.intents.get(turn.best.intent) if turn.best else None
    left = turn.stated.values.keys() - _DESCRIBING
    left = left.difference(best.used_slots, best.carries_over) if best is not None else set()
    if not left:
        return ""
    found = [
        (len(left & set(turn.intents[item.intent].used_slots)), item.score, item.intent)
        for item in turn.understanding.ranking[1:8]
        if item.score >= turn.policy.leftover_score and item.intent in turn.intents
    ]
    used, _, intent = max(found, default=(0, 0.0, ""))
    return intent if used and intent not in CONVERSATION else ""
