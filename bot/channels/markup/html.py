"""Writes blocks as Telegram HTML and splits them at Telegram's limit.

Telegram counts 4096 UTF-16 units after parsing; counting the markup too keeps a little below and needs no parser.
Source: Bot API, sendMessage and "HTML style".
"""

from __future__ import annotations

from bot.channels.markup.blocks import Block, Line, Run, parse
from bot.channels.markup.split import Piece, pack
from bot.channels.markup.tables import colon, display_width, layout, records

TEXT_LIMIT = 4096
CAPTION_LIMIT = 1024
_TABLE_COLUMNS = 60  # wider ones wrap even on large phones held upright, and a wrapped table cannot be read


def utf16_length(text: str) -> int:
    """Length in UTF-16 code units, which is what Telegram counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def escape_html(text: str) -> str:
    """The three characters that Telegram's parser reads."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def telegram_html(text: str, limit: int = TEXT_LIMIT) -> list[str]:
    """A reply as HTML messages, in order; none for a text without content."""
    pieces = [piece for block in parse(text) for piece in _pieces(block)]
    return [part for part in pack(pieces, _write, utf16_length, limit) if part.strip()]


def _pieces(block: Block) -> list[Piece]:
    if block.kind == "heading":
        lines = tuple(tuple(_bold(run) for run in line) for line in block.lines)
        return [Piece(lines, gap=block.gap)]
    if block.kind == "list":
        lines = tuple(
            (Run("    " * indent + "\u2022 "), *line) for line, indent in zip(block.lines, block.indents, strict=True)
        )
        return [Piece(lines, gap=block.gap)]
    if block.kind == "note":
        return [Piece(block.lines, "<blockquote>", "</blockquote>", gap=block.gap)]
    if block.kind == "table":
        return [_table(block)]
    return [Piece(block.lines, gap=block.gap)]


def _table(block: Block) -> Piece:
    rows = layout(block)
    if max(map(display_width, rows)) <= _TABLE_COLUMNS:
        return Piece(tuple((Run(row),) for row in rows), "<pre>", "</pre>", repeat=2, gap=block.gap)
    lines: list[Line] = []
    for name, rest in records(block):
        lines.append((Run(name, bold=True), Run(f"{colon(name + rest)}{rest}" if rest else "")))
    return Piece(tuple(lines), gap=block.gap)


def _bold(run: Run) -> Run:
    return Run(run.text, bold=not run.code, code=run.code, url=run.url)


def _write(line: Line) -> str:
    return "".join(map(_write_run, line))


def _write_run(run: Run) -> str:
    text = escape_html(run.text)
    if not text.strip():
        return text
    if run.code:
        return f"<code>{text}</code>"
    if run.url:
        url = escape_html(run.url).replace('"', "&quot;")
        text = f'<a href="{url}">{text}</a>'
    return f"<b>{text}</b>" if run.bold else text
