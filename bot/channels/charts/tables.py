"""The figures of a chart in words, for where no picture can go and for who cannot see one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from advisor.periods import DAYS_A_MONTH
from bot.channels.charts.labels import words
from bot.channels.markup import escape
from bot.core.message import Chart, Language

Series = list[tuple[str, tuple[tuple[float | str, float], ...]]]
_Ends = Mapping[float | str, tuple[float, float]]
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
    bands = _bands(chart, scale)
    rows = [[_place(key, scale, language), *_cells(key, values, bands)] for key in keys[::step]]
    lines = [header, ["---"] * len(header), *rows, *_sum(chart, bands, language)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _place(key: float | str, scale: float, language: Language) -> str:
    """The name of a row."""
    if isinstance(key, str):
        return escape(words(key, language))
    return escape(number(key) if scale == 1.0 else _in_brief(key))


def _bands(chart: Chart, scale: float) -> list[_Ends]:
    """The ends of the figures of each series; none over another unit of time, whose rows are others."""
    given = dict(chart.bands) if scale == 1.0 else {}
    return [{x: (low, high) for x, low, high in given.get(name, ())} for name, _ in chart.series]


def _sum(chart: Chart, bands: Sequence[_Ends], language: Language) -> list[list[str]]:
    """The row of what the parts of one bar add up to, with its band."""
    if chart.kind != "stack" or len(chart.series) != 1:
        return []
    total = sum(value for _, value in chart.series[0][1])
    whole = next(iter(bands[0].values()), None)
    return [[escape(words("in all", language)), escape(with_ends(number(round(total, 2)), whole))]]


def in_months(series: Series, x_label: str) -> tuple[Series, float, str]:
    """The series, what their time axis was multiplied by, and its name: long spans of days are told in months."""
    longest = max((x for _, points in series for x, _ in points if not isinstance(x, str)), default=0.0)
    if x_label != "days" or longest <= _MONTHS_FROM_DAYS:
        return series, 1.0, x_label
    scale = 1 / DAYS_A_MONTH
    told = [(name, tuple((x if isinstance(x, str) else x * scale, y) for x, y in points)) for name, points in series]
    return told, scale, "months"


def _cells(key: float | str, columns: Sequence[Mapping[float | str, float]], bands: Sequence[_Ends]) -> list[str]:
    """The figures of one row, with their band where they have one; empty where a series has none."""
    return [
        escape(with_ends(number(column[key]), ends.get(key))) if key in column else ""
        for column, ends in zip(columns, bands, strict=True)
    ]


def with_ends(figure: str, ends: tuple[float, float] | None) -> str:
    """A figure with the ends of its band, where it has one."""
    if ends is None or ends[0] >= ends[1]:
        return figure
    return f"{figure} ({number(ends[0])}\u2013{number(ends[1])})"


def _in_brief(value: float) -> str:
    """A number of months, of which nobody wants four digits."""
    return number(short(value))


def short(value: float) -> float:
    """Three digits of a figure."""
    return float(f"{value:.3g}")


def number(value: float | str) -> str:
    """A figure as a label: four digits at most, thousands with commas; a name as it is."""
    return value if isinstance(value, str) else f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
