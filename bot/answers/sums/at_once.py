"""What pays back at once: a later sale that covers the price leaves nothing to earn back."""

from __future__ import annotations

from math import isfinite
from typing import Final

from advisor.calculators import Solution

PAYS_BACK: Final = frozenset(
    {"break_even_hours", "break_even_days", "hours_a_day_to_break_even", "share_to_break_even", "buy_pays"}
)
"""Sums of when buying has cost less than renting."""


def is_at_once(solution: Solution) -> bool:
    """Whether a sum asks when the price is earned back, and the sale covers all of it."""
    if solution.name not in PAYS_BACK:
        return False
    net = solution.nodes.get("net_price")
    return net is not None and net.value <= 0 and "resale" in solution.node.said


def told_once(solutions: tuple[Solution, ...]) -> tuple[Solution, ...]:
    """Sums without further ones of when it pays back, where one sentence says it of all."""
    at_once = [one for one in solutions if is_at_once(one)]
    return tuple(one for one in solutions if one not in at_once[1:])


def pays(solution: Solution) -> bool:
    """Whether it pays back after any time at all."""
    return isfinite(solution.value) and (solution.name != "buy_pays" or bool(solution.value))
