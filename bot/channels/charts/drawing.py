"""Draws a chart with matplotlib's object interface: no global state of pyplot, so threads do not meet; one lock."""

from __future__ import annotations

import io
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.channels.charts.bars import bars, bars_of, stack
from bot.channels.charts.curves import lines, scatter
from bot.channels.charts.labels import FONT
from bot.channels.charts.sheet import (
    LOOKS,
    MOST_SERIES,
    MOST_THINGS,
    ChartUnavailable,
    Form,
    Series,
    Sheet,
    Theme,
    at_most,
    sane,
    settle,
)
from bot.core.message import Chart, Language

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH: Final = 7.2
_NARROW: Final = 3.9
_HEIGHT: Final = 4.4
_FRAMES: Final = {"stack": (2.2, 0.75), "bars": (1.7, 0.5)}
"""Inches: what stands around bars, and a bar; they take as much height as there are bars."""
_DPI: Final = 150
_STYLES: Final = Path(__file__).parent
_LOCK: Final = threading.Lock()


def draw(
    chart: Chart, language: Language = "en", *, theme: Theme = "light", form: Form = "png", narrow: bool = False
) -> bytes:
    """The chart as a picture. Safe to call from several threads.

    Args:
        chart: what to show.
        language: of labels that are words.
        theme: light or dark.
        form: svg or png.
        narrow: for a telephone, whose window would shrink the letters of a wide picture.

    Raises:
        ChartUnavailable: matplotlib is missing, or there are no points.
    """
    series = _drawable(chart)
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
        figure = Figure(figsize=(_width(narrow), _height(chart, series)), dpi=_DPI, layout="constrained")
        FigureCanvasAgg(figure)
        _KINDS[chart.kind](Sheet(figure, figure.add_subplot(), chart, series, language, LOOKS[theme], narrow))
        return _written(figure, form)


def rehearse() -> None:
    """Draw once, so that no visitor waits for matplotlib to load; nothing where it is not installed."""
    with suppress(ChartUnavailable):
        draw(Chart(kind="bars", title="", series=(("", (("", 1.0),)),)), form="svg")


def size_of(chart: Chart, *, narrow: bool = False) -> tuple[int, int]:
    """Width and height of the picture of a chart, in pixels."""
    return round(_width(narrow) * _DPI), round(_height(chart, _drawable(chart)) * _DPI)


def _drawable(chart: Chart) -> Series:
    series = [(name, sane(points)) for name, points in chart.series[:MOST_SERIES]]
    found = [(name, points) for name, points in series if points]
    return found if chart.kind == "lines" else at_most(found, MOST_THINGS)


def _width(narrow: bool) -> float:
    return _NARROW if narrow else _WIDTH


def _height(chart: Chart, series: Series) -> float:
    """Of the picture, in inches: a few bars need no square, where they would be as thick as blocks."""
    if chart.kind not in _FRAMES or not series:
        return _HEIGHT
    count = bars_of(series) if chart.kind == "stack" else sum(len(points) for _, points in series)
    frame, bar = _FRAMES[chart.kind]
    return min(frame + bar * count, _HEIGHT)


@cache
def _load_font() -> None:
    """Make the packaged font known to matplotlib, once."""
    from matplotlib import font_manager

    # It has one weight, which also stands for bold: nothing to report at each start.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    font_manager.fontManager.addfont(str(FONT))


def _written(figure: Figure, form: Form) -> bytes:
    settle(figure)
    buffer = io.BytesIO()
    metadata: dict[str, str | None] = {"Date": None} if form == "svg" else {"Software": None}
    figure.savefig(buffer, format=form, metadata=metadata)
    return buffer.getvalue()


_KINDS: Final[dict[str, Callable[[Sheet], None]]] = {
    "bars": bars,
    "stack": stack,
    "lines": lines,
    "scatter": scatter,
}
