"""Sums that come to nothing: then a number was taken for what it is not."""

from __future__ import annotations

from math import isclose
from typing import Final

from advisor.calculators import QUANTITIES, Solution
from bot.answers.sums.choose import Chosen

_LEAST_PAID: Final = 1e-5
"""No piece of work costs less in any currency."""
_COUNTS: Final = frozenset(
    {
        "runs_affordable",
        "items_affordable",
        "reckoned_run",
        "reckoned_step",
        "reckoned_round",
        "runs",
        "steps",
        "reckoned_count",
    }
)
_SHARE, _LEAST_SHARE = "reckoned_share", 5e-4
"""A share that would be told as 0 %."""
_COUNTED: Final = frozenset({"card", "machine"})
_MOST: Final = 1e7
"""More cards than anybody has: a number was taken for what it is not."""
_SAME: Final = 1e-6
_AVERAGES: Final = {"item_share_mb": "item_mb"}
"""What is worked out of each -> what is said of each."""
_LEAST_COUNTED: Final = 0.5
"""What is counted in whole ones, of which so few are no answer."""


def is_nothing(chosen: Chosen) -> bool:
    """Whether a bill comes to less than any coin, a count to none, cards to more than anybody has, a share to 0 %.

    Then a number was taken for what it is not.
    """
    if chosen.said is None and any(one.name in _COUNTS and one.value < _LEAST_COUNTED for one in chosen.solutions):
        return True
    return any(map(_is_beyond, chosen.solutions))


def _is_beyond(one: Solution) -> bool:
    """Whether a value is none that anybody would be told."""
    unit = QUANTITIES[one.name].unit
    if unit in _COUNTED:
        return one.value > _MOST
    if one.name == _SHARE:
        return 0.0 < abs(one.value) < _LEAST_SHARE
    return unit == "money" and 0.0 < one.value < _LEAST_PAID


def is_circular(chosen: Chosen) -> bool:
    """Whether an average comes to the very size that was said of each: that was no question."""
    said = {one.name: one.value for one in chosen.given}
    averages = [(one.value, said.get(_AVERAGES[one.name], 0.0)) for one in chosen.solutions if one.name in _AVERAGES]
    return any(isclose(value, each, rel_tol=_SAME) for value, each in averages)


__all__ = ["is_circular", "is_nothing"]
