"""One turn: what was said, read and decided, with the rooms that answer it; and how its reply is made."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Final, cast

from advisor.models import Step
from advisor.trusted import trusted
from bot.answers.route import Row
from bot.core.answers import Answer, Decline, Outcome
from bot.core.conversation import Conversation, Episode
from bot.core.decision import Decision
from bot.core.going_on import ATTRIBUTE, IDEAS
from bot.core.heard import Heard
from bot.core.line import Line
from bot.core.message import Chart, Choice, DecisionKind, IncomingMessage, Language, Part, Reply
from bot.core.request import Request
from bot.core.understanding import Understanding
from bot.dialogue.carry_over import LASTING, is_on_processor
from bot.dialogue.shown import shown_slots
from bot.read.signs import hear
from bot.render import Form, Rendered
from bot.road.versions import versions_before

if TYPE_CHECKING:
    from bot.road.rooms import Rooms

_TAG_LETTERS: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
_LONGEST_GAP: Final = 160
_OF_A_CARD: Final = "gpu_specs"
_WITHOUT_CARD: Final = "no_gpu"
_THIS: Final = "this"
"""Act of a word that points at what was spoken of."""
GOES_ON: Final = ("follow-up", "operation", "correction", "goes on")
"""How rules begin of messages that change the question before."""
_SET_ASIDE: Final = frozenset({"sum.unused", "sum.partly"})
"""Sentences that name what was not counted with."""
_reply = trusted(Reply)


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


@dataclass(frozen=True, slots=True)
class Ending:
    """How a turn ends: what is kept, offered and asked with its words."""

    state: Conversation
    kind: DecisionKind = "answer"
    outcome: Outcome | None = None
    intent: str | None = None
    """Where it is another one than was decided."""
    subject: Episode | None = None
    """The earlier answer whose figures are shown again."""
    choices: tuple[Choice, ...] = ()
    asks: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    chart: Chart | None = None
    shows_chart: bool = False
    """Its picture is what was asked for."""
    others: tuple[Part, ...] = ()
    """What else was asked: answered below the first line, or offered."""


@dataclass(frozen=True)
class Turn:
    """One turn on its way from decision to reply. Frozen: what is decided anew is another turn."""

    rooms: Rooms
    message: IncomingMessage
    state: Conversation
    now: datetime
    understanding: Understanding
    decision: Decision
    language: Language
    said: Heard
    """What the message says by itself, asked in every decision on the way."""
    others: tuple[Understanding, ...] = ()
    """The clauses of the message that ask something else."""
    routes: tuple[Row, ...] = field(default=())
    amounts: Mapping[str, float] = field(default_factory=dict)
    """Quantities that it states, where it asks for what a number could fill."""

    @cached_property
    def heard(self) -> Heard:
        """What the message says, for those who answer it; one that goes on with a question asks what that one asked."""
        before = self._asks_before
        return hear(self.message.text, self.understanding, before) if before else self.said

    @property
    def _asks_before(self) -> Mapping[str, tuple[str, ...]]:
        """What the question before asked, where this message puts another value into it or asks for "it" of a card."""
        before = self.decision.subject
        if before is None:
            return {}
        if is_on_processor(self.understanding.concepts, self.decision.stated):
            return {IDEAS: (_WITHOUT_CARD,)}
        if before.intent in {self.decision.intent, self.need} and self._goes_on:
            return before.asks
        of_card = self.decision.intent == _OF_A_CARD and _THIS in self.understanding.said.acts
        return {ATTRIBUTE: before.asks[ATTRIBUTE]} if of_card and ATTRIBUTE in before.asks else {}

    @property
    def _goes_on(self) -> bool:
        """Whether the message changes the question before and asks nothing else."""
        return self.decision.rule.startswith(GOES_ON) or (self.understanding.elliptical and bool(self.decision.carried))

    @cached_property
    def case(self) -> str:
        """The tag of this answer within its chat."""
        return case_tag(self.message, self.state.turn + 1)

    @property
    def need(self) -> str:
        """What later messages go on with: the need of who answered."""
        row = self.routes[-1] if self.routes else None
        served = (row.goes_on_as or row.to) if row is not None else ""
        return served if served in self.rooms.intents else self.decision.intent or ""

    @property
    def shows_full(self) -> bool:
        """Whether the reader has room: a private chat, or somebody who asked for everything."""
        return self.message.full or self.message.chat_type == "private"

    @property
    def form(self) -> Form:
        """Which form of an answer the reader sees first."""
        if not self.shows_full:
            return Form.GROUP
        return Form.PAGE if self.message.page else Form.PRIVATE

    @property
    def says_what_is_of_no_use(self) -> bool:
        """Whether it states values, none of which its need can use."""
        spec = self.rooms.intents.get(self.decision.intent or "")
        used = LASTING.union(spec.used_slots if spec is not None else ())
        return bool(self.decision.stated) and used.isdisjoint(self.decision.stated)

    def decided(self, **changes: object) -> Turn:
        """The turn with another decision."""
        return replace(self, decision=self.decision.model_copy(update=changes))

    def request(self, intent: str) -> Request:
        """The question as a family of answers takes it."""
        return Request(
            intent=intent,
            slots={name: held.value for name, held in self.decision.slots.items()},
            heard=self.heard,
            language=self.language,
            now=self.now,
            services=self.rooms.services.without(tuple(map(str, self.decision.excluded.get("provider", ())))),
            conversation=self.state,
            excluded=self.decision.excluded,
            bounds=self.decision.bounds,
            subject=self.decision.subject,
            act=self.decision.act,
            quotes=self.message.quotes,
            versions=versions_before(self.state, self.decision),
        )

    @property
    def _is_alone(self) -> bool:
        """Whether the talk so far lends nothing: what a complete question sees of it (`bot/dialogue/alone.py`)."""
        state = self.state
        lent = state.intent or state.slots or state.excluded or state.pending or state.sums
        return not (lent or self.decision.act or self.message.action)

    def done(self, rendered: Rendered, ending: Ending) -> Explained:
        """The reply in the form that its reader sees first."""
        outcome, decision = ending.outcome, self.decision
        unanswered = ending.kind in {"fallback", "clarify"} and self.understanding.in_domain
        told = outcome if isinstance(outcome, Answer | Decline) else ending.subject
        reply = _reply(
            decision=ending.kind,
            language=self.language,
            intent=ending.intent or decision.intent,
            candidates=decision.candidates,
            slots=shown_slots(decision, self.rooms.services.catalog, self.understanding.said),
            text=rendered.text,
            details="" if rendered.details == rendered.text else rendered.details,
            choices=ending.choices,
            asks=ending.asks,
            suggestions=ending.suggestions,
            chart=ending.chart,
            shows_chart=ending.shows_chart,
            facts=told.facts if told else (),
            sources=told.sources if told else (),
            case=self.case,
            gap=gap_shape(self.understanding) if unanswered else "",
            others=ending.others,
            rests_on=tuple(dict.fromkeys(_leaves(told.trace))) if told else (),
            alone=self._is_alone,
            set_aside=_set_aside(outcome) if isinstance(outcome, Answer) else (),
        )
        return Explained(self.understanding, decision, outcome, reply, ending.state, self.routes)


def _leaves(steps: Iterable[Step]) -> Iterator[float]:
    """The numbers that an answer begins with."""
    for step in steps:
        if step.inputs:
            yield from _leaves(step.inputs)
        elif isinstance(step.value, (int, float)):
            yield float(step.value)


def _set_aside(answer: Answer) -> tuple[str, ...]:
    """What an answer names as not counted with."""
    lines = [line for line in (*answer.headline, *answer.lines) if isinstance(line, Line) and line.say in _SET_ASIDE]
    return tuple(str(one) for line in lines for one in cast("tuple[object, ...]", line.values["named"]))


def case_tag(message: IncomingMessage, turn: int) -> str:
    """Four letters that name an answer within its chat; the same message always gets the same tag."""
    digest = hashlib.sha256(f"{message.conversation_key}\0{turn}\0{message.event_id}".encode()).digest()
    return "".join([_TAG_LETTERS[byte % 32] for byte in digest[:4]])


def gap_shape(understanding: Understanding) -> str:
    """What an unanswered question was made of: slots and concepts in order, none of the user's own words."""
    slots = sorted({f"<{found.slot}>" for found in understanding.slots})
    concepts = sorted(set(understanding.concepts))
    return " ".join([understanding.language, *slots, *concepts])[:_LONGEST_GAP]
