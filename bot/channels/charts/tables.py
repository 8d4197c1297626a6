"""The figures of a chart in words, for where no picture can go and for who cannot see one."""

from __future__ import annotations

from typing import Final

from bot.channels.markup import escape
from bot.core.message import Chart

_TABLE_ROWS: Final = 12


def chart_table(chart: Chart) -> str:
    """The figures of a chart as a neutral Markdown table."""
    header = ["", *(escape(name) or escape(chart.y_label) for name, _ in chart.series)]
    keys = list(dict.fromkeys(x for _, points in chart.series for x, _ in points))
    values = [dict(points) for _, points in chart.series]
    step = max(1, -(-len(keys) // _TABLE_ROWS))
    rows = [
        [escape(number(key)), *(escape(number(column[key])) if key in column else "" for column in values)]
        for key in keys[::step]
    ]
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def number(value: float | str) -> str:
    """A figure as a label: four digits at most, thousands with commas; a name as it is."""
    return value if isinstance(value, str) else f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
