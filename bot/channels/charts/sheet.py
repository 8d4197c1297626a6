"""One picture in the making: its theme, its frame, its labels."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Final, Literal

from bot.channels.charts.labels import label, title
from bot.core.message import Chart, Language

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Theme = Literal["light", "dark"]
Form = Literal["svg", "png"]
Points = tuple[tuple[float | str, float], ...]
Series = list[tuple[str, Points]]
Bands = tuple[tuple[str, tuple[tuple[float | str, float, float], ...]], ...]

MOST_SERIES: Final = 12
MOST_POINTS: Final = 60
"""Of one curve."""
MOST_THINGS: Final = 24
"""Bars, parts and named points of a picture: each carries its own words, which is what takes time."""
MOST_MARKS: Final = 6
_LARGEST: Final = 1e12
_PARTED: Final = re.compile("(?<=: )|(?<=\uff1a)")
_NARROW_TITLE: Final = 34
"""Characters of a line; a Chinese one is as wide as two."""


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


LOOKS: Final[dict[Theme, Look]] = {
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


def sane(points: Points) -> Points:
    """Points that can be drawn: finite, and of a size that occurs."""
    return tuple((x, y) for x, y in points[:MOST_POINTS] if is_sane(x) and is_sane(y))


def at_most(series: Series, things: int) -> Series:
    """The first series and points, so many points in all."""
    kept: Series = []
    for name, points in series:
        if things > 0:
            kept.append((name, points[:things]))
        things -= len(points)
    return kept


def is_sane(value: float | str) -> bool:
    """Whether a value can be drawn; names always can."""
    return isinstance(value, str) or (math.isfinite(value) and abs(value) < _LARGEST)


@dataclass(slots=True)
class Sheet:
    """One picture in the making."""

    figure: Figure
    axes: Axes
    chart: Chart
    series: Series
    language: Language
    look: Look
    is_narrow: bool = False

    def say(self, text: str) -> str:
        """A label in the language of the picture."""
        return label(text, self.language)

    def colour(self, index: int) -> str:
        """The colour of a series."""
        return self.look.series[index % len(self.look.series)]

    def frame(self, x_label: str, y_label: str, *, grid: Literal["x", "y", "both"] = "both") -> None:
        """Title, axes and grid."""
        axes = self.axes
        said = title(self.chart.title, self.language)
        if self.is_narrow:
            parts = [said] if _cells(said) <= _NARROW_TITLE else _PARTED.split(said)
            said = "\n".join(line for part in parts for line in _broken(part))
        # The Chinese font has one weight: half of a title in bold would look like a mistake.
        weight = "bold" if said.isascii() else "normal"
        axes.set_title(said, fontsize=10 if self.is_narrow else 12, fontweight=weight, loc="left", pad=12)
        axes.set_xlabel(self.say(x_label), labelpad=6)
        axes.set_ylabel(self.say(y_label), labelpad=6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(visible=True, axis=grid, linewidth=0.7)
        axes.set_axisbelow(True)
        axes.tick_params(which="both", length=0, labelsize=9)


def _cells(text: str) -> int:
    return sum(1 if sign.isascii() else 2 for sign in text)


def _broken(text: str) -> list[str]:
    """The lines of a part of a narrow title."""
    if _cells(text) <= _NARROW_TITLE:
        return [text.strip()]
    return wrap(text, _NARROW_TITLE if text.isascii() else _NARROW_TITLE // 2)


def settle(figure: Figure) -> None:
    """Give every part its place, once: otherwise the picture is drawn a second time to find the places."""
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
        figure.set_layout_engine("none")


def legend(sheet: Sheet, entries: int) -> None:
    """Names of the colours, below the picture, in as many columns as fit."""
    sheet.figure.legend(
        loc="outside lower center",
        ncols=min(entries, 3 if sheet.is_narrow else 4),
        frameon=False,
        fontsize=9,
        handlelength=1.2,
        columnspacing=1.4,
    )
