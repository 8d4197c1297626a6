"""A tree of names, walked token by token over a message: the longest name that stands on its own wins."""

from __future__ import annotations

from typing import Any, NamedTuple

from bot.understand.slots.found import Reading
from bot.understand.tokens import Token

_END = ""
_SHORTEST_PLURAL = 3
"""Letters of "tis"."""
_BEFORE_NUMBER = frozenset({"v", "a"})
"""Single letters that begin a part of their own: the version of "whisper v3", the active size of "12b a2.5b"."""
_LETTERS = frozenset({"d", "s"})
"""Single letters that are parts of a name where they stand apart ("4090 D", "PRO 6000 S")."""
_SUFFIXES = frozenset({"ti", "super", "d"})
"""Words that end the name of a card behind its number."""


class Walk(NamedTuple):
    """A name found between two tokens (half open)."""

    start: int
    end: int
    entry: Any


def squeeze(name: str) -> str:
    """Letters and digits of a name, lower-case, nothing between them."""
    return "".join(character for character in name.lower() if character.isalnum() or character == ".")


class NameTree:
    """Names as paths of tokens."""

    def __init__(self) -> None:
        """An empty tree."""
        self._root: dict[str, Any] = {}

    def add(self, words: list[str], entry: Any, *, keep: bool = False) -> None:
        """Put a name in; with `keep`, an entry that is already there stays."""
        node = self._root
        for word in words:
            node = node.setdefault(word, {})
        if not (keep and _END in node):
            node[_END] = entry

    def starts(self, word: str) -> bool:
        """Whether any name begins with this token."""
        return word in self._root

    def first_words(self) -> frozenset[str]:
        """The tokens that names begin with."""
        return frozenset(self._root)

    def entry(self, words: list[str]) -> Any:
        """What exactly these words name, or None."""
        node: Any = self._root
        for word in words:
            node = node.get(word)
            if node is None:
                return None
        return node.get(_END)

    def walk(self, reading: Reading, index: int, branded: bool = False, behind: str = "") -> Walk | None:
        """The longest name starting at a token, if it ends at a boundary.

        `behind`: the first word of the name when it stands elsewhere ("whisper medium or large": the second name).
        """
        tokens = reading.tokens
        node: Any = self._root.get(behind) if behind else self._root
        if node is None or index >= len(tokens) or tokens[index].text not in node:
            return None
        best: Walk | None = None
        at = index
        previous: Token | None = None
        while at < len(tokens):
            token = tokens[at]
            if previous is not None and token.kind == "s" and at + 1 < len(tokens) and _joins(tokens, at):
                at += 1
                token = tokens[at]
            elif previous is not None and not _may_follow(reading, previous, token, at, branded):
                break
            node = node.get(token.text) or _singular(node, token.text, previous)
            if node is None:
                break
            at += 1
            previous = token
            if _END in node and _ends_here(reading, tokens, at):
                best = Walk(index, at, node[_END])
        return best


def _joins(tokens: list[Token], at: int) -> bool:
    """Whether a sign may stand between two parts of a name: a hyphen, a bracket, the plus of "AI Max+ 395", a point."""
    if tokens[at].text == ".":
        return tokens[at].glued and tokens[at + 1].glued
    return tokens[at].text in "-_/(" or (tokens[at].text == "+" and tokens[at].glued)


def _singular(node: Any, word: str, previous: Token | None) -> Any:
    """Where "tis" and "supers" lead: to what ends a name and has no further parts of its own then."""
    if previous is None or len(word) < _SHORTEST_PLURAL or word[-1] != "s":
        return None
    one = node.get(word[:-1])
    return {_END: one[_END]} if one is not None and _END in one else None


def _may_follow(reading: Reading, previous: Token, token: Token, at: int, branded: bool) -> bool:
    """Whether two parts of a name may stand apart: "4090 ti" and "titan rtx" may, "a 100" only as "A 100"."""
    if token.glued:
        return True
    if token.kind == "w" and len(token.text) == 1:
        following = reading.tokens[at + 1] if at + 1 < len(reading.tokens) else None
        if token.text in _BEFORE_NUMBER and following is not None and following.glued and following.kind == "n":
            return True
        ends = following is None or following.kind == "h" or following.text in {"v", "?", ","}
        variant = previous.kind == "n" and len(previous.text) == 4 and token.text in _LETTERS
        variant = variant and ((token.text == "d" and ends) or reading.raw_at(token.start).isupper())
        return variant or (previous.kind == "w" and len(previous.text) > 2)
    if previous.kind == "w" and len(previous.text) == 1 and token.kind == "n":
        capital = reading.raw_at(previous.start).isupper()
        return capital and (branded or (previous.start > 0 and len(token.text) >= 3))
    return True


def _ends_here(reading: Reading, tokens: list[Token], at: int) -> bool:
    """Whether the token at `at` may follow a finished name directly: a boundary, a plural s, or "x4"."""
    if at >= len(tokens):
        return True
    token = tokens[at]
    if not token.glued or token.kind == "h":
        return True
    last = tokens[at - 1]
    if token.kind == "s":
        return not (
            token.text in ".'"
            and at + 1 < len(tokens)
            and tokens[at + 1].glued
            and tokens[at + 1].kind != "h"
            and token.text == "."
            and last.kind == "n"
        )
    if token.kind == "n" and last.text in _SUFFIXES and at >= 2 and tokens[at - 2].kind == "n":
        # "4060ti16g": the memory may be written on
        return len(token.text) < 3 and "." not in token.text
    if token.kind == "w" and (token.text in {"s", "x", "gpu", "gpus", "gb"} or token.text.startswith("'")):
        return not (token.text == "s" and len(last.text) == 1 and tokens[at - 2].text == "k")
    return False
