"""Sums put together as they are said: the values of a message in their order, by unit and by word (`expression.py`).

Such a sum uses every number of the message. It stands in where the others find none, leave numbers out, or rest on
nothing but units themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, floor, isclose
from typing import Final

from advisor.calculators import QUANTITIES, Given, Solution
from advisor.calculators.expression import Powers
from advisor.calculators.reckon import ANY, HOUR, SPANS
from advisor.calculators.registry import Formula
from advisor.calculators.solve import Node
from advisor.periods import HOURS_A_DAY
from bot.answers.sums.choose import PLAIN, Chosen
from bot.answers.sums.factors import unit_of
from bot.answers.sums.left import left_out
from bot.answers.sums.said_again import changed, kept
from bot.answers.sums.sides import is_product
from bot.answers.sums.ways import Way, way_of, ways_of
from bot.answers.sums.worked import factors_of, shown
from bot.core.sums import SaidSum
from bot.read.placed import Amounts
from bot.read.targets import Target
from bot.read.terms import Term

_NAMES: Final[Mapping[tuple[tuple[str, int], ...], tuple[str, float]]] = {
    (("hour", 1),): ("reckoned_time", 1.0),
    (("card", 1), ("hour", 1)): ("gpu_hours", 1.0),
    (("money", 1),): ("reckoned_money", 1.0),
    (("hour", 1), ("money", 1)): ("reckoned_money", 1.0),
    (("hour", -1), ("money", 1)): ("reckoned_money_hour", 1.0),
    (("gigabyte", 1),): ("reckoned_data", 1.0),
    (("gigabyte", 1), ("hour", -1)): ("reckoned_flow", 1 / 3600),
    (("kwh", 1),): ("reckoned_energy", 1.0),
    (("hour", -1), ("kwh", 1)): ("reckoned_power", 1000.0),
    (("kilogram", 1),): ("reckoned_mass", 1.0),
    (("ampere", 1),): ("reckoned_current", 1.0),
    (("hour", -1), ("token", 1)): ("reckoned_pace_token", 1 / 3600),
    (("hour", -1), ("step", 1)): ("reckoned_pace_step", 1 / 3600),
}
"""Unit of what is asked for -> the quantity that tells it, and how much of its unit one is."""
_KNOWN: Final = frozenset({"card", "machine", "person", "token", "step", "run", "round", "process"})
_FEWEST, _THREE = 2, 3
"""Values of a sum at least; so many pieces of work, what each takes, and how many work at once."""
_BACK: Final = "deposit"
"""What comes back at the end, and is not spent."""
_CARD_HOURS, _CARD = frozenset({"gpu_hours", "card_hours"}), "card"
"""Hours of all cards, where nobody asked for those of cards."""
_GAP, _DAY, _MONEY = "gap", "day", "money"
_SHARE: Final = 1.0
_DEAREST, _BESIDE, _SURELY, _RATHER = 0.55, 0.71, 0.45, 0.3
_WITH_MONEY: Final = 0.5
"""How much a sum may take for granted: where there is none yet, where one is of something else than asked, where
one leaves something out, beside one of units alone."""
_TOTALS: Final = frozenset({"bill", "api_bill", "power_cost", "work_cost", "buy_total", "reckoned_money"})
"""Sums of all together."""
_ALIKE: Final = 5e-3
_NEARLY: Final = 1e-9


def expressed_sum(chosen: Chosen | None, amounts: Amounts) -> Chosen | None:
    """The sum of all that was said, where the one found so far is none of all, or of units alone; else that one.

    Args:
        chosen: the sum found by other ways, if any.
        amounts: what the message gives and asks for.
    """
    if chosen is not None and not _is_plain(chosen):
        return chosen
    terms, targets = amounts.terms()
    told = sum(not term.said.spare for term in terms)
    dearest = _dearest(chosen, amounts, targets) if told >= _FEWEST else 0.0
    if not dearest and chosen is not None:
        return _in_turns(chosen, terms, targets) or chosen
    ways = ways_of(terms, targets, dearest, whole=chosen is not None) if dearest else []
    kept = not ways or _is_same(chosen, ways) or _is_less(chosen, ways)
    return chosen if kept else _as_chosen(ways, amounts)


def _in_turns(chosen: Chosen, terms: Sequence[Term], targets: Sequence[Target]) -> Chosen | None:
    """A time that several work side by side for in whole turns, where the one found shares single pieces out."""
    timed = QUANTITIES[chosen.solutions[0].name].unit == HOUR and any(one.goal.timed for one in targets)
    ways = ways_of(terms, targets, _SURELY, whole=True) if timed and len(terms) == _THREE else []
    if not ways or ways[0].rounded == 1:
        return None
    shared = _node(replace(ways[0], rounded=1.0)).value
    return _as_chosen(ways, Amounts()) if isclose(shared, chosen.solutions[0].value, rel_tol=_ALIKE) else None


def _is_plain(chosen: Chosen) -> bool:
    """Whether a sum is of this message alone, and of one thing."""
    return not (chosen.follows or chosen.added or chosen.versus is not None)


def _is_same(chosen: Chosen | None, ways: Sequence[Way]) -> bool:
    """Whether both come to one value: then the sum by names says what it is."""
    value = _node(ways[0]).value
    return any(isclose(one.value, value, rel_tol=_ALIKE) for one in (chosen.solutions if chosen is not None else ()))


def _is_less(chosen: Chosen | None, ways: Sequence[Way]) -> bool:
    """Whether a total of money comes to less with what another one left out."""
    first = chosen.solutions[0] if chosen is not None else None
    total = first is not None and first.name in _TOTALS and ways[0].target.goal.wanted == {_MONEY: 1}
    return first is not None and total and ways[0].target.goal.kind != _GAP and _node(ways[0]).value < first.value


def _dearest(chosen: Chosen | None, amounts: Amounts, targets: Sequence[Target]) -> float:
    """How much a sum may take for granted; nothing where the one found by name is what is asked, of everything."""
    if amounts.odd or _BACK in amounts.values:
        return 0.0
    if chosen is None:
        return _DEAREST
    left = left_out(chosen, amounts, frozenset(), ())
    if _is_beside(chosen, targets):
        return _BESIDE
    if any(one.kind == _MONEY for one in left):
        return _WITH_MONEY
    if len(left) >= _FEWEST or _sums_up_cards(chosen, targets):
        return _DEAREST
    if left:
        return _SURELY
    return _RATHER if is_product(chosen.solutions[0]) else 0.0


def _sums_up_cards(chosen: Chosen, targets: Sequence[Target]) -> bool:
    """Whether hours of all cards were found, where nobody asks for those of cards."""
    return chosen.solutions[0].name in _CARD_HOURS and not any(_CARD in one.goal.wanted for one in targets)


def _is_beside(chosen: Chosen, targets: Sequence[Target]) -> bool:
    """Whether a sum is of something else than all that is asked for: so much in all where it is asked by the hour."""
    name = chosen.solutions[0].name
    unit = unit_of(QUANTITIES[name].unit)
    wants = [one.goal.wanted for one in targets if one.goal.noun != ANY]
    if unit is None or not wants:
        return False
    daily = unit.get(_DAY) == -1 and all(one.get(_DAY) != -1 for one in wants)
    other = all(_amounts(one).isdisjoint(_amounts(unit)) for one in wants)
    total = name in _TOTALS and _are_rates(wants)
    return daily or other or total


def _are_rates(wants: Sequence[Mapping[str, int]]) -> bool:
    """Whether all that is asked for is so much for each of something."""
    return all(min(one.values(), default=0) < 0 for one in wants)


def _amounts(unit: Mapping[str, int]) -> set[str]:
    """What a unit is so much of, whatever the time is told in."""
    return {HOUR if name in SPANS else name for name, power in unit.items() if power > 0} or {""}


def _as_chosen(ways: Sequence[Way], amounts: Amounts) -> Chosen:
    """The sums to tell."""
    return Chosen(
        tuple(Solution(_node(way)) for way in ways),
        tuple(Given(name, value) for name, value in amounts.values.items()),
        score=PLAIN,
        counted=tuple(measure for term in ways[-1].terms for measure in term.measures),
        said=kept(ways[0].target, ways[0].terms) if len(ways) == 1 else None,
    )


def expressed_again(before: SaidSum | None, amounts: Amounts) -> Chosen | None:
    """The sum of before with what is said now in the place of what was; None where it has no place for it.

    Args:
        before: the sum of the last answer, if it was put together as it was said.
        amounts: the message after it.
    """
    found = changed(before, amounts) if before is not None else None
    way = way_of(*found, _BESIDE) if found is not None else None
    return replace(_as_chosen([way], amounts), given=()) if way is not None else None


def _node(way: Way) -> Node:
    """The sum under the name of its unit, its arithmetic as it was typed."""
    name, times = _named(way.target)
    value = way.found.value * way.target.times * times * way.rounded
    if _is_saved(way):
        value = 1.0 - value
    whole = {"down": lambda one: floor(one + _NEARLY), "up": lambda one: ceil(one - _NEARLY)}.get(way.target.whole)
    if whole is not None:
        value = float(whole(value))
    return Node(name, value, Formula(name, (), _worked(way), float))


def _is_saved(way: Way) -> bool:
    """Whether a share is asked for that is saved, and what is left was worked out."""
    goal, tree = way.target.goal, way.found.tree
    share = goal.kind == _GAP and not goal.wanted and goal.most == _SHARE
    return share and isinstance(tree, tuple) and tree[0] != "-" and way.found.value < _SHARE


def _named(target: Target) -> tuple[str, float]:
    """The quantity that tells what is asked for, and how much of its unit one is."""
    goal = target.goal
    if target.days:
        return "reckoned_days", 1 / HOURS_A_DAY
    if goal.noun:
        return (f"reckoned_{goal.noun}" if goal.noun in _KNOWN and not _by_time(target) else "reckoned_count"), 1.0
    if not name_of(goal.unit)[0]:
        return ("reckoned_share" if goal.most == _SHARE else "reckoned_times"), 1.0
    return name_of(goal.unit)


def name_of(unit: Powers) -> tuple[str, float]:
    """The quantity that tells values of a unit, and how much of its unit one is; "" for a mere number."""
    told = tuple((name, power) for name, power in unit if power > 0 or name == "hour")
    return _NAMES.get(told, ("reckoned_count", 1.0)) if told else ("", 1.0)


def _by_time(target: Target) -> bool:
    return any(name == "hour" for name, _ in target.goal.unit)


def _worked(way: Way) -> str:
    """The arithmetic as it was typed."""
    worked = _sum(way)
    return f"1 \N{MINUS SIGN} {worked}" if _is_saved(way) else worked


def _sum(way: Way) -> str:
    """The values of a sum with their signs; work that is done in turns as so many turns."""
    tree = way.turns or way.found.tree
    factors = factors_of(way.found.tree, way.terms, way.found.value / way.found.conversion)
    typed = shown(tree, way.terms, factors, 0.0 if way.found.conversion == 1 else 2.0)
    turned = way.found.conversion
    if turned > 1:
        return f"{typed} \N{MULTIPLICATION SIGN} {turned:.4g}"
    return f"{typed} \N{DIVISION SIGN} {1 / turned:.4g}" if turned < 1 else typed


__all__ = ["expressed_again", "expressed_sum", "name_of"]
