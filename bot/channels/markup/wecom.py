"""Writes blocks as WeCom markdown_v2 and splits them at a limit of UTF-8 bytes.

Headings, bold, lists, quotes, links, code and tables exist there natively. Characters of running text that would start
a construct get a backslash; `<` before a letter gets a word joiner, so that no tag survives.
"""

from __future__ import annotations

import re

from bot.channels.markup.blocks import Block, Line, Run, parse
from bot.channels.markup.split import Piece, pack

BYTE_LIMIT = 20480
_TAG = re.compile(r"<(?=[A-Za-z/@!?])")
_SPECIAL = re.compile(r"([\\`*\[\]|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))")
_LINE_START = re.compile(r"\A(\s*)([#>+-]|\d+(?=[.)]))")
_JOINER = "\u2060"


def utf8_length(text: str) -> int:
    """Length in bytes of UTF-8, which is what WeCom counts."""
    return len(text) if text.isascii() else len(text.encode())


def wecom_markdown(text: str, limit: int = BYTE_LIMIT) -> list[str]:
    """A reply as markdown_v2 messages, in order; none for a text without content."""
    pieces = [_piece(block) for block in parse(text)]
    return [part for part in pack(pieces, _write, utf8_length, limit) if part.strip()]


_RAW = "\0"
"""Marks a run that is markup of ours and must not be escaped; control characters never come out of the parser."""


def _raw(text: str) -> Run:
    return Run(_RAW + text)


def _piece(block: Block) -> Piece:
    if block.kind == "heading":
        return Piece(tuple((_raw("### "), *line) for line in block.lines), gap=block.gap)
    if block.kind == "list":
        lines = tuple(
            (_raw("  " * indent + "- "), *line) for line, indent in zip(block.lines, block.indents, strict=True)
        )
        return Piece(lines, gap=block.gap)
    if block.kind == "note":
        return Piece(tuple((_raw("> "), *line) for line in block.lines), gap=block.gap)
    if block.kind == "table":
        header, *rows = (_row(row) for row in block.rows)
        rule = (_raw("|" + " --- |" * len(block.rows[0])),)
        return Piece((header, rule, *rows), repeat=2, gap=block.gap)
    return Piece(block.lines, gap=block.gap)


def _row(row: tuple[Line, ...]) -> Line:
    line: list[Run] = [_raw("|")]
    for cell in row:
        line += [_raw(" "), *cell, _raw(" |")]
    return tuple(line)


def _write(line: Line) -> str:
    written = "".join(map(_write_run, line))
    if line and not line[0].text.startswith(_RAW):
        return _LINE_START.sub(lambda found: f"{found[1]}\\{found[2]}" if not found[2].isdigit() else found[0], written)
    return written


def _write_run(run: Run) -> str:
    if run.text.startswith(_RAW):
        return run.text[1:]
    text = _TAG.sub(f"<{_JOINER}", run.text)
    if run.code:
        return f"`{text.replace('`', chr(0x2019))}`"
    text = _SPECIAL.sub(r"\\\1", text)
    if run.url:
        text = f"[{text}]({run.url})"
    if run.bold and text.strip():
        inner = text.strip()
        return text.replace(inner, f"**{inner}**", 1)
    return text
