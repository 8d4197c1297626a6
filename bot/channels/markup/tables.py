"""Lays a table out in columns of equal display width, where a Han character is two columns wide."""

from __future__ import annotations

import re
import unicodedata

from bot.channels.markup.blocks import Block, Line

_NUMERIC = re.compile(r"[^\w]{0,3}\d[\d,.\s%x]*(?:\W{0,2}\w{1,6}(?:/\w+)?)?\Z")


def line_text(line: Line) -> str:
    """Characters of a line without their styles."""
    return "".join(run.text for run in line)


def display_width(text: str) -> int:
    """Columns that a text takes in a monospaced font."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def layout(block: Block) -> list[str]:
    """The table as aligned lines: header, rule, rows. Columns of figures stand to the right."""
    rows = [[" ".join(line_text(cell).split()) for cell in row] for row in block.rows]
    columns = max(map(len, rows))
    rows = [row + [""] * (columns - len(row)) for row in rows]
    widths = [max(display_width(row[index]) for row in rows) for index in range(columns)]
    right = [_holds_figures([row[index] for row in rows[1:]]) for index in range(columns)]
    lines = ["  ".join(map(_pad, row, widths, right)).rstrip() for row in rows]
    return [lines[0], "-" * max(display_width(line) for line in lines), *lines[1:]]


def _holds_figures(cells: list[str]) -> bool:
    """Whether a column holds nothing but figures, empty cells aside; one without rows holds none."""
    return bool(cells) and all(_NUMERIC.match(cell) or not cell for cell in cells)


def records(block: Block) -> list[tuple[str, str]]:
    """The table as (first cell, the other cells named by their headers), for screens too narrow for its columns."""
    header, *rows = [[line_text(cell) for cell in row] for row in block.rows]
    found = []
    for row in rows:
        named = [
            f"{name}{colon(name + value)}{value}" for name, value in zip(header[1:], row[1:], strict=False) if value
        ]
        found.append((row[0] if row else "", " \u00b7 ".join(named)))
    return found


def colon(text: str) -> str:
    """The colon that goes with a text: full-width between Han, else with a space."""
    return "\uff1a" if display_width(text) > len(text) else ": "


def _pad(text: str, width: int, right: bool) -> str:
    space = " " * (width - display_width(text))
    return space + text if right else text + space
