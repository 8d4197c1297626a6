"""Every labelled question is asked once, in each form in which it is read; what the tests of this folder look at is kept.

Answers themselves are not kept (all of them take half a gigabyte): their replies are, what can be proven of a pick or a
comparison, and what is wrong with their numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

import pytest

from advisor.recommend.models import Recommendation
from advisor.speed.contest import Contest
from bot.answers.sums.gate import Sums
from bot.core.answers import Answer
from bot.pipeline import Assistant
from bot.road import answering
from tests.bot.labelled import NOW, message
from tests.conftest import shared_assistant
from tests.every_question.sources import untraced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date

    from bot.answers.route import Row
    from bot.answers.sums.gate import Found
    from bot.core.answers import Outcome
    from bot.core.conversation import Conversation
    from bot.core.message import Reply
    from bot.core.request import Request
    from bot.core.understanding import Understanding
    from bot.read.placed import Amounts
    from bot.road.turn import Turn

    Answering = Callable[[Turn, Request], tuple[Turn, Outcome]]

Chat = Literal["private", "group"]

_HAN: Final = re.compile(r"[\u4e00-\u9fff]")
_RAW: Final = re.compile(r"\b[A-Z]\w+\(\w+=|<bot\.|<advisor\.|Undefined")
"""What a template shows of an object instead of its words."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in one form and language, and what came of it."""

    reply: Reply | None
    faults: tuple[str, ...]
    judged: Answer | None
    """The answer, where it rests on a recommendation or a comparison."""


class _FoundOnce(Sums):
    """The sums of the shared assistant; those of the last text, which are of no form and language, are kept for its others.

    All texts are first messages, so that nothing that was said before can change what is found in them.
    """

    def __init__(self, sums: Sums) -> None:
        self._sums = sums
        self._of: Understanding | None = None
        self._read: Amounts | None = None
        self._told: Found | None = None

    def read(self, text: str, understanding: Understanding, state: Conversation) -> Amounts | None:
        """What was read in the same understanding of the same text before."""
        assert not state.turn, text
        if understanding is not self._of:
            self._read = self._sums.read(text, understanding, state)
            self._told = self._sums.told(text, self._read, understanding, state, NOW.date())
            self._of = understanding
        return self._read

    def told(
        self, text: str, amounts: Amounts | None, understanding: Understanding, state: Conversation, on: date
    ) -> Found | None:
        """What was found in the same understanding of the same text before."""
        if understanding is self._of and amounts is self._read and on == NOW.date():
            return self._told
        return self._sums.told(text, amounts, understanding, state, on)


class _AnsweredOnce:
    """What families say to one text. They hear of the language and not of the form, so that both forms word the same answer."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering
        self._said: list[tuple[Request, tuple[Row, ...], Outcome]] = []

    def __call__(self, turn: Turn, request: Request) -> tuple[Turn, Outcome]:
        for asked, routes, outcome in self._said:
            if _told_of(asked) == _told_of(request):
                return replace(turn, routes=routes), outcome
        turn, outcome = self._answering(turn, request)
        self._said.append((request, turn.routes, outcome))
        return turn, outcome


def _told_of(request: Request) -> tuple[object, ...]:
    """What a family is told, but for what is the same of every first message of one text."""
    said = (request.intent, request.language, request.slots, request.excluded, request.bounds)
    return (*said, request.subject, request.act, request.versions, request.quotes)


@cache
def _assistant() -> Assistant:
    """The rooms of the shared one; its sums are looked for once a text."""
    one = shared_assistant()
    return Assistant(one.understander, one.intents, one.renderer, one.services, _FoundOnce(one.sums))


@cache
def asked(text: str) -> dict[tuple[Chat, str], Asked]:
    """In its own language in both forms, in the other one in a group's; in turn, so that its words are read once."""
    own, other = ("zh", "en") if _HAN.search(text) else ("en", "zh")
    forms: tuple[tuple[Chat, str], ...] = (("private", own), ("group", own), ("group", other))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answering, "_outcome", _AnsweredOnce(answering._outcome))
        return {(chat_type, language): _asked(text, chat_type, language) for chat_type, language in forms}


def said(text: str, chat_type: Chat = "private") -> Reply:
    """The reply in the question's own language."""
    reply = asked(text)[chat_type, "zh" if _HAN.search(text) else "en"].reply
    assert reply is not None, text
    return reply


def judged(text: str) -> Answer | None:
    """The answer that a private chat reads, where it rests on a recommendation or a comparison."""
    return next(iter(asked(text).values())).judged


def _asked(text: str, chat_type: Chat, language: str) -> Asked:
    try:
        explained = _assistant().explain(message(text, chat_type, language), None, NOW)
    except Exception as error:  # any at all is a failure that is looked for
        return Asked(None, (f"{text!r}: {type(error).__name__}: {error}",), None)
    found = [*_unsaid(explained.reply, language), *untraced(_assistant(), explained, text, language)]
    outcome = explained.outcome
    proven = isinstance(outcome, Answer) and isinstance(outcome.result, (Recommendation, Contest))
    return Asked(
        explained.reply,
        tuple(f"{text!r} ({chat_type}, {language}): {fault}" for fault in found),
        outcome if chat_type == "private" and isinstance(outcome, Answer) and proven else None,
    )


def _unsaid(reply: Reply, language: str) -> Iterator[str]:
    """Whether a reply says nothing, shows an object of the program, or speaks another language."""
    if reply.decision != "ignore" and not reply.text.strip():
        yield "nothing said"
    if _RAW.search(reply.text):
        yield "shows an object of the program"
    if reply.language != language:
        yield f"answered in {reply.language}"
