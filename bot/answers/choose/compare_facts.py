"""Prices of compared sides side by side, what a comparison holds to be true, and its picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from advisor.models import Gpu, Note, note_of
from advisor.speed.contest import Contender, Contest, Side
from bot.answers.choose.compare_figures import alike
from bot.answers.choose.compare_sides import Column
from bot.answers.choose.side_jobs import SideJob
from bot.answers.choose.side_prices import Prices, PriceView, price_facts
from bot.answers.common import fact, step_sources
from bot.answers.speed.pace import figure_fact
from bot.core.message import Chart, Fact, fact_of
from bot.core.request import Request

_CLEAR: Final = 1.05
"""Speed for the money is called better from here on."""


_CHANNELS: Final = {False: ("buy", "rent"), True: ("rent", "buy")}
"""Kinds of price in which value is told, the first that all sides have, by whether rents are meant."""


def columns_of(
    sides: list[Side],
    made: Contest,
    prices: Prices,
    variants: Sequence[tuple[Gpu, ...]],
    *,
    renting: bool = False,
    priced: bool = True,
) -> list[Column]:
    """The sides with their prices; speed for the money where all have a price of one kind.

    `renting`: rents go first. `priced`: whether prices on record count.
    """
    if not priced:
        return [Column(side=one, rent=None, buy=None) for one in made.sides]
    others = variants if len(variants) == len(sides) else [variants[0]] * len(sides)
    columns = [
        Column(side=one, rent=prices.rent(side.gpu, side.n, more), buy=prices.buy(side.gpu, side.n))
        for side, one, more in zip(sides, made.sides, others, strict=True)
    ]
    return _valued(_with_shown(columns, renting=renting), _CHANNELS[renting])


def _valued(columns: list[Column], channels: Sequence[str]) -> list[Column]:
    """The sides with their speed for the money by the first kind of price that all have."""
    for channel in channels:
        values = [_speed_per_money(one, channel) for one in columns]
        known = [value for value in values if value]
        if known and len(known) == len(columns):
            return [
                one.model_copy(update={"value": value / min(known)})
                for one, value in zip(columns, values, strict=True)
                if value
            ]
    return columns


def _with_shown(columns: list[Column], *, renting: bool) -> list[Column]:
    """Purchase prices of today when all sides have one, else rentals when all have one, else whatever is known."""
    if not renting and all(map(_solid_purchase, columns)):
        shown = [one.buy for one in columns]
    elif renting or all(one.rent for one in columns):
        shown = [one.rent for one in columns]
    else:
        shown = [_solid_purchase(one) or one.rent or one.buy for one in columns]
    return [one.model_copy(update={"shown": view}) for one, view in zip(columns, shown, strict=True)]


def _solid_purchase(column: Column) -> PriceView | None:
    """A purchase price of today."""
    return column.buy if column.buy is not None and column.buy.solid else None


def _speed_per_money(column: Column, channel: str) -> float | None:
    view = column.buy if channel == "buy" else column.rent
    factor = column.side.results[0].factor if column.side.results else None
    if view is None or view.variant or view.abroad or not view.solid or factor is None or view.price.amount <= 0:
        return None
    return factor.value / float(view.price.amount)


def priced(columns: Sequence[Column]) -> str:
    """What the value figures divide by: buy | rent, empty when there are none."""
    if not columns or columns[0].value is None:
        return ""
    return "buy" if all(one.shown is None or one.shown.channel == "buy" for one in columns) else "rent"


def best_value(columns: Sequence[Column]) -> Column | None:
    """The side with clearly the most speed for the money; None where prices do not compare."""
    rated = [one for one in columns if one.value is not None]
    if len(rated) < 2:
        return None
    best = max(rated, key=lambda one: one.value or 0.0)
    return best if (best.value or 0.0) > _CLEAR else None


def loser_of(made: Contest, columns: Sequence[Column]) -> Column | None:
    """The side that keeps a good reason to exist: the one with the most merits among the others."""
    others = [one for index, one in enumerate(columns) if index != made.winner and one.side.merits]
    return max(others, key=lambda one: len(one.side.merits)) if others and made.winner is not None else None


def facts_of(made: Contest, columns: Sequence[Column]) -> tuple[Fact, ...]:
    """Speeds by job, figures and prices of each side, and what documents say."""
    speeds = [
        fact(f"speed_{code}:{side.name}", factor)
        for number, code in enumerate(made.jobs)
        for side in made.sides
        if (factor := side.results[number].factor) is not None
    ]
    each = [one for column in columns for one in (*_figures(column.side), *_prices(column))]
    return (*speeds, *each, *(figure_fact(figure) for figure in made.published))


def _figures(side: Contender) -> list[Fact]:
    figures = (
        ("vram", side.total_vram_gib, "GiB"),
        ("bandwidth", side.bandwidth_gb_per_s, "GB/s"),
        ("fp16_dense_fp32acc", side.fp16_tflops, "TFLOPS"),
        ("power", side.power_w, "W"),
    )
    return [fact_of(name=f"{name}:{side.name}", value=value, unit=unit) for name, value, unit in figures if value]


def _prices(column: Column) -> list[Fact]:
    views = [view for view in (column.rent, column.buy) if view]
    return [price_facts(f"price_{view.channel}:{column.side.name}", view) for view in views]


def sources_of(made: Contest, columns: Sequence[Column]) -> tuple[str, ...]:
    """Ids of what figures and prices rest on."""
    found = list(step_sources(made.trace))
    for figure in made.published:
        found.append(figure.source)
    for column in columns:
        found += [view.source for view in (column.rent, column.buy) if view and view.source]
    return tuple(dict.fromkeys(found))


def chart_of(made: Contest, jobs: tuple[SideJob, ...]) -> Chart | None:
    """Speeds by job; None where a side has none."""
    series, bands = [], []
    for number, job in enumerate(jobs):
        points = [(side.name, round(f.value, 2)) for side in made.sides if (f := side.results[number].factor)]
        if len(points) == len(made.sides):
            series.append((job.row.code, tuple(points)))
            factors = [(side.name, f) for side in made.sides if (f := side.results[number].factor)]
            bands.append((job.row.code, tuple((name, round(f.low, 2), round(f.high, 2)) for name, f in factors)))
    if not series:
        return None
    return Chart(
        kind="bars",
        title="Relative speed",
        x_label="card",
        y_label="times the slowest",
        series=tuple(series),
        bands=tuple(bands),
    )


def remarks_on(request: Request, sides: Sequence[Side]) -> tuple[Note, ...]:
    """What the catalogue says of cards that are told apart by it, and for what sizes they stand."""
    stands = request.slot("stands_for")
    if stands:
        return (note_of("contest_stands_for", {"sides": stands}),)
    if not alike([side.gpu for side in sides]):
        return ()
    told = {side.gpu.name: _remark(request, side.gpu) for side in sides}
    return tuple(note_of("spec_remark", {"gpus": [name], "text": text}) for name, text in told.items() if text)


def _remark(request: Request, gpu: Gpu) -> str:
    return (gpu.notes_zh if request.language == "zh" else "") or gpu.notes
