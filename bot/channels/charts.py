"""Draws a chart as a PNG. Labels are Latin, so any font will do; matplotlib (extra `charts`) loads on first use."""

from __future__ import annotations

import io
from typing import Any

from bot.channels.markup import escape
from bot.core.message import Chart

_SIZE_INCHES = (7.2, 4.4)
_DPI = 150
_COLOURS = ("#2563eb", "#f59e0b", "#10b981", "#ef4444", "#8b5cf6", "#14b8a6", "#64748b")
_LABEL_LENGTH = 28
_MOST_SERIES, _MOST_POINTS = 12, 400
_TABLE_ROWS = 12


class ChartUnavailable(RuntimeError):
    """No picture can be drawn: matplotlib is not installed, or the chart holds nothing to draw."""


def draw(chart: Chart) -> bytes:
    """The chart as PNG. Safe to call from several threads: no global state of pyplot is touched.

    Raises:
        ChartUnavailable: matplotlib is missing, or there are no points.
    """
    series = [(latin(name), points[:_MOST_POINTS]) for name, points in chart.series[:_MOST_SERIES] if points]
    if not series:
        raise ChartUnavailable("the chart has no points")
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise ChartUnavailable("matplotlib is not installed (extra: charts)") from None
    figure = Figure(figsize=_SIZE_INCHES, dpi=_DPI, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    {"bars": _bars, "stack": _stack, "lines": _lines, "scatter": _scatter}[chart.kind](axes, series)
    axes.set_title(latin(chart.title, 70), fontsize=12, loc="left")
    axes.set_xlabel(latin(chart.x_label))
    axes.set_ylabel(latin(chart.y_label))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(visible=True, alpha=0.25)
    axes.set_axisbelow(True)
    if len(series) > 1 or chart.kind == "stack":
        axes.legend(frameon=False, fontsize=9)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def chart_table(chart: Chart) -> str:
    """The figures of a chart as a neutral Markdown table, for where no picture can go."""
    header = ["", *(escape(name) or escape(chart.y_label) for name, _ in chart.series)]
    keys = list(dict.fromkeys(x for _, points in chart.series for x, _ in points))
    values = [dict(points) for _, points in chart.series]
    step = max(1, -(-len(keys) // _TABLE_ROWS))
    rows = [
        [escape(_number(key)), *(escape(_number(column[key])) if key in column else "" for column in values)]
        for key in keys[::step]
    ]
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def latin(text: str, length: int = _LABEL_LENGTH) -> str:
    """What a font without Han can draw, cut to a label's length. `$` is literal, not mathematics."""
    kept = "".join(char if char.isascii() or char in "\u00b7\u00d7\u00b2\u2013\u00a5" else "" for char in text)
    kept = " ".join(kept.split())
    cut = kept if len(kept) <= length else kept[: length - 1].rstrip() + "."
    return cut.replace("$", r"\$")


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"


def _categories(series: Any) -> list[str]:
    return list(dict.fromkeys(_number(x) for _, points in series for x, _ in points))


def _bars(axes: Any, series: Any) -> None:
    """Horizontal bars, since names of cards are long; the first entry stands on top."""
    names = _categories(series)
    height = 0.8 / len(series)
    for index, (name, points) in enumerate(series):
        where = {_number(x): y for x, y in points}
        positions = [place + (index - (len(series) - 1) / 2) * height for place in range(len(names))]
        values = [where.get(entry, 0.0) for entry in names]
        bars = axes.barh(positions, values, height, label=name, color=_COLOURS[index % len(_COLOURS)])
        axes.bar_label(bars, labels=[latin(_number(value)) for value in values], padding=3, fontsize=8)
    axes.set_yticks(range(len(names)), [latin(entry) for entry in names])
    axes.invert_yaxis()
    axes.margins(x=0.12)


def _stack(axes: Any, series: Any) -> None:
    names = _categories(series)
    reached = [0.0] * len(names)
    for index, (name, points) in enumerate(series):
        where = {_number(x): y for x, y in points}
        values = [where.get(entry, 0.0) for entry in names]
        axes.barh(range(len(names)), values, 0.6, left=list(reached), label=name, color=_COLOURS[index % len(_COLOURS)])
        reached = [low + value for low, value in zip(reached, values, strict=True)]
    axes.set_yticks(range(len(names)), [latin(entry) for entry in names])
    axes.invert_yaxis()
    for place, total in enumerate(reached):
        axes.annotate(latin(_number(total)), (total, place), xytext=(4, 0), textcoords="offset points", va="center")
    axes.margins(x=0.12)


def _lines(axes: Any, series: Any) -> None:
    for index, (name, points) in enumerate(series):
        xs, ys = [x for x, _ in points], [y for _, y in points]
        axes.plot(xs, ys, label=name, color=_COLOURS[index % len(_COLOURS)], marker="o" if len(xs) <= 20 else "")


def _scatter(axes: Any, series: Any) -> None:
    """Points; a series of one point is labelled at the point."""
    for index, (name, points) in enumerate(series):
        xs, ys = [x for x, _ in points], [y for _, y in points]
        axes.scatter(xs, ys, label=name, color=_COLOURS[index % len(_COLOURS)], s=36)
        if len(points) == 1:
            axes.annotate(name, (xs[0], ys[0]), xytext=(5, 4), textcoords="offset points", fontsize=8)
