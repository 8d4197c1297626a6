"""How much of what people send is taken in, and in what shape: cut once, here, before anything reads it."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import AfterValidator

MOST_KEPT: Final = 4096
"""Characters of a message that are taken in: the most that Telegram sends."""
MOST_READ: Final = 900
"""Characters of a question that are read: a longer one says what it wants at its head or its tail. Of 5,000 questions
that people wrote the longest has 413."""
HEAD: Final = 600
"""Of those, how many stand at the head."""
_WITHOUT_RUNS: Final = 160
"""A text up to here is short enough whatever it is made of."""
_RUN: Final = re.compile(r"(\d{24})\d+|([!-~]{80})[!-~]+")
"""Figures or signs without a space that go on for longer than any number, name or path that is asked about."""
_HALF: Final = re.compile("[\ud800-\udfff]")
"""Half of a pair in UTF-16: no character, and nothing that can be stored, hashed or sent."""


def whole_characters(text: str) -> str:
    """The text with every lone surrogate replaced by the sign for an unreadable character."""
    return text if text.isascii() or _HALF.search(text) is None else _HALF.sub("\ufffd", text)


def kept_part(text: str) -> str:
    """What is taken in of a text."""
    return whole_characters(text if len(text) <= MOST_KEPT else text[: MOST_KEPT - HEAD] + text[-HEAD:])


def read_part(text: str) -> str:
    """What is read of a question: head and tail, no run of characters longer than anybody types."""
    if len(text) <= _WITHOUT_RUNS:
        return text
    return _RUN.sub(r"\1\2", text if len(text) <= MOST_READ else text[:HEAD] + text[HEAD - MOST_READ :])


Kept = Annotated[str, AfterValidator(kept_part)]
"""A text of any length from outside, of which a bounded part is kept."""
Name = Annotated[str, AfterValidator(whole_characters)]
"""An id or a name from outside."""
