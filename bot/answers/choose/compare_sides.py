"""Sides of a comparison, the jobs they are held against and their prices, as phrases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from advisor.models import Frozen
from advisor.speed.contest import Contender
from bot.answers import premise
from bot.answers.choose.offer_lines import price_between
from bot.answers.choose.side_jobs import SideJob
from bot.answers.choose.side_prices import PriceView
from bot.answers.money.marks import market_alone
from bot.answers.phrases import cards_named, model_named, size_named
from bot.core.line import Label, Line, Worded

_MOD: Final = "mod"
"""Part of the ids of cards whose memory was changed."""


class Column(Frozen):
    """One side with its prices."""

    side: Contender
    rent: PriceView | None
    buy: PriceView | None
    shown: PriceView | None = None
    """The price that compares with the other sides', where there is one kind that all have."""
    value: float | None = None
    """Speed per money over the worst side; None when prices do not compare."""


def are_alike(sides: Sequence[Contender], ratios: Sequence[float | None]) -> bool | None:
    """Whether two sides are one card in all but the name: in memory, power and speed at every job; None if unknown.

    `ratios`: speed of the first over the second at each job.
    """
    first, second = sides
    if first.vram_gib != second.vram_gib or first.power_w != second.power_w:
        return False
    known = [ratio for ratio in ratios if ratio is not None]
    return all(premise.is_multiple(1.0, [ratio]) for ratio in known) if known else None


def is_modified(side: Contender) -> bool:
    """Whether somebody changed the memory of a side's cards."""
    return _MOD in side.gpu.split("-")


def side_named(side: Contender) -> Line:
    """A card, or so many of it."""
    return cards_named(side.name.removeprefix(f"{side.n} x "), side.n)


def job_named(job: SideJob) -> Line:
    """A job that sides are compared at."""
    if job.code == "yours":
        return Line("job.yours", {"model": model_named(job.models[0])})
    values: dict[str, Worded] = {"size": size_named(job.models[0]), "batch": job.row.workloads[0].batch}
    return Line(f"job.{job.code}", values)


def price_named(view: PriceView) -> Line:
    """A price with where it is from; of another variant where only that is on record."""
    values: dict[str, Worded] = {
        "price": price_between(view.low, view.high if view.ranged else view.low, renting=view.channel == "rent"),
        "origin": origin_named(view),
        "variant": view.variant or None,
    }
    return Line("cmp.money.variant" if view.variant else "cmp.money", values)


def price_alone(view: PriceView) -> Line:
    """A price with its terms and day, and of what has to be said beside it its market alone."""
    brief = view.model_copy(update={"mark": market_alone(view.mark), "abroad": False})
    origin = origin_named(brief)
    return Line("cmp.money", {"price": price_between(view.low, view.high), "origin": origin, "variant": None})


def origin_named(view: PriceView) -> Line:
    """Where a price is from and of which day, with what has to be said beside it."""
    if view.launch:
        return Line("offer.launch", {"dated": view.dated or None})
    if view.terms == "user":
        return Line("cmp.money.yours")
    values: dict[str, Worded] = {
        "seller": view.seller or None,
        "terms": Label(view.terms, "terms"),
        "dated": view.dated or Line("cmp.money.undated"),
        "mark": view.mark,
        "abroad": Line("cmp.money.abroad") if view.abroad else None,
    }
    return Line("cmp.money.origin", values)
