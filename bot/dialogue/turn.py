"""Everything the rules look at in one turn: the message, what it states, and what it stands on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from advisor.trusted import trusted
from bot.core.conversation import Conversation, Episode, HeldSlot, Pending
from bot.core.decision import Decision
from bot.core.intents import Intent
from bot.core.left import opened
from bot.core.message import Candidate, DecisionKind, IncomingMessage
from bot.core.understanding import RankedIntent, Understanding
from bot.dialogue.carry_over import LASTING, RIDES
from bot.dialogue.ground import says
from bot.dialogue.kin import Names
from bot.dialogue.policy import Policy
from bot.dialogue.slots import Stated, hold

SOCIAL = frozenset({"greeting", "thanks", "help"})
ABOUT_ANSWER = frozenset({"why", "source"})
OF_ONE_ANSWER = frozenset({"why", "details", "sources", "chart", "conflicts"})
"""What a button shows of the answer that it stands below."""
CONVERSATION = SOCIAL | ABOUT_ANSWER | {"cancel", "out_of_scope"}
_candidate, _decision = trusted(Candidate), trusted(Decision)
_PICKS, _PICKED_COUNT = ("pick", "plan_1"), "plan_1_count"
"""Facts of a choice: the card, and how many of it a server takes."""
_CHOICE = "recommend_gpu"
"""The need whose answer chooses a card."""
_PACE, _LARGEST = "estimate_time", "largest_inference_int4"
"""The need that goes on with a fact of a card: the largest language model that it runs in 4 bit."""
_UPGRADE, _TARGET = "upgrade_or_not", "target"
"""The need whose answer goes from one card to another, and the fact that names the other."""
_COUNTS = ("gpus:", _PICKED_COUNT)
"""Facts of answers that count cards."""
_OF_TARGET = frozenset({"price_lookup", "gpu_specs", "power_supply", "used_or_cheap", "cuda_compat"})
"""Needs that go on with that one."""
_DEMANDED = "vram_gb"
_WHY, _WHY_WORDS = "why", frozenset({"why_ask", "why_answer"})
"""A need, and the ideas with which it is asked."""
_SHOWN = 5
"""Intents named in a decision, the best first."""


@dataclass(slots=True)
class Turn:
    """What the rules look at. They change nothing."""

    message: IncomingMessage
    understanding: Understanding
    refined: bool
    """The line got its meaning from what was said before."""
    stated: Stated
    conversation: Conversation
    pending: Pending | None
    """The open question, unless it is too old."""
    subject: Episode | None
    """The earlier answer that the message is about."""
    chosen: bool
    """The subject was pointed at, by a reply or by a word for going back."""
    earlier: Mapping[str, HeldSlot]
    """Slots of the answer pointed at, else of the conversation so far."""
    intents: Mapping[str, Intent]
    now: datetime
    policy: Policy
    names: Names | None
    """The catalogue."""
    best: RankedIntent | None = field(init=False)
    score: float = field(init=False)
    """Of the best intent."""
    swaps: bool = field(init=False)
    """Puts something else in the place of what was spoken of, and asks nothing new."""
    elliptical: bool = field(init=False)
    """Reads as a follow-up, by its form or by what it refers to (unless it also asks something of its own)."""

    def __post_init__(self) -> None:
        """Settle what the message asks for, once."""
        self.best = self._heard()
        self.score = self.best.score if self.best else 0.0
        text = self.message.text
        names = "gpu" in self.stated.values or "model" in self.stated.values
        self.swaps = names and says(text, "swaps") and (says(text, "plural") or says(text, "points"))
        leans = (self.refined or self.understanding.leaning) and self.score < self.policy.answer_score
        self.elliptical = self.understanding.elliptical or leans or self.swaps or self.stated.belongs

    def _heard(self) -> RankedIntent | None:
        """The best intent. Small words around a value are no small talk.

        Nor is a message of another subject that might as well be one of ours.
        """
        ranking = self.understanding.ranking
        running = bool(self.conversation.turn) and bool(self.usable(self.last_intent))
        passed = 0.0
        for item in ranking:
            light = running and item.intent in SOCIAL and item.score < self.policy.own_subject_score
            if not light and not self._is_hardly(item, running):
                return RankedIntent(item.intent, item.score / (1 - passed), item.reasons) if passed else item
            passed += item.score
        return ranking[0] if ranking else None

    def _is_hardly(self, item: RankedIntent, running: bool) -> bool:
        """Whether a message that sounds like another subject, or like a why, is hardly that."""
        if item.intent == _WHY:
            return self._asks_no_why(item.score)
        return item.intent == "out_of_scope" and self._might_be_ours(item.score, running)

    def _asks_no_why(self, score: float) -> bool:
        """Whether a message that sounds a little like a why holds no word for it."""
        unsure = score < self.policy.alone_score
        return unsure and _WHY_WORDS.isdisjoint(self.understanding.concepts) and self.understanding.mark != _WHY

    def _might_be_ours(self, foreign: float, running: bool) -> bool:
        """Whether a message that sounds like another subject (this much) still belongs here."""
        close = self.understanding.in_domain and any(
            item.score >= self.policy.answer_score and item.intent != "out_of_scope"
            for item in self.understanding.ranking[:2]
        )
        return foreign < self.policy.outside_score and (running or close)

    def usable(self, intent: str) -> set[str]:
        """Stated slots that an intent can do something with."""
        spec = self.intents.get(intent)
        if spec is None:
            return set()
        known = {*spec.used_slots, *spec.carries_over, *LASTING}
        return {slot for slot in self.stated.values if slot in known or RIDES.get(slot) in known}

    def score_of(self, intent: str) -> float:
        """How likely an intent is after all."""
        return next((item.score for item in self.understanding.ranking if item.intent == intent), 0.0)

    @property
    def held(self) -> dict[str, HeldSlot]:
        """What the message states, as it is remembered."""
        return hold(self.stated.values, self.message.user_id, self.now, self.conversation.turn + 1)

    def spoken_of(self, spec: Intent) -> Mapping[str, HeldSlot]:
        """Earlier slots with what the last answer came to: its card, its number of cards, the largest model it told."""
        largest = _largest_told(self.subject) if spec.id == _PACE and "model" not in self.earlier else ""
        told = {"model": HeldSlot(value=[largest], said_at=self.now, turn=self.conversation.turn)} if largest else {}
        return {**told, **self._with_card(spec)}

    def _with_card(self, spec: Intent) -> Mapping[str, HeldSlot]:
        """Earlier slots; where a card is called for and none was named, the recommended one."""
        stated = not self.stated.values.keys().isdisjoint({"gpu", "vram_gb", "gpu_family"})
        if stated or self.subject is None or not any("gpu" in need.split("|") for need in spec.needs):
            return self.earlier
        counted = _counted(self.subject)
        if counted is not None and "gpu_count" not in self.subject.slots:
            held = HeldSlot(value=counted, said_at=self.now, turn=self.conversation.turn)
            return {**self.earlier, "gpu_count": held}
        if "gpu" in self.subject.slots:
            return self._with_target(self.subject) if spec.id in _OF_TARGET else self.earlier
        picked = {
            slot: HeldSlot(value=value, said_at=self.now, turn=self.conversation.turn)
            for slot, value in self._last_pick(self.subject).items()
        }
        return {**(without_demands(self.earlier) if picked else self.earlier), **picked}

    def _with_target(self, subject: Episode) -> Mapping[str, HeldSlot]:
        """Earlier slots with the card that an upgrade would go to in the place of the one at hand."""
        target = next((fact.value for fact in subject.facts if fact.name == _TARGET), None)
        if not target or subject.intent != _UPGRADE:
            return self.earlier
        held = HeldSlot(value=[str(target)], said_at=self.now, turn=self.conversation.turn)
        return {**self.earlier, "gpu": held}

    def _last_pick(self, subject: Episode) -> Mapping[str, object]:
        """The card that this answer chose, else that of the newest choice."""
        found = picked_of(subject)
        if found or "gpu" in self.earlier:
            return found
        newest = next((one for one in self.conversation.episodes[::-1] if one.intent == _CHOICE), None)
        return picked_of(opened(newest)) if newest is not None else {}

    @property
    def open_slots(self) -> Mapping[str, HeldSlot]:
        """Slots in force when the open question was asked: a digression since then lends nothing."""
        if self.pending is None or self.pending.slots is None:
            return self.earlier
        return self.pending.slots

    @property
    def returned(self) -> bool:
        """Went back to an earlier answer by a word, so that the weights saw another subject."""
        return self.chosen and self.message.reply_to is None

    @property
    def last_intent(self) -> str:
        """What the turn before, or the answer pointed at, was about."""
        return self.subject.intent if self.subject and self.chosen else self.conversation.intent

    def decided(self, kind: DecisionKind, intent: str | None = None, **more: object) -> Decision:
        """A decision together with what was stated and which intents came first."""
        ranking = self.understanding.ranking
        candidates = tuple([_candidate(intent=item.intent, score=item.score) for item in ranking[:_SHOWN]])
        lost = next((item for item in candidates if item.intent != intent), None)
        stated = tuple(self.stated.values)
        return _decision(kind=kind, intent=intent, candidates=candidates, stated=stated, lost=lost, **more)


def without_demands(earlier: Mapping[str, HeldSlot]) -> dict[str, HeldSlot]:
    """Earlier slots without the memory that was demanded of a choice: what was chosen meets it with its own."""
    return {slot: held for slot, held in earlier.items() if slot != _DEMANDED}


def _largest_told(subject: Episode | None) -> str:
    """The largest model that the last answer said a card runs as people usually run it, "" for none."""
    facts = subject.facts if subject is not None and "model" not in subject.slots else ()
    return next((str(fact.value) for fact in facts if fact.name == _LARGEST), "")


def picked_of(subject: Episode) -> dict[str, object]:
    """The card that was chosen, and how many of it where that was counted."""
    facts = {fact.name: fact.value for fact in subject.facts}
    card = next((facts[name] for name in _PICKS if name in facts), None)
    if not card:
        return {}
    count = facts.get(_PICKED_COUNT) or _of_several(facts.get("pick_count"))
    return {"gpu": [str(card)], **({"gpu_count": count} if count else {})}


def _of_several(count: object) -> object:
    """A number of cards, None where it is one."""
    return count if isinstance(count, int) and count > 1 else None


def _counted(subject: Episode) -> int | None:
    """How many cards the last answer came to, where it counted those of one kind."""
    found = [fact.value for fact in subject.facts if fact.name.startswith(_COUNTS)]
    return found[0] if found and isinstance(found[0], int) and "gpu" in subject.slots else None


def find_subject(message: IncomingMessage, conversation: Conversation, borrowed: Episode | None) -> Episode | None:
    """The earlier answer that a message is about: the one replied to, else the newest."""
    pressed = pressed_case(message)
    case = pressed or (message.reply_to.case if message.reply_to and message.reply_to.own else "")
    named = _of_case(case, conversation, borrowed) if case else None
    if named is not None or (pressed and not _is_open(pressed, conversation)):
        return named
    return conversation.episodes[-1] if conversation.episodes else None


def _of_case(case: str, conversation: Conversation, borrowed: Episode | None) -> Episode | None:
    """The answer of a case: one of the talk's own, else somebody else's that was fetched for this."""
    own = next((episode for episode in reversed(conversation.episodes) if episode.case == case), None)
    if own is not None:
        return opened(own)
    return borrowed if borrowed is not None and borrowed.case == case else None


def pressed_case(message: IncomingMessage) -> str:
    """The answer below which a button was pressed, by its case; empty where the button names none."""
    return message.action.rpartition("#")[2] if "#" in message.action else ""


def _is_open(case: str, conversation: Conversation) -> bool:
    """Whether a case is that of the question which is open: it is no answer yet."""
    return conversation.pending is not None and conversation.pending.case == case


def find_return(understanding: Understanding, conversation: Conversation, stated: Stated) -> Episode | None:
    """The answer that is gone back to: about a named model or card or about the need at hand, never the newest."""
    found = _gone_back_to(understanding, conversation, stated)
    return None if found is None else opened(found)


def _gone_back_to(understanding: Understanding, conversation: Conversation, stated: Stated) -> Episode | None:
    older = conversation.episodes[-2::-1] if conversation.episodes else ()
    for slot in ("model", "gpu"):
        wanted = stated.values.get(slot, [])
        found = next((episode for episode in older if _holds(episode, slot, wanted)), None)
        if found is not None:
            return found
    best = understanding.ranking[0].intent if understanding.ranking else ""
    return _of_need(older, best, conversation.episodes[-1].intent) if older else None


def _of_need(older: Sequence[Episode], best: str, newest: str) -> Episode | None:
    """The answer to a need, else the newest to another one than the last."""
    same = next((episode for episode in older if episode.intent == best), None)
    return same or next((episode for episode in older if episode.intent != newest), None)


def _holds(episode: Episode, slot: str, wanted: Sequence[object]) -> bool:
    """Whether an answer was about one of these."""
    held = episode.slots.get(slot)
    return held is not None and any(value in held.value for value in wanted)
