"""How long a reply may be: lines are kept by weight until it fits a chat, the first line always.

A group sees the answer, a private chat more of it; what is left out stands behind a button.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final

_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f\uff1b])")
_RULE: Final = re.compile(r"^\|[-| :]+\|?$")
_HEAD: Final = re.compile(r"#+ .*|\*\*[^*:\uff1a\u3002]+\*\*")
"""A title that stands above others and says nothing without them; what answers a second part has a colon or a stop."""
_LEAST_LINES: Final = 3
"""Lines of the body for which there is a place whatever the tail holds."""
OWN_LINES: Final = 1
"""Lines of an answer below its first that go before what documents say beside it."""
_BREAK: Final = 2
"""Characters between two lines."""
_LEAST_CUT: Final = 24
"""A remainder shorter than this is not worth showing."""


@dataclass(frozen=True, slots=True)
class Size:
    """Bounds of one form: lines that are shown, and characters in all."""

    lines: int
    characters: int
    columns: int = 0
    """Width of the widest table that is shown; a Han character is two. A wider one is stacked, an entry a line."""


GROUP: Final = {"zh": Size(6, 450), "en": Size(6, 700)}
PRIVATE: Final = {"zh": Size(60, 900, 40), "en": Size(60, 1400, 40)}
PAGE: Final = {"zh": Size(60, 1500, 160), "en": Size(60, 2200, 160)}
"""A private chat on a page of a browser: there tables are tables, and cost a reader little."""


UNCUT: Final = Size(1000, 100_000)
"""Everything, but no tables."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a reply is put together from."""

    body: str
    """The answer; its first line is kept whatever its length, a longer one is cut at the end of a sentence."""
    tail: str = ""
    """What every answer carries: assumptions, what sources say."""
    beside: str = ""
    """What the documents say beside it: shown where the lines that go before it leave room."""
    before: int = OWN_LINES
    """Lines of the body below its first that go before what stands beside."""


def fitted(parts: Parts, size: Size) -> str:
    """The parts within bounds: the first lines of the body, the tail, what stands beside, then more of the body."""
    lines = _stacked(_lines_of(parts.body), size)
    rest, beside = _lines_of(parts.tail), _lines_of(parts.beside)
    if not lines:
        return "\n".join((*rest, *beside))
    kept = [_cut(lines[0], size.characters) or lines[0]]
    wanted = list(zip(lines, _widths(lines), strict=True))[1:]
    room = size.characters - len(kept[0]) - _BREAK
    tail, room = _within([(line, len(line)) for line in rest], room, size.lines - 1)
    places = max(size.lines - len(tail) - 1, _LEAST_LINES - 1)
    first = min(places - bool(beside), parts.before if beside else places)
    own, room = _within(wanted, room, first)
    said, room = _within([(line, len(line)) for line in beside], room, places - len(own))
    if beside and len(own) == first:
        more, room = _within(wanted[first:], room, places - len(own) - len(said))
        own += more
    while own and _HEAD.fullmatch(own[-1]):
        own.pop()  # what it heads had no room
    return _joined([*kept, *own, *tail, *said])


def _lines_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def _within(lines: Sequence[tuple[str, int]], room: int, places: int) -> tuple[list[str], int]:
    """The first of these lines for which there is room, and what room is left; the last of them may be cut.

    `lines`: each with the characters that it takes as a chat shows it.
    """
    kept: list[str] = []
    for line, wide in lines[: max(places, 0)]:
        padding = wide - len(line)
        shown = _cut(line, max(room - padding - _BREAK, 0))
        if not shown:
            break
        kept.append(shown)
        room -= len(shown) + padding + _BREAK
    return kept, room


def _widths(lines: list[str]) -> list[int]:
    """Characters of each line as a chat without tables shows it: the rows of a table are all as wide as the widest."""
    widths: list[int] = []
    for is_table, run in groupby(lines, key=_is_row):
        block = list(run)
        widest = max(map(_width, block)) if is_table else 0
        widths += [max(widest, len(line)) for line in block]
    return widths


def remarks_first(body: str) -> str:
    """A body whose remarks stand before its first table or section, so that they are not what is left out."""
    lines = [line for line in body.splitlines() if line.strip()]
    block = next((at for at, line in enumerate(lines) if at and (_is_row(line) or _HEAD.fullmatch(line))), len(lines))
    remarks = [line for line in lines[block:] if line.startswith("> ")]
    return "\n".join([*lines[:block], *remarks, *(line for line in lines[block:] if not line.startswith("> "))])


def _stacked(lines: list[str], size: Size) -> list[str]:
    """The lines with tables that are too wide told entry by entry."""
    told: list[str] = []
    for is_table, run in groupby(lines, key=_is_row):
        block = list(run)
        told += _entries(block) if is_table and max(map(_width, block)) > size.columns else block
    return told


def _is_row(line: str) -> bool:
    return line.startswith("|")


def _entries(table: list[str]) -> list[str]:
    """A line for each row: its first cell, then each other that holds something with its heading."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table if not _RULE.match(line)]
    heads = rows[0] if rows else []
    told: list[str] = []
    for row in rows[1:]:
        cells = [f"{head} {cell}".strip() for head, cell in zip(heads[1:], row[1:], strict=False) if cell]
        told.append(f"- {row[0]}: " + " \u00b7 ".join(cells))
    return told


def _width(line: str) -> int:
    return 2 * len(line) - len(line.encode("ascii", "ignore"))


def _cut(line: str, room: int) -> str:
    """A line, or as many of its sentences as there is room for; empty where not even one fits."""
    if len(line) <= room:
        return line
    kept = ""
    for sentence in _SENTENCE.split(line):
        if len(kept) + len(sentence) > room:
            break
        kept = f"{kept} {sentence}" if kept and sentence[:1].isascii() and kept[-1].isascii() else kept + sentence
    if len(kept) < _LEAST_CUT:
        return ""
    return kept.rstrip() + ("**" if kept.count("**") % 2 else "")


def _joined(lines: list[str]) -> str:
    """Lines as neutral Markdown: list items and remarks close together, everything else a paragraph of its own."""
    text = lines[0]
    for before, line in pairwise(lines):
        close = line.lstrip().startswith(("- ", "> ", "| ", "|-")) and before.lstrip()[:1] == line.lstrip()[:1]
        text += ("\n" if close else "\n\n") + line
    return text
