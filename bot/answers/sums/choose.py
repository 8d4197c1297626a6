"""Which sums a message asks for, alone or with what was said before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import inf
from typing import Final

from advisor.calculators import FORMULAS, QUANTITIES, Given, Solution, solve
from bot.answers.sums.again import is_used, merge, readings_after
from bot.answers.sums.missing import completed
from bot.answers.sums.together import together
from bot.answers.sums.versus import Versus, versus
from bot.core.sums import OpenSum, SaidSum, SumFrame
from bot.read.measured_units import Measure
from bot.read.placed import Amounts, Asked

LEAST: Final = 2.0
"""A quantity is asked for from this score on: it fills the blank and one of its words stands in the part that asks."""
_FEWEST: Final = 2
"""Stated values that a sum rests on at least; one number is no sum."""
_ALONE: Final = frozenset({"btu_h", "cooling_tons", "tokens_best", "params_best"})
"""What one number is turned into by a rule of its own."""
PLAIN: Final = 3.4
_FILLS: Final = 1.0
"""A figure that was not asked for gives way to the verdict that was."""
CATALOGUE: Final = "catalogue"
"""Id of values that come from the record of the card that was named."""
GRID: Final = "grid:"
"""Before the key of a region: id of what a kWh of it emits."""
TARIFF: Final = "tariff:"
"""Before the key of a region: id of what a kWh costs there."""
RENT: Final = "rent"
"""Id of the rent of record of the card that was named."""
RENTED: Final = frozenset(
    {
        *("budget_enough", "budget_left", "days_affordable", "runs_affordable", "items_affordable"),
        *("tokens_affordable", "token_cost", "item_cost", "sound_hour_cost", "run_cost"),
        *("hours_affordable", "hours_a_day_affordable", "person_share", "person_month"),
    }
)
"""What is summed up with a rent that nobody said; other bills of named cards have answers of their own."""
BILLED: Final = frozenset({"bill", "work_cost"})
BEYOND: Final = frozenset({"runs", "people", "gpu_hours"})
"""What those answers do not count with: a bill of it is a sum."""
_OF_RECORD: Final = frozenset({CATALOGUE, RENT})
_SUPPLIED: Final = frozenset(
    {
        *RENTED,
        "break_even_days",
        "break_even_hours",
        "hours_a_day_to_break_even",
        "share_to_break_even",
        "buy_pays",
        "buy_saves",
        "buy_total",
    }
)
"""What is summed up with watts that nobody said; bills and supplies of named cards have answers of their own."""
SPENT: Final = frozenset(
    {
        *("budget_enough", "budget_left", "hours_affordable", "hours_a_day_affordable", "days_affordable"),
        *("runs_affordable", "items_affordable", "tokens_affordable", "cards_affordable", "months_affordable"),
        "epochs_affordable",
    }
)
"""What money reaches for: an amount that nothing else speaks of is the money that there is."""
_WATTS: Final = frozenset({"wall_w", "card_w", "card_limit_w", "cpu_w", "rest_w", "kwh_metered"})
_COVERS: Final = 0.6
"""A sum that no word names uses at least so much of what was said."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The sums to tell, in the order in which they were asked, and what they rest on."""

    solutions: tuple[Solution, ...]
    given: tuple[Given, ...]
    follows: bool = False
    """What was said before was needed."""
    score: float = 0.0
    versus: Versus | None = None
    """The two that were compared."""
    counted: tuple[Measure, ...] = ()
    """Measures that were counted with under no name."""
    added: tuple[Solution, ...] = ()
    """The bills that were added up."""
    called: tuple[str, ...] = ()
    """What tells these bills from one another, in the user's words."""
    open: OpenSum | None = None
    said: SaidSum | None = None
    """What a sum that no formula names is made of."""


def choose(amounts: Amounts, before: SumFrame | None, supplied: tuple[Given, ...] = ()) -> Chosen | None:
    """The sums that answer a message; None when it asks for none or leaves out what one needs.

    A message that fills its own needs stands alone; else it goes on with the sum before, new values in the place of
    old ones.

    Args:
        amounts: what the message gives and asks for.
        before: the sum of the last answer.
        supplied: what the catalogue knows of the card that was named; counts only where nothing was said of it.
    """
    two = versus(amounts.asked, amounts, LEAST)
    if two is not None:
        return Chosen((two.gap,), amounts.given, score=PLAIN if two.worked_out else LEAST, versus=two)
    several = together(amounts.asked, amounts, LEAST)
    if several:
        return _added(several, amounts)
    given = _with(amounts.given, supplied)
    alone = _whole(amounts, given) or _choose(amounts.asked, given) or _spending(amounts, supplied)
    alone = alone or _whole(amounts, given, paid=True)
    if alone is not None or before is None or len(amounts.currencies) > 1:
        return alone
    return _going_on(amounts, before)


def _added(several: tuple[Solution, ...], amounts: Amounts) -> Chosen:
    """What several bills come to, or the prices of a list."""
    counted = () if several[:-1] else tuple(one.measure for one in amounts.others)
    return Chosen(several[-1:], amounts.given, score=PLAIN, added=several[:-1], counted=counted)


def _whole(amounts: Amounts, given: tuple[Given, ...], *, paid: bool = False) -> Chosen | None:
    """The sum that a number without a name makes whole, or one that was taken for the price of a thing."""
    wanted = sorted((one for one in amounts.asked if one.fills), key=lambda one: -one.score)
    surely = [one for one in wanted if one.score >= LEAST]
    whole = completed(surely, amounts, given, paid=paid) or (() if paid else completed(wanted, amounts, given))
    return _choose(amounts.asked, whole) if whole else None


def _going_on(amounts: Amounts, before: SumFrame) -> Chosen | None:
    """The sum before with new values in the place of old ones, or another one from all of them.

    Of the ways to read the values the first is taken that a sum uses as a whole, else the first that makes one.
    """
    ways = [(way, _with_before(way, before)) for way in readings_after(amounts, before)]
    made = [(way, found) for way, found in ways if found is not None]
    whole = (found for way, found in made if is_used(way, before, [one.node.said for one in found.solutions]))
    return next(whole, made[0][1] if made else None)


def _with_before(amounts: Amounts, before: SumFrame) -> Chosen | None:
    """The sum of what was said before and what is said now, as it is read."""
    merged = merge(before, amounts)
    changed = {one.name: one.value for one in merged} != before.given
    asked = _choose(amounts.asked, merged)
    if asked is not None and (changed or asked.solutions[0].name not in before.asked):
        return replace(asked, follows=True, counted=_used(asked.solutions, amounts))
    asks_other = bool(amounts.asked) and not _bare(amounts.asked)
    return _asked_again(before, merged, amounts) if changed and not asks_other else None


def _asked_again(before: SumFrame, given: tuple[Given, ...], amounts: Amounts) -> Chosen | None:
    """What was asked before from other values: those of its sums that come out otherwise, else all."""
    again = tuple(found for name in before.asked if (found := _again(name, given, amounts)) is not None)
    fresh = tuple(one for one in again if before.values.get(one.name) != one.value)
    # of a sum of a trade nothing is told again that comes out as it was
    told = fresh or (() if before.topic else again)
    return Chosen(told, given, follows=True, counted=_used(told, amounts)) if told else None


def _again(name: str, given: tuple[Given, ...], amounts: Amounts) -> Solution | None:
    """What was asked before, from other values; where it has no use for one, what it leads to that has.

    So the hours of one card lead to those of two, and a bill to the share of each of four; a pace that is said beside
    a number of cards is theirs together.
    """
    found = solve(name, given)
    said = {one.quantity for one in amounts.placed}
    paced = any(QUANTITIES[one].unit.endswith("/s") for one in said)
    if found is None or paced or said <= found.node.said:
        return found
    beyond = (solve(one, given) for one in leading_from(name))
    return next((one for one in beyond if one is not None and said <= one.node.said), found)


@cache
def leading_from(name: str) -> tuple[str, ...]:
    """The quantities in the unit of one that formulas give from it."""
    unit = QUANTITIES[name].unit
    return tuple(one.gives for one in FORMULAS if name in one.needs and QUANTITIES[one.gives].unit == unit)


def _used(solutions: tuple[Solution, ...], amounts: Amounts) -> tuple[Measure, ...]:
    """The measures that sums rest on, under whatever name."""
    said = frozenset().union(*(one.node.said for one in solutions))
    return tuple(one.measure for one in amounts.placed if one.quantity in said)


def _spending(amounts: Amounts, supplied: tuple[Given, ...]) -> Chosen | None:
    """The sum of what money reaches for, where the amount was called nothing: it is what there is to spend."""
    asked = tuple(one for one in amounts.asked if one.name in SPENT and one.score >= LEAST)
    given = _with_budget(amounts) if asked else ()
    return _choose(asked, _with(given, supplied)) if given else None


def _with_budget(amounts: Amounts) -> tuple[Given, ...]:
    """What was said, the price that nothing was bought for as what there is to spend; () where there is none.

    Of two prices the larger is the budget.
    """
    said = {one.name: one.value for one in amounts.given}
    prices = sorted(one.value for one in (*amounts.placed, *amounts.others) if one.quantity == "purchase")
    if not prices or not said.keys().isdisjoint(("budget", "budget_month")):
        return ()
    said["budget"] = prices.pop()
    said.pop("purchase", None)
    said |= {"purchase": prices[0]} if prices else {}
    return tuple(Given(name, value) for name, value in said.items())


def _with(given: tuple[Given, ...], supplied: tuple[Given, ...]) -> tuple[Given, ...]:
    """What was said, and what the catalogue adds where the message says nothing of the kind."""
    said = {one.name for one in given}
    watts = said & _WATTS
    return (*given, *(one for one in supplied if one.name not in said and not (watts and one.name in _WATTS)))


def _bare(asked: tuple[Asked, ...]) -> bool:
    """Whether what is asked is no more than the amount of the same."""
    return all(one.score < LEAST + 1.0 for one in asked)


def _choose(asked: tuple[Asked, ...], given: tuple[Given, ...]) -> Chosen | None:
    found: list[Solution] = []
    best = 0.0
    for part in sorted({one.part for one in asked}):
        for worth, solution in _of_part([one for one in asked if one.part == part], given):
            if solution.name not in {one.name for one in found}:
                found.append(solution)
                best = max(best, worth)
    told = tuple(one for one in found if not any(one is not other and _tells(other, one.name) for other in found))
    return Chosen(told, given, score=best) if told else None


def _of_part(asked: list[Asked], given: tuple[Given, ...]) -> list[tuple[float, Solution]]:
    """The sums that one asking part wants: by its words, and by how much of what was said they use.

    Mostly one; a second one of another kind where it uses a number that the first leaves out.
    """
    solved = ((one, solve(one.name, given)) for one in asked)
    made = [(one, found) for one, found in solved if found is not None and _holds(one, found, given)]
    named = [(_worth(one, found), found) for one, found in made if one.score >= LEAST]
    if not named:
        return _of_kind(made, given)
    best = max(named, key=lambda entry: entry[0])
    return [best, *_also(best[1], named, {one.name for one, _ in made if one.fills})]


def _also(first: Solution, named: list[tuple[float, Solution]], filling: set[str]) -> list[tuple[float, Solution]]:
    """The likeliest other sum that fills a blank of the same part and uses what the first leaves out."""
    others = [entry for entry in named if entry[1].name in filling and _goes_beside(first, entry[1])]
    return sorted(others, key=lambda entry: -entry[0])[:1] if first.name in filling else []


def _of_kind(made: list[tuple[Asked, Solution]], given: tuple[Given, ...]) -> list[tuple[float, Solution]]:
    """Where no word names a sum but the blank is clear: that of its kind that uses most of what was said."""
    most = max((len(found.node.said) for _, found in made), default=0)
    of_kind = [
        (LEAST, found)
        for one, found in made
        if one.fills and len(found.node.said) == most >= _least_of(QUANTITIES[one.name].unit) * len(given)
    ]
    return of_kind[:1]


def _least_of(unit: str) -> float:
    """The share of what was said that a sum uses at least which no word names."""
    return {"yes": inf, "hour": 1.0}.get(unit, _COVERS)


def _goes_beside(first: Solution, other: Solution) -> bool:
    """Whether a sum of another kind uses what another leaves out."""
    apart = QUANTITIES[first.name].unit != QUANTITIES[other.name].unit
    return apart and not other.node.said <= first.node.said and first.name not in other.node.said


def _said_enough(found: Solution, given: tuple[Given, ...]) -> bool:
    """Whether a sum uses enough that was said itself, not only what the catalogue supplied.

    Where a rent of record is all that is missing, one number that was said will do.
    """
    supplied = {one.name for one in given if one.id in _OF_RECORD} & found.node.said
    if not supplied:
        return True
    if found.name in BILLED:
        return bool(found.node.said & BEYOND)
    alone = 1 if found.name in RENTED else _FEWEST
    return found.name in _SUPPLIED and len(found.node.said - supplied) >= alone


def _holds(asked: Asked, found: Solution, given: tuple[Given, ...]) -> bool:
    """Whether a sum rests on what was said."""
    return _rests(asked, found) and _said_enough(found, given)


def _rests(asked: Asked, found: Solution) -> bool:
    """Whether a sum rests on enough that was said; one number against a known limit will do where that is asked."""
    alone = (asked.name in _ALONE and asked.score >= LEAST) or (
        asked.score >= PLAIN and QUANTITIES[asked.name].unit == "yes"
    )
    return len(found.node.said) >= _FEWEST or alone


def _worth(asked: Asked, found: Solution) -> float:
    return asked.score + 0.4 * len(found.node.said) + (_FILLS if asked.fills else 0.0)


def _tells(verdict: Solution, name: str) -> bool:
    """Whether the sentence of a verdict tells a figure anyway."""
    return QUANTITIES[verdict.name].unit == "yes" and name in verdict.nodes
