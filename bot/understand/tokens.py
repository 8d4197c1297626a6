"""Cuts a normalised text into words, numbers, Han characters and signs, each with its place."""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(
    r"(?P<n>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)*)|(?P<w>(?<=\d)x(?=[a-z]{1,3}\d)|[a-z]+(?:'[a-z]+)?)|(?P<h>[\u3400-\u9fff])|(?P<s>[^\s])"
)
MAX_TOKENS = 700


class Token(NamedTuple):
    """One piece of the text. `kind` is n (number), w (Latin word), h (one Han character) or s (sign)."""

    text: str
    kind: str
    start: int
    end: int
    glued: bool
    """No white space stands before it."""


def tokenise(text: str) -> list[Token]:
    """All pieces in order, at most MAX_TOKENS of them."""
    tokens: list[Token] = []
    end_before = -1
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        tokens.append(Token(match.group(), match.lastgroup or "s", start, end, start == end_before))
        end_before = end
        if len(tokens) == MAX_TOKENS:
            break
    return tokens
