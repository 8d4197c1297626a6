"""A complete question is answered as if nothing had been said before it, whatever was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from tests.conftest import NOW, make_message

if TYPE_CHECKING:
    from bot.core.message import Reply
    from bot.pipeline import Assistant

SET = yaml.safe_load((Path(__file__).parent / "complete_questions.yaml").read_text("utf-8"))
AT_MOST = 0
"""Pairs of opener and question whose answers differ; may only fall."""


def told(reply: Reply) -> Any:
    """What an answer says to programs: its need, what it is about, its figures."""
    return reply.decision, reply.intent, reply.slots, [(fact.name, fact.value) for fact in reply.facts]


def test_openers_bend_no_complete_question(assistant: Assistant) -> None:
    states = {}
    for opener in SET["openers"]:
        _, states[opener] = assistant.respond(make_message(opener, chat_type="group"), None, NOW)
    bent = []
    for question in SET["questions"]:
        message = make_message(question, chat_type="group")
        alone, _ = assistant.respond(message, None, NOW)
        for opener, state in states.items():
            after, _ = assistant.respond(message, state, NOW)
            if told(after) != told(alone):
                bent.append((opener, question, after.intent, alone.intent))
    assert len(bent) <= AT_MOST, bent
