"""Draws a chart with matplotlib's object interface: no global state of pyplot, so threads do not meet; one lock."""

from __future__ import annotations

import io
import logging
import threading
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.channels.charts.bars import bars, stack
from bot.channels.charts.curves import lines, scatter
from bot.channels.charts.labels import FONT
from bot.channels.charts.sheet import LOOKS, MOST_SERIES, ChartUnavailable, Form, Sheet, Theme, sane
from bot.core.message import Chart, Language

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SIZE_INCHES: Final = (7.2, 4.4)
_DPI: Final = 150
_STYLES: Final = Path(__file__).parent
_LOCK: Final = threading.Lock()


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
    series = [(name, sane(points)) for name, points in chart.series[:MOST_SERIES]]
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
        _KINDS[chart.kind](Sheet(figure, figure.add_subplot(), chart, series, language, LOOKS[theme]))
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


_KINDS: Final[dict[str, Callable[[Sheet], None]]] = {
    "bars": bars,
    "stack": stack,
    "lines": lines,
    "scatter": scatter,
}
