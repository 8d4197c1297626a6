"""An answer of lines in one language: what a group sees of it, what a private chat sees, and the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Final

from advisor.models import Note
from bot.core.answers import Answer
from bot.core.line import Block, Depth, Line, Listing, Single, Table
from bot.words.sentences import Sentences

_MARKS: Final[dict[str, tuple[str, ...]]] = {"zh": ("\u2460 ", "\u2461 ", "\u2462 "), "en": ("1) ", "2) ", "3) ")}
"""How the parts of an answer are numbered where a message asks several things."""
_SHOWN: Final = {
    Depth.GROUP: frozenset({Depth.GROUP}),
    Depth.PRIVATE: frozenset({Depth.GROUP, Depth.PRIVATE}),
    Depth.DETAILS: frozenset(Depth),
}
"""What each form shows of the blocks."""


@dataclass(frozen=True, slots=True)
class Bodies:
    """The words of an answer for each form, without what every answer carries."""

    group: str
    private: str
    details: str


def told(answer: Answer, sentences: Sentences) -> Bodies:
    """The bodies of an answer that has lines.

    Raises:
        LookupError: a line has no sentence, or its sentence needs a value that the line lacks.
    """
    say = sentences.say
    marks = _MARKS[sentences.language] if len(answer.headline) > 1 else ("",)
    heads = [f"{mark}**{say(line)}**" for mark, line in zip(cycle(marks), answer.headline, strict=False)]
    lines = [say(line) for line in answer.lines]
    remarks = [f"> {sentences.word(note)}" for note in answer.notes]
    more = [say(line) for line in answer.more]

    def body(depth: Depth) -> str:
        blocks = [_block(block, sentences) for block in answer.blocks if block.depth in _SHOWN[depth]]
        last = more if depth is Depth.DETAILS else []
        # remarks stand before tables, so that they are not what a short form leaves out
        parts = [*heads, *lines, *remarks, *blocks, *last]
        return "\n\n".join(parts)

    return Bodies(body(Depth.GROUP), body(Depth.PRIVATE), body(Depth.DETAILS))


def _block(block: Block, sentences: Sentences) -> str:
    title = [f"**{sentences.say(block.title)}**"] if block.title is not None else []
    inner = _table(block, sentences) if isinstance(block, Table) else _listing(block, sentences)
    return "\n\n".join([*title, inner])


def _table(table: Table, sentences: Sentences) -> str:
    rows = [_row(table.columns, sentences), f"|{' --- |' * len(table.columns)}"]
    return "\n".join([*rows, *(_row(row, sentences) for row in table.rows)])


def _row(cells: Sequence[Single], sentences: Sentences) -> str:
    return f"| {' | '.join('' if cell is None else sentences.word(cell) for cell in cells)} |"


def _listing(listing: Listing, sentences: Sentences) -> str:
    return "\n".join(f"- {_item(line, sentences)}" for line in listing.lines)


def _item(line: Line | Note, sentences: Sentences) -> str:
    return sentences.say(line) if isinstance(line, Line) else sentences.word(line)
