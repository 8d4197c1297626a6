"""How long a reply may be, over the labelled questions: as a group and as a private chat read it."""

from __future__ import annotations

import re
from itertools import pairwise

from bot.channels.markup import plain_text
from bot.words.sizes import GROUP, PRIVATE
from tests.every_question.asked import said

_COLUMNS = 40


def lines_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def width(line: str) -> int:
    return sum(1 if character < "\u1100" else 2 for character in line)


def test_a_group_reads_six_lines_at_most(texts: tuple[str, ...]) -> None:
    long = {}
    for text in texts:
        reply = said(text, "group")
        shown, size = plain_text(reply.text), GROUP[reply.language]
        if len(lines_of(shown)) > size.lines or len(shown) > size.characters:
            long[text] = (len(lines_of(shown)), len(shown))
    assert not long


def test_a_private_chat_reads_no_essay_and_no_wide_table(texts: tuple[str, ...]) -> None:
    long, wide = {}, {}
    for text in texts:
        reply = said(text, "private")
        shown = plain_text(reply.text)
        if len(shown) > PRIVATE[reply.language].characters:
            long[text] = len(shown)
        rows = [line for line in reply.text.splitlines() if line.startswith("|")]
        if any(width(line) > _COLUMNS for line in rows):
            wide[text] = max(map(width, rows))
    assert not long
    assert not wide


def test_no_heading_is_left_without_what_it_heads(texts: tuple[str, ...]) -> None:
    heads = re.compile(r"\*\*[^*:\uff1a\u3002]+\*\*|#+ .*")
    bare = {}
    for text in texts:
        shown = lines_of(said(text, "private").text)[1:]
        left = [line for line, after in pairwise([*shown, "> "]) if heads.fullmatch(line) and after.startswith("> ")]
        if left:
            bare[text] = left
    assert not bare
