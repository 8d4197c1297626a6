"""Which of many patterns may match a text: letters that each one needs, found for all of them in one pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from ahocorasick import Automaton

_TOKEN: Final = re.compile(
    r"\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\\d+|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?(?:[:=!]|<[=!])|\(\??|[*+?]|\{\d*,?\d*\}|.",
    re.DOTALL,
)
_OPTIONAL: Final = re.compile(r"[*?]|\{0?,\d*\}|\{0\}")
_REPEATED: Final = re.compile(r"[*+?]|\{\d*,?\d*\}")
_ENDS: Final = frozenset({"|", ")"})
_GROUPS: Final = frozenset({"(", "(?:"})
_ANYTHING: Final = frozenset({".", "^", "$"})
_UNSURE: Final[frozenset[str]] = frozenset()


class PatternIndex:
    """Many patterns by letters without which none of them matches."""

    def __init__(self, patterns: Iterable[str]) -> None:
        """`patterns` in their order."""
        needed = [letters_of(one) for one in patterns]
        self._always = frozenset(place for place, letters in enumerate(needed) if not letters)
        self._by_letters: dict[str, frozenset[int]] = {}
        for letters in _UNSURE.union(*needed):
            self._by_letters[letters] = frozenset(place for place, one in enumerate(needed) if letters in one)
        self._automaton = Automaton()
        for letters in self._by_letters:
            self._automaton.add_word(letters, letters)
        self._automaton.make_automaton()

    def may_match(self, text: str) -> list[int]:
        """The places of the patterns that may match, in their order; no other one does."""
        standing = {letters for _, letters in self._automaton.iter(text)} if self._by_letters else ()
        return sorted(self._always.union(*[self._by_letters[letters] for letters in standing]))


def letters_of(pattern: str) -> frozenset[str]:
    """Letters of which some stand in whatever a pattern matches, () where it may match without any that are known.

    Of each way to match the longest plain part, or a part with a choice of its own. Nothing is known of a pattern with
    flags or named groups.
    """
    tokens = [found.group() for found in _TOKEN.finditer(pattern)]
    return _UNSURE if "(?" in tokens else _of_ways(iter([*tokens, ")"]))


def _of_ways(tokens: Iterator[str]) -> frozenset[str]:
    """The letters of a choice up to the bracket that ends it."""
    found, ended = [], ""
    while ended != ")":
        letters, ended = _of_way(tokens)
        found.append(letters)
    return _UNSURE if _UNSURE in found else _UNSURE.union(*found)


def _of_way(tokens: Iterator[str]) -> tuple[frozenset[str], str]:
    """The letters of one way, and what ended it."""
    parts: list[frozenset[str]] = []
    for token in tokens:
        if token in _ENDS:
            return max((_UNSURE, *_joined(parts)), key=_tells), token
        if token.startswith("("):
            inner = _of_ways(tokens)
            parts.append(inner if token in _GROUPS else _UNSURE)
        elif not _REPEATED.fullmatch(token):
            parts.append(_plain(token))
        elif _OPTIONAL.fullmatch(token):
            parts[-1:] = [_UNSURE]
        else:
            parts.append(_UNSURE)
    raise ValueError("a bracket is open")


def _plain(token: str) -> frozenset[str]:
    """A character that stands for itself; () for a class, a place and anything."""
    if token in _ANYTHING or (len(token) > 1 and (token[0] == "[" or token[1].isalnum())):
        return _UNSURE
    return frozenset({token[-1]})


def _joined(parts: Iterable[frozenset[str]]) -> Iterator[frozenset[str]]:
    """The parts of a way, characters that follow one another as one."""
    run = ""
    for part in parts:
        if len(part) == 1 and len(letter := next(iter(part))) == 1:
            run += letter
            continue
        yield from (frozenset({one}) for one in (run,) if one)
        run = ""
        yield part
    yield from (frozenset({one}) for one in (run,) if one)


def _tells(letters: frozenset[str]) -> tuple[int, int]:
    """How much letters tell: the more the longer the shortest of them is, and the fewer there are."""
    return min(map(len, letters), default=0), -len(letters)
