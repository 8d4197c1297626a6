"""How much of what people send is taken in, and in what shape: cut once, here, before anything reads it."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import AfterValidator

MOST_KEPT: Final = 4096
"""Characters of a message that are taken in: the most that Telegram sends."""
MOST_READ: Final = 2400
"""Characters of a question that are read: a longer one says what it wants at its head or its tail."""
HEAD: Final = 1600
"""Of those, how many stand at the head."""
_HALF = re.compile("[\ud800-\udfff]")
"""Half of a pair in UTF-16: no character, and nothing that can be stored, hashed or sent."""


def whole_characters(text: str) -> str:
    """The text with every lone surrogate replaced by the sign for an unreadable character."""
    return text if text.isascii() or _HALF.search(text) is None else _HALF.sub("\ufffd", text)


def kept_part(text: str) -> str:
    """What is taken in of a text."""
    return whole_characters(text if len(text) <= MOST_KEPT else text[: MOST_KEPT - HEAD // 2] + text[-HEAD // 2 :])


def read_part(text: str) -> str:
    """What is read of a question."""
    return text if len(text) <= MOST_READ else text[:HEAD] + text[HEAD - MOST_READ :]


Kept = Annotated[str, AfterValidator(kept_part)]
"""A text of any length from outside, of which a bounded part is kept."""
Name = Annotated[str, AfterValidator(whole_characters)]
"""An id or a name from outside."""
