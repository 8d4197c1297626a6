"""A tree of names, walked token by token over a message: the longest name that stands on its own wins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Generic, NamedTuple, TypeVar

from bot.understand.slots.found import Reading
from bot.understand.tokens import Token

Named = TypeVar("Named")
"""What names of a tree stand for."""
_SHORTEST_PLURAL: Final = 3
"""Letters of "tis"."""
_BEFORE_NUMBER: Final = frozenset({"v", "a"})
"""Single letters that begin a part of their own: the version of "whisper v3", the active size of "12b a2.5b"."""
_LETTERS: Final = frozenset({"d", "s"})
"""Single letters that are parts of a name where they stand apart ("4090 D", "PRO 6000 S")."""
_GIGABYTES: Final = frozenset({"g", "gb", "gib"})
_BEHIND_LETTER: Final = frozenset({"v", "?", ","})
"""What may stand behind a single letter that ends a name."""
_SUFFIXES: Final = frozenset({"ti", "super", "d"})
"""Words that end the name of a card behind its number."""
_ENDINGS: Final = frozenset({"s", "x", "gpu", "gpus", "gb"})
"""Words that may be written on to a name."""


_PLUS: Final = "plus"
"""How a plus written on to a word is spelt in the tree."""


class Walk(NamedTuple, Generic[Named]):
    """A name found between two tokens (half open)."""

    start: int
    end: int
    entry: Named


class _Node(Generic[Named]):
    """A place in the tree: what ends here, and where the next words lead."""

    __slots__ = ("entry", "next")

    def __init__(self, entry: Named | None = None) -> None:
        """A place that nothing leads on from."""
        self.entry = entry
        self.next: dict[str, _Node[Named]] = {}


def squeeze(name: str) -> str:
    """Letters and digits of a name, lower-case, nothing between them."""
    return "".join(character for character in name.lower() if character.isalnum() or character == ".")


class NameTree(Generic[Named]):
    """Names as paths of tokens."""

    def __init__(self) -> None:
        """An empty tree."""
        self._root: _Node[Named] = _Node()

    def add(self, words: Sequence[str], entry: Named, *, keep: bool = False) -> None:
        """Put a name in; with `keep`, an entry that is already there stays."""
        node = self._root
        for word in words:
            following = node.next.get(word)
            if following is None:
                following = node.next[word] = _Node()
            node = following
        if node.entry is None or not keep:
            node.entry = entry

    def starts(self, word: str) -> bool:
        """Whether any name begins with this token."""
        return word in self._root.next

    def first_words(self) -> frozenset[str]:
        """The tokens that names begin with."""
        return frozenset(self._root.next)

    def entry(self, words: Sequence[str]) -> Named | None:
        """What exactly these words name, or None."""
        node: _Node[Named] | None = self._root
        for word in words:
            node = node.next.get(word) if node is not None else None
        return node.entry if node is not None else None

    def walk(self, reading: Reading, index: int, branded: bool = False, behind: str = "") -> Walk[Named] | None:
        """The longest name starting at a token, if it ends at a boundary.

        `behind`: the first word of the name when it stands elsewhere ("whisper medium or large": the second name).
        """
        tokens = reading.tokens
        root = self._root.next.get(behind) if behind else self._root
        if root is None or index >= len(tokens):
            return None
        node = root.next.get(tokens[index].text)
        best: Walk[Named] | None = None
        at = index
        while node is not None:
            if node.entry is not None and _ends_here(tokens, at + 1):
                best = Walk(index, at + 1, node.entry)
            plus = node.next.get(_PLUS) if _says_plus(tokens, at + 1) else None
            if plus is not None:
                node, at = plus, at + 1
                continue
            following = _part_behind(reading, at, branded)
            if not following:
                break
            text = tokens[following].text
            node = node.next.get(text) or _singular(node, text)
            at = following
        return best


def _says_plus(tokens: list[Token], at: int) -> bool:
    """Whether a plus is written on to what stands before it ("command-r+")."""
    return at < len(tokens) and tokens[at].text == "+" and tokens[at].glued


def _part_behind(reading: Reading, at: int, branded: bool) -> int:
    """The token that may be the part of a name behind the one at `at`; 0 where none may."""
    tokens, following = reading.tokens, at + 1
    if following >= len(tokens):
        return 0
    if tokens[following].kind == "s" and following + 1 < len(tokens) and _joins(tokens, following):
        return following + 1
    return following if _may_follow(reading, tokens[at], tokens[following], following, branded) else 0


def _joins(tokens: list[Token], at: int) -> bool:
    """Whether a sign may stand between two parts of a name: a hyphen, a bracket, the plus of "AI Max+ 395", a point."""
    if tokens[at].text == ".":
        return tokens[at].glued and tokens[at + 1].glued
    return tokens[at].text in "-_/(" or (tokens[at].text == "+" and tokens[at].glued)


def _singular(node: _Node[Named], word: str) -> _Node[Named] | None:
    """Where "tis" and "supers" lead: to what ends a name and has no further parts of its own then."""
    if len(word) < _SHORTEST_PLURAL or word[-1] != "s":
        return None
    one = node.next.get(word[:-1])
    return _Node(one.entry) if one is not None and one.entry is not None else None


# --- what may stand apart ---------------------------------------------------------------------------------------------


def _may_follow(reading: Reading, previous: Token, token: Token, at: int, branded: bool) -> bool:
    """Whether two parts of a name may stand apart: "4090 ti" and "titan rtx" may, "a 100" only as "A 100"."""
    if token.glued:
        return True
    if token.kind == "w" and len(token.text) == 1:
        return _letter_follows(reading, previous, at)
    if token.kind == "n" and previous.kind == "w" and len(previous.text) == 1:
        capital = reading.raw_at(previous.start).isupper()
        return capital and (branded or (previous.start > 0 and len(token.text) >= 3))
    return True


def _letter_follows(reading: Reading, previous: Token, at: int) -> bool:
    """Whether a single letter is a part of a name that it stands apart from."""
    letter = reading.tokens[at]
    following = reading.tokens[at + 1] if at + 1 < len(reading.tokens) else None
    if letter.text in _BEFORE_NUMBER and _is_number_behind(following):
        return True
    if previous.kind == "w":
        return len(previous.text) > 2
    if previous.kind != "n" or len(previous.text) != 4 or letter.text not in _LETTERS:
        return False
    closes = _closes(following) or _is_memory(reading.tokens, at + 1)
    return (letter.text == "d" and closes) or reading.raw_at(letter.start).isupper()


def _closes(following: Token | None) -> bool:
    """Whether what stands behind a letter ends the name that it is a part of."""
    return following is None or following.kind == "h" or following.text in _BEHIND_LETTER


def _is_memory(tokens: list[Token], at: int) -> bool:
    """Whether an amount of memory stands here ("4090 d 48gb")."""
    return (
        at + 1 < len(tokens) and tokens[at].kind == "n" and tokens[at + 1].glued and tokens[at + 1].text in _GIGABYTES
    )


def _is_number_behind(following: Token | None) -> bool:
    """Whether a number is written on to a letter."""
    return following is not None and following.glued and following.kind == "n"


# --- where a name may end ---------------------------------------------------------------------------------------------


def _ends_here(tokens: list[Token], at: int) -> bool:
    """Whether the token at `at` may follow a finished name directly: a boundary, a plural s, or "x4"."""
    if at >= len(tokens):
        return True
    token = tokens[at]
    if not token.glued or token.kind == "h":
        return True
    if token.kind == "s":
        return not _goes_on_behind_point(tokens, at)
    if token.kind == "n":
        return _is_memory_of_suffix(tokens, at)
    return tokens[at - 1].kind == "h" or _is_ending(tokens, at)  # another script begins a word of its own


def _goes_on_behind_point(tokens: list[Token], at: int) -> bool:
    """Whether a point behind a number is followed by more of the same ("v2.5")."""
    if tokens[at].text != "." or tokens[at - 1].kind != "n" or at + 1 >= len(tokens):
        return False
    following = tokens[at + 1]
    return following.glued and (following.kind == "n" or (following.kind != "h" and len(following.text) == 1))


def _is_memory_of_suffix(tokens: list[Token], at: int) -> bool:
    """Whether a number behind the suffix of a card is its memory written on ("4060ti16g")."""
    if tokens[at - 1].text not in _SUFFIXES or at < 2 or tokens[at - 2].kind != "n":
        return False
    return len(tokens[at].text) < 3 and "." not in tokens[at].text


def _is_ending(tokens: list[Token], at: int) -> bool:
    """Whether a word may be written on to a name: a plural, a count, a unit; the s of "k8s" ends none."""
    word, last = tokens[at].text, tokens[at - 1]
    if word not in _ENDINGS and not word.startswith("'"):
        return False
    return not (word == "s" and len(last.text) == 1 and tokens[at - 2].text == "k")
