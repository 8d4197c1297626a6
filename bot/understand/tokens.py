"""Cuts a normalised text into words, numbers, Han characters and signs, each with its place."""

from __future__ import annotations

import re
import string
from typing import NamedTuple

_PIECE = re.compile(
    r"\s*(?:(?!(?<=\d)x[a-z]{1,3}\d)[a-z]+(?:'[a-z]+)?|[\u3400-\u9fff]|\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)*|\S)"
)
"""A piece with the white space before it, so that the pieces together are the text and their places can be counted.

An x between a figure and a name ("4xa100") is a piece of its own.
"""
_HAN_FIRST, _HAN_LAST = "\u3400", "\u9fff"
_REMEMBERED, _LONGEST_REMEMBERED = 8192, 16
"""How many pieces are remembered, and how long one of them may be."""
MAX_TOKENS = 700


class Token(NamedTuple):
    """One piece of the text. `kind` is n (number), w (Latin word), h (one Han character) or s (sign)."""

    text: str
    kind: str
    start: int
    end: int
    glued: bool
    """No white space stands before it."""


class Pieces(NamedTuple):
    """The tokens of a text, and what the grammars ask of all of them together."""

    tokens: list[Token]
    words: list[str]
    """The text of each token."""
    shape: str
    """The kind of each token, one letter a token."""
    numbers: list[int]
    """Which tokens are numbers."""


class _Seen(dict[str, tuple[str, str, int, int]]):
    """Of a piece: its word, the kind of it, the white space before it and the length of both. People use the same."""

    def __missing__(self, piece: str) -> tuple[str, str, int, int]:
        word = piece.lstrip()
        found = (word, _kind(word[0]), len(piece) - len(word), len(piece))
        if len(self) < _REMEMBERED and len(piece) <= _LONGEST_REMEMBERED:
            self[piece] = found
        return found


def _kind(first: str) -> str:
    if _HAN_FIRST <= first <= _HAN_LAST:
        return "h"
    if first.isdecimal():
        return "n"
    return "w" if first in string.ascii_lowercase else "s"


_SEEN = _Seen()


def tokenise(text: str) -> Pieces:
    """All pieces in order, at most MAX_TOKENS of them."""
    pieces = list(map(_SEEN.__getitem__, _PIECE.findall(text)[:MAX_TOKENS]))
    tokens: list[Token] = []
    end = 0
    make = tuple.__new__  # a third of the time of the class call
    for word, kind, space, size in pieces:
        start = end + space
        glued = not space and end > 0
        end += size
        tokens.append(make(Token, (word, kind, start, end, glued)))
    shape = "".join([piece[1] for piece in pieces])
    numbers = [place for place, kind in enumerate(shape) if kind == "n"] if "n" in shape else []
    return Pieces(tokens, [piece[0] for piece in pieces], shape, numbers)
