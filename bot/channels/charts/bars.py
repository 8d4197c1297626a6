"""Bars side by side, and bars made of parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.channels.charts.sheet import MOST_MARKS, MOST_SERIES, MOST_THINGS, Bands, Series, Sheet, is_sane, legend
from bot.channels.charts.tables import number, short, with_ends

Part = tuple[str, list[float]]
_ROOM_IN_BAR: Final = 0.055
_ROOM_IN_NARROW: Final = 0.12
"""A part narrower than this share of the picture has no room for its figure."""
_ROOM_BEHIND: Final = 1.3
_LITTLE_ROOM: Final = 1.16
"""How far the axis goes beyond the longest bar, for its figure with or without the ends of its band."""
_BELOW: Final = 0.37
"""How far below the middle of a bar of parts its band stands."""


def bars(sheet: Sheet) -> None:
    """Horizontal bars, since names of cards are long; the first entry stands on top."""
    axes, series = sheet.axes, sheet.series
    names = _categories(series)
    height = 0.76 / len(series)
    for index, (name, points) in enumerate(series):
        where = {number(x): y for x, y in points}
        positions = [place + (index - (len(series) - 1) / 2) * height for place in range(len(names))]
        values = [where.get(entry, 0.0) for entry in names]
        axes.barh(positions, values, height * 0.92, label=sheet.say(name), color=sheet.colour(index))
        ends = ends_of(sheet.chart.bands, name)
        for place, entry, value in zip(positions, names, values, strict=True):
            _end(sheet, place, value, ends.get(entry))
    axes.set_yticks(range(len(names)), [sheet.say(entry) for entry in names])
    axes.invert_yaxis()
    axes.set_xlim(right=_ROOM_BEHIND * axes.get_xlim()[1])
    sheet.frame(sheet.chart.y_label or sheet.chart.x_label, "", grid="x")
    if len(series) > 1:
        legend(sheet, len(series))


def stack(sheet: Sheet) -> None:
    """Parts of a whole in one bar each, with its sum, and the lines of what there is."""
    axes = sheet.axes
    names, parts = _parts(sheet.series)
    reached = [0.0] * len(names)
    ends = ends_of(sheet.chart.bands)
    widest = _widest(sheet, parts, ends)
    for index, (part, values) in enumerate(parts):
        _part(sheet, index, part, values, reached, widest)
        reached = [low + value for low, value in zip(reached, values, strict=True)]
    for at, total in enumerate(reached):
        _total(sheet, at, total, ends.get(names[at]))
    axes.set_yticks(range(len(names)), [sheet.say(entry) for entry in names])
    axes.set_xlim(0, widest * (_ROOM_BEHIND if ends else _LITTLE_ROOM))
    axes.set_ylim(len(names) - 0.4, -0.75)
    _marks(sheet)
    sheet.frame(sheet.chart.y_label or sheet.chart.x_label, "", grid="x")
    legend(sheet, len(parts))


def _widest(sheet: Sheet, parts: Sequence[Part], ends: Mapping[str, tuple[float, float]]) -> float:
    """How far the longest bar, band or limit reaches."""
    sums = map(sum, zip(*(values for _, values in parts), strict=True))
    limits = [mark.at for mark in sheet.chart.marks[:MOST_MARKS] if is_sane(mark.at)]
    return max(*sums, *limits, *(high for _, high in ends.values()), 0.0) or 1.0


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


def ends_of(bands: Bands, series: str | None = None) -> dict[str, tuple[float, float]]:
    """The ends of each bar's band, by the bar's name: of one series, or of all."""
    kept = [points for name, points in bands[:MOST_SERIES] if series in (None, name)]
    found = [point for points in kept for point in points[:MOST_THINGS] if all(map(is_sane, point))]
    return {number(name): (low, high) for name, low, high in found}


def _end(sheet: Sheet, at: float, value: float, ends: tuple[float, float] | None) -> None:
    """The figure of a bar behind it; where it has a band, its whisker and its ends."""
    _figure(sheet, at, max(value, ends[1]) if ends else value, with_ends(number(value), ends))
    if ends is not None:
        _whisker(sheet, at, value, ends)


def _total(sheet: Sheet, at: int, total: float, ends: tuple[float, float] | None) -> None:
    """The sum of a bar behind it, in as many digits as its band bears; the band below, clear of the parts' figures."""
    said = number(round(total, 2)) if ends is None else number(short(total))
    _figure(sheet, at, total, with_ends(said, ends and (short(ends[0]), short(ends[1]))), weight="bold")
    if ends is not None:
        _whisker(sheet, at + _BELOW, total, ends)


def _whisker(sheet: Sheet, at: float, value: float, ends: tuple[float, float]) -> None:
    low, high = ends
    if low < high:
        reach = [[max(value - low, 0.0)], [max(high - value, 0.0)]]
        sheet.axes.errorbar(
            [value], [at], xerr=reach, fmt="none", ecolor=sheet.look.ink, elinewidth=1.3, capsize=4, zorder=5
        )


def _figure(sheet: Sheet, at: float, behind: float, said: str, weight: str = "normal") -> None:
    sheet.axes.annotate(
        said.replace("$", r"\$"),
        (behind, at),
        xytext=(6, 0),
        textcoords="offset points",
        va="center",
        fontsize=9,
        fontweight=weight,
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


def _parts(series: Series) -> tuple[list[str], list[Part]]:
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
