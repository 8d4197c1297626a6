"""Writes blocks as Discord's Markdown, split at a limit of characters. It has no tables: they stand in code."""

from __future__ import annotations

import re
from typing import Final

from bot.channels.markup.blocks import Block, Line, Run, parse
from bot.channels.markup.split import Piece, pack
from bot.channels.markup.tables import layout

LIMIT: Final = 2000
"""Characters of one message. Source: Discord's reference of messages."""
_SPECIAL: Final = re.compile(r"([\\`*_~|\[\]<>@#])")
_LINE_START: Final = re.compile(r"\A(\s*)([#>-])")
_RAW: Final = "\0"
"""Marks a run that is markup of ours; control characters never come out of the parser."""
_FENCE: Final = "```"


def discord_markdown(text: str, limit: int = LIMIT) -> list[str]:
    """A reply as messages, in order; none for a text without content."""
    pieces = [_piece(block) for block in parse(text)]
    return [part for part in pack(pieces, _write, len, limit) if part.strip()]


def _piece(block: Block) -> Piece:
    if block.kind == "table":
        lines = tuple((Run(_RAW + line.replace("`", "'")),) for line in layout(block))
        return Piece(lines, open=f"{_FENCE}\n", close=f"\n{_FENCE}", repeat=2, gap=block.gap)
    if block.kind == "list":
        marked = zip(block.lines, block.indents, strict=True)
        return Piece(tuple((Run(f"{_RAW}{'  ' * indent}- "), *line) for line, indent in marked), gap=block.gap)
    head = {"heading": "### ", "note": "> "}.get(block.kind)
    if head is not None:
        return Piece(tuple((Run(_RAW + head), *line) for line in block.lines), gap=block.gap)
    return Piece(block.lines, gap=block.gap)


def _write(line: Line) -> str:
    written = "".join(map(_write_run, line))
    ours = bool(line) and line[0].text.startswith(_RAW)
    return written if ours else _LINE_START.sub(r"\1\\\2", written)


def _write_run(run: Run) -> str:
    if run.text.startswith(_RAW):
        return run.text[1:]
    if run.code:
        return f"`{run.text.replace('`', chr(0x2019))}`"
    text = _SPECIAL.sub(r"\\\1", run.text)
    if run.url:
        return f"[{text}](<{run.url}>)"
    inner = text.strip()
    return text.replace(inner, f"**{inner}**", 1) if run.bold and inner else text
