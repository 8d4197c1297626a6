"""The stand-alone test: does a message fill its own need, so that nothing said before may bend it?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from functools import cache
from typing import Final

from bot.core.conversation import Conversation, HeldSlot, Pending
from bot.core.decision import Decision
from bot.core.intents import Intent
from bot.core.left import opened
from bot.core.message import IncomingMessage, words_in
from bot.core.understanding import Understanding
from bot.dialogue.carry_over import LASTING, need_met
from bot.dialogue.ground import as_compared, says, small_words
from bot.dialogue.policy import POLICY, Policy
from bot.dialogue.turn import CONVERSATION

_NAMING: Final = frozenset(
    {"gpu", "model", "provider", "gpu_count", "gpu_family", "vram_gb", "ram_gb", "cpu", "disk", "psu_w", "framework"}
)
"""What a message that asks for nothing else names at least, to be about something of its own."""
_WHOLES: Final = (("gpu|vram_gb", "model"), ("gpu", "duration"))
"""What is named together where a question lacks nothing."""
_WISHED: Final = frozenset({"task", "budget"})
"""What a choice is for and what it may cost, which is all that it asks for."""
_SIDES: Final = frozenset({"gpu", "gpu_family", "gpu_count", "vram_gb", "ram_gb"})
_DEMANDED: Final = frozenset({"gpu_family", "vram_gb", "deploy", "provider"})
"""What is demanded of a choice and asks for nothing by itself."""
_CARD: Final = frozenset({"gpu", "vram_gb"})
_JOB: Final = frozenset({"model", "task"})
_BOTH: Final = 2
_OWN: Final = "own"
"""Idea of having something."""
_WORD: Final = re.compile(r"[a-z']+")
_LEANING: Final = ("leans_on", "returns", "swaps", "includes", "meant", "other", "removes")
"""Words of languages/dialogue.yaml that refer to what was said before."""


def stands_alone(
    message: IncomingMessage,
    alone: Understanding,
    intents: Mapping[str, Intent],
    policy: Policy = POLICY,
    *,
    held: AbstractSet[str] = frozenset(),
) -> bool:
    """Whether a message is complete: read without the conversation it has one sure need and all that this asks for.

    Args:
        message: a press of a button or a reply to an earlier answer is never complete.
        alone: the reading without any context.
        intents: what each need asks for.
        policy: the bars.
        held: slots of the conversation so far.
    """
    if _is_tied(message) or not _sure_of_itself(alone, policy):
        return False
    message = as_compared(message, alone)
    best = alone.ranking[0]
    sure = best.score >= policy.surely_alone_score
    spec = intents.get(best.intent)
    filled = _is_filled(spec, alone, held)
    size = words_in(message.text)
    large = size > _longest_short(policy, sure=sure)
    # a pronoun behind what is named means that
    named = _first_named(alone, message.text, means_that=filled and sure)
    missing = None if filled else spec
    if _leans_on(message.text, missing, alone, held) or _refers(message.text, named, large=large):
        return False
    return large or filled or (sure and size >= policy.plain_size and _asks_for_nothing(spec, alone))


def _longest_short(policy: Policy, *, sure: bool) -> int:
    """Words up to which a message is short: fewer where it is sure of its need."""
    return policy.surely_alone_size if sure else policy.alone_size


def _points_at_held(text: str, spec: Intent | None, alone: Understanding, held: AbstractSet[str]) -> bool:
    """Whether a message of any length points at a card or job that its need lacks and the conversation holds."""
    said = {found.slot for found in alone.slots}
    if says(text, "points") and _lacks(spec, said, _CARD) and not held.isdisjoint(_CARD):
        return True
    return says(text, "for_it") and _is_for_a_job(spec) and said.isdisjoint(_JOB) and not held.isdisjoint(_JOB)


def _leans_on(text: str, spec: Intent | None, alone: Understanding, held: AbstractSet[str]) -> bool:
    """Whether a word of a message of any length stands for what its need lacks and the conversation holds."""
    return _lacks_what_it_means(text, spec, alone, held) or _points_at_held(text, spec, alone, held)


def _lacks_what_it_means(text: str, spec: Intent | None, alone: Understanding, held: AbstractSet[str]) -> bool:
    """Whether a pronoun stands where a message lacks what its need asks for, and the conversation holds that."""
    said = {found.slot for found in alone.slots}
    lacking = (need for need in (spec.needs if spec is not None else ()) if not need_met(need, said))
    means = not small_words_set("pronouns").isdisjoint(_WORD.findall(text.casefold()))
    return means and any(need_met(need, held) for need in lacking)


def _lacks(spec: Intent | None, said: AbstractSet[str], wanted: AbstractSet[str]) -> bool:
    """Whether a need asks for one of these slots, and none that would do is said."""
    asked = [need for need in (spec.needs if spec is not None else ()) if not wanted.isdisjoint(need.split("|"))]
    return any(not need_met(need, said) for need in asked)


def _is_for_a_job(spec: Intent | None) -> bool:
    """Whether a need chooses for some work."""
    return spec is not None and _JOB.issubset(spec.used_slots)


def _swaps(alone: Understanding) -> bool:
    """Whether one value is ruled out and another of its kind put in its place, and no more is said."""
    out = {found.slot for found in alone.slots if found.negated}
    wished = {found.slot for found in alone.slots if not found.negated}
    return len(out) == 1 and out == wished


def _only_insists(alone: Understanding) -> bool:
    """Whether a message says no more than what nothing else will do beside, or what will do too."""
    if not ("only" in alone.said.acts or says(alone.text, "too")) or says(alone.text, "asks"):
        return False
    named = {found.slot for found in alone.slots}
    return bool(named) and named <= _DEMANDED


def _doubts_a_card(alone: Understanding) -> bool:
    """Whether a message asks why it is not a card, and names nothing that it is for."""
    named = {found.slot for found in alone.slots}
    return "gpu" in named and named <= _SIDES | {"precision"} and says(alone.text, "why_not")


def _is_tied(message: IncomingMessage) -> bool:
    """Whether a message presses a button or replies to something."""
    return bool(message.action) or message.reply_to is not None


def _refers(text: str, named: int, *, large: bool) -> bool:
    """Whether a message refers to what was said before: by a word ahead of its first name, a short one by any word."""
    return _leans(text[:named], large=large) or (not large and _points_away(text[named:]))


def _first_named(alone: Understanding, text: str, *, means_that: bool) -> int:
    """Where the first value stands; the end of a text whose pronouns mean none of its values."""
    return min((found.span.start for found in alone.slots), default=0) if means_that else len(text)


def _sure_of_itself(alone: Understanding, policy: Policy) -> bool:
    """Whether a reading has one need that is no small talk, in a form that goes on with nothing."""
    best = alone.ranking[0] if alone.ranking else None
    if best is None or best.intent in CONVERSATION or alone.mark or alone.social:
        return False
    if _swaps(alone) or _only_insists(alone) or _doubts_a_card(alone):
        return False
    whole = _asks_of_a_whole(alone)
    return best.score >= _least_score(alone, policy, whole=whole)


def _least_score(alone: Understanding, policy: Policy, *, whole: bool) -> float:
    """How sure a message has to be of its need: in the form of one that goes on surely, where all is named less."""
    if alone.leaning or (alone.elliptical and not whole):
        return policy.surely_alone_score
    return policy.clarify_score if whole else policy.alone_score


def _asks_of_a_whole(alone: Understanding) -> bool:
    """Whether a message asks something of a model on a card, or of a card over a time, whatever it asks."""
    named = {found.slot for found in alone.slots if not found.negated}
    asks = says(alone.text, "asks") or alone.text.casefold().startswith(tuple(small_words()["asks_first"]))
    return asks and any(all(need_met(one, named) for one in both) for both in _WHOLES)


def _points_away(text: str) -> bool:
    """Whether a word means a place or a thing that was spoken of before, wherever it stands."""
    return not small_words_set("elsewhere").isdisjoint(_WORD.findall(text.casefold()))


def _asks_for_nothing(spec: Intent | None, alone: Understanding) -> bool:
    """Whether a need can be answered without any value."""
    return spec is not None and not spec.needs and not alone.elliptical


def _is_filled(spec: Intent | None, alone: Understanding, held: AbstractSet[str]) -> bool:
    """Whether a message states all that its need asks for; of what is set side by side two at least."""
    said = {found.slot for found in alone.slots if not found.negated}
    if says(alone.text, "runs_what") and not said.isdisjoint({"gpu", "vram_gb"}):
        return True
    if spec is None or not _filled(spec, said):
        return False
    one_side = spec.gathers or _is_other_side(spec, alone, held)
    return not one_side or _sides_named(alone) >= _BOTH


def picked_last(conversation: Conversation) -> str:
    """The card that the last answer recommended, "" where it recommended none."""
    last = conversation.episodes[-1] if conversation.episodes else None
    facts = opened(last).facts if last is not None and last.intent == "recommend_gpu" else ()
    return next((str(fact.value) for fact in facts if fact.name == "pick"), "")


def gone_from(conversation: Conversation) -> AbstractSet[str]:
    """Slots of a conversation, a card just recommended like one that somebody has: others are weighed against it."""
    return conversation.slots.keys() | ({"own_gpu", "gpu"} if picked_last(conversation) else set())


def _is_other_side(spec: Intent, alone: Understanding, held: AbstractSet[str]) -> bool:
    """Whether a message names what somebody would go to from what the conversation knows them to have."""
    return spec.goes_from in held and _OWN not in alone.concepts


def _sides_named(alone: Understanding) -> int:
    """How many cards, makers, sizes and counts of cards a message names, each of which may be a side."""
    return len({(found.slot, str(found.value)) for found in alone.slots if found.slot in _SIDES})


def _filled(spec: Intent, said: set[str]) -> bool:
    """Whether a need has all that it asks for; one that asks for nothing must at least name something."""
    named = not said.isdisjoint(_NAMING) or said >= _WISHED
    return named and all(need_met(need, said) for need in spec.needs)


def _leans(text: str, *, large: bool) -> bool:
    """Whether words of a message refer to what was said before; of a long one only those that can mean nothing else."""
    if any(says(text, kind) for kind in _LEANING):
        return True
    joins = small_words()["joins"]
    words = _WORD.findall(text.casefold())
    if text.lstrip().startswith(tuple(word for word in joins if not word.isascii())) or (words and words[0] in joins):
        return True
    if large:
        return False
    plain = " ".join(words)
    for idle in small_words()["idle_pronouns"]:
        plain = plain.replace(idle, " ")
    return not small_words_set("pronouns").isdisjoint(plain.split())


@cache
def small_words_set(kind: str) -> frozenset[str]:
    """One list of languages/dialogue.yaml as a set."""
    return frozenset(small_words()[kind])


def anew(conversation: Conversation) -> Conversation:
    """The conversation as a complete question sees it: nothing but language and currency is lent."""
    lasting: dict[str, HeldSlot] = {name: held for name, held in conversation.slots.items() if name in LASTING}
    older = {**conversation.older, **{name: held for name, held in conversation.slots.items() if name not in LASTING}}
    changes = {"slots": lasting, "excluded": {}, "intent": "", "pending": None, "offered_intent": "", "sums": None}
    return conversation.model_copy(update={**changes, "older": older})


def with_older(conversation: Conversation, alone: Understanding, intents: Mapping[str, Intent]) -> Conversation:
    """The conversation as a message sees it that leans on it: what it lacks may be of before the last question."""
    if not conversation.older:
        return conversation
    likely = [item.intent for item in alone.ranking if item.intent not in CONVERSATION][:1]
    lacking = _wanted([intents[name] for name in (*likely, conversation.intent) if name in intents])
    if "gpu" in lacking and "gpu" not in conversation.slots:
        lacking |= {"gpu_count", "vram_gb"}
    if _corrects_a_number(alone):
        lacking |= conversation.older.keys()
    lent = {name: held for name, held in conversation.older.items() if name in lacking}
    return conversation.model_copy(update={"slots": {**lent, **conversation.slots}})


def _corrects_a_number(alone: Understanding) -> bool:
    """Whether a number is put in the place of one that was said, whenever that was."""
    return "replace" in alone.said.acts and bool(alone.said.numbers) and not alone.slots


def _wanted(specs: Sequence[Intent]) -> set[str]:
    """Every slot that one of these needs asks for."""
    return {slot for spec in specs for need in spec.needs for slot in need.split("|")}


def still_open(decision: Decision, asked: Pending | None, kept: Pending | None, now: datetime) -> Decision:
    """The decision about a complete question, with what was open before it, to be asked again after the answer.

    Args:
        decision: what was decided.
        asked: the question that was open before the message.
        kept: the one that the decision was made with; the same unless the message stood alone.
        now: an old question is not repeated.
    """
    if asked is None or kept is not None or decision.kind != "answer" or decision.intent == asked.intent:
        return decision
    if asked.kind != "ask" or now - asked.asked_at > POLICY.pending_ttl:
        return decision
    return decision.model_copy(update={"resume": asked})
