"""Decides about one message: the written rules, in the order in which they are tried.

1. A pressed button does what it says.
2. Nothing readable, or not addressed: stay silent or say a kind word.
3. A choice of an open question is taken by its number or label. A few words about the answer just given, as that it is
   too dear, ask that of it (`after.py`); an operation on what is in force takes effect (`follow.py`). Cancel and other
   conversation intents act at once; an open question stays open through small talk.
4. An open question is answered by a matching value; another question is a digression.
5. A follow-up (`follow_up.py`) keeps the last intent and replaces what it names. Two of three signs make one: it reads
   like one, its likeliest need is that of the last answer, no need is likely. Bare values stay with the answer that can
   use them; going back to an earlier answer forgets what came between.
6. Otherwise the best intent is acted on, clarified, or declined by the thresholds of `policy`. One card and what it is
   for, and no sure need, asks whether the card will do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.core.conversation import Conversation, Episode, HeldSlot, Pending
from bot.core.decision import Decision
from bot.core.intents import Intent
from bot.core.message import IncomingMessage
from bot.core.ports import GONE
from bot.core.understanding import RankedIntent, Understanding
from bot.dialogue.after import asked_of_answer
from bot.dialogue.amounts import rescaled
from bot.dialogue.answer import answer
from bot.dialogue.follow import followed, take, without
from bot.dialogue.follow_up import ACT_OF, NARROWED, correction, follow_up
from bot.dialogue.fresh import fresh_question
from bot.dialogue.ground import Ground, as_compared, says, wants_language
from bot.dialogue.kin import Names
from bot.dialogue.means import settle_currency
from bot.dialogue.open_question import filled, named_choice, open_question
from bot.dialogue.policy import POLICY, Policy
from bot.dialogue.refine import read_exclusions, refine
from bot.dialogue.slots import Stated, gather, hold
from bot.dialogue.turn import (
    ABOUT_ANSWER,
    CONVERSATION,
    OF_ONE_ANSWER,
    SOCIAL,
    Turn,
    find_return,
    find_subject,
    pressed_case,
)
from bot.talk.standing import Change

SAID_OTHERWISE: Final = "follow-up: in another language"
"""Rule of a message that states nothing and wants the last answer once more."""
WITHOUT_HANDLER: Final = frozenset({"cancel", "out_of_scope"})
"""Intents that the pipeline answers with a page."""


def decide(
    message: IncomingMessage,
    understanding: Understanding,
    conversation: Conversation,
    intents: Mapping[str, Intent],
    now: datetime,
    *,
    borrowed: Episode | None = None,
    names: Names | None = None,
    policy: Policy = POLICY,
) -> Decision:
    """The plan for one message. Pure: the same arguments give the same decision."""
    message = as_compared(message, understanding)
    stated = gather(understanding)
    about = _about(message, conversation, borrowed)
    pending = _open_question(about, message, conversation.pending, now - policy.pending_ttl)
    read_exclusions(understanding, stated, names)
    refined = False
    if conversation.turn:
        about = _gone_back(about, message, understanding, conversation, stated)
        ground = _ground(about, conversation, intents, pending, names)
        done = rescaled(message.text, understanding, stated, ground, about.subject)
        done = done or take(_operation(understanding, ground, conversation, about.subject), stated, ground)
        refined = refine(message.text, stated, ground, policy) or done
        about = _About(about.subject, about.chosen, without(about.earlier, stated))
    settle_currency(message.text, stated, about.earlier, running=bool(conversation.turn))
    turn = Turn(
        message=message,
        understanding=understanding,
        refined=refined,
        stated=stated,
        conversation=conversation,
        pending=pending,
        subject=about.subject,
        chosen=about.chosen,
        earlier=about.earlier,
        intents=intents,
        now=now,
        policy=policy,
        names=names,
    )
    return _first_rule(turn)


def _operation(
    understanding: Understanding, ground: Ground, conversation: Conversation, subject: Episode | None
) -> Change:
    return followed(understanding, ground, conversation.excluded, subject, conversation.episodes)


@dataclass(frozen=True, slots=True)
class _About:
    """What a message is about: an answer, whether it was pointed at, and the slots in force."""

    subject: Episode | None
    chosen: bool
    earlier: Mapping[str, HeldSlot]


def _about(message: IncomingMessage, conversation: Conversation, borrowed: Episode | None) -> _About:
    subject = find_subject(message, conversation, borrowed)
    chosen = message.reply_to is not None or _is_older(subject, message, conversation)
    return _About(subject, chosen, subject.slots if chosen and subject else conversation.slots)


def _open_question(
    about: _About, message: IncomingMessage, pending: Pending | None, oldest: datetime
) -> Pending | None:
    """The open question, unless it is too old or the button that was pressed is that of an answer."""
    if pending is None or pending.asked_at < oldest:
        return None
    is_of_an_answer = about.subject is not None and pressed_case(message) not in {"", pending.case}
    return None if is_of_an_answer else pending


def _is_older(subject: Episode | None, message: IncomingMessage, conversation: Conversation) -> bool:
    """Whether a button was pressed below another answer than the last one: it goes on from that answer."""
    newest = conversation.episodes[-1].case if conversation.episodes else ""
    return subject is not None and subject.case == pressed_case(message) != newest


def _gone_back(
    about: _About, message: IncomingMessage, understanding: Understanding, conversation: Conversation, stated: Stated
) -> _About:
    """The same, unless the message goes back to an earlier answer by a word: then that, without what came between."""
    if about.chosen or not says(message.text, "returns"):
        return about
    left = find_return(understanding, conversation, stated)
    if left is not None:
        return _About(left, True, left.slots)
    older = {slot: held for slot, held in about.earlier.items() if held.turn < conversation.turn}
    return _About(about.subject, about.chosen, older)


def _ground(
    about: _About,
    conversation: Conversation,
    intents: Mapping[str, Intent],
    pending: Pending | None,
    names: Names | None,
) -> Ground:
    """What a short line stands on."""
    spec = intents.get(about.subject.intent if about.chosen and about.subject else conversation.intent)
    return Ground(
        earlier=about.earlier,
        before=tuple([episode.slots for episode in conversation.episodes[::-1]]),
        pending=pending,
        uses=frozenset(spec.used_slots) if spec else frozenset(),
        names=names,
        intent=spec.id if spec else "",
        language=conversation.language,
    )


def _first_rule(turn: Turn) -> Decision:
    for rule in (
        _pressed_late,
        _pressed,
        named_choice,
        _settled,
        _said_otherwise,
        _of_the_answer,
        _operated,
        _only_named,
        _conversational,
        open_question,
        correction,
        follow_up,
    ):
        decision = rule(turn)
        if decision is not None:
            return decision
    return fresh_question(turn)


# --- 1: buttons ------------------------------------------------------------------------------------------------------


def _pressed_late(turn: Turn) -> Decision | None:
    """A button below something that is neither an answer still kept nor the open question."""
    case = pressed_case(turn.message)
    if not case or turn.subject is not None or (turn.pending is not None and turn.pending.case == case):
        return None
    verb, _, rest = turn.message.action.partition("#")[0].partition(":")
    if verb != "set" and rest not in OF_ONE_ANSWER:
        return None
    return turn.decided("answer", "why", act=GONE, rule="button: of an answer that is no longer kept")


def _pressed(turn: Turn) -> Decision | None:
    key = turn.message.action.split("#", 1)[0]
    if not key:
        return None
    verb, _, rest = key.partition(":")
    if verb == "do":
        if rest == "cancel":
            return turn.decided("cancel", "cancel", rule="button: cancel")
        return turn.decided("answer", turn.last_intent or None, act=rest, subject=turn.subject, rule="button")
    if verb == "ask" and rest in turn.intents:
        return answer(turn, rest, dict(turn.conversation.slots), "button: this was meant", fresh=True)
    if verb == "set":
        slot, _, value = rest.partition("=")
        return filled(turn, slot, value, "button: value chosen")
    return turn.decided("fallback", rule="button: unknown key")


# --- 3: asked of the last answer, operations, conversation intents ---------------------------------------------------


def _said_otherwise(turn: Turn) -> Decision | None:
    """The last answer once more in the language that is asked for."""
    intent = turn.last_intent
    running = intent in turn.intents and intent not in CONVERSATION and not turn.stated.values
    if not running or not wants_language(turn.message.text):
        return None
    in_force = dict(turn.earlier)
    return answer(turn, intent, in_force, SAID_OTHERWISE, carried_names=tuple(in_force))


def _of_the_answer(turn: Turn) -> Decision | None:
    """A few words about the answer just given."""
    asked = asked_of_answer(turn)
    if asked is None:
        return None
    slots = turn.held | hold(asked.slots, turn.message.user_id, turn.now, turn.conversation.turn + 1)
    if asked.keeps is None:
        decision = answer(turn, asked.intent, slots, asked.rule, carry=True, filled=asked.slots)
    else:
        lent = {name: turn.earlier[name] for name in asked.keeps if name in turn.earlier}
        decision = answer(turn, asked.intent, {**lent, **slots}, asked.rule, carried_names=tuple(lent), fresh=True)
    return decision.model_copy(update={"excluded": {**decision.excluded, **asked.excluded}})


def _operated(turn: Turn) -> Decision | None:
    """An operation on what is in force: the last need again with the change, or the need asked along with it."""
    stated, intent = turn.stated, turn.last_intent
    running = intent in turn.intents and intent not in CONVERSATION and turn.pending is None
    if not running or not stated.operation:
        return None
    if stated.operation == "point":
        intent = stated.asked if stated.asked in turn.intents else intent
    elif stated.operation != "exclude":
        intent = _asked_along(turn, intent)
    return (
        None
        if _has_no_use(turn, intent)
        else answer(turn, intent, turn.held, f"operation: {stated.operation}", carry=True)
    )


def _has_no_use(turn: Turn, intent: str) -> bool:
    """Whether a need can do nothing with what an operation changed."""
    stated = turn.stated
    if stated.operation == "exclude":
        return intent not in NARROWED or bool(stated.values)
    return stated.operation != "point" and bool(stated.values) and not stated.dropped and not turn.usable(intent)


_SCALING: Final = "multi_gpu_scaling"
_OF_DATA: Final = frozenset({"epochs", "dataset"})
"""What the last answer is asked for anew where nothing else is said."""
_FOR_SO_MANY: Final = frozenset({"estimate_time", "estimate_cost", "power_supply", "check_fit", "rent_or_buy"})
"""Needs whose answer is for a number of cards."""


def _only_counts_on(turn: Turn, intent: str) -> bool:
    """Whether a message counts on, or says how much data there is, and wants the last answer for so much: whether that
    is enough, or how cards scale, would be asked.
    """
    counts = turn.stated.operation == "increment" and intent in _FOR_SO_MANY and not says(turn.message.text, "asks")
    scales = turn.best is not None and turn.best.intent == _SCALING
    return counts and (scales or turn.stated.values.keys() <= _OF_DATA)


def _asked_along(turn: Turn, intent: str) -> str:
    """The need that a message with an operation surely asks for, else the last one; what only allows asks nothing."""
    best = turn.best
    if () in turn.stated.excluded.values() and not says(turn.message.text, "asks"):
        return intent
    if _only_counts_on(turn, intent):
        return intent
    sure = best is not None and turn.score >= turn.policy.clause_score
    return best.intent if best is not None and sure and best.intent not in CONVERSATION else intent


A_NAME_ALONE: Final = "a name alone"
"""Rule of a choice of what can be asked of a card or model."""
_NAMES: Final = frozenset({"gpu", "model", "gpu_count"})
_ASK_OF_CARD: Final = ("check_fit", "gpu_specs", "price_lookup")
_ASK_OF_OWN_CARD: Final = ("check_fit", "upgrade_or_not", "price_lookup")
_ASK_OF_MODEL: Final = ("estimate_memory", "recommend_gpu", "estimate_time")
"""What is asked most of a card, of one's own card and of a model."""
_IDLE: Final = frozenset({"gaming", "own", "hello", "thank", "thank_light", "bot_help"})
"""Concepts that ask nothing; a laugh is written like the name of a game."""


def _only_named(turn: Turn) -> Decision | None:
    """A name and no question is offered what can be asked of it, never refused."""
    best = turn.best
    if best is None or turn.last_intent or turn.pending is not None or not _names_only(turn):
        return None
    if not (best.intent in SOCIAL or (best.intent == "out_of_scope" and _is_idle(turn))):
        return None
    own = "own" in turn.understanding.concepts
    options = _ASK_OF_MODEL if "gpu" not in turn.stated.values else _ASK_OF_OWN_CARD if own else _ASK_OF_CARD
    return turn.decided("clarify", options[0], slots=turn.held, options=options, rule=A_NAME_ALONE)


def _names_only(turn: Turn) -> bool:
    """Whether a message holds names, and neither another value nor an idea that asks."""
    stated = turn.stated.values.keys()
    named = not stated.isdisjoint({"gpu", "model"}) and stated <= _NAMES
    return named and not turn.stated.excluded and set(turn.understanding.concepts) <= _IDLE


def _is_idle(turn: Turn) -> bool:
    """Whether a message laughs, or is so short that its subject cannot be told."""
    bare = turn.elliptical and turn.score < turn.policy.outside_score
    return bare or says(turn.message.text, "laughs")


def _settled(turn: Turn) -> Decision | None:
    """What was advised is taken, and nothing is asked: a kind word, and what was said stays."""
    text = turn.message.text
    taken = turn.last_intent not in CONVERSATION | {""} and says(text, "settles") and not says(text, "asks")
    if (
        not taken
        or turn.pending is not None
        or turn.stated.values.keys() - {"gpu", "gpu_count", "gpu_family", "deploy", "ram_gb"}
    ):
        return None
    return turn.decided("answer", "thanks", slots=dict(turn.earlier), rule="settled")


def _conversational(turn: Turn) -> Decision | None:
    best = turn.best
    if best is None or best.intent not in CONVERSATION or turn.score < turn.policy.answer_score:
        return None
    running = turn.last_intent not in CONVERSATION | {""}
    if turn.understanding.mark in ACT_OF and running:
        return None  # a wish for more of the last answer sounds like thanks and is about that
    if best.intent == "cancel":
        return turn.decided("cancel", "cancel", slots=turn.held, rule="cancel")
    if best.intent in ABOUT_ANSWER:
        return _about_the_answer(turn, best, running=running)
    if best.intent == "out_of_scope":
        return None  # what looks foreign may still answer a question or follow one up; judged last
    return turn.decided(
        "answer",
        intent=best.intent,
        slots=turn.held,
        resume=turn.conversation.pending if best.intent == "help" else None,
        rule="social",
    )


def _about_the_answer(turn: Turn, best: RankedIntent, *, running: bool) -> Decision | None:
    """Why, or where from: unless a value is named that puts it on something else."""
    if running and ((turn.elliptical and turn.stated.values) or (turn.refined and turn.stated.excluded)):
        return None
    return turn.decided("answer", best.intent, slots=turn.held, subject=turn.subject, rule="about the last answer")
