"""How long a reply may be, over the labelled questions: as a group and as a private chat read it."""

from __future__ import annotations

from functools import cache
from typing import Literal

import pytest

from bot.channels.markup import plain_text
from bot.core.message import Reply
from bot.pipeline import Assistant
from bot.words.sizes import GROUP, PRIVATE
from tests.bot.labelled import NOW, message, questions
from tests.conftest import shared_assistant

_EVERY = 9
"""Each ninth labelled question is asked; which one moves with the part, so that four parts ask different ones."""
_COLUMNS = 40


@cache
def assistant() -> Assistant:
    return shared_assistant()


def said(text: str, chat_type: Literal["private", "group"]) -> Reply:
    return assistant().explain(message(text, chat_type), None, NOW).reply


def lines_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def width(line: str) -> int:
    return sum(1 if character < "\u1100" else 2 for character in line)


@pytest.mark.parametrize("part", range(2))
def test_a_group_reads_six_lines_at_most(part: int) -> None:
    long = {}
    for text in questions()[part::_EVERY]:
        reply = said(text, "group")
        shown, size = plain_text(reply.text), GROUP[reply.language]
        if len(lines_of(shown)) > size.lines or len(shown) > size.characters:
            long[text] = (len(lines_of(shown)), len(shown))
    assert not long


@pytest.mark.parametrize("part", range(2, 4))
def test_a_private_chat_reads_no_essay_and_no_wide_table(part: int) -> None:
    long, wide = {}, {}
    for text in questions()[part::_EVERY]:
        reply = said(text, "private")
        shown = plain_text(reply.text)
        if len(shown) > PRIVATE[reply.language].characters:
            long[text] = len(shown)
        rows = [line for line in reply.text.splitlines() if line.startswith("|")]
        if any(width(line) > _COLUMNS for line in rows):
            wide[text] = max(map(width, rows))
    assert not long
    assert not wide
