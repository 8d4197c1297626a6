"""The figures of a chart in words, for where no picture can go and for who cannot see one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from advisor.periods import DAYS_A_MONTH
from bot.channels.charts.labels import words
from bot.channels.markup import escape
from bot.core.message import Chart, Language

Series = list[tuple[str, tuple[tuple[float | str, float], ...]]]
_TABLE_ROWS: Final = 12
_MONTHS_FROM_DAYS: Final = 90
"""A time axis that reaches further is told in months."""


def chart_table(chart: Chart, language: Language) -> str:
    """The figures of a chart as a neutral Markdown table, in the words and the unit of time of its picture."""
    series, scale, x_label = in_months(list(chart.series), chart.x_label)
    named = [words(name or chart.y_label, language) for name, _ in series]
    header = [escape(name) for name in (words(x_label, language), *named)]
    keys = list(dict.fromkeys(x for _, points in series for x, _ in points))
    values = [dict(points) for _, points in series]
    step = max(1, -(-len(keys) // _TABLE_ROWS))
    shown = number if scale == 1.0 else _in_brief
    rows = [
        [escape(words(key, language) if isinstance(key, str) else shown(key)), *_cells(key, values)]
        for key in keys[::step]
    ]
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def in_months(series: Series, x_label: str) -> tuple[Series, float, str]:
    """The series, what their time axis was multiplied by, and its name: long spans of days are told in months."""
    longest = max((x for _, points in series for x, _ in points if not isinstance(x, str)), default=0.0)
    if x_label != "days" or longest <= _MONTHS_FROM_DAYS:
        return series, 1.0, x_label
    scale = 1 / DAYS_A_MONTH
    told = [(name, tuple((x if isinstance(x, str) else x * scale, y) for x, y in points)) for name, points in series]
    return told, scale, "months"


def _cells(key: float | str, columns: Sequence[Mapping[float | str, float]]) -> list[str]:
    """The figures of one row; empty where a series has none."""
    return [escape(number(column[key])) if key in column else "" for column in columns]


def _in_brief(value: float) -> str:
    """A number of months, of which nobody wants four digits."""
    return number(float(f"{value:.3g}"))


def number(value: float | str) -> str:
    """A figure as a label: four digits at most, thousands with commas; a name as it is."""
    return value if isinstance(value, str) else f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
