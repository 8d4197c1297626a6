"""A result in the shape that was asked for: for a terminal, as JSON, Markdown or CSV."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from advisor.named.shown import Cell, Row, Shown, cell_text, columns_of
from advisor.named.values import Assumed, Source
from bot.cli.telling import Saying, told
from bot.cli.wrapping import wrapped

_DROPPED: Final = (
    "source", "id", "age", "low", "high", "terms", "year", "fp16_tflops", "power_w", "active_b", "channel", "need_gib",
    "unit",
)  # fmt: skip
"""Columns that go first where a terminal is narrow, in this order."""
_PADDING: Final = 2
_MOST_ROWS: Final = 30
_LEAST_ROWS: Final = 5
_AROUND: Final = 4
"""Lines beside text and rows: what was typed, the head of the table, what is left out, the next input."""
_COLOURS: Final = {"fits": "green", "tight": "yellow", "no": "red", "best": "bold"}
_MOST_SOURCES: Final = 6
_CODED: Final = frozenset({"terms", "part", "task", "kind", "role", "channel"})
"""Columns whose words are codes of the program, not names of things."""


class Shape(StrEnum):
    """How a result is written."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    CSV = "csv"


def shaped(result: Shown, shape: Shape, say: Saying) -> str:
    """A result as a text; for programs with codes as they are, for people in their words.

    CSV is the table alone, one record a line; JSON is everything.
    """
    if shape is Shape.JSON:
        return json.dumps(result.as_dict(), ensure_ascii=False, indent=1)
    if shape is Shape.CSV:
        return as_csv(result.rows)
    return _as_markdown(result, say)


def as_csv(rows: Sequence[Row]) -> str:
    """Rows as one table, with the columns of all of them."""
    out = io.StringIO()
    columns = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: "" if value is None else value for key, value in row.items()} for row in rows)
    return out.getvalue().rstrip("\n")


def _as_markdown(result: Shown, say: Saying) -> str:
    lines = list(told(result, say))
    parts = [f"**{lines[0]}**", *lines[1:]]
    columns = columns_of(result.rows)
    if columns:
        head = [say.named("column", name) for name in columns]
        body = [[_worded(name, row.get(name), say).replace("|", "\\|") for name in columns] for row in result.rows]
        table = [head, ["---"] * len(head), *body]
        parts += ["", *("| " + " | ".join(cells) + " |" for cells in table)]
    parts += [f"\n{line}" for line in _assumed(result, say)]
    dated = [_reference(one, say) for one in sources_of(result)]
    return "\n".join([*parts, *([f"\n{say('sources')}\n", *dated] if dated else [])])


def _title(source: Source, say: Saying) -> str:
    return source.title_zh if say.language == "zh" and source.title_zh else source.title


def _reference(source: Source, say: Saying) -> str:
    title = _title(source, say)
    link = f"[{title}]({source.url})" if source.url else title
    return f"- {link} ({source.as_of})" if source.as_of else f"- {link}"


def sources_of(result: Shown) -> tuple[Source, ...]:
    """Sources of a result; lists of the catalogue have none of their own."""
    found: tuple[Source, ...] = getattr(result, "sources", ())
    return found


def _assumed(result: Shown, say: Saying) -> list[str]:
    found: tuple[Assumed, ...] = getattr(result, "assumed", ())
    values = ", ".join(
        f"{say.named('column', one.field).replace('_', ' ')} {_worded(one.field, one.value, say)}" for one in found
    )
    return [say("assumed", values=values)] if values else []


def _worded(column: str, value: Cell, say: Saying) -> str:
    """A cell as people read it. Names keep their underscores ("efficientnet_b7"), codes lose them."""
    if not isinstance(value, str):
        return cell_text(value)
    if column == "provider":
        return say.provider(say.named("value", value))
    if column not in _CODED:
        return say.named("value", value)
    return ", ".join(say.named("value", one).replace("_", " ") for one in value.split(", "))


# --- for a terminal --------------------------------------------------------------------------------------------------


def terminal() -> Console:
    """Standard output: coloured where it is a terminal, as wide as it is, or as COLUMNS says."""
    return Console(file=sys.stdout, highlight=False, soft_wrap=False)


def show(result: Shown, say: Saying, console: Console | None = None) -> None:
    """Write a result for a person: headline, lines, a table that fits, what was assumed, sources."""
    out = console or terminal()
    headline, *lines = told(result, say)
    out.print(Text(wrapped(headline, out.width), style="bold"), soft_wrap=True)
    for line in lines:
        out.print(Text(wrapped(line, out.width)), soft_wrap=True)
    assumed, sources = _assumed(result, say), sources_of(result)[:_MOST_SOURCES]
    if result.rows:
        room = _room(out, [headline, *lines, *assumed, *(_cited(one, say) for one in sources)])
        out.print(table_of(result.rows, say, out.width, room))
        if len(result.rows) > room:
            out.print(Text(say("more_rows", count=len(result.rows) - room), style="dim"))
    for line in assumed:
        out.print(Text(wrapped(line, out.width), style="dim"), soft_wrap=True)
    for one in sources:
        out.print(_linked(one, say), soft_wrap=True)


def _room(out: Console, others: Sequence[str]) -> int:
    """Rows of a table that leave the first line in sight on a terminal."""
    if not out.is_terminal:
        return _MOST_ROWS
    taken = sum(-(-cell_len(line) // out.width) for line in others)
    return max(out.height - taken - _AROUND, _LEAST_ROWS)


def _linked(one: Source, say: Saying) -> str:
    title, day = escape(_title(one, say)), f" ({one.as_of})" if one.as_of else ""
    link = f"[link={one.url}]{title}[/link]" if one.url else title
    return f"[dim]- {link}{day}[/dim]"


def _cited(one: Source, say: Saying) -> str:
    return f"- {_title(one, say)} ({one.as_of})"


def table_of(rows: Sequence[Row], say: Saying, width: int, most: int = _MOST_ROWS) -> Table:
    """The rows as a table that is no wider than the terminal: the least important columns go first."""
    shown = rows[:most]
    columns = _within([_column(name, shown, say) for name in columns_of(rows)], width)
    table = Table(box=None, pad_edge=False, padding=(0, _PADDING, 0, 0), header_style="dim")
    for column in columns:
        table.add_column(column.head, justify="right" if column.is_numeric else "left", overflow="fold")
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*cells)
    return table


@dataclass(frozen=True, slots=True)
class _Column:
    """One column in words."""

    name: str
    head: str
    cells: list[Text]
    is_numeric: bool

    @property
    def width(self) -> int:
        """Cells of the terminal that it takes."""
        return max(map(cell_len, (self.head, *(cell.plain for cell in self.cells)))) + _PADDING


def _column(name: str, rows: Sequence[Row], say: Saying) -> _Column:
    values = [row.get(name) for row in rows]
    cells = [Text(_worded(name, value, say), style=_style(value)) for value in values]
    return _Column(name, say.named("column", name), cells, not any(isinstance(value, str) for value in values))


def _within(columns: list[_Column], width: int) -> list[_Column]:
    """The columns that have room; of those that may be dropped, as many as need be."""
    for name in _DROPPED:
        if sum(column.width for column in columns) <= width:
            break
        columns = [column for column in columns if column.name != name]
    return columns


def _style(value: Cell) -> str:
    return _COLOURS.get(value, "") if isinstance(value, str) else ""
