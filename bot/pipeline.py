"""The journey of one message to its reply, in order, and nothing else. Pure: no clock, no network, no randomness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from bot.answers.sums.gate import Sums
from bot.choice_keys import ChoiceKeys
from bot.core.board import Board
from bot.core.conversation import Conversation, Episode
from bot.core.decision import Decision
from bot.core.heard import Heard
from bot.core.intents import Intent
from bot.core.message import IncomingMessage, Reply
from bot.core.request import Services
from bot.core.text import read_part
from bot.core.understanding import Understanding
from bot.dialogue.alone import anew, gone_from, stands_alone, still_open, with_older
from bot.dialogue.clauses import of_its_part, other_questions
from bot.dialogue.decide import A_NAME_ALONE, decide
from bot.dialogue.doubt import IN_DOUBT
from bot.dialogue.policy import POLICY
from bot.dialogue.slots import gather, hold
from bot.dialogue.turn import CONVERSATION
from bot.read.signs import hear
from bot.render import Renderer
from bot.render.voice import LANGUAGES
from bot.road.again import not_again
from bot.road.answering import from_documents, handled, of_one_family, summed
from bot.road.deciding import decided
from bot.road.earlier import acted
from bot.road.endings import asked_again, cancelled, clarified, fell_back, offered, quiet, says_nothing, speaks_up
from bot.road.rooms import Rooms, Understander
from bot.road.settings import with_settings
from bot.road.start import language_of, language_of_page, refreshed, subject_of
from bot.road.turn import Explained, Turn, case_tag

__all__ = ["Assistant", "Explained", "Understander", "case_tag"]

_ELSEWHERE: Final = frozenset({"gaming", "weather", "chitchat"})
"""Subjects of which passages hold a word at most: none of them answers what is asked."""


class Assistant:
    """Understands, decides, advises, renders."""

    def __init__(
        self,
        understander: Understander,
        intents: Mapping[str, Intent],
        renderer: Renderer,
        services: Services,
        sums: Sums,
    ) -> None:
        """Take the wired rooms (bot/app.py makes them)."""
        self.understander, self.intents, self.renderer, self.services = understander, intents, renderer, services
        self.sums = sums
        self.keys = ChoiceKeys(services.catalog)
        self._rooms = Rooms(understander, intents, renderer, services, self.keys)

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

    def explain(
        self,
        message: IncomingMessage,
        conversation: Conversation | None,
        now: datetime,
        borrowed: Episode | None = None,
    ) -> Explained:
        """Answer one message and keep every step."""
        message = self._taken_in(message)
        whole = refreshed(conversation, message, now)
        state, understanding = self._read(message, whole, borrowed)
        language = language_of(message, understanding, state)
        if not message.addressed:
            return quiet(understanding, Decision(kind="ignore", rule="not addressed"), state, language)
        heard = hear(message.text, understanding)
        worked_out = not message.action and not _judges_a_price(heard)
        amounts = self.sums.read(message.text, understanding, state) if worked_out else None
        told = self.sums.told(message.text, amounts, understanding, state, now.date()) if worked_out else None
        if told is not None:
            held = hold(gather(understanding).values, message.user_id, now, state.turn + 1)
            # what the sum did not need is there for the next message: its card, its hours, its prices
            slots = {**(state.slots if state.sums is not None else {}), **held}
            decision = Decision(kind="answer", intent=told.need, rule="a sum of what was said", slots=slots)
            return summed(Turn(self._rooms, message, state, now, understanding, decision, language, heard), told)
        names = self.services.catalog
        settle = partial(decide, message, intents=self.intents, now=now, borrowed=borrowed, names=names)
        decision = settle(understanding, state)
        decision = still_open(decision, whole.pending, state.pending, now)
        if message.addressed_how == "overheard" and not speaks_up(decision):
            return quiet(understanding, decision, state, language)
        others = self._other_questions(message, understanding, decision)
        if others:
            decision = of_its_part(decision, understanding).model_copy(
                update={"kind": "answer", "options": (), "second": _second(decision, others)}
            )
        said = amounts.values if amounts is not None else {}
        turn = Turn(self._rooms, message, state, now, understanding, decision, language, heard, others, amounts=said)
        return with_settings(turn, not_again(turn, _carried_out(turn), settle, _carried_out))

    def decide_together(self, message: IncomingMessage, board: Board, now: datetime) -> tuple[Reply, Conversation]:
        """Who wants what, where wishes conflict, what is missing, and one recommendation for all."""
        state = refreshed(None, message, now)
        understanding = self.understander.understand(message.text)
        language = language_of(message, understanding, state)
        if message.text.startswith("/") and board.language in LANGUAGES:
            # a command says nothing of the language that is spoken here
            language = "zh" if board.language == "zh" else "en"
        if not board.constraints:
            text = self.renderer.page("together", language, "empty")
            return Reply(decision="answer", language=language, text=text), state
        decision = Decision(kind="answer", intent="recommend_gpu", rule="a group's board")
        heard = hear(message.text, understanding)
        return decided(Turn(self._rooms, message, state, now, understanding, decision, language, heard), board)

    def say(self, message: IncomingMessage, page: str, block: str = "short", **values: object) -> Reply:
        """A page that answers no question: an apology, a wait notice, an operator's report."""
        language = language_of_page(message)
        text = self.renderer.page(page, language, block, **values)
        return Reply(decision="answer", language=language, text=text)

    def _taken_in(self, message: IncomingMessage) -> IncomingMessage:
        """The message cut once to what is read, its button by its whole key."""
        text = read_part(message.text)
        if text is not message.text:
            message = message.model_copy(update={"text": text})
        if message.action:
            message = message.model_copy(update={"action": self.keys.whole(message.action)})
        return message

    def _read(
        self, message: IncomingMessage, whole: Conversation, borrowed: Episode | None
    ) -> tuple[Conversation, Understanding]:
        """What the message says, and the conversation that it goes on with: none where it stands alone."""
        subject = subject_of(message, whole, borrowed) or None
        understanding = self.understander.understand(message.text)
        if whole.turn and stands_alone(message, understanding, self.intents, held=gone_from(whole)):
            return anew(whole), understanding
        if subject:
            state = with_older(whole, understanding, self.intents)
            return state, self.understander.understand(message.text, context_intent=subject)
        return whole, understanding

    def _other_questions(
        self, message: IncomingMessage, understanding: Understanding, decision: Decision
    ) -> tuple[Understanding, ...]:
        """The clauses that ask something else beside what was decided, if the message is a question of its own."""
        asks = decision.rule in {"best intent", "too close to call", IN_DOUBT} and not message.action
        if not asks or decision.intent in CONVERSATION:
            return ()
        return other_questions(understanding, decision.intent or "", self.understander.understand, message.text)


def _second(decision: Decision, others: Sequence[Understanding]) -> str:
    """The first need of other clauses that is not the one decided, "" where there is none."""
    return next((one.ranking[0].intent for one in others if one.ranking[0].intent != decision.intent), "")


# --- one decision ----------------------------------------------------------------------------------------------------


def _judges_a_price(heard: Heard) -> bool:
    """Whether it is asked if the price of a card is a good one: what it comes to is no answer to that."""
    named = bool(heard.named("price") and heard.named("gpu"))
    return named and heard.shows("deal", "judged")


def _carried_out(turn: Turn) -> Explained:
    """Do what was decided; the first rule that holds."""
    decision = turn.decision
    if decision.kind == "cancel":
        return cancelled(turn)
    if says_nothing(turn):
        return offered(turn)
    if decision.kind == "clarify":
        return _clarified(turn)
    if decision.kind == "ask" and decision.retry:
        return asked_again(turn, decision.retry)
    if decision.kind == "fallback" or not decision.intent:
        return _not_ours(turn)
    return acted(turn) if decision.act else handled(turn)


def _clarified(turn: Turn) -> Explained:
    """A passage that is plainly asked for, else the choice; beside a name alone only the error that it stands with."""
    bare = (turn.decision.rule == A_NAME_ALONE and not turn.heard.error) or turn.decision.rule == IN_DOUBT
    one = None if turn.decision.rule == A_NAME_ALONE and bare else of_one_family(turn)
    if one is not None:
        return handled(one)
    return (None if bare else from_documents(turn, "clarify")) or clarified(turn)


def _not_ours(turn: Turn) -> Explained:
    """What no need was found for: a passage that is plainly asked for, else what can be asked."""
    best = turn.decision.candidates[0].score if turn.decision.candidates else 0.0
    sure = turn.decision.intent == "out_of_scope" and best >= POLICY.outside_score
    elsewhere = not _ELSEWHERE.isdisjoint(turn.understanding.concepts)
    if sure and elsewhere and not turn.rooms.services.library.names_trade(turn.heard.terms):
        return fell_back(turn)
    outside = sure or not turn.understanding.in_domain
    return from_documents(turn, "out_of_scope" if outside else "fallback") or fell_back(turn)
