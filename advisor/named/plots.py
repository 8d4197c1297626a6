"""Results as pictures, with matplotlib's objects and nothing global: the same figures always give the same picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from advisor.named.bills import Cost, Prices, RentOrBuy
from advisor.named.results import Advice, Comparison, Fit, Memory
from advisor.named.shown import Shown
from advisor.named.values import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Bar = tuple[str, float]
_INCHES: Final = (7.2, 4.0)
_COLOUR: Final = "#2563eb"
_LIMIT: Final = "#ef4444"
_MOST_BARS: Final = 14


def drawn(result: Shown) -> Figure:
    """The picture of a result.

    Raises:
        TypeError: this kind of result has none, or no figures.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    label, limit, bars = _bars(result)
    if not bars:
        raise TypeError(f"there is nothing to draw for {type(result).__name__}")
    figure = Figure(figsize=_INCHES, layout="constrained")
    FigureCanvasAgg(figure)
    _fill(figure.add_subplot(), bars[:_MOST_BARS], label, limit)
    figure.suptitle(result.brief.replace("$", r"\$"), fontsize=10, x=0.02, ha="left")
    return figure


def _fill(axes: Axes, bars: Sequence[Bar], label: str, limit: float | None) -> None:
    names, values = [name for name, _ in bars], [value for _, value in bars]
    places = list(range(len(bars)))
    drawn_bars = axes.barh(places, values, color=_COLOUR)
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.bar_label(drawn_bars, labels=[f"{value:.3g}" for value in values], padding=3)
    axes.set_xlabel(label)
    axes.margins(x=0.12)
    axes.spines[["top", "right"]].set_visible(False)
    if limit is not None:
        axes.axvline(limit, color=_LIMIT, linestyle="--")


def _bars(result: Shown) -> tuple[str, float | None, list[Bar]]:
    """Label of the axis, a line to draw across, and the bars."""
    if isinstance(result, Fit):
        return "GiB", result.usable_gib, [(one.way, one.need_gib) for one in result.ways]
    if isinstance(result, Memory):
        return "GiB", None, [(one.name, one.gib) for one in result.parts]
    if isinstance(result, RentOrBuy):
        return "days until owning is cheaper", None, [(f"{s * 24:.3g} h a day", days) for s, days in result.by_use]
    return _price_bars(result)


def _price_bars(result: Shown) -> tuple[str, float | None, list[Bar]]:
    if isinstance(result, Cost):
        totals = [(one.provider, one.total.value) for one in result.offers if one.total is not None]
        return result.currency, None, totals
    if isinstance(result, Prices):
        rents = [(one.provider, one.amount.value) for one in result.prices if one.kind == "rent"]
        return f"{result.currency}/h", None, rents
    if isinstance(result, Comparison):
        job = result.jobs[0] if result.jobs else ""
        speeds = [(counted(one.gpu, one.gpus), dict(one.speeds).get(job)) for one in result.sides]
        return f"speed ({job})", None, [(name, speed) for name, speed in speeds if speed is not None]
    if isinstance(result, Advice):
        return "speed", None, [(counted(one.gpu, one.gpus), one.speed) for one in result.picks if one.speed is not None]
    return "", None, []
