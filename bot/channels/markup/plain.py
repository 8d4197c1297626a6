"""Plain text for consoles and logs of tests: no styles, links written out, tables aligned."""

from __future__ import annotations

from bot.channels.markup.blocks import Block, Line, parse
from bot.channels.markup.tables import layout


def plain_text(text: str) -> str:
    """A reply as people read it in a terminal."""
    pieces: list[str] = []
    for block in parse(text):
        if pieces:
            pieces.append("\n\n" if block.gap else "\n")
        pieces.append("\n".join(_lines(block)))
    return "".join(pieces)


def _lines(block: Block) -> list[str]:
    if block.kind == "table":
        return layout(block)
    if block.kind == "list":
        return [f"{'  ' * indent}- {_text(line)}" for line, indent in zip(block.lines, block.indents, strict=True)]
    if block.kind == "note":
        return [f"> {_text(line)}" for line in block.lines]
    return [_text(line) for line in block.lines]


def _text(line: Line) -> str:
    return "".join(f"{run.text} ({run.url})" if run.url and run.url != run.text else run.text for run in line)
