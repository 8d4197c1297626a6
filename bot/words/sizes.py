"""How long a reply may be: lines are kept by weight until it fits a chat, the first line always.

A group sees the answer, a private chat more of it; what is left out stands behind a button.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final

_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f\uff1b])")
_RULE: Final = re.compile(r"^\|[-| :]+\|?$")
_LEAST_LINES: Final = 3
"""Lines of the body for which there is a place whatever the tail holds."""
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


def fitted(body: str, tail: str, size: Size) -> str:
    """Body and tail within bounds: as many of the body's lines as there is room for, in their order, and the tail.

    Args:
        body: the answer; its first line is kept whatever its length, a longer one is cut at the end of a sentence.
        tail: what every answer carries (assumptions, what sources say); there is always room for it.
        size: the bounds.
    """
    lines = _stacked([line for line in body.splitlines() if line.strip()], size)
    rest = [line for line in tail.splitlines() if line.strip()]
    if not lines:
        return "\n".join(rest)
    kept = [_cut(lines[0], size.characters) or lines[0]]
    room = size.characters - sum(map(len, (*kept, *rest)))
    places = max(size.lines - len(rest), _LEAST_LINES)
    for line in lines[1:]:
        shown = _cut(line, max(room, 0)) if len(kept) < places else ""
        if not shown:
            break
        kept.append(shown)
        room -= len(shown)
    kept += rest
    return _joined(kept)


def remarks_first(body: str) -> str:
    """A body whose remarks stand before its first table or section, so that they are not what is left out."""
    lines = [line for line in body.splitlines() if line.strip()]
    block = next((at for at, line in enumerate(lines) if line.startswith(("#", "|"))), len(lines))
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
    return sum(1 if one.isascii() else 2 for one in line)


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
