"""What several bills come to in all: two of a kind, each with figures of its own, or bills for unlike things.

A tariff and hours by day and another tariff and hours at night make a bill each, and so do a rent, the data kept and
the traffic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from advisor.calculators import QUANTITIES, Given, Solution, solve
from advisor.calculators.registry import Formula
from advisor.calculators.solve import Node
from bot.answers.sums.versus import pairs_of, side_given
from bot.read.placed import Amounts, Asked

SUMMED: Final = (
    "bill",
    "power_cost",
    "api_bill",
    "storage_cost",
    "egress_cost",
    "sound_bill",
    "item_bill",
    "work_cost",
)
"""What can be added up, likeliest first."""
_TOTALS: Final = frozenset({*SUMMED, "buy_total"})
_PRICES: Final = frozenset(
    {
        *("rent_card_hour", "rent_machine_hour", "rent_month", "kwh_price", "token_price", "token_price_in"),
        *("token_price_out", "storage_price", "egress_price", "sound_price", "item_price"),
    }
)
_PRICE: Final = "purchase"
_FEWEST: Final = 2
_PLUS: Final = " + "


def together(asked: Sequence[Asked], amounts: Amounts, least: float) -> tuple[Solution, ...]:
    """The bills that are added up, the sum of all last; () where nothing is.

    Args:
        asked: what the message may ask for.
        amounts: what it gives; the second value of a quantity stands among the others.
        least: score from which on a quantity is asked for.
    """
    surely = [one for one in asked if one.fills and one.score >= least and QUANTITIES[one.name].unit == "money"]
    if "rivals" in amounts.flags or not surely or not _asks_for_a_total(surely):
        return ()
    parts = _of_pairs(amounts) or _of_kinds(amounts.given)
    return (*parts, _total(parts)) if len(parts) >= _FEWEST else _of_list(amounts)


def _of_list(amounts: Amounts) -> tuple[Solution, ...]:
    """What the parts of a machine come to, where nothing but their prices is said."""
    prices = sorted((*amounts.placed, *amounts.others), key=lambda one: one.measure.start)
    if amounts.unplaced != tuple(one.measure for one in amounts.others) or len(prices) < _FEWEST:
        return ()
    if any(one.quantity != _PRICE or one.measure.per for one in prices):
        return ()
    working = _PLUS.join(one.measure.text.replace("{", "").replace("}", "") for one in prices)
    total = sum(one.value for one in prices)
    return (Solution(Node("bill", total, Formula("bill", (), working, float), said=frozenset({_PRICE}))),)


def _asks_for_a_total(surely: Sequence[Asked]) -> bool:
    """Whether nothing is asked for more plainly than what all comes to."""
    most = max(one.score for one in surely)
    return all(one.name in _TOTALS for one in surely if one.score == most)


def _of_pairs(amounts: Amounts) -> list[Solution]:
    """The bill of either of two, where at least two quantities have two values each and a bill uses all of them."""
    doubled = [one.quantity for one in amounts.others]
    pairs = pairs_of(amounts) if len(doubled) == len(set(doubled)) >= _FEWEST else []
    own = {one.quantity for one, _ in pairs}
    both = [side_given(amounts, pairs, place) for place in (0, 1)] if len(own) >= _FEWEST else []
    bills = (_both(name, both, own) for name in SUMMED) if both else ()
    return next((two for two in bills if two), [])


def _both(name: str, both: Sequence[tuple[Given, ...]], own: set[str]) -> list[Solution]:
    """A bill of either side, where both are made of all that differs."""
    found = [solve(name, given) for given in both]
    return [one for one in found if one is not None] if all(_uses(one, own) for one in found) else []


def _uses(found: Solution | None, own: set[str]) -> bool:
    """Whether a bill is made of all that differs."""
    return found is not None and own <= found.node.said


def _of_kinds(given: tuple[Given, ...]) -> list[Solution]:
    """Bills of which each uses a price that no other uses."""
    found: list[Solution] = []
    for name in SUMMED:
        solution = solve(name, given)
        prices = solution.node.said & _PRICES if solution is not None else frozenset()
        taken = frozenset().union(*(one.node.said for one in found)) & _PRICES
        if solution is not None and prices and prices.isdisjoint(taken):
            found.append(solution)
    return found


def _total(parts: Sequence[Solution]) -> Solution:
    """The sum of all."""
    nodes = tuple(one.node for one in parts)
    said = frozenset().union(*(one.said for one in nodes))
    names = tuple(one.name for one in nodes)
    apart = len(set(names)) == len(names)
    working = _PLUS.join("{" + one.name + "}" if apart else f"{one.value:,.2f}" for one in nodes)
    return Solution(Node("bill", sum(one.value for one in nodes), Formula("bill", names, working, _sum), nodes, said))


def _sum(*values: float) -> float:
    return sum(values)
