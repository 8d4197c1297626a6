"""An answer of lines in one language: what its reader sees first of it, in a group or a private chat, and the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Final

from bot.core.answers import Answer
from bot.core.line import Block, Depth, Line, Listing, Prose, Single, Table, is_true
from bot.core.passages import PassageView
from bot.words.sentences import Sentences

_MARKS: Final[dict[str, tuple[str, ...]]] = {"zh": ("\u2460 ", "\u2461 ", "\u2462 "), "en": ("1) ", "2) ", "3) ")}
"""How the parts of an answer are numbered where a message asks several things."""
_ORDER: Final = {depth: place for place, depth in enumerate(Depth)}


@dataclass(frozen=True, slots=True)
class Bodies:
    """The words of an answer: what is seen first, and the whole, without what every answer carries."""

    first: str
    details: str


def told(answer: Answer, sentences: Sentences, depth: Depth = Depth.GROUP) -> Bodies:
    """The bodies of an answer that has lines; `depth` is the form that its reader sees first.

    A line whose claim its figures do not bear out is not said.

    Raises:
        LookupError: a line has no sentence, or its sentence needs a value that the line lacks.
    """
    word = sentences.word
    opening = [line for line in answer.headline if is_true(line)]
    marks = _MARKS[sentences.language] if len(opening) > 1 else ("",)
    bold = "" if answer.is_talk else "**"
    heads = [f"{mark}{bold}{_opened(word(line))}{bold}" for mark, line in zip(cycle(marks), opening, strict=False)]
    lines = [word(line) for line in answer.lines if is_true(line)]
    remarks = [f"> {word(note)}" for note in answer.notes]
    worded = [(block, _block(block, sentences)) for block in answer.blocks if _shows(block, depth, Depth.DETAILS)]
    documents = _documents(answer.told.documents, sentences)

    def body(depth: Depth) -> str:
        shown = [(block.depth, text) for block, text in worded if _shows(block, depth)]
        first = [text for begun, text in shown if begun is Depth.GROUP]
        blocks = [text for begun, text in shown if begun is not Depth.GROUP]
        last = [] if depth is Depth.GROUP else documents
        more = [word(line) for line in answer.more] if depth is Depth.DETAILS else []
        # remarks stand before tables, so that they are not what a short form leaves out
        return "\n\n".join([*heads, *lines, *first, *remarks, *blocks, *last, *more])

    return Bodies(body(depth), body(Depth.DETAILS))


def _shows(block: Block, *depths: Depth) -> bool:
    """Whether one of these forms has a block."""
    return any(_ORDER[block.depth] <= _ORDER[depth] <= _ORDER[block.last] for depth in depths)


def _opened(text: str) -> str:
    """A headline that begins with an article begins with a capital."""
    return f"A{text[1:]}" if text.startswith(("a ", "an ")) else text


def _documents(views: Sequence[PassageView], sentences: Sentences) -> list[str]:
    """What the documents say, a passage an item with its year."""
    if not views:
        return []
    items = [
        Line(
            "documents.passage",
            {
                "title": view.title,
                "as_of": view.as_of,
                "full": Prose(view.full),
                "today": Prose(view.today) if view.today else None,
            },
        )
        for view in views
    ]
    return [f"### {sentences.say(Line('documents.title'))}", "\n\n".join(f"- {sentences.say(one)}" for one in items)]


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
    indents = listing.indents or (0,) * len(listing.lines)
    items = [(depth, line) for depth, line in zip(indents, listing.lines, strict=True) if is_true(line)]
    return "\n".join(f"{'  ' * depth}- {sentences.word(line)}" for depth, line in items)
