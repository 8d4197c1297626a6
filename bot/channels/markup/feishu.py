"""Writes blocks as the Markdown of Feishu's cards (JSON 2.0), which has lists, quotes and tables of its own.

What would start a construct is written as its entity, as Feishu's page on rich text asks.
"""

from __future__ import annotations

import re
from typing import Final

from bot.channels.markup.blocks import Block, Line, Run, parse

_SPECIAL: Final = re.compile(r"[*~<>`\[\]|\\_&#]")
_LINE_START: Final = re.compile(r"\A(\s*)([+-]|\d+(?=[.)]))")


def feishu_markdown(text: str) -> str:
    """A reply as one text; empty for one without content."""
    return "\n".join(written for block in parse(text) if (written := _block(block)))


def _block(block: Block) -> str:
    if block.kind == "table":
        head, *rows = ([_line(cell) for cell in row] for row in block.rows)
        # a table is known by the empty line before it
        return "\n" + "\n".join(map(_row, [head, ["---"] * len(head), *rows])) + "\n"
    if block.kind == "list":
        marked = zip(block.lines, block.indents, strict=True)
        return "\n".join(f"{'    ' * indent}- {_line(line)}" for line, indent in marked)
    head_ = {"heading": "### ", "note": "> "}.get(block.kind, "")
    lines = [f"{head_}{_line(line)}" if head_ else _opened(_line(line)) for line in block.lines]
    return ("\n" if block.gap else "") + "\n".join(lines)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _opened(line: str) -> str:
    """A line that would begin a list says so by an entity."""
    return _LINE_START.sub(lambda found: f"{found[1]}&#{ord(found[2][0])};{found[2][1:]}", line)


def _line(line: Line) -> str:
    return "".join(map(_run, line))


def _run(run: Run) -> str:
    text = _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", run.text)
    if run.url:
        return f"[{text}]({run.url})"
    inner = text.strip()
    return text.replace(inner, f"**{inner}**", 1) if run.bold and inner else text
