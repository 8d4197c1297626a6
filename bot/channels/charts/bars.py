"""Bars side by side, and bars made of parts."""

from __future__ import annotations

from typing import Final

from bot.channels.charts.sheet import MOST_MARKS, Series, Sheet, is_sane, legend
from bot.channels.charts.tables import number

_ROOM_IN_BAR: Final = 0.055
_ROOM_IN_NARROW: Final = 0.12
"""A part narrower than this share of the picture has no room for its figure."""


def bars(sheet: Sheet) -> None:
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
        legend(sheet, len(series))


def stack(sheet: Sheet) -> None:
    """Parts of a whole in one bar each, with its sum, and the lines of what there is."""
    axes = sheet.axes
    names, parts = _parts(sheet.series)
    reached = [0.0] * len(names)
    whole = max(sum(values[at] for _, values in parts) for at in range(len(names))) or 1.0
    widest = max([whole, *(mark.at for mark in sheet.chart.marks[:MOST_MARKS] if is_sane(mark.at))])
    for index, (part, values) in enumerate(parts):
        _part(sheet, index, part, values, reached, widest)
        reached = [low + value for low, value in zip(reached, values, strict=True)]
    for at, total in enumerate(reached):
        _total(sheet, at, total)
    axes.set_yticks(range(len(names)), [sheet.say(entry) for entry in names])
    axes.set_xlim(0, widest * 1.16)
    axes.set_ylim(len(names) - 0.4, -0.75)
    _marks(sheet)
    sheet.frame(sheet.chart.y_label or sheet.chart.x_label, "", grid="x")
    legend(sheet, len(parts))


def bars_of(series: Series) -> int:
    """How many bars a stack of these has."""
    return len(_parts(series)[0])


def _part(sheet: Sheet, index: int, part: str, values: list[float], reached: list[float], widest: float) -> None:
    """One part of every bar, with its figure where there is room."""
    axes = sheet.axes
    axes.barh(
        range(len(values)),
        values,
        0.5,
        left=list(reached),
        label=sheet.say(part),
        color=sheet.colour(index),
        edgecolor=sheet.look.paper,
        linewidth=1.2,
    )
    for at, value in enumerate(values):
        if value > (_ROOM_IN_NARROW if sheet.is_narrow else _ROOM_IN_BAR) * widest:
            middle = reached[at] + value / 2
            axes.text(middle, at, number(round(value, 2)), ha="center", va="center", color=sheet.look.on_series)


def _total(sheet: Sheet, at: int, total: float) -> None:
    """The sum of a bar, at its end."""
    sheet.axes.annotate(
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


def _marks(sheet: Sheet) -> None:
    """A line for each limit, with its name at the top."""
    for mark in sheet.chart.marks[:MOST_MARKS]:
        if not is_sane(mark.at):
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
