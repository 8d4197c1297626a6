"""Curves with bands and crossings, and points with names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.channels.charts.labels import words
from bot.channels.charts.sheet import (
    MOST_MARKS,
    MOST_POINTS,
    ChartUnavailable,
    Points,
    Series,
    Sheet,
    is_sane,
    legend,
    settle,
)
from bot.channels.charts.tables import in_months, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LOG_FROM: Final = 15
"""Prices that differ by more are drawn on a logarithmic axis."""
_FEW: Final = 12
_FEW_TICKS: Final = 4


def lines(sheet: Sheet) -> None:
    """Curves with their bands; where the first two cross stands marked."""
    axes = sheet.axes
    series, scale, x_label = in_months(sheet.series, sheet.chart.x_label)
    bands = dict(sheet.chart.bands)
    for index, (name, points) in enumerate(series):
        _curve(sheet, index, name, points)
        _band(sheet, index, bands.get(name, ()), scale)
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    axes.margins(x=0.03)
    axes.xaxis.set_major_formatter(lambda value, _: number(value))
    axes.yaxis.set_major_formatter(lambda value, _: number(value))
    if sheet.is_narrow:
        axes.locator_params(axis="x", nbins=_FEW_TICKS)
    _counted(axes, series)
    sheet.frame(x_label, sheet.chart.y_label)
    _crossing(sheet, series, x_label)
    if len(series) > 1:
        legend(sheet, len(series))


def _curve(sheet: Sheet, index: int, name: str, points: Points) -> None:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    is_reference = name == "linear"
    sheet.axes.plot(
        xs,
        ys,
        label=sheet.say(name),
        color=sheet.look.soft if is_reference else sheet.colour(index),
        linestyle="--" if is_reference else "-",
        linewidth=2.2,
        marker="o" if len(xs) <= _FEW and not is_reference else "",
        markersize=5,
    )


def _band(sheet: Sheet, index: int, band: tuple[tuple[float | str, float, float], ...], scale: float) -> None:
    """The band of a curve, as far as it can be drawn."""
    kept = [(x, low, high) for x, low, high in band if not isinstance(x, str) and all(map(is_sane, (x, low, high)))]
    if kept:
        where = [x * scale for x, _, _ in kept[:MOST_POINTS]]
        lows, highs = [low for _, low, _ in kept[:MOST_POINTS]], [high for _, _, high in kept[:MOST_POINTS]]
        sheet.axes.fill_between(where, lows, highs, color=sheet.colour(index), alpha=0.18, linewidth=0)


def _counted(axes: Axes, series: Series) -> None:
    """Few whole numbers (cards) are each a tick."""
    xs = {x for _, points in series for x, _ in points}
    if len(xs) <= _FEW and all(isinstance(x, float | int) and float(x).is_integer() and x <= 64 for x in xs):
        axes.set_xticks(sorted(float(x) for x in xs))


def _crossing(sheet: Sheet, series: Series, x_label: str) -> None:
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
        xytext=(-8 if is_late else 12, 14 if is_late else -16),  # where no curve runs
        textcoords="offset points",
        ha="right" if is_late else "left",
        fontweight="bold",
        color=sheet.look.mark,
        bbox={"facecolor": sheet.look.paper, "edgecolor": "none", "pad": 1.5, "alpha": 0.85},
        zorder=6,
    )


def crossing(first: Points, second: Points) -> tuple[float, float] | None:
    """Where two curves over the same places meet for the first time behind their beginning; None when they do not."""
    other = dict(second)
    last: tuple[float, float, float] | None = None
    for x, y in first:
        if isinstance(x, str) or x not in other:
            continue
        gap = y - other[x]
        if last is not None and last[2] and last[2] * gap <= 0:
            share = last[2] / (last[2] - gap)
            return last[0] + share * (x - last[0]), last[1] + share * (y - last[1])
        last = (x, y, gap)
    return None


def scatter(sheet: Sheet) -> None:
    """Points with their names beside them; the first stands out. Names that find no place go below the picture."""
    from bot.channels.charts.places import Named, name_points

    axes = sheet.axes
    points = [(name, x, y) for name, found in sheet.series for x, y in found if not isinstance(x, str)]
    if not points:
        raise ChartUnavailable("the chart has no points")
    xs = [x for _, x, _ in points]
    _spread(axes, min(xs), max(xs))
    for index, (_, x, y) in enumerate(points):
        colour = sheet.look.mark if index == 0 else sheet.colour(0)
        axes.scatter([x], [y], s=90 if index == 0 else 44, color=colour, zorder=4, linewidths=0)
    axes.margins(0.16)
    _limits(sheet)
    sheet.frame(sheet.chart.x_label, sheet.chart.y_label)
    settle(sheet.figure)
    named = [Named(x, y, sheet.say(name), bold=index == 0) for index, (name, x, y) in enumerate(points)]
    left = name_points(axes, named, sheet.look.ink)
    if left:
        axes.set_title(words("unnamed", sheet.language) + ", ".join(left), fontsize=8, loc="right", y=-0.2)


def _limits(sheet: Sheet) -> None:
    """A line at each limit, with its name at the foot, where the fewest points are."""
    for mark in sheet.chart.marks[:MOST_MARKS]:
        if is_sane(mark.at):
            sheet.axes.axvline(mark.at, color=sheet.look.mark, linewidth=1.4, linestyle=(0, (5, 3)), zorder=2)
            sheet.axes.annotate(
                f"{sheet.say(mark.label)} {number(round(mark.at, 2))}",
                (mark.at, 0),
                xycoords=("data", "axes fraction"),
                xytext=(-5, 6),
                textcoords="offset points",
                ha="right",
                fontsize=9,
                color=sheet.look.mark,
            )


def _spread(axes: Axes, low: float, high: float) -> None:
    """A logarithmic axis where the cheapest and the dearest are far apart."""
    axes.xaxis.set_major_formatter(lambda value, _: number(value))
    if low <= 0 or high / low <= _LOG_FROM:
        return
    axes.set_xscale("log", subs=(2, 5))
    axes.xaxis.set_major_formatter(lambda value, _: number(value))
    axes.xaxis.set_minor_formatter(lambda value, _: number(value))
