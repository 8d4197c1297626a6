"""Decides about one message: the written rules, in the order in which they are tried.

1. A pressed button does what it says.
2. Nothing readable, or not addressed: stay silent or say a kind word.
3. A choice of an open question is taken by its number or label. A few words about the answer just given ("cheaper?")
   ask that of it (`after.py`). Cancel and other conversation intents act at once; an
   open question stays open through small talk.
4. An open question is answered by a matching value; another question is a digression.
5. A follow-up ("and 4090?") keeps the last intent and replaces what it names. Two of three signs make one: it reads
   like one, its likeliest need is that of the last answer, no need is likely. Bare values stay with the answer that can
   use them; "back to ..." goes back to an earlier answer and forgets what came between.
6. Otherwise the best intent is acted on, clarified, or declined by the thresholds of `policy`. One card and what it is
   for, and no sure need ("a 3060 for deep learning?"), asks whether the card will do.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Final

from bot.core.conversation import Conversation, Episode, HeldSlot, Pending
from bot.core.decision import Decision
from bot.core.intents import Intent
from bot.core.message import IncomingMessage
from bot.core.understanding import Understanding
from bot.dialogue.after import asked_of_answer
from bot.dialogue.carry_over import OF_SUBJECT, carried, may_be_lent, need_met
from bot.dialogue.follow import followed, take, without
from bot.dialogue.ground import Ground, says, small_words
from bot.dialogue.keys import canonical
from bot.dialogue.kin import Names, of_other_kind, with_replaced
from bot.dialogue.means import settle_currency
from bot.dialogue.policy import POLICY, Policy
from bot.dialogue.refine import read_exclusions, refine
from bot.dialogue.slots import gather, hold
from bot.dialogue.turn import ABOUT_ANSWER, CONVERSATION, SOCIAL, Turn, find_return, find_subject

WITHOUT_HANDLER: Final = frozenset({"cancel", "out_of_scope"})
"""Intents that the pipeline answers with a page."""
GOES_ON_LENGTH: Final = 24
"""Characters up to which a message can go on with the last answer by one word."""
_ONE_CARD: Final = frozenset({"gpu", "task", "method", "model", "deploy", "vram_gb", "precision"})
"""What is said of one card and its purpose, and nothing else."""
_PURPOSES: Final = frozenset({"task", "method", "model"})
_CHOOSING: Final = frozenset({"recommend_gpu", "compare_gpus"})
"""Needs that one card alone seldom has."""
_LIKELY: Final = 5
"""Intents that may still be meant where none is sure."""
_SIGNS_OF_FOLLOW_UP: Final = 2
"""Of three: it reads like one, its likeliest need is that of the last answer, no need is likely."""
_ORDINAL: Final = re.compile(r"^\D{0,2}([1-9])\D{0,2}$")


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
    stated = gather(understanding)
    subject = find_subject(message, conversation, borrowed)
    chosen = message.reply_to is not None
    pending = conversation.pending
    if pending is not None and now - pending.asked_at > policy.pending_ttl:
        pending = None
    refined = False
    earlier: Mapping[str, HeldSlot] = subject.slots if chosen and subject else conversation.slots
    read_exclusions(message.text.casefold(), stated)
    if conversation.turn:
        if not chosen and says(message.text, "returns"):
            left = find_return(understanding, conversation, stated)
            if left is not None:
                subject, chosen, earlier = left, True, left.slots
            else:
                earlier = {slot: held for slot, held in earlier.items() if held.turn < conversation.turn}
        spec = intents.get(subject.intent if chosen and subject else conversation.intent)
        ground = Ground(
            earlier=earlier,
            before=tuple([episode.slots for episode in conversation.episodes[::-1]]),
            pending=pending,
            uses=frozenset(spec.used_slots) if spec else frozenset(),
            names=names,
            intent=spec.id if spec else "",
            language=conversation.language,
        )
        change = followed(understanding, ground, conversation.excluded, subject)
        done = take(change, stated, ground)
        refined = refine(message.text, stated, ground, policy) or done
        earlier = without(earlier, stated)
    settle_currency(message.text, stated, earlier, running=bool(conversation.turn))
    turn = Turn(
        message=message,
        understanding=understanding,
        refined=refined,
        stated=stated,
        conversation=conversation,
        pending=pending,
        subject=subject,
        chosen=chosen,
        earlier=earlier,
        intents=intents,
        now=now,
        policy=policy,
        names=names,
    )
    return _first_rule(turn)


def _first_rule(turn: Turn) -> Decision:
    for rule in (
        _pressed,
        _named_choice,
        _of_the_answer,
        _operated,
        _only_named,
        _conversational,
        _open_question,
        _correction,
        _follow_up,
    ):
        decision = rule(turn)
        if decision is not None:
            return decision
    return _fresh_question(turn)


# --- 1: buttons ------------------------------------------------------------------------------------------------------


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
        return _answer(turn, rest, dict(turn.conversation.slots), "button: this was meant", fresh=True)
    if verb == "set":
        slot, _, value = rest.partition("=")
        return _fill(turn, slot, value, "button: value chosen")
    return turn.decided("fallback", rule="button: unknown key")


def _fill(turn: Turn, slot: str, value: Any, rule: str) -> Decision:
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
    return _answer(turn, intent, slots, rule, carried_names=tuple(turn.open_slots), filled=(slot,))


# --- 3: asked of the last answer, conversation intents ---------------------------------------------------------------


def _of_the_answer(turn: Turn) -> Decision | None:
    """ "Cheaper?", "what about renting": a few words about the answer just given."""
    asked = asked_of_answer(turn)
    if asked is None:
        return None
    slots = turn.held | hold(asked.slots, turn.message.user_id, turn.now, turn.conversation.turn + 1)
    if asked.keeps is None:
        decision = _answer(turn, asked.intent, slots, asked.rule, carry=True, filled=asked.slots)
    else:
        lent = {name: turn.earlier[name] for name in asked.keeps if name in turn.earlier}
        decision = _answer(turn, asked.intent, {**lent, **slots}, asked.rule, carried_names=tuple(lent), fresh=True)
    return decision.model_copy(update={"excluded": {**decision.excluded, **asked.excluded}})


_NARROWED: Final = frozenset(
    {"recommend_gpu", "compare_gpus", "gpu_count", "platform_choice", "price_lookup", "cluster_design"}
)
"""Intents that a bare exclusion or demand narrows."""


def _operated(turn: Turn) -> Decision | None:
    """An operation on what is in force: the last need again with the change, or the need asked along with it."""
    stated, intent = turn.stated, turn.last_intent
    running = intent and intent not in CONVERSATION and intent in turn.intents and turn.pending is None
    if not running or not stated.operation:
        return None
    rule = f"operation: {stated.operation}"
    if stated.operation == "point":
        asked = stated.asked if stated.asked in turn.intents else intent
        return _answer(turn, asked, turn.held, rule, carry=True)
    if stated.operation == "exclude" and (intent not in _NARROWED or stated.values):
        return None
    best = turn.best
    if best is not None and stated.operation != "exclude" and turn.score >= turn.policy.clause_score:
        intent = best.intent if best.intent not in CONVERSATION else intent
    fits = turn.usable(intent) or stated.dropped or not stated.values
    return _answer(turn, intent, turn.held, rule, carry=True) if fits else None


A_NAME_ALONE: Final = "a name alone"
"""Rule of a choice of what can be asked of a card or model."""
_NAMES: Final = frozenset({"gpu", "model", "gpu_count"})
_ASK_OF_CARD: Final = ("check_fit", "gpu_specs", "price_lookup")
_ASK_OF_OWN_CARD: Final = ("check_fit", "upgrade_or_not", "price_lookup")
_ASK_OF_MODEL: Final = ("estimate_memory", "recommend_gpu", "estimate_time")
"""What is asked most of a card, of one's own card and of a model."""
_IDLE: Final = frozenset({"gaming", "own", "hello", "thank", "thank_light", "bot_help"})
"""Concepts that ask nothing ("lol" is a game too)."""


def _only_named(turn: Turn) -> Decision | None:
    """ "Hi 3060", "lol my 3050 crying": a name and no question is offered what can be asked of it, never refused."""
    stated, best = turn.stated.values.keys(), turn.best
    if best is None or turn.last_intent or turn.pending is not None or not stated & {"gpu", "model"} or stated - _NAMES:
        return None
    if turn.stated.excluded or not set(turn.understanding.concepts) <= _IDLE:
        return None
    laughs = best.intent == "out_of_scope" and says(turn.message.text, "laughs")
    bare = best.intent == "out_of_scope" and turn.elliptical and turn.score < turn.policy.outside_score
    if not (laughs or bare or best.intent in SOCIAL):
        return None
    own = "own" in turn.understanding.concepts
    options = _ASK_OF_MODEL if "gpu" not in stated else _ASK_OF_OWN_CARD if own else _ASK_OF_CARD
    return turn.decided("clarify", options[0], slots=turn.held, options=options, rule=A_NAME_ALONE)


def _conversational(turn: Turn) -> Decision | None:
    best = turn.best
    if best is None or best.intent not in CONVERSATION or turn.score < turn.policy.answer_score:
        return None
    if turn.understanding.mark == "more" and turn.last_intent not in CONVERSATION | {""}:
        return None  # "in more detail, please" sounds like thanks and is about the last answer
    if best.intent == "cancel":
        return turn.decided("cancel", "cancel", slots=turn.held, rule="cancel")
    if best.intent in ABOUT_ANSWER:
        if turn.elliptical and turn.stated.values and turn.last_intent not in CONVERSATION | {""}:
            return None
        return turn.decided("answer", best.intent, slots=turn.held, subject=turn.subject, rule="about the last answer")
    if best.intent == "out_of_scope":
        return None  # what looks foreign may still answer a question or follow one up; judged last
    return turn.decided(
        "answer",
        intent=best.intent,
        slots=turn.held,
        resume=turn.conversation.pending if best.intent == "help" else None,
        rule="social",
    )


# --- 4: an open question ---------------------------------------------------------------------------------------------


def _named_choice(turn: Turn) -> Decision | None:
    """A typed reply that is the number or the label of one of the choices."""
    pending = turn.pending
    if pending is None:
        return None
    chosen = _chosen(turn, pending)
    if chosen is None:
        return None
    verb, _, rest = chosen.split("#", 1)[0].partition(":")
    if verb == "set":
        slot, _, value = rest.partition("=")
        return _fill(turn, slot, value, "choice named")
    if verb == "ask" and rest in turn.intents:
        return _answer(turn, rest, dict(turn.conversation.slots) | turn.held, "clarified", fresh=True)
    return None


def _open_question(turn: Turn) -> Decision | None:
    pending = turn.pending
    if pending is None:
        return None
    if pending.kind == "clarify":
        return _instead_of_choice(turn, pending)
    best = turn.best
    own_subject = (
        best is not None
        and best.intent != pending.intent
        and not turn.elliptical
        and turn.score >= turn.policy.answer_score
    )
    fits = pending.slot in turn.stated.values and turn.score < turn.policy.own_subject_score
    if turn.stated.values and (fits or not own_subject):
        slots = dict(turn.open_slots) | turn.held
        return _answer(turn, pending.intent, slots, "answers the open question", carried_names=tuple(turn.open_slots))
    foreign = best is not None and best.intent == "out_of_scope"
    if best is not None and turn.score >= turn.policy.answer_score and turn.understanding.in_domain and not foreign:
        if best.intent == pending.intent:
            return _answer(turn, best.intent, dict(turn.open_slots) | turn.held, "asks the same again")
        decision = _fresh_question(turn)
        return decision.model_copy(update={"resume": pending, "rule": f"digression: {decision.rule}"})
    if pending.tries < turn.policy.max_tries:
        return turn.decided("ask", pending.intent, slots=dict(turn.open_slots), retry=pending, rule="no match")
    return None


def _instead_of_choice(turn: Turn, pending: Pending) -> Decision | None:
    """One more value instead of a choice between two needs: the likelier of them is taken."""
    unsure = turn.elliptical or turn.score < turn.policy.answer_score
    if not unsure or not turn.usable(pending.intent):
        return None
    slots = dict(turn.open_slots) | turn.held
    return _answer(turn, pending.intent, slots, "answers the open question", carried_names=tuple(turn.open_slots))


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
    if turn.understanding.mark == "yes" and len(pending.choices) >= 1 and not turn.stated.values:
        return pending.choices[0].key
    return None


# --- 5: corrections and follow-ups -----------------------------------------------------------------------------------


def _correction(turn: Turn) -> Decision | None:
    """ "No, in yuan": the last question again with a value replaced."""
    corrects = turn.understanding.mark == "correction" or says(turn.message.text, "meant")
    if not corrects or not turn.stated.values:
        return None
    intent = turn.last_intent
    if not intent or intent in CONVERSATION:
        return None
    slots = dict(turn.earlier) | _merged(turn)
    return _answer(turn, intent, slots, "correction", carried_names=tuple(turn.earlier))


def _merged(turn: Turn) -> dict[str, HeldSlot]:
    """Stated slots, where a lone currency or amount corrects the one that stood, and one card one of several."""
    held = turn.held
    if "gpu" in held and "gpu" in turn.earlier:
        held["gpu"] = held["gpu"].model_copy(
            update={"value": with_replaced(turn.earlier["gpu"].value, held["gpu"].value)}
        )
    for slot in ("budget", "price"):
        if slot in held and slot in turn.earlier and isinstance(held[slot].value, dict):
            before = turn.earlier[slot].value
            said = {key: value for key, value in held[slot].value.items() if value is not None}
            if isinstance(before, dict):
                held[slot] = held[slot].model_copy(update={"value": before | said})
    return held


def _follow_up(turn: Turn) -> Decision | None:
    intent = turn.last_intent
    if not intent or intent in CONVERSATION or intent not in turn.intents:
        return None
    if turn.understanding.mark == "more" and not turn.stated.values:
        in_force = dict(turn.earlier)
        return turn.decided(
            "answer", intent, slots=in_force, act="details", subject=turn.subject, rule="more of the same"
        )
    if _goes_on(turn, turn.intents[intent]):
        return _answer(turn, intent, turn.held, "goes on with the path", carry=True)
    if _narrows(turn, intent):
        return _answer(turn, intent, turn.held, "follow-up", carry=True)
    intent = _taker(turn, intent)
    sure = turn.score >= turn.policy.answer_score
    same = turn.stated.belongs or (
        turn.best is not None and (turn.best.intent == intent or _stays(turn, intent, turn.best.intent))
    )
    if (turn.elliptical, same, not sure).count(True) < _SIGNS_OF_FOLLOW_UP:
        return None
    if turn.refined and turn.stated.excluded and not turn.stated.values:
        return None
    if turn.stated.values and not turn.usable(intent):
        return None
    best = turn.best
    if best and not turn.stated.values and not same and best.intent not in CONVERSATION:
        # "and the cpu?" names no value, so its words say what it is about
        likelier = turn.score >= turn.policy.change_odds * turn.score_of(intent)
        intent = best.intent if likelier else intent
    return _answer(turn, intent, turn.held, "follow-up", carry=True)


def _stays(turn: Turn, intent: str, other: str) -> bool:
    """Whether bare values that the last answer can use go on with it, though another need is a little likelier.

    They go on with the one before it where the last can use less of them, as after a question about a word.
    They stay too when the other need lacks something that nobody said: values alone ask for nothing new, "rent" and
    "buy" do.
    """
    stated = turn.stated.values.keys()
    bare = turn.understanding.elliptical or turn.swaps
    if not bare or not stated or "deploy" in stated or stated - turn.usable(intent):
        return False
    around = intent != turn.last_intent and turn.score < turn.policy.sure_score
    if turn.returned or turn.swaps or around or turn.score < turn.policy.change_odds * turn.score_of(intent):
        return True
    spec = turn.intents[other]
    known = stated | {slot for slot in turn.earlier if slot in spec.carries_over}
    return not all(need_met(need, known) for need in spec.needs) and turn.score < turn.policy.sure_score


def _narrows(turn: Turn, intent: str) -> bool:
    """Whether a message does no more than narrow a choice just made: "no used cards please", "nvidia only"."""
    stated = turn.stated.values.keys()
    narrows = turn.refined and turn.stated.excluded if not stated else stated <= _DEMANDS and turn.usable(intent)
    short = len(turn.message.text) <= turn.policy.short_line
    asks = turn.message.text.rstrip().endswith(("?", "\uff1f"))
    return bool(narrows) and short and not asks and intent in _NARROWED and turn.score < turn.policy.own_subject_score


def _taker(turn: Turn, intent: str) -> str:
    """Whose follow-up it is: the last intent's, unless an earlier one can use more of what is stated."""
    if turn.chosen:
        return intent
    for episode in reversed(turn.conversation.episodes):
        if len(turn.usable(episode.intent)) > len(turn.usable(intent)):
            intent = episode.intent
    return intent


def _goes_on(turn: Turn, spec: Intent) -> bool:
    """Whether a short message holds a word with which people go on with the intent of the last answer."""
    text = turn.message.text.strip().casefold()
    names_anew = not turn.stated.values.keys().isdisjoint({"gpu", "model", "task", "budget"})
    if not text or text.endswith(("?", "\uff1f")) or len(text) > GOES_ON_LENGTH or names_anew:
        return False
    return any(word in text for lines in (spec.goes_on.zh, spec.goes_on.en) for word in lines)


# --- 6: a question of its own ----------------------------------------------------------------------------------------


def _fresh_question(turn: Turn) -> Decision:
    best, policy = turn.best, turn.policy
    if best is not None and best.intent == "out_of_scope" and turn.score >= policy.answer_score:
        return turn.decided("fallback", "out_of_scope", slots=turn.held, rule="out of scope")
    if best is None or turn.score < policy.fallback_score:
        return turn.decided("fallback", best.intent if best else None, slots=turn.held, rule="no intent fits")
    close = [
        item.intent
        for item in turn.understanding.ranking[1:3]
        if turn.score - item.score < policy.clarify_margin and item.intent not in CONVERSATION
    ]
    unclear = turn.score < policy.answer_score or (close and turn.score < policy.clarify_score)
    choosing = best.intent in _CHOOSING and turn.score < policy.one_card_score
    if (unclear or choosing) and _asks_of_one_card(turn):
        return _answer(turn, "check_fit", turn.held, "one card and a purpose", fresh=True, carry=True)
    if unclear and _sets_a_mac_beside(turn):
        return _answer(turn, "compare_gpus", turn.held, "a machine beside a card", fresh=True, carry=True)
    if unclear:
        options = (best.intent, *close) if close else tuple(item.intent for item in turn.understanding.ranking[:3])
        options = tuple(option for option in options if option not in CONVERSATION)
        if len(options) >= 2:
            # small talk and other subjects are no choice, so the first of the others stands for them
            meant = options[0] if best.intent in CONVERSATION else best.intent
            return turn.decided("clarify", meant, slots=turn.held, options=options[:3], rule="too close to call")
        if not options:
            return turn.decided("fallback", best.intent, slots=turn.held, rule="no intent fits")
        if best.intent in CONVERSATION:
            return turn.decided("fallback", best.intent, slots=turn.held, rule="no intent fits")
    fresh = not turn.elliptical
    second = _second_need(turn)
    return _answer(turn, best.intent, turn.held, "best intent", fresh=fresh, carry=True, second=second)


def _asks_of_one_card(turn: Turn) -> bool:
    """Whether a message of no sure intent names one card and what it is for ("a 3060 for deep learning?").

    Whatever else is meant, whether the card will do is what people want to hear of it.
    """
    stated, likely = turn.stated.values, {item.intent for item in turn.understanding.ranking[:_LIKELY]}
    if len(stated.get("gpu", ())) != 1 or not stated.keys() <= _ONE_CARD or "check_fit" not in likely:
        return False
    if stated.get("deploy", "laptop") != "laptop":
        return False  # whether to buy or rent it is another question
    return not stated.keys().isdisjoint(_PURPOSES) or "language_model" in turn.understanding.concepts


_BESIDE: Final = frozenset({"compare", "or_word"})


def _sets_a_mac_beside(turn: Turn) -> bool:
    """Whether a message of no sure intent weighs a Mac without its chip against one card ("Mac mini or a 4060 Ti")."""
    stated, concepts = turn.stated.values, turn.understanding.concepts
    weighed = "apple_silicon" in concepts and not _BESIDE.isdisjoint(concepts)
    return weighed and len(stated.get("gpu", ())) == 1 and "gpu_family" in stated


_CLAUSES: Final = re.compile(r"[,;?!\u3002\uff0c\uff1b\uff1f\uff01\n]|\band\b|\bthen\b")


_DEMANDS: Final = frozenset({"gpu_family", "vram_gb", "budget"})
"""What people demand of the card to choose."""
_DESCRIBING: Final = frozenset({"task", "method", "persona", "os", "region", "gpu_family", "deploy"})
"""Slots that colour many questions and point to none."""


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
    """The intent that would use what is stated and the best intent cannot: "does it fit, and a month of it?" """
    best = turn.intents.get(turn.best.intent) if turn.best else None
    if best is None:
        return ""
    left = turn.stated.values.keys() - _DESCRIBING
    if left:
        left = left.difference(best.used_slots, best.carries_over)
    if not left:
        return ""
    found = [
        (len(left & set(turn.intents[item.intent].used_slots)), item.score, item.intent)
        for item in turn.understanding.ranking[1:8]
        if item.score >= turn.policy.leftover_score and item.intent in turn.intents
    ]
    used, _, intent = max(found, default=(0, 0.0, ""))
    return intent if used and intent not in CONVERSATION else ""


def _gathered(spec: Intent, slots: dict[str, HeldSlot], turn: Turn) -> dict[str, HeldSlot]:
    """A list that takes several to make sense: one more value, or one alone, joins what was spoken of before."""
    for slot in spec.gathers:
        values = slots[slot].value if slot in slots else None
        if not isinstance(values, list) or len(values) != 1:
            continue
        spoken = (turn.spoken_of(spec), *[episode.slots for episode in turn.conversation.episodes[::-1]])
        before = next((held[slot].value for held in spoken if slot in held and held[slot].value != values), None)
        if isinstance(before, list):
            joined = list(dict.fromkeys((*before, *values)))
            slots = {**slots, slot: slots[slot].model_copy(update={"value": joined})}
    return slots


def _said_again(turn: Turn) -> set[str]:
    """The model, when it is the one spoken of: naming it again ("back to that BERT") starts no other job."""
    held = turn.earlier.get("model")
    return {"model"} if held is not None and held.value == turn.stated.values.get("model") else set()


def _of_one_job(turn: Turn, slots: dict[str, HeldSlot]) -> dict[str, HeldSlot]:
    """The slots without a model spoken of earlier that the task just named has no use for."""
    task, model = turn.stated.values.get("task"), slots.get("model")
    kinds = small_words()["model_kinds"].get(task) if isinstance(task, str) else None
    if kinds is None or model is None or "model" in turn.stated.values or turn.names is None:
        return slots
    if not of_other_kind(model.value, kinds, turn.names):
        return slots
    return {name: held for name, held in slots.items() if name in turn.stated.values or name not in OF_SUBJECT}


def _excluded(turn: Turn, *, going_on: bool) -> dict[str, tuple[Any, ...]]:
    """What is ruled out: by this message, and before unless this message allows it again."""
    before = turn.conversation.excluded if going_on else {}
    return {slot: values for slot, values in {**before, **turn.stated.excluded}.items() if values}


def _answer(
    turn: Turn,
    intent: str,
    slots: dict[str, HeldSlot],
    rule: str,
    *,
    fresh: bool = False,
    carry: bool = False,
    carried_names: tuple[str, ...] = (),
    filled: Collection[str] = (),
    second: str = "",
) -> Decision:
    """Hand over to a handler, with what carries over from before."""
    spec = turn.intents.get(intent)
    names = [name for name in carried_names if name not in turn.stated.values]
    if carry and spec is not None and turn.conversation.turn:
        # within one conversation the job stays the job, until another model is named
        again = _said_again(turn)
        other_model = fresh and "model" in turn.stated.values and not again
        text = turn.message.text
        swapped = says(text, "swaps")
        lent = carried(
            spec,
            turn.spoken_of(spec),
            slots.keys() - again,
            only_needed=other_model,
            own_question=fresh and not (swapped or says(text, "plural")),
            points=says(text, "points"),
        )
        names += list(lent)
        slots = {**lent, **slots}
        if not (swapped or turn.stated.replaced):
            slots = _gathered(spec, slots, turn)
    slots = _of_one_job(turn, slots)
    if spec is not None and intent not in CONVERSATION and not fresh:
        wanted = set(spec.used_slots) | set(turn.stated.values) | set(filled)
        slots = {name: held for name, held in slots.items() if name in wanted or may_be_lent(name, spec)}
    return turn.decided(
        "answer",
        intent=intent,
        slots=slots,
        carried=tuple(names),
        excluded=_excluded(turn, going_on=carry or bool(carried_names)),
        bounds=dict(turn.stated.bounds),
        subject=turn.subject,
        returned=turn.returned,
        rule=rule,
        second=second,
    )
