"""What charts show, from figures of the advisor: the same for chats and programs. A picture stands alone: its title
names what it is about. Titles are parts with ": " between them, each of which the chart's words know or leave as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from advisor.models import Banded, Estimate
from advisor.money import Span
from advisor.named.values import Range
from advisor.recommend import Channel, Option
from bot.core.message import Chart, Mark

Edge = Span | Range | Banded
"""A figure with its ends."""
_FEWEST: Final = 2
"""Points that make a curve, or a choice."""
_MOST_CHOICES: Final = 12
_STEPS: Final = 24
_CURVES_WITH_BANDS: Final = 2
"""Bands of more curves would hide each other."""


def memory_chart(
    model: str, parts: Iterable[tuple[str, float]], need: Edge, card: str = "", usable: float = 0.0
) -> Chart:
    """What a job needs on each card, part by part, in GiB, with its band; a line says what a job can get of a card."""
    return Chart(
        kind="stack",
        title=f"{model}: GiB per GPU",
        y_label="GiB",
        series=(("need", tuple((name, round(gib, 2)) for name, gib in parts)),),
        marks=(Mark(label=card or "usable", at=round(usable, 2)),) if usable > 0 else (),
        bands=(("need", (("need", *_band(need)),)),),
    )


def choice_chart(
    options: Sequence[Option], best: Option | None, currency: str, job: str = "", budget: float | None = None
) -> Chart | None:
    """Price against speed of the cards that hold a job, the best first; None with fewer than two speeds.

    Args:
        options: what can be had, as it was ranked.
        best: the pick, whose speed is 1.
        currency: ISO code of their prices.
        job: name of the model that they are weighed for.
        budget: a line, where some cost more.
    """
    if best is None or not best.speed:
        return None
    fast = _best_first(options, best)
    if len(fast) < _FEWEST:
        return None
    hourly = fast[0].quote.channel is Channel.RENT
    top, names = best.speed, _told_apart(fast)
    return Chart(
        kind="scatter",
        title=": ".join(filter(None, (job, "Price and speed of the cards that hold the job"))),
        x_label=f"{currency} per hour" if hourly else currency,
        y_label="speed, winner = 1",
        series=tuple((name, ((one.cost, (one.speed or 0.0) / top),)) for name, one in zip(names, fast, strict=True)),
        marks=(Mark(label="budget", at=budget),) if budget and budget < max(one.cost for one in fast) else (),
    )


def _best_first(options: Sequence[Option], best: Option) -> list[Option]:
    """Options whose speed is known, so many of them."""
    fast = [one for one in options if one.speed]
    return sorted(fast, key=lambda one: one.key != best.key)[:_MOST_CHOICES]


def _told_apart(options: Sequence[Option]) -> list[str]:
    """Names of options; what occurs twice says how it is had."""
    plain = [one.gpu.name if one.n == 1 else f"{one.n}x {one.gpu.name}" for one in options]
    return [
        f"{name}: {one.quote.terms.removeprefix('purchase_')}" if plain.count(name) > 1 else name
        for name, one in zip(plain, options, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Outlay:
    """What both ways cost: so much at once and so much an hour of use."""

    capital: Edge
    power: Edge
    """Electricity of one's own machine, an hour."""
    rent: Edge
    """All cards, an hour."""


def break_even_chart(name: str, hours_a_week: float, outlay: Outlay, currency: str, days: float) -> Chart:
    """Money spent over the days, both ways, with the band of each.

    Args:
        name: of the cards.
        hours_a_week: of use.
        outlay: what renting and owning cost.
        currency: ISO code.
        days: how far the axis reaches.
    """
    hours = hours_a_week / 7
    grid = [days * at / _STEPS for at in range(_STEPS + 1)]
    at_once, hourly, rent = _ends(outlay.capital), _ends(outlay.power), _ends(outlay.rent)

    def spent(day: float, end: int) -> float:
        return at_once[end] + hourly[end] * hours * day

    return Chart(
        kind="lines",
        title=f"{name}, {hours_a_week:.3g} h a week: rent or buy, money spent",
        x_label="days",
        y_label=currency,
        series=(
            ("rent", tuple((day, rent[0] * hours * day) for day in grid)),
            ("buy", tuple((day, spent(day, 0)) for day in grid)),
        ),
        bands=(
            ("rent", tuple((day, rent[1] * hours * day, rent[2] * hours * day) for day in grid)),
            ("buy", tuple((day, spent(day, 1), spent(day, 2)) for day in grid)),
        ),
    )


def _ends(one: Edge) -> tuple[float, float, float]:
    return float(one.value), float(one.low), float(one.high)


def scaling_chart(curves: Sequence[tuple[str, str, Sequence[Edge]]], counts: Sequence[int]) -> Chart | None:
    """What more cards bring over one, beside perfect scaling; None without a curve.

    Args:
        curves: card, job and how many times as fast each count is.
        counts: numbers of cards, rising.
    """
    if not curves:
        return None
    job = curves[0][1] if len({job for _, job, _ in curves}) == 1 else ""
    named = [(card if job else f"{card} {one}", [*zip(counts, gains, strict=True)]) for card, one, gains in curves]
    bands = tuple((name, _scaled_band(gains)) for name, gains in named)
    return Chart(
        kind="lines",
        title=": ".join(filter(None, (job, "Speed-up over one card"))),
        x_label="cards",
        y_label="times one card",
        series=(
            ("linear", ((1, 1.0), *((n, float(n)) for n in counts))),
            *((name, ((1, 1.0), *((n, round(float(one.value), 2)) for n, one in gains))) for name, gains in named),
        ),
        bands=bands if len(bands) <= _CURVES_WITH_BANDS else (),
    )


def _scaled_band(gains: Sequence[tuple[int, Edge]]) -> tuple[tuple[float, float, float], ...]:
    return ((1.0, 1.0, 1.0), *((float(n), *_band(one)) for n, one in gains))


def _band(one: Edge) -> tuple[float, float]:
    return round(float(one.low), 2), round(float(one.high), 2)


def context_chart(model: str, card: str, curve: Sequence[tuple[float, Estimate]]) -> Chart | None:
    """Tokens a second as the context grows; None where a card does not write at two lengths."""
    if len(curve) < _FEWEST:
        return None
    return Chart(
        kind="lines",
        title=f"{model}, {card}: speed by context",
        x_label="tokens of context",
        y_label="tokens/s",
        series=((card, tuple((length, _short(one.value)) for length, one in curve)),),
        bands=((card, tuple((length, _short(one.low), _short(one.high)) for length, one in curve)),),
    )


def _short(value: float) -> float:
    return float(f"{value:.3g}")
