"""Whatever need and whichever value: a question in two turns opens as the same asked at once, and bends no other one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
import yaml

from tests.conftest import NOW, make_message

if TYPE_CHECKING:
    from bot.core.conversation import Conversation
    from bot.core.message import Reply
    from bot.pipeline import Assistant

TALKS: Final[dict[str, list[list[str]]]] = yaml.safe_load(
    Path(__file__).with_name("followed_questions.yaml").read_text("utf-8")
)
APART: Final = 11
"""Places between a question and the complete one that is asked after it."""


def told(assistant: Assistant, line: str, state: Conversation | None) -> tuple[Reply, Conversation]:
    return assistant.respond(make_message(line, chat_type="group"), state, NOW)


def first_line(reply: Reply) -> str:
    line = reply.text.partition("\n")[0]
    assert line, reply
    return line


@pytest.mark.parametrize("kind", TALKS)
def test_what_is_put_into_a_question_is_answered_as_the_whole(assistant: Assistant, kind: str) -> None:
    apart = []
    for first, then, at_once in TALKS[kind]:
        _, state = told(assistant, first, None)
        followed, whole = (told(assistant, line, before)[0] for line, before in ((then, state), (at_once, None)))
        if first_line(followed) != first_line(whole):
            apart.append((first, then, first_line(followed), first_line(whole)))
    assert not apart


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_question_bends_a_complete_one_of_another_need(assistant: Assistant, language: str) -> None:
    talks, bent = TALKS[language], []
    for place, (first, _, _) in enumerate(talks):
        _, state = told(assistant, first, None)
        other = talks[(place + APART) % len(talks)][2]
        after, alone = (told(assistant, other, before)[0] for before in (state, None))
        if first_line(after) != first_line(alone):
            bent.append((first, other, first_line(after), first_line(alone)))
    assert not bent
