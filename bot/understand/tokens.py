"""Cuts a normalised text into words, numbers, Han characters and signs, each with its place."""

from __future__ import annotations

import re
import string
from functools import partial
from itertools import accumulate
from operator import eq, sub
from typing import Final, NamedTuple

_PIECE = re.compile(
    r"\s*(?:(?<![a-z])(?:ti?|i|s|v)2[iv](?![a-z\d])|(?<=\d)gb?(?=x\d)|(?!(?<=\d)x[a-z]{1,3}\d)[a-z]+(?:'[a-z]+)?|[\u3400-\u9fff]|(?<!(?<![a-z])[a-z])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)*|(?<![\da-z.])\.\d+(?![\da-z.]*\.\d)|\S)"
)
"""A piece with the white space before it, so that the pieces together are the text and their places can be counted.

An x between a figure and a name ("4xa100") is a piece of its own, as is a size before one ("24gx2"); what a model
makes of what ("i2v") is one word. A comma behind a number that a single letter names ("x99,128g") parts two numbers.
A point before figures and behind none begins a number (".60").
"""
_HAN_FIRST, _HAN_LAST = "\u3400", "\u9fff"
_REMEMBERED = 8192
"""Characters whose kind is remembered."""
MAX_TOKENS: Final = 400


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


class _Kinds(dict[str, str]):
    """The kind of a piece by its first character, worked out when first met."""

    def __missing__(self, first: str) -> str:
        kind = _kind(first)
        if len(self) < _REMEMBERED:
            self[first] = kind
        return kind


def _kind(first: str) -> str:
    if _HAN_FIRST <= first <= _HAN_LAST:
        return "h"
    if first.isdecimal():
        return "n"
    return "w" if first in string.ascii_lowercase else "s"


_KIND = _Kinds()


def tokenise(text: str) -> Pieces:
    """All pieces in order, at most MAX_TOKENS of them."""
    pieces = _PIECE.findall(text)[:MAX_TOKENS]
    # white space stands at the head of a piece alone
    words = "\n".join(pieces).split()
    sizes, lengths = list(map(len, words)), list(map(len, pieces))
    ends = list(accumulate(lengths))
    kinds = [_KIND[word[0]] for word in words]
    if "." in text:
        # a point begins a piece of several characters where a number follows (".60")
        kinds = ["n" if word[0] == "." and len(word) > 1 else kind for word, kind in zip(words, kinds, strict=True)]
    glued = [False, *map(eq, sizes[1:], lengths[1:])]
    tokens = list(map(_token, zip(words, kinds, map(sub, ends, sizes), ends, glued, strict=False)))
    shape = "".join(kinds)
    numbers = [place for place, kind in enumerate(kinds) if kind == "n"] if "n" in shape else []
    return Pieces(tokens, words, shape, numbers)


_token: Final = partial(tuple.__new__, Token)  # without a call of Python for each
