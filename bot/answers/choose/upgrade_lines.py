"""What an upgrade verdict says: change or keep with the numbers that decide, then the price and what the job needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from advisor.models import Gpu
from bot.answers.choose.offer_lines import offer_of, price_between
from bot.answers.choose.offers import Shown
from bot.answers.choose.worth import Cost
from bot.answers.phrases import cards_named
from bot.core.line import Figure, Line, Worded, gib

_ALIKE: Final = 0.97
"""Share of the speed at hand below which the newer card is called slower."""
_BY_MEMORY: Final = frozenset({"upgrade_memory", "too_small"})


@dataclass(frozen=True, slots=True)
class Upgrade:
    """A card at hand against a newer one."""

    owned: Gpu
    target: Gpu | None
    offer: Shown | None
    """The newer card with its price, where one is on record."""
    gain: float | None
    """Its speed over the card at hand."""
    verdict: str
    """upgrade_memory | too_small | upgrade_old | upgrade_speed | upgrade_worth | memory_alone | maybe | keep | none"""
    holds: bool | None
    """Whether the card at hand runs the job."""
    need: float | None
    named: bool = True
    """Whether the job was said, and not taken."""
    n: int = 1
    """Cards at hand."""
    m: int = 1
    """Newer cards that are to take their place."""
    net: Line | None = None
    """What the newer card costs beyond what those at hand sell for."""
    reach: tuple[int, int] = (0, 0)
    """Billions of parameters of the largest usual models that either side runs alone in 4 bits."""


def headline_of(told: Upgrade) -> Line:
    """Whether to change, with the numbers that decide."""
    values: dict[str, Worded] = {
        "owned": cards_named(told.owned.name, told.n),
        "has": Figure(told.n * (told.owned.vram_gib or 0.0), "GB"),
        "net": told.net,
        "target": cards_named(told.target.name, told.m) if told.target is not None else None,
        "gets": Figure(told.m * (told.target.vram_gib or 0.0), "GB") if told.target is not None else None,
        "gain": _gained(told.gain) if told.gain else None,
        "memory": _memory(told),
        "need": gib(told.need) if told.need is not None else None,
    }
    return Line(f"up.{told.verdict}", values)


def _gained(gain: float) -> Line:
    """How much faster the newer card is, or slower."""
    if gain < _ALIKE:
        return Line("up.slower", {"share": Figure(round(1 - gain, 2), "share")})
    return Line("up.faster", {"gain": Figure(gain, "times")})


def _memory(told: Upgrade) -> Line:
    """How much more memory the newer card has."""
    more = (told.m * (told.target.vram_gib or 0.0) if told.target is not None else 0.0) - told.n * (
        told.owned.vram_gib or 0.0
    )
    values = {"gib": Figure(abs(more), "GB")}
    return Line("up.more" if more > 0 else "up.less" if more < 0 else "up.same", values)


def lines_of(told: Upgrade) -> tuple[Line, ...]:
    """The price, the speed where the headline tells of memory, and what the job needs."""
    return tuple(_lines(told))


def _lines(told: Upgrade) -> Iterator[Line]:
    if told.target is None:
        return
    name = told.target.name
    yield Line("up.price", {"offer": offer_of(told.offer)}) if told.offer else Line("up.no_price", {"target": name})
    if told.gain is None:
        yield Line("up.no_speed")
    elif told.verdict in _BY_MEMORY:
        yield Line("up.speed", {"gain": Figure(told.gain, "times")})
    if told.holds and told.named and told.need is not None:
        yield Line("up.holds", {"need": gib(told.need), "owned": cards_named(told.owned.name, told.n)})
    if told.n == 1 and told.reach[1] > told.reach[0] > 0:
        yield Line("up.reach", {"run": Figure(float(told.reach[1])), "before": Figure(float(told.reach[0]))})


def leased(name: str, cost: Cost) -> Line:
    """A card with what an hour of it costs."""
    return _offered("up.leased", name, cost, renting=True)


def priced(name: str, cost: Cost) -> Line:
    """A card with what it costs to buy."""
    return _offered("up.priced", name, cost, renting=False)


def _offered(say: str, name: str, cost: Cost, *, renting: bool) -> Line:
    values: dict[str, Worded] = {
        "name": name,
        "price": price_between(cost.low, cost.high, renting=renting),
        "provider": cost.provider or None,
        "dated": cost.dated or None,
        "mark": cost.mark,
    }
    return Line(say, values)
