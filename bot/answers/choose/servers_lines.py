"""What is said of servers for a budget: the plan that does most of the job, how the money is split, the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from advisor.models import Money
from advisor.recommend.models import Quote
from advisor.recommend.servers import ServerPlan
from bot.answers.money.marks import mark_of_quote
from bot.answers.phrases import model_named, size_named
from bot.core.line import Figure, Label, Line, Worded, amount

_NAMES: Final = frozenset({"qlora", "lora"})
"""Ways that go by a name."""
_NEARLY: Final = 0.8
"""Share of the most speed from which a plan counts as nearly as fast."""
_HELD: Final = {"yes": 2, "tight": 1}


@dataclass(frozen=True, slots=True)
class Does:
    """What the cards of one server do in one way."""

    way: str
    held: str
    """yes | tight | no"""
    model: str = ""
    """The largest model, where none was named."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One way to fill servers, with what it does."""

    plan: ServerPlan
    does: tuple[Does, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """Everything that is said of the plans."""

    plans: tuple[Planned, ...]
    model: str
    """Empty where none is named."""
    verdict: str
    """yes | tight | no, of the model; else empty."""
    use: str
    """tune | run | both"""
    budget: Money | None
    for_cards: Money
    for_hosts: Money
    currency: str
    remarks: tuple[Line, ...]
    for_speed: bool = False
    """Whether no language model needs the memory of all cards: then speed for the money goes first."""


def headline_of(told: Told) -> Line:
    """Whether the budget does it, and the servers to take."""
    plan = _plan(_first(told), told)
    if not told.model:
        return Line("srv.open", {"plan": plan})
    values: dict[str, Worded] = {
        "plan": plan,
        "use": Line(f"srv.use.{told.use}"),
        "model": model_named(told.model),
        "budget": amount(told.budget) if told.budget is not None else None,
    }
    return Line(f"srv.{told.verdict}", values)


def lines_of(told: Told) -> tuple[Line, ...]:
    """How the money is split, what it takes where it is not enough, the other plans."""
    return tuple(_lines(told))


def _lines(told: Told) -> Iterator[Line]:
    first = _first(told)
    if told.verdict == "no":
        yield from told.remarks
    if told.budget is not None:
        shares = {"for_cards": amount(told.for_cards), "for_hosts": amount(told.for_hosts)}
        yield Line("srv.money", {"budget": amount(told.budget), **shares})
    if told.verdict != "no":
        yield from told.remarks[:1]
        others = (one for one in told.plans if one is not first)
        yield from (Line(f"srv.also.{one.plan.role}", {"plan": _plan(one, told)}) for one in others)
        yield from told.remarks[1:]


def _first(told: Told) -> Planned:
    """The plan that does most of what was asked; the roomiest where they do the same."""
    best = max(told.plans, key=lambda one: sum(_HELD.get(does.held, 0) for does in one.does) if told.model else 0)
    if not told.for_speed or told.model:
        return best
    # nearly the most speed in fewer machines for less money goes before memory that nobody asked for
    fastest = max(one.plan.speed for one in told.plans)
    near = [one for one in told.plans if one.plan.speed >= _NEARLY * fastest]
    return min(near, key=lambda one: (one.plan.servers, one.plan.cost))


def _plan(one: Planned, told: Told) -> Line:
    plan = one.plan
    values: dict[str, Worded] = {
        "servers": plan.servers,
        "n": plan.n,
        "card": plan.gpu.name,
        "vram": Figure(plan.gpu.vram_gib or 0.0, "GB"),
        "total": Figure(plan.total_gib, "GB"),
        "price": Figure(round(plan.cost), "money", told.currency),
        "origin": origin_of_quote(plan.quote, plan.n * plan.servers),
        "does": tuple(map(_does, one.does)) or None,
    }
    return Line("srv.plan.several" if plan.servers > 1 else "srv.plan.one", values)


def _does(one: Does) -> Line:
    if one.model:
        return Line("srv.up_to", {"way": way_label(one.way), "model": size_named(one.model)})
    values = {"way": way_label(one.way), "held": Label(one.held, "held")}
    return Line("srv.held.named" if one.way in _NAMES else "srv.held.said", values)


def way_label(way: str) -> Label:
    """The word of a way of use."""
    return Label(way, "way")


def origin_of_quote(quote: Quote, cards: int = 1) -> Line:
    """Kind and day of a price of so many cards, with what has to be said beside it."""
    values = {
        "terms": Label(quote.terms, "terms"),
        "dated": dated_of(quote) or None,
        "mark": mark_of_quote(quote, cards),
    }
    return Line("srv.origin" if quote.standing.solid else "srv.origin.old", values)


def dated_of(quote: Quote) -> str:
    """Day of a price of today, year of a record, or nothing."""
    if quote.as_of is None:
        return ""
    return (quote.day or quote.as_of.isoformat()) if quote.standing.solid else str(quote.as_of.year)
