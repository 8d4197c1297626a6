"""The journey of one message to its reply, in order, and nothing else. Pure: no clock, no network, no randomness."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from advisor.errors import AdvisorError
from advisor.trusted import trusted
from bot.answers import get_handler
from bot.answers.common import MODEL_CHOICES, decline_error
from bot.answers.documents.beside import plain_answer, with_documents
from bot.answers.route import Row, route
from bot.answers.sums.road import Found, SumRoad
from bot.choice_keys import ChoiceKeys
from bot.core.answers import Answer, Decline, Elicit, Outcome, elicit_of
from bot.core.board import Board
from bot.core.conversation import KEPT_EPISODES, Conversation, Episode, HeldSlot, Pending
from bot.core.decision import Decision
from bot.core.intents import Intent
from bot.core.message import Chart, Choice, IncomingMessage, Language, Reply, choice_of
from bot.core.request import Request, Services
from bot.core.text import read_part
from bot.core.understanding import Understanding
from bot.dialogue.alone import anew, stands_alone, still_open, with_older
from bot.dialogue.carry_over import OF_GPU, OF_SUBJECT
from bot.dialogue.clauses import other_question
from bot.dialogue.decide import A_NAME_ALONE, decide
from bot.dialogue.policy import POLICY
from bot.dialogue.slots import gather
from bot.dialogue.together import merge
from bot.dialogue.turn import ABOUT_ANSWER, CONVERSATION, find_subject
from bot.read.signs import hear
from bot.render import Rendered, Renderer

DOCUMENTS = "concept_explain"
"""Intent of an answer from a passage that names none of its own."""
_GOING_ON = ("answers", "choice", "follow-up", "correction")
"""Rules of turns that go on with a question; a passage never takes their place."""
_ELSEWHERE = frozenset({"gaming", "weather", "chitchat"})
"""Subjects of which passages hold a word at most ("gaming cards"): none of them answers what is asked."""
_VAGUE = frozenset({"concept_explain", "what_matters_in_gpu", "out_of_scope", "platform_choice", "source"})
"""Intents that a few everyday words ("which is faster", "any good one?") are taken for."""
_FRESH = frozenset({"best intent", "out of scope", "no intent fits", "about the last answer"})
_OFFERED = ("recommend_gpu", "compare_gpus", "price_lookup")
_OWNED = frozenset({"gpu", "gpu_count"})
"""What is remembered even of a question that was none of ours ("will my 3060 do 240 Hz?")."""
_BRIEF = frozenset(
    {
        *("price_lookup", "gpu_specs", "compare_gpus", "power_supply", "estimate_cost", "check_fit"),
        *("estimate_memory", "estimate_time", "recommend_gpu", "gpu_count"),
    }
)
"""Needs that are answered with a few figures, so that two of them go into one reply."""
_ALIKE = {"estimate_memory", "check_fit"}
"""Two needs that say the same of the same job."""
_SHARED = frozenset({"gpu", "model", "task", "method", "gpu_count", "vram_gb"})
"""What one clause names for the others."""
_PASSING = frozenset({"cheaper_than", "aspect"})
"""What holds for follow-ups of one answer and is not remembered beyond them."""
_JOB_WITH_DATA = frozenset({"estimate_time", "estimate_cost", "recommend_gpu"})
"""Needs that count how many times the data is gone through."""
_MEMORY_SUFFIX = re.compile(r"\s\d+GB$")
_HAN = re.compile("[\u4e00-\u9fff]")
_reply, _pending = trusted(Reply), trusted(Pending)
_conversation, _episode = trusted(Conversation), trusted(Episode)
_TAG_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"


class Understander(Protocol):
    """Reads one line of chat."""

    def understand(self, text: str, *, context_intent: str | None = None) -> Understanding:
        """What the line says, on its own."""
        ...


@dataclass(frozen=True, slots=True)
class Explained:
    """A reply with the steps that led to it."""

    understanding: Understanding
    decision: Decision
    outcome: Outcome | None
    reply: Reply
    conversation: Conversation
    routes: tuple[Row, ...] = ()
    """The rows of routes.yaml that led to whoever answered; none where the need itself did."""


def case_tag(message: IncomingMessage, turn: int) -> str:
    """Four letters that name an answer within its chat; the same message always gets the same tag."""
    digest = hashlib.sha256(f"{message.conversation_key}\0{turn}\0{message.event_id}".encode()).digest()
    return "".join([_TAG_LETTERS[byte % 32] for byte in digest[:4]])


class Assistant:
    """Understands, decides, advises, renders."""

    def __init__(
        self,
        understander: Understander,
        intents: Mapping[str, Intent],
        renderer: Renderer,
        services: Services,
        sums: SumRoad,
    ) -> None:
        """Take the wired rooms (bot/app.py makes them)."""
        self.understander, self.intents, self.renderer, self.services = understander, intents, renderer, services
        self.sums = sums
        self.keys = ChoiceKeys(services.catalog)

    def respond(
        self,
        message: IncomingMessage,
        conversation: Conversation | None,
        now: datetime,
        borrowed: Episode | None = None,
    ) -> tuple[Reply, Conversation]:
        """Answer one message. `borrowed` is an answer to somebody else that the user replied to."""
        explained = self.explain(message, conversation, now, borrowed)
        return explained.reply, explained.conversation

    def decide_together(self, message: IncomingMessage, board: Board, now: datetime) -> tuple[Reply, Conversation]:
        """Who wants what, where wishes conflict, what is missing, and one recommendation for all."""
        need = merge(board)
        state = _refreshed(None, message, now)
        understanding = self.understander.understand(message.text)
        language = _language(understanding, message, state)
        if not board.constraints:
            text = self.renderer.page("together", language, "empty")
            return Reply(decision="answer", language=language, text=text), state
        slots = {slot: HeldSlot(value=value, said_at=now, turn=1) for slot, value in need.slots.items()}
        decision = Decision(kind="answer", intent="recommend_gpu", slots=slots, rule="a group's board")
        journey = _Journey(self, message, state, now, understanding, decision, language)
        explained = journey.handled()
        words = self.renderer.words(language)
        card = self.renderer.page("together", language, "card", board=board, need=need)
        choices = tuple(
            choice_of(label=words(f"slot.{slot}"), key=f"do:want-{slot}#{journey.case}") for slot in need.missing
        )
        reply = explained.reply.model_copy(
            update={
                "text": f"{card}\n\n{explained.reply.text}",
                "details": f"{card}\n\n{explained.reply.details}" if explained.reply.details else "",
                "choices": (*choices, *explained.reply.choices),
                "shared": True,
            }
        )
        return reply, explained.conversation

    def say(self, message: IncomingMessage, page: str, block: str = "short", **values: Any) -> Reply:
        """A page that answers no question: an apology, a wait notice, an operator's report."""
        named = message.language or message.lang_hint
        language: Language = "zh" if named.startswith("zh") or _HAN.search(message.text) else "en"
        text = self.renderer.page(page, language, block, **values)
        return Reply(decision="answer", language=language, text=text)

    def explain(
        self,
        message: IncomingMessage,
        conversation: Conversation | None,
        now: datetime,
        borrowed: Episode | None = None,
    ) -> Explained:
        """Answer one message and keep every step."""
        text = read_part(message.text)
        if text is not message.text:
            message = message.model_copy(update={"text": text})
        if message.action:
            message = message.model_copy(update={"action": self.keys.whole(message.action)})
        state = _refreshed(conversation, message, now)
        subject = _subject_of(message, state, borrowed) or None
        understanding = self.understander.understand(message.text)
        whole = state
        if state.turn and stands_alone(message, understanding, self.intents):
            state = anew(state)
        elif subject:
            state = with_older(state, understanding, self.intents)
            understanding = self.understander.understand(message.text, context_intent=subject)
        language = _language(understanding, message, state)
        if not message.addressed:
            quiet = Reply(decision="ignore", language=language)
            return Explained(understanding, Decision(kind="ignore", rule="not addressed"), None, quiet, state)
        told = None if message.action else self.sums.find(message.text, understanding, state)
        if told is not None:
            summed = Decision(kind="answer", intent=told.need, rule="a sum of what was said")
            return _Journey(self, message, state, now, understanding, summed, language).summed(told)
        names = self.services.catalog
        decision = decide(message, understanding, state, self.intents, now, borrowed=borrowed, names=names)
        decision = still_open(decision, whole.pending, state.pending, now)
        if message.addressed_how == "overheard" and not _speaks_up(decision):
            quiet = Reply(decision="ignore", language=language)
            return Explained(understanding, decision, None, quiet, state)
        other = self._other_question(message, understanding, decision)
        if other is not None:
            found = {"kind": "answer", "options": (), "second": other.ranking[0].intent}
            decision = decision.model_copy(update=found)
        return self._carry_out(message, state, now, understanding, decision, language, other)

    def _other_question(
        self, message: IncomingMessage, understanding: Understanding, decision: Decision
    ) -> Understanding | None:
        """The clause that asks something else beside what was decided, if the message is a question of its own."""
        asks = decision.rule in {"best intent", "too close to call"} and not message.action
        if not asks or decision.intent in CONVERSATION:
            return None
        return other_question(understanding, decision.intent or "", self.understander.understand, POLICY)

    # --- one decision ------------------------------------------------------------------------------------------------

    def _carry_out(
        self,
        message: IncomingMessage,
        state: Conversation,
        now: datetime,
        understanding: Understanding,
        decision: Decision,
        language: Language,
        other: Understanding | None,
    ) -> Explained:
        turn = _Journey(self, message, state, now, understanding, decision, language, other)
        if decision.kind == "cancel":
            return turn.cancelled()
        if turn.says_nothing():
            return turn.offered()
        if decision.kind == "clarify" and decision.rule == A_NAME_ALONE:
            return turn.clarified()
        if decision.kind == "clarify":
            return turn.from_documents("clarify") or turn.clarified()
        if decision.kind == "ask" and decision.retry:
            return turn.asked_again(decision.retry)
        if decision.kind == "fallback" or not decision.intent:
            best = decision.candidates[0].score if decision.candidates else 0.0
            sure = decision.intent == "out_of_scope" and best >= POLICY.outside_score
            outside = sure or not understanding.in_domain
            if sure and not _ELSEWHERE.isdisjoint(understanding.concepts):
                return turn.fell_back()
            return turn.from_documents("out_of_scope" if outside else "fallback") or turn.fell_back()
        if decision.act:
            return turn.acted()
        return turn.handled()


def _speaks_up(decision: Decision) -> bool:
    """Whether an overheard line is plainly a question for the bot: certain, answerable, no small talk."""
    best = decision.candidates[0].score if decision.candidates else 0.0
    return decision.kind == "answer" and decision.intent not in CONVERSATION and best >= POLICY.overheard_score


def _refreshed(conversation: Conversation | None, message: IncomingMessage, now: datetime) -> Conversation:
    """The state to go on with: expired slots and questions are gone, earlier answers stay."""
    if conversation is None:
        return _conversation(key=message.conversation_key)
    if conversation.updated_at and now - conversation.updated_at > POLICY.conversation_ttl:
        return conversation.model_copy(
            update={"slots": {}, "older": {}, "excluded": {}, "pending": None, "intent": "", "offered_intent": ""}
        )
    return conversation


def _subject_of(message: IncomingMessage, state: Conversation, borrowed: Episode | None) -> str:
    """The intent that a message may go on with: of the answer replied to, else of the conversation so far."""
    if message.reply_to:
        subject = find_subject(message, state, borrowed)
        if subject is not None:
            return subject.intent
    return state.intent


def _language(understanding: Understanding, message: IncomingMessage, state: Conversation) -> Language:
    """Language of the reply: that of the words; for a bare "4090?" that of the conversation."""
    if message.language:
        return "zh" if message.language.startswith("zh") else "en"
    text = message.text
    if not message.action and _HAN.search(text):
        return "zh"
    named = "".join(found.text for found in understanding.slots)
    words = sum(map(str.isalpha, text)) - sum(map(str.isalpha, named))
    if words >= 2 and not message.action:
        return understanding.language
    known = state.language or message.lang_hint
    if known.startswith("zh"):
        return "zh"
    return "en" if known else understanding.language


class _Journey:
    """One turn on its way from decision to reply."""

    def __init__(
        self,
        assistant: Assistant,
        message: IncomingMessage,
        state: Conversation,
        now: datetime,
        understanding: Understanding,
        decision: Decision,
        language: Language,
        other: Understanding | None = None,
    ) -> None:
        self.renderer, self.intents, self.services = assistant.renderer, assistant.intents, assistant.services
        self.keys = assistant.keys
        self.message, self.state, self.now = message, state, now
        self.understanding, self.decision, self.language = understanding, decision, language
        self.other = other
        """A clause of the message that asks something else."""
        self.heard = hear(message.text, understanding)
        self.routes: tuple[Row, ...] = ()
        self.case = case_tag(message, state.turn + 1)

    # --- endings -----------------------------------------------------------------------------------------------------

    def cancelled(self) -> Explained:
        text = self.renderer.page("cancel", self.language, had=bool(self.state.slots or self.state.pending))
        state = Conversation(key=self.state.key, turn=self.state.turn + 1, language=self.language, updated_at=self.now)
        return self._done(Rendered(text), "cancel", state=state)

    def clarified(self) -> Explained:
        words = [getattr(self.intents[option].help, self.language) for option in self.decision.options]
        choices = tuple(
            choice_of(label=label, key=f"ask:{option}")
            for label, option in zip(words, self.decision.options, strict=True)
        )
        text = self.renderer.page("clarify", self.language, options=words, about=self._named())
        slots = self.decision.slots
        pending = _pending(
            kind="clarify",
            intent=self.decision.intent or "",
            choices=choices,
            asked_at=self.now,
            case=self.case,
            slots=slots,
        )
        state = self._next_state(slots, pending=pending, intent=self.state.intent)
        return self._done(Rendered(text), "clarify", state=state, choices=choices)

    def _named(self) -> str:
        """The card or model that a line named and asked nothing of, as it was written."""
        if self.decision.rule != A_NAME_ALONE:
            return ""
        return next((item.text for item in self.understanding.slots if item.slot in {"gpu", "model"}), "")

    def says_nothing(self) -> bool:
        """Whether a question of its own asks for "a card" or "the faster one" and for nothing in particular."""
        decision = self.decision
        vague = decision.intent in _VAGUE and decision.kind in {"answer", "fallback"} and decision.rule in _FRESH
        if not vague or decision.slots or self.message.action:
            return False
        return self.services.library.says_nothing(self.heard.terms)

    def offered(self) -> Explained:
        """A choice of what such a question may have meant, the likelier first."""
        likely = [item.intent for item in self.understanding.ranking if item.intent in _OFFERED]
        options = tuple(dict.fromkeys((*likely, *_OFFERED)))[:3]
        update = {"kind": "clarify", "intent": options[0], "options": options, "rule": "says too little"}
        self.decision = self.decision.model_copy(update=update)
        return self.clarified()

    def asked_again(self, pending: Pending) -> Explained:
        elicit = elicit_of(slot=pending.slot, choices=pending.choices)
        rendered = self.renderer.elicit(elicit, self.language, again=True)
        again = pending.model_copy(update={"tries": pending.tries + 1, "asked_at": self.now})
        state = self._next_state(self.decision.slots, pending=again, intent=pending.intent)
        return self._done(rendered, "ask", state=state, choices=pending.choices, asks=(pending.slot,))

    def fell_back(self) -> Explained:
        intent = self.decision.intent
        near = [item for item in self.understanding.ranking if item.intent not in CONVERSATION][:3]
        page = "out_of_scope" if intent == "out_of_scope" or not self.understanding.in_domain else "fallback"
        examples = self._examples([item.intent for item in near])
        empty = not any(letter.isalnum() for letter in self.message.text)
        text = self.renderer.page(
            page,
            self.language,
            examples=examples,
            variant=len(self.message.text) % 3,
            empty=empty,
            long=len(self.message.text) > POLICY.longest_text,
        )
        if page == "out_of_scope":
            intent = "out_of_scope"
        said = self.decision.slots.items()
        kept = {slot: held for slot, held in said if page == "fallback" or slot in _OWNED}
        state = self._touched().model_copy(update={"pending": None, "slots": {**self.state.slots, **kept}})
        return self._done(Rendered(text), "fallback", state=state, intent=intent, suggestions=examples)

    def _examples(self, names: list[str]) -> tuple[str, ...]:
        """One question for each intent, in the user's language."""
        lines = [getattr(self.intents[name].examples, self.language) for name in names if name in self.intents]
        return tuple(line[0] for line in lines if line)

    # --- about an earlier answer -------------------------------------------------------------------------------------

    def acted(self) -> Explained:
        """A button on an answer, or "more": shows another side of what is already known."""
        act, subject = self.decision.act, self.decision.subject
        if act.startswith("want-"):
            return self._wanted(act.removeprefix("want-"))
        if act in {"good", "bad"}:
            text = self.renderer.page("feedback", self.language, act)
            return self._done(Rendered(text), "answer", state=self._touched())
        if subject is None:
            text = self.renderer.page("why", self.language, "nothing")
            return self._done(Rendered(text), "answer", state=self._touched())
        if act == "details" and subject.details:
            return self._done(Rendered(subject.details), "answer", state=self._touched(), subject=subject)
        if act == "chart" and subject.chart:
            text = self.renderer.page("why", self.language, "chart", title=subject.chart.get("title", ""))
            chart = Chart.model_validate(subject.chart)
            return self._done(Rendered(text), "answer", state=self._touched(), subject=subject, chart=chart)
        intent = {"sources": "source", "conflicts": "source"}.get(act, "why")
        self.decision = self.decision.model_copy(update={"intent": intent})
        return self.handled()

    def _wanted(self, slot: str) -> Explained:
        """A missing wish of the board was pressed: ask whoever pressed for it."""
        values = {"model": MODEL_CHOICES, "deploy": ("rent", "buy")}.get(slot, ())
        self.decision = self.decision.model_copy(update={"intent": "recommend_gpu", "slots": dict(self.state.slots)})
        return self._elicited(elicit_of(slot=slot, values=values))

    # --- handlers ----------------------------------------------------------------------------------------------------

    def _take_variant(self) -> None:
        """ "The 16 gig one": a memory size said of a card spoken of earlier picks its version."""
        held = self.decision.slots.get("gpu")
        if "vram_gb" not in self.decision.stated or "gpu" not in self.decision.carried or held is None:
            return
        names = held.value if isinstance(held.value, list) else []
        base = _MEMORY_SUFFIX.sub("", names[0]) if len(names) == 1 else ""
        found = self.services.catalog.find_gpu(f"{base} {self.decision.slots['vram_gb'].value:g}GB") if base else None
        if found is not None and found.name != names[0]:
            slots = {name: slot for name, slot in self.decision.slots.items() if name != "vram_gb"}
            slots["gpu"] = held.model_copy(update={"value": [found.name], "turn": self.state.turn + 1})
            self.decision = self.decision.model_copy(update={"slots": slots})

    def _take_rounds(self) -> None:
        """ "100 epochs" belongs to the job from here on."""
        if self.decision.intent not in _JOB_WITH_DATA or self.message.action:
            return
        rounds = self.heard.epochs
        if rounds:
            held = HeldSlot(value=rounds, said_by=self.message.user_id, said_at=self.now, turn=self.state.turn + 1)
            self.decision = self.decision.model_copy(update={"slots": {**self.decision.slots, "epochs": held}})

    def handled(self) -> Explained:
        self._take_variant()
        self._take_rounds()
        intent = self.decision.intent or ""
        request = self._request(intent)
        if intent in ABOUT_ANSWER and self.decision.subject is None and not self.decision.act:
            found = self.from_documents("nothing_before")
            if found is not None:
                return found
        try:
            routed = route(request)
            self.routes = routed.rows
            outcome = get_handler(routed.need)(routed.request)
        except AdvisorError as error:
            outcome = decline_error(error)
        vague = isinstance(outcome, Elicit) and outcome.slot == "task" and self.heard.is_few_words
        if intent not in CONVERSATION and not vague and not self.decision.rule.startswith(_GOING_ON):
            outcome = with_documents(request, outcome)
        if isinstance(outcome, Elicit):
            return self._elicited(outcome)
        if isinstance(outcome, Decline):
            return self._declined(outcome)
        return self._answered(outcome)

    def summed(self, found: Found) -> Explained:
        """An answer worked out from the numbers of the message; the conversation may go on with them."""
        explained = self._answered(found.answer)
        return replace(explained, conversation=explained.conversation.model_copy(update={"sums": found.frame}))

    def from_documents(self, kind: str) -> Explained | None:
        """Answer from the passage that the message plainly asks for, when no intent was sure of it."""
        if self.message.action:
            return None
        answer = plain_answer(self._request(""), kind)
        if answer is None:
            return None
        meant = self.services.library.get(answer.told.passages[0]).intents
        intent = next((name for name in meant if name in self.intents), DOCUMENTS)
        self.decision = self.decision.model_copy(update={"kind": "answer", "intent": intent, "options": ()})
        return self._answered(answer)

    def _request(self, intent: str) -> Request:
        return Request(
            intent=intent,
            slots={name: held.value for name, held in self.decision.slots.items()},
            heard=self.heard,
            language=self.language,
            now=self.now,
            services=self.services,
            conversation=self.state,
            excluded=self.decision.excluded,
            bounds=self.decision.bounds,
            subject=self.decision.subject,
            act=self.decision.act,
            quotes=self.message.quotes,
        )

    def _elicited(self, outcome: Elicit) -> Explained:
        rendered = self.renderer.elicit(outcome, self.language)
        choices = self.keys.tagged(self.renderer.choices(outcome, self.language, self.case), self.case)
        pending = _pending(
            kind="ask",
            intent=self.decision.intent or "",
            slot=outcome.slot,
            choices=self.keys.all_whole(choices),
            asked_at=self.now,
            case=self.case,
            slots=self.decision.slots,
        )
        state = self._next_state(self.decision.slots, pending=pending)
        return self._done(rendered, "ask", state=state, choices=choices, asks=(outcome.slot,), outcome=outcome)

    def _declined(self, outcome: Decline) -> Explained:
        rendered = self.renderer.decline(outcome, self.language)
        choices = self.keys.tagged(outcome.choices, self.case)
        state = self._next_state(self.decision.slots, episode=self._episode(rendered, outcome))
        return self._done(
            rendered, "answer", state=state, choices=choices, outcome=outcome, suggestions=outcome.suggestions
        )

    def _answered(self, outcome: Answer) -> Explained:
        lines = tuple(
            self.services.library.conflicts[conflict].line.get(self.language)
            for conflict in outcome.conflicts
            if conflict in self.services.library.conflicts
        )
        also = self._also(outcome)
        if also is not None:
            outcome = also
        rendered = self.renderer.answer(outcome, self.language, dissent=lines, only_full=self._shows_full())
        social = self.decision.intent in CONVERSATION
        episode = None if social else self._episode(rendered, outcome)
        asks: tuple[str, ...] = ()
        choices = outcome.choices
        second = self.intents.get(self.decision.second)
        if second is not None and also is None:
            label = getattr(second.help, self.language)
            choices = (choice_of(label=label, key=f"ask:{second.id}"), *choices)
        if outcome.asks:
            asks = (outcome.asks.slot,)
            offered = elicit_of(slot=outcome.asks.fills or outcome.asks.slot, values=outcome.asks.values)
            choices = (*(outcome.asks.choices or self.renderer.choices(offered, self.language, self.case)), *choices)
        if not social:
            choices = (*choices, *self._actions(rendered, outcome))
        pending = None
        resume = self.decision.resume
        if resume and not asks:
            question = self.renderer.elicit(elicit_of(slot=resume.slot), self.language).text
            asked = [part and f"{part}\n\n{question}" for part in (rendered.text, rendered.details, rendered.private)]
            rendered = Rendered(asked[0], asked[1] or asked[0], asked[2])
            pending, asks, choices = resume, (resume.slot,), (*resume.choices, *choices)
        state = self._next_state(self.decision.slots, episode=episode, pending=pending, social=social)
        return self._done(
            rendered,
            "answer",
            state=state,
            choices=self.keys.tagged(choices, self.case),
            asks=asks,
            outcome=outcome,
            suggestions=outcome.suggestions,
            chart=outcome.chart,
        )

    def _also(self, outcome: Answer) -> Answer | None:
        """The answer with that to the other question below it; None unless both are short and certain.

        A choice rests on everything said, so that it is offered instead.
        """
        spec = self.intents.get(self.decision.second)
        if self.other is None or spec is None or self.other.ranking[0].score < POLICY.also_score:
            return None
        first = outcome.template or self.decision.intent
        pair = {spec.id, first}
        if spec.id == "recommend_gpu" or not pair <= _BRIEF or pair == _ALIKE:
            return None
        stated = gather(self.other).values
        shared = {name: held.value for name, held in self.decision.slots.items() if name in _SHARED}
        several = {name: shared[name] for name in spec.gathers if name in shared}
        slots = {name: value for name, value in (shared | stated | several).items() if name in spec.used_slots}
        request = replace(
            self._request(spec.id), slots=slots, heard=hear(self.other.text, self.other), excluded={}, bounds={}
        )
        try:
            routed = route(request)
            found = get_handler(routed.need)(routed.request)
        except AdvisorError:
            return None
        if not isinstance(found, Answer) or (found.template or spec.id) == first:
            return None
        body = self.renderer.brief(found, self.language)
        return outcome.model_copy(
            update={
                "facts": (*outcome.facts, *found.facts),
                "trace": (*outcome.trace, *found.trace),
                "sources": tuple(dict.fromkeys((*outcome.sources, *found.sources))),
                "second": body,
            }
        )

    def _actions(self, rendered: Rendered, outcome: Answer) -> tuple[Choice, ...]:
        words = self.renderer.words(self.language)
        acts = []
        if outcome.trace:
            acts.append("why")
        shown = rendered.private if self._shows_full() else rendered.text
        if rendered.details and rendered.details != (shown or rendered.details):
            acts.append("details")
        if outcome.sources:
            acts.append("sources")
        if outcome.chart:
            acts.append("chart")
        if outcome.conflicts:
            acts.append("conflicts")
        return tuple([choice_of(label=words(f"do.{act}"), key=f"do:{act}#{self.case}") for act in acts])

    # --- state and reply ---------------------------------------------------------------------------------------------

    def _episode(self, rendered: Rendered, outcome: Answer | Decline) -> Episode:
        passages = outcome.told.passages if isinstance(outcome, Answer) else ()
        chart = outcome.chart.model_dump(mode="json") if isinstance(outcome, Answer) and outcome.chart else None
        return _episode(
            case=self.case,
            intent=self.decision.intent or "",
            language=self.language,
            slots=self.decision.slots,
            facts=outcome.facts,
            sources=outcome.sources,
            trace=outcome.trace,
            conflicts=outcome.conflicts if isinstance(outcome, Answer) else (),
            details=rendered.details,
            passages=tuple(passages),
            chart=chart,
            at=self.now,
        )

    def _next_state(
        self,
        slots: Mapping[str, HeldSlot],
        *,
        episode: Episode | None = None,
        pending: Pending | None = None,
        intent: str | None = None,
        social: bool = False,
    ) -> Conversation:
        """The conversation after this turn."""
        if social:
            return self._touched().model_copy(update={"pending": pending or self.state.pending})
        kept = {name: held for name, held in self.state.slots.items() if name not in _PASSING}
        if self.decision.returned and self.decision.subject:
            kept = dict(self.decision.subject.slots)
        if "model" in self.decision.stated:
            kept = {name: held for name, held in kept.items() if name not in OF_SUBJECT}
        if "task" in self.decision.stated and "model" not in slots:
            kept.pop("model", None)  # another task has no use for it
        if "gpu" in self.decision.stated and "gpu|vram_gb" in self._needs():
            kept = {name: held for name, held in kept.items() if name not in OF_GPU}
        episodes = self.state.episodes
        if episode is not None:
            episodes = (*episodes, episode)[-KEPT_EPISODES:]
        return _conversation(
            key=self.state.key,
            turn=self.state.turn + 1,
            intent=self.decision.intent or "" if intent is None else intent,
            language=self.language,
            slots={**kept, **slots},
            excluded=self.decision.excluded,
            pending=pending,
            episodes=episodes,
            older=self.state.older,
            updated_at=self.now,
        )

    def _needs(self) -> tuple[str, ...]:
        spec = self.intents.get(self.decision.intent or "")
        return spec.needs if spec else ()

    def _touched(self) -> Conversation:
        return self.state.model_copy(
            update={"turn": self.state.turn + 1, "language": self.language, "updated_at": self.now}
        )

    def _shows_full(self) -> bool:
        return self.message.full or self.message.chat_type == "private"

    def _done(
        self,
        rendered: Rendered,
        kind: Any,
        *,
        state: Conversation,
        outcome: Outcome | None = None,
        intent: str | None = None,
        subject: Episode | None = None,
        choices: tuple[Choice, ...] = (),
        **more: Any,
    ) -> Explained:
        full = self._shows_full() and bool(rendered.details)
        shown = (rendered.private or rendered.details) if full else rendered.text
        unanswered = kind in {"fallback", "clarify"} and self.understanding.in_domain
        reply = _reply(
            decision=kind,
            language=self.language,
            intent=intent or self.decision.intent,
            candidates=self.decision.candidates,
            slots={name: held.value for name, held in self.decision.slots.items()},
            text=shown,
            details="" if rendered.details in {rendered.text, shown} else rendered.details,
            choices=choices,
            facts=getattr(outcome, "facts", ()) or (subject.facts if subject else ()),
            sources=getattr(outcome, "sources", ()) or (subject.sources if subject else ()),
            case=self.case,
            gap=gap_shape(self.understanding) if unanswered else "",
            **more,
        )
        return Explained(self.understanding, self.decision, outcome, reply, state, self.routes)


def gap_shape(understanding: Understanding) -> str:
    """What an unanswered question was made of: slots and concepts in order, none of the user's own words."""
    slots = sorted({f"<{found.slot}>" for found in understanding.slots})
    concepts = sorted(set(understanding.concepts))
    return " ".join([understanding.language, *slots, *concepts])[:160]
