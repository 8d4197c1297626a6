"""Cuts a message into clauses: at the ends of sentences, at commas, at line breaks, and between Chinese words apart.

A clause knows its sentence, and what it is: prose, a pasted log, a table, code, a quotation, or a social line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from bot.understand.slots.found import Reading

_SENTENCE_ENDS: Final = frozenset(";?!")
_BREAKS: Final = frozenset(",:") | _SENTENCE_ENDS
_PASTED_SIGNS: Final = 0.3
"""Share of tokens that are signs or numbers from which a line is pasted output and no prose."""
_LEAST_PASTED: Final = 6
_MOST: Final = 24
"""Clauses of one message; what stands behind the last but one is the last. Of 6,400 turns that people wrote none has
more than 15."""


class Part(NamedTuple):
    """One clause: its tokens (half open), its characters, its sentence, and whether a question mark ends it."""

    first: int
    last: int
    start: int
    end: int
    sentence: int
    kind: str
    asked: bool


def split(reading: Reading, words: Mapping[str, Sequence[str]]) -> list[Part]:
    """The clauses of a message in order; every token belongs to one.

    Args:
        reading: the message, cut into tokens.
        words: `clauses` of the lexicon of roles: words that pasted output, tracebacks and code begin with.
    """
    tokens = reading.tokens
    gaps = "\n" in reading.raw or reading.han > 0
    parts: list[Part] = []
    first = sentence = 0
    last = len(tokens) - 1
    for index, token in enumerate(tokens):
        cut, ends = _cuts(reading, index) if token.kind == "s" else (False, False)
        if gaps and index < last and reading.offsets[tokens[index + 1].start] - reading.offsets[token.end - 1] > 1:
            cut, ends = _gap(reading, index, cut=cut, ends=ends)
        if (cut and len(parts) < _MOST - 1) or index == last:
            parts.append(_part(reading, first, index + 1, sentence, words))
            first = index + 1
            sentence += ends
    return parts


def _gap(reading: Reading, index: int, *, cut: bool, ends: bool) -> tuple[bool, bool]:
    """Whether what stands between a token and the next one ends a clause or a sentence: a line, a space behind Han."""
    token, following = reading.tokens[index], reading.tokens[index + 1]
    gap = reading.raw[reading.offsets[token.end - 1] + 1 : reading.offsets[following.start]]
    if "\n" in gap:
        return True, True
    return cut or bool(gap and token.kind == following.kind == "h"), ends


def _cuts(reading: Reading, index: int) -> tuple[bool, bool]:
    """Whether a sign ends a clause, and whether it ends a sentence."""
    tokens = reading.tokens
    token = tokens[index]
    if token.text == ".":
        ends = index + 1 >= len(tokens) or not tokens[index + 1].glued
        return ends, ends
    if token.text == ":" and index + 1 < len(tokens) and tokens[index + 1].glued and tokens[index + 1].kind == "n":
        return False, False
    return token.text in _BREAKS, token.text in _SENTENCE_ENDS


def _part(reading: Reading, first: int, last: int, sentence: int, words: Mapping[str, Sequence[str]]) -> Part:
    tokens = reading.tokens
    start, end = tokens[first].start, tokens[last - 1].end
    return Part(first, last, start, end, sentence, _kind(reading, first, last, words), tokens[last - 1].text == "?")


def _kind(reading: Reading, first: int, last: int, words: Mapping[str, Sequence[str]]) -> str:
    """What a clause is, by how it begins and by its share of signs and numbers."""
    tokens = reading.tokens
    text = reading.flat[tokens[first].start : tokens[last - 1].end]
    for kind in ("log", "code"):
        if any(map(text.__contains__, words[kind])):
            return kind
    size = last - first
    if size < _LEAST_PASTED:
        return "prose"
    shape = reading.shape[first:last]
    signs = shape.count("s") + shape.count("n")
    if text.count("|") >= 2:
        return "table"
    return "log" if shape.count("h") == 0 and signs / size > 1 - _PASTED_SIGNS else "prose"


def words_of(content: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The words by which pasted text is known, from the lexicon of roles."""
    return {kind: tuple(str(word) for word in content["clauses"][kind]) for kind in ("log", "code")}
