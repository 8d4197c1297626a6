"""Lines that fit the terminal: words of Latin stay whole, Chinese breaks between characters, but never before a mark
that closes and never behind one that opens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rich.cells import cell_len

_WIDE: Final = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60\u3000-\u303f"
"""Chinese characters and the marks that go with them."""
_PIECES: Final = re.compile(rf"\s+|[{_WIDE}]|[^\s{_WIDE}]+")
_WIDE_CLOSING: Final = "\uff0c\u3002\uff1a\uff1b\uff01\uff1f\uff09\u300b\u300d\u300f\u3011\u3001\u201d\u2019"
_CLOSING: Final = frozenset(_WIDE_CLOSING + ",.:;!?)]}%")
_OPENING: Final = frozenset("\uff08\u300a\u300c\u300e\u3010\u201c\u2018([{")
_LEAST: Final = 20
_LEAST_ROWS: Final = 6
_BELOW: Final = 3
"""Rows kept for what was typed, the line that says that there is more, and the next input."""


def wrapped(text: str, width: int) -> str:
    """The text with lines of at most so many cells; what has no place to break is left long.

    Lines of a table and indented code stay as they are.
    """
    limit = max(width, _LEAST)
    return "\n".join(part for line in text.split("\n") for part in _lines(line, limit))


def screens(text: str, columns: int, rows: int) -> list[str]:
    """The wrapped text in parts that each fit a terminal with its input line: the first line is never scrolled away."""
    lines = wrapped(text, columns).split("\n")
    height = max(rows - _BELOW, _LEAST_ROWS)
    if len(lines) <= height:
        return ["\n".join(lines)]
    return ["\n".join(lines[start : start + height]) for start in range(0, len(lines), height)]


def _lines(line: str, width: int) -> Iterator[str]:
    if cell_len(line) <= width or line.lstrip().startswith("|"):
        yield line
        return
    indent = " " * _hanging(line)
    made = ""
    for chunk in _chunks(line):
        if made.strip() and cell_len(made) + cell_len(chunk.rstrip()) > width:
            yield made.rstrip()
            made = indent + chunk.lstrip()
        else:
            made += chunk
    if made.strip():
        yield made.rstrip()


def _hanging(line: str) -> int:
    """Cells that a continued line is moved in by: below the text of an item."""
    head = re.match(r"\s*(?:[-*\u2022]|\d+\.)\s+|\s*", line)
    return len(head.group()) if head else 0


def _chunks(line: str) -> Iterator[str]:
    """Parts that stay together: a word or a character, with the marks that belong to it and the space behind."""
    held = ""
    for piece in _PIECES.findall(line):
        joins = piece[0] in _CLOSING or piece.isspace() or (held and held[-1] in _OPENING)
        if held and not joins:
            yield held
            held = ""
        held += piece
    if held:
        yield held
