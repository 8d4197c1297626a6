"""Results as pictures, with matplotlib's objects and nothing global: the same figures always give the same picture."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache, singledispatch
from typing import TYPE_CHECKING, Final

from advisor.named.bills import Cost, Prices, RentOrBuy
from advisor.named.results import Advice, Comparison, Fit, Memory
from advisor.named.shown import Shown
from advisor.named.values import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Bar = tuple[str, float]
Picture = tuple[str, float | None, list[Bar]]
"""Label of the axis, a line to draw across, and the bars."""
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

    label, limit, bars = _bars(result)
    if not bars:
        raise TypeError(f"there is nothing to draw for {type(result).__name__}")
    figure: Figure = _kind()(figsize=_INCHES, layout="constrained")
    FigureCanvasAgg(figure)
    _fill(figure.add_subplot(), bars[:_MOST_BARS], label, limit)
    figure.suptitle(result.brief.replace("$", r"\$"), fontsize=10, x=0.02, ha="left")
    return figure


@cache
def _kind() -> type[Figure]:
    """A figure that a notebook shows without pyplot; made on first use, since matplotlib is."""
    from matplotlib.figure import Figure

    class Picture(Figure):
        def _repr_png_(self) -> bytes:
            buffer = io.BytesIO()
            self.savefig(buffer, format="png", metadata={"Software": None})
            return buffer.getvalue()

    return Picture


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


@singledispatch
def _bars(_result: Shown) -> Picture:
    """What is drawn of a result: nothing, unless one of those below says more."""
    return "", None, []


@_bars.register
def _of_fit(result: Fit) -> Picture:
    return "GiB", result.usable_gib, [(one.way, one.need_gib) for one in result.ways]


@_bars.register
def _of_memory(result: Memory) -> Picture:
    return "GiB", None, [(one.name, one.gib) for one in result.parts]


@_bars.register
def _of_rent_or_buy(result: RentOrBuy) -> Picture:
    return "days until owning is cheaper", None, [(f"{share * 24:.3g} h a day", days) for share, days in result.by_use]


@_bars.register
def _of_cost(result: Cost) -> Picture:
    return result.currency, None, [(one.provider, one.total.value) for one in result.offers if one.total is not None]


@_bars.register
def _of_prices(result: Prices) -> Picture:
    rents = [(one.provider, one.amount.value) for one in result.prices if one.kind == "rent"]
    return f"{result.currency}/h", None, rents


@_bars.register
def _of_comparison(result: Comparison) -> Picture:
    job = result.jobs[0] if result.jobs else ""
    speeds = [(counted(one.gpu, one.gpus), dict(one.speeds).get(job)) for one in result.sides]
    return f"speed ({job})", None, [(name, speed) for name, speed in speeds if speed is not None]


@_bars.register
def _of_advice(result: Advice) -> Picture:
    return "speed", None, [(counted(one.gpu, one.gpus), one.speed) for one in result.picks if one.speed is not None]
