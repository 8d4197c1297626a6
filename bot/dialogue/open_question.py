"""An open question: a choice that is named, a value that answers it, another question in between."""

from __future__ import annotations

import re
from typing import Final

from bot.core.conversation import HeldSlot, Pending
from bot.core.decision import Decision
from bot.dialogue.answer import answer
from bot.dialogue.fresh import fresh_question
from bot.dialogue.keys import canonical
from bot.dialogue.turn import Turn

_ORDINAL: Final = re.compile(r"^\D{0,2}([1-9])\D{0,2}$")


def filled(turn: Turn, slot: str, value: object, rule: str) -> Decision:
    """Put a value into the open question's slot (or override one of the last answer) and go on."""
    intent = turn.pending.intent if turn.pending else turn.last_intent
    if not intent:
        return turn.decided("fallback", rule="button: nothing to fill")
    try:
        if not any(slot in spec.used_slots for spec in turn.intents.values()):
            raise ValueError(slot)
        parsed = canonical(slot, value)
    except ValueError:
        return turn.decided("fallback", rule="button: no such value")
    slots = dict(turn.open_slots) | turn.held
    slots[slot] = HeldSlot(
        value=parsed, said_by=turn.message.user_id, said_at=turn.now, turn=turn.conversation.turn + 1
    )
    return answer(turn, intent, slots, rule, carried_names=tuple(turn.open_slots), filled=(slot,))


def named_choice(turn: Turn) -> Decision | None:
    """A typed reply that is the number or the label of one of the choices."""
    chosen = _chosen(turn, turn.pending) if turn.pending is not None else None
    if chosen is None:
        return None
    verb, _, rest = chosen.split("#", 1)[0].partition(":")
    if verb == "set":
        slot, _, value = rest.partition("=")
        return filled(turn, slot, value, "choice named")
    if verb == "ask" and rest in turn.intents:
        return answer(turn, rest, dict(turn.conversation.slots) | turn.held, "clarified", fresh=True)
    return None


def open_question(turn: Turn) -> Decision | None:
    """What a message does about the question that is open, if it does anything about it."""
    pending = turn.pending
    if pending is None:
        return None
    if pending.kind == "clarify":
        return _instead_of_choice(turn, pending)
    if turn.stated.values and (_fits(turn, pending) or not _has_own_subject(turn, pending)):
        slots = dict(turn.open_slots) | turn.held
        return answer(turn, pending.intent, slots, "answers the open question", carried_names=tuple(turn.open_slots))
    if _asks_something(turn):
        return _digression(turn, pending)
    if pending.tries < turn.policy.max_tries:
        return turn.decided("ask", pending.intent, slots=dict(turn.open_slots), retry=pending, rule="no match")
    return None


def _fits(turn: Turn, pending: Pending) -> bool:
    return pending.slot in turn.stated.values and turn.score < turn.policy.own_subject_score


def _has_own_subject(turn: Turn, pending: Pending) -> bool:
    """Whether a message is about another need than the open question."""
    other = turn.best is not None and turn.best.intent != pending.intent
    return other and not turn.elliptical and turn.score >= turn.policy.answer_score


def _asks_something(turn: Turn) -> bool:
    """Whether a message has a need of ours."""
    best = turn.best
    sure = best is not None and turn.score >= turn.policy.answer_score
    return sure and turn.understanding.in_domain and best is not None and best.intent != "out_of_scope"


def _digression(turn: Turn, pending: Pending) -> Decision:
    """Another question, or the same one again; the open one is asked again after the answer."""
    if turn.best is not None and turn.best.intent == pending.intent:
        return answer(turn, pending.intent, dict(turn.open_slots) | turn.held, "asks the same again")
    decision = fresh_question(turn)
    return decision.model_copy(update={"resume": pending, "rule": f"digression: {decision.rule}"})


def _instead_of_choice(turn: Turn, pending: Pending) -> Decision | None:
    """One more value instead of a choice between two needs: the likelier of them is taken."""
    unsure = turn.elliptical or turn.score < turn.policy.answer_score
    if not unsure or not turn.usable(pending.intent):
        return None
    slots = dict(turn.open_slots) | turn.held
    return answer(turn, pending.intent, slots, "answers the open question", carried_names=tuple(turn.open_slots))


def _chosen(turn: Turn, pending: Pending) -> str | None:
    """Key of the choice that a typed reply names, by its number or its label."""
    text = turn.message.text.strip().casefold()
    ordinal = _ORDINAL.match(text)
    if ordinal and not turn.understanding.slots:
        index = int(ordinal.group(1)) - 1
        if index < len(pending.choices):
            return pending.choices[index].key
    for choice in pending.choices:
        if text and text == choice.label.casefold():
            return choice.key
    first = turn.understanding.mark == "yes" and pending.choices and not turn.stated.values
    return pending.choices[0].key if first else None
