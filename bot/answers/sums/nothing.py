"""Sums that come to nothing: then a number was taken for what it is not."""

from __future__ import annotations

from typing import Final

from advisor.calculators import QUANTITIES
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
_LEAST_COUNTED: Final = 0.5
"""What is counted in whole ones, of which so few are no answer."""


def is_nothing(chosen: Chosen) -> bool:
    """Whether a bill comes to less than any coin, or a count to none: then a number was taken for what it is not."""
    if chosen.said is None and any(one.name in _COUNTS and one.value < _LEAST_COUNTED for one in chosen.solutions):
        return True
    return any(QUANTITIES[one.name].unit == "money" and 0.0 < one.value < _LEAST_PAID for one in chosen.solutions)


__all__ = ["is_nothing"]
