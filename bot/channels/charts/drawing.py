"""Draws a chart with matplotlib's object interface: no global state of pyplot, so threads do not meet; one lock."""

from __future__ import annotations

import io
import logging
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from bot.channels.charts.labels import FONT, label, title, words
from bot.channels.charts.tables import number
from bot.core.message import Chart, Language

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Theme = Literal["light", "dark"]
Form = Literal["svg", "png"]
Points = tuple[tuple[float | str, float], ...]
Series = list[tuple[str, Points]]

_SIZE_INCHES: Final = (7.2, 4.4)
_DPI: Final = 150
_MOST_SERIES, _MOST_POINTS = 12, 400
_LARGEST: Final = 1e12
_DAYS_A_MONTH: Final = 365 / 12
_MONTHS_FROM_DAYS: Final = 90
"""A time axis that reaches further is told in months."""
_LOG_FROM: Final = 15
"""Prices that differ by more are drawn on a logarithmic axis."""
_ROOM_IN_BAR: Final = 0.055
"""A part narrower than this share of the picture has no room for its figure."""
_STYLES: Final = Path(__file__).parent
_LOCK: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class Look:
    """Colours of a theme, told apart also by who sees few colours."""

    paper: str
    ink: str
    soft: str
    line: str
    series: tuple[str, ...]
    mark: str
    on_series: str


_LOOKS: Final[dict[Theme, Look]] = {
    "light": Look(
        "#ffffff",
        "#15201f",
        "#4c5b59",
        "#d5dfdd",
        ("#0f766e", "#d97706", "#2563eb", "#b4326e", "#6d5bd0", "#5f8f1c", "#64748b"),
        "#b42318",
        "#ffffff",
    ),
    "dark": Look(
        "#182220",
        "#e8f0ee",
        "#a9bab6",
        "#2c3a37",
        ("#5ad1c2", "#f5b04c", "#7fb2ff", "#f08cb8", "#b3a4ff", "#b5d66a", "#9fb0c3"),
        "#ff8f80",
        "#0e1514",
    ),
}


class ChartUnavailable(RuntimeError):
    """No picture can be drawn: matplotlib is not installed, or the chart holds nothing to draw."""


def draw(chart: Chart, language: Language = "en", *, theme: Theme = "light", form: Form = "png") -> bytes:
    """The chart as a picture. Safe to call from several threads.

    Args:
        chart: what to show.
        language: of labels that are words.
        theme: light or dark.
        form: svg or png.

    Raises:
        ChartUnavailable: matplotlib is missing, or there are no points.
    """
    series = [(name, _sane(points)) for name, points in chart.series[:_MOST_SERIES]]
    series = [(name, points) for name, points in series if points]
    if not series:
        raise ChartUnavailable("the chart has no points")
    if find_spec("matplotlib") is None:
        raise ChartUnavailable("matplotlib is not installed (extra: charts)")
    try:
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise ChartUnavailable("matplotlib is not installed (extra: charts)") from None
    with _LOCK, matplotlib.rc_context(fname=_STYLES / f"{theme}.mplstyle"):
        _load_font()
        figure = Figure(figsize=_SIZE_INCHES, dpi=_DPI, layout="constrained")
        FigureCanvasAgg(figure)
        _KINDS[chart.kind](_Sheet(figure, figure.add_subplot(), chart, series, language, _LOOKS[theme]))
        return _written(figure, form)


@cache
def _load_font() -> None:
    """Make the packaged font known to matplotlib, once."""
    from matplotlib import font_manager

    # It has one weight, which also stands for bold: nothing to report at each start.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    font_manager.fontManager.addfont(str(FONT))


def _written(figure: Figure, form: Form) -> bytes:
    buffer = io.BytesIO()
    metadata: dict[str, str | None] = {"Date": None} if form == "svg" else {"Software": None}
    figure.savefig(buffer, format=form, metadata=metadata)
    return buffer.getvalue()


def _sane(points: Points) -> Points:
    """Points that can be drawn: finite, and of a size that occurs."""
    return tuple((x, y) for x, y in points[:_MOST_POINTS] if _is_sane(x) and _is_sane(y))


def _is_sane(value: float | str) -> bool:
    return isinstance(value, str) or (math.isfinite(value) and abs(value) < _LARGEST)


@dataclass(slots=True)
class _Sheet:
    """One picture in the making."""

    figure: Figure
    axes: Axes
    chart: Chart
    series: Series
    language: Language
    look: Look

    def say(self, text: str) -> str:
        return label(text, self.language)

    def colour(self, index: int) -> str:
        return self.look.series[index % len(self.look.series)]

    def frame(self, x_label: str, y_label: str, *, grid: Literal["x", "y", "both"] = "both") -> None:
        """Title, axes and grid."""
        axes = self.axes
        axes.set_title(title(self.chart.title, self.language), fontsize=12, fontweight="bold", loc="left", pad=12)
        axes.set_xlabel(self.say(x_label), labelpad=6)
        axes.set_ylabel(self.say(y_label), labelpad=6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(visible=True, axis=grid, linewidth=0.7)
        axes.set_axisbelow(True)
        axes.tick_params(which="both", length=0, labelsize=9)


# --- bars ------------------------------------------------------------------------------------------------------------


def _bars(sheet: _Sheet) -> None:
    """Horizontal bars, since names of cards are long; the first entry stands on top."""
    axes, series = sheet.axes, sheet.series
    names = _categories(series)
    height = 0.76 / len(series)
    for index, (name, points) in enumerate(series):
        where = {number(x): y for x, y in points}
        positions = [place + (index - (len(series) - 1) / 2) * height for place in range(len(names))]
        values = [where.get(entry, 0.0) for entry in names]
        bars = axes.barh(positions, values, height * 0.92, label=sheet.say(name), color=sheet.colour(index))
        shown = [number(value).replace("$", r"\$") for value in values]
        axes.bar_label(bars, labels=shown, padding=4, fontsize=9, color=sheet.look.ink)
    axes.set_yticks(range(len(names)), [sheet.say(entry) for entry in names])
    axes.invert_yaxis()
    axes.margins(x=0.12)
    sheet.frame(sheet.chart.y_label or sheet.chart.x_label, "", grid="x")
    if len(series) > 1:
        _legend(sheet, len(series))


def _stack(sheet: _Sheet) -> None:
    """Parts of a whole in one bar each, with its sum, and the lines of what there is."""
    axes = sheet.axes
    names, parts = _parts(sheet.series)
    reached = [0.0] * len(names)
    whole = max(sum(values[at] for _, values in parts) for at in range(len(names))) or 1.0
    widest = max([whole, *(mark.at for mark in sheet.chart.marks if _is_sane(mark.at))])
    for index, (part, values) in enumerate(parts):
        axes.barh(
            range(len(names)),
            values,
            0.5,
            left=list(reached),
            label=sheet.say(part),
            color=sheet.colour(index),
            edgecolor=sheet.look.paper,
            linewidth=1.2,
        )
        for at, value in enumerate(values):
            if value > _ROOM_IN_BAR * widest:
                middle = reached[at] + value / 2
                axes.text(middle, at, number(round(value, 2)), ha="center", va="center", color=sheet.look.on_series)
        reached = [low + value for low, value in zip(reached, values, strict=True)]
    for at, total in enumerate(reached):
        axes.annotate(
            number(round(total, 2)),
            (total, at),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontweight="bold",
            color=sheet.look.ink,
            bbox={"facecolor": sheet.look.paper, "edgecolor": "none", "pad": 1.5},
            zorder=5,
        )
    axes.set_yticks(range(len(names)), [sheet.say(entry) for entry in names])
    axes.set_xlim(0, widest * 1.16)
    axes.set_ylim(len(names) - 0.4, -0.75)
    _marks(sheet)
    sheet.frame(sheet.chart.y_label or sheet.chart.x_label, "", grid="x")
    _legend(sheet, len(parts))


def _marks(sheet: _Sheet) -> None:
    """A line for each limit, with its name at the top."""
    for mark in sheet.chart.marks:
        if not _is_sane(mark.at):
            continue
        sheet.axes.axvline(mark.at, color=sheet.look.mark, linewidth=1.8, linestyle=(0, (5, 3)), zorder=4)
        said = f"{sheet.say(mark.label)} {number(round(mark.at, 2))} {sheet.say(sheet.chart.y_label)}".rstrip()
        right = sheet.axes.get_xlim()[1]
        is_late = mark.at > 0.6 * right
        sheet.axes.annotate(
            said,
            (mark.at, sheet.axes.get_ylim()[1]),
            xytext=(-6 if is_late else 6, -4),
            textcoords="offset points",
            ha="right" if is_late else "left",
            va="top",
            fontsize=9,
            color=sheet.look.mark,
            bbox={"facecolor": sheet.look.paper, "edgecolor": "none", "pad": 1},
            zorder=6,
        )


def _parts(series: Series) -> tuple[list[str], list[tuple[str, list[float]]]]:
    """Bars, and the parts they are made of: one series alone is one bar, and its points are the parts."""
    if len(series) == 1 and len(series[0][1]) > 1:
        name, points = series[0]
        return [name], [(number(part), [max(value, 0.0)]) for part, value in points]
    names = _categories(series)
    found = []
    for part, points in series:
        where = {number(x): y for x, y in points}
        found.append((part, [max(where.get(entry, 0.0), 0.0) for entry in names]))
    return names, found


def _categories(series: Series) -> list[str]:
    return list(dict.fromkeys(number(x) for _, points in series for x, _ in points))


# --- lines and points ------------------------------------------------------------------------------------------------


def _lines(sheet: _Sheet) -> None:
    """Curves with their bands; where the first two cross stands marked."""
    axes = sheet.axes
    series, scale, x_label = _in_months(sheet)
    bands = dict(sheet.chart.bands)
    for index, (name, points) in enumerate(series):
        xs, ys = [x for x, _ in points], [y for _, y in points]
        is_reference = name == "linear"
        axes.plot(
            xs,
            ys,
            label=sheet.say(name),
            color=sheet.look.soft if is_reference else sheet.colour(index),
            linestyle="--" if is_reference else "-",
            linewidth=2.2,
            marker="o" if len(xs) <= 12 and not is_reference else "",
            markersize=5,
        )
        band = [one for one in bands.get(name, ()) if all(map(_is_sane, one))][:_MOST_POINTS]
        if band:
            where = [x * scale for x, _, _ in band]
            lows, highs = [low for _, low, _ in band], [high for _, _, high in band]
            axes.fill_between(where, lows, highs, color=sheet.colour(index), alpha=0.18, linewidth=0)
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    axes.margins(x=0.03)
    axes.xaxis.set_major_formatter(lambda value, _: number(value))
    axes.yaxis.set_major_formatter(lambda value, _: number(value))
    _counted(axes, series)
    sheet.frame(x_label, sheet.chart.y_label)
    _crossing(sheet, series, x_label)
    if len(series) > 1:
        _legend(sheet, len(series))


def _counted(axes: Axes, series: Series) -> None:
    """Few whole numbers (cards) are each a tick."""
    xs = {x for _, points in series for x, _ in points}
    if len(xs) <= 12 and all(isinstance(x, float | int) and float(x).is_integer() and x <= 64 for x in xs):
        axes.set_xticks(sorted(float(x) for x in xs))


def _in_months(sheet: _Sheet) -> tuple[Series, float, str]:
    """The curves, what their time axis was multiplied by, and its name: long spans of days are told in months."""
    series, x_label = sheet.series, sheet.chart.x_label
    longest = max((x for _, points in series for x, _ in points if not isinstance(x, str)), default=0.0)
    if x_label != "days" or longest <= _MONTHS_FROM_DAYS:
        return series, 1.0, x_label
    scale = 1 / _DAYS_A_MONTH
    told = [(name, tuple((x if isinstance(x, str) else x * scale, y) for x, y in points)) for name, points in series]
    return told, scale, "months"


def _crossing(sheet: _Sheet, series: Series, x_label: str) -> None:
    """Mark where the first curve meets the second."""
    met = crossing(series[0][1], series[1][1]) if len(series) == 2 else None
    if met is None:
        return
    x, y = met
    axes = sheet.axes
    axes.plot([x], [y], marker="o", markersize=9, color=sheet.look.mark, zorder=6)
    low, high = axes.get_xlim()
    is_late = x > low + 0.6 * (high - low)
    axes.annotate(
        f"{number(float(f'{x:.3g}'))} {sheet.say(x_label)}",
        (x, y),
        xytext=(0 if is_late else 12, -34 if is_late else -16),
        textcoords="offset points",
        ha="right" if is_late else "left",
        fontweight="bold",
        color=sheet.look.mark,
        bbox={"facecolor": sheet.look.paper, "edgecolor": "none", "pad": 1.5, "alpha": 0.85},
        zorder=6,
    )


def crossing(first: Points, second: Points) -> tuple[float, float] | None:
    """Where two curves over the same places meet for the first time, between two of them; None when they do not."""
    other = dict(second)
    last: tuple[float, float, float] | None = None
    for x, y in first:
        if isinstance(x, str) or x not in other:
            continue
        gap = y - other[x]
        if last is not None and last[2] * gap < 0:
            share = last[2] / (last[2] - gap)
            return last[0] + share * (x - last[0]), last[1] + share * (y - last[1])
        last = (x, y, gap)
    return None


def _scatter(sheet: _Sheet) -> None:
    """Points with their names beside them; the first stands out. Names that find no place go below the picture."""
    from bot.channels.charts.places import Named, name_points

    axes = sheet.axes
    points = [(name, x, y) for name, found in sheet.series for x, y in found if not isinstance(x, str)]
    if not points:
        raise ChartUnavailable("the chart has no points")
    xs = [x for _, x, _ in points]
    if min(xs) > 0 and max(xs) / min(xs) > _LOG_FROM:
        axes.set_xscale("log", subs=(2, 5))
        axes.xaxis.set_major_formatter(lambda value, _: number(value))
        axes.xaxis.set_minor_formatter(lambda value, _: number(value))
    for index, (_, x, y) in enumerate(points):
        colour = sheet.look.mark if index == 0 else sheet.colour(0)
        axes.scatter([x], [y], s=90 if index == 0 else 44, color=colour, zorder=4, linewidths=0)
    axes.margins(0.16)
    sheet.frame(sheet.chart.x_label, sheet.chart.y_label)
    sheet.figure.canvas.draw()
    sheet.figure.set_layout_engine("none")
    named = [Named(x, y, sheet.say(name), bold=index == 0) for index, (name, x, y) in enumerate(points)]
    left = name_points(axes, named, sheet.look.ink)
    if left:
        axes.set_title(words("unnamed", sheet.language) + ", ".join(left), fontsize=8, loc="right", y=-0.2)


def _legend(sheet: _Sheet, entries: int) -> None:
    """Names of the colours, below the picture, in as many columns as fit."""
    sheet.figure.legend(
        loc="outside lower center",
        ncols=min(entries, 4),
        frameon=False,
        fontsize=9,
        handlelength=1.2,
        columnspacing=1.4,
    )


_KINDS: Final[dict[str, Callable[[_Sheet], None]]] = {
    "bars": _bars,
    "stack": _stack,
    "lines": _lines,
    "scatter": _scatter,
}
