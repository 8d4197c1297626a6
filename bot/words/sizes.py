"""How long a reply may be: lines are kept by weight until it fits a chat, the first line always.

A group sees the answer, a private chat more of it; what is left out stands behind a button.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f\uff1b])")
_LEAST_CUT: Final = 24
"""A remainder shorter than this is not worth showing."""


@dataclass(frozen=True, slots=True)
class Size:
    """Bounds of one form: lines that are shown, and characters in all."""

    lines: int
    characters: int


GROUP: Final = {"zh": Size(6, 450), "en": Size(6, 700)}
PRIVATE: Final = {"zh": Size(60, 900), "en": Size(60, 1400)}


def fitted(body: str, tail: str, size: Size) -> str:
    """Body and tail within bounds: the body's lines in their order, then of the tail what still fits.

    Args:
        body: the answer; its first line is kept whatever its length, a longer one is cut at the end of a sentence.
        tail: what every answer carries (assumptions, remarks), the weightiest first; one line of it is reserved for.
        size: the bounds.
    """
    lines = [line for line in body.splitlines() if line.strip()]
    rest = [line for line in tail.splitlines() if line.strip()]
    if not lines:
        return "\n".join(rest)
    first = _cut(lines[0], size.characters)
    kept, used = [first], len(first)
    reserved = rest[:1]
    room = size.characters - sum(map(len, reserved))
    places = size.lines - len(reserved)
    for line in lines[1:]:
        if len(kept) >= places:
            break
        shown = _cut(line, room - used)
        if not shown:
            break
        kept.append(shown)
        used += len(shown)
    for line in rest:
        if len(kept) < size.lines and used + len(line) <= size.characters:
            kept.append(line)
            used += len(line)
    return _joined(kept)


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
