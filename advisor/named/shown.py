"""How results show themselves: one line at the prompt, a small table in a notebook, records for everything else."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

Cell = str | int | float | bool | None
Row = Mapping[str, Cell]
Plain = Cell | list["Plain"] | dict[str, "Plain"]
"""What JSON can hold."""
_DIGITS: Final = 6
_MOST_ROWS: Final = 12


def plain(value: object) -> Plain:
    """A result, or a part of one, as JSON holds it: days as text, numbers to six figures."""
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return _cell(value)


def _cell(value: object) -> Cell:
    """A single value as JSON holds it."""
    if isinstance(value, (Decimal, float)):
        return short(value)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, date):
        return value.isoformat()
    return value if value is None or isinstance(value, (str, int, bool)) else str(value)


def short(value: Decimal | float) -> float:
    """A number to six figures: more than any estimate knows."""
    return float(f"{float(value):.{_DIGITS}g}")


class Shown:
    """What all results can do. A subclass says `brief` (its one line) and `rows` (its table)."""

    __slots__ = ()

    @property
    def brief(self) -> str:
        """The result in a few words, codes and numbers only."""
        raise NotImplementedError

    @property
    def rows(self) -> tuple[Row, ...]:
        """The table behind it; all rows have the same columns."""
        raise NotImplementedError

    def as_dict(self) -> dict[str, Plain]:
        """Everything as JSON holds it."""
        made = plain(self)
        return made if isinstance(made, dict) else {}

    def __repr__(self) -> str:
        """One line."""
        return f"{type(self).__name__}({self.brief})"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        """A heading and a small table, for notebooks; everything is escaped."""
        heading = f"<strong>{html.escape(self.brief)}</strong>"
        return heading + _table(self.rows[:_MOST_ROWS])

    def to_frame(self) -> DataFrame:
        """The rows as a pandas table.

        Raises:
            ImportError: pandas is not installed.
        """
        pandas = _library("pandas", "to_frame()", "pandas")
        frame: DataFrame = pandas.DataFrame([dict(row) for row in self.rows])
        return frame

    def plot(self) -> Figure:
        """The rows as a picture.

        Raises:
            ImportError: matplotlib is not installed.
            TypeError: there is nothing to draw for this kind of result.
        """
        _library("matplotlib", "plot()", "xuanka[charts]")
        from advisor.named.plots import drawn

        return drawn(self)


def _library(name: str, wants: str, install: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(f"{wants} needs {name}: pip install '{install}'") from None


def columns_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """Columns that hold something in at least one row, in the order of the rows."""
    named = dict.fromkeys(name for row in rows for name in row)
    return tuple(name for name in named if any(row.get(name) not in (None, "") for row in rows))


def cell_text(value: Cell) -> str:
    """A cell as people read it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return str(value)


def _table(rows: Sequence[Row]) -> str:
    columns = columns_of(rows)
    head = _cells("th", columns)
    body = "".join(f"<tr>{_cells('td', [cell_text(row.get(one)) for one in columns])}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cells(tag: str, texts: Iterable[str]) -> str:
    return "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in texts)
