"""Sums of the values as they were said, before units alone decide; and a verdict of them against one by name."""

from __future__ import annotations

from typing import Final

from advisor.calculators import QUANTITIES
from bot.answers.sums.cancel import cancelled
from bot.answers.sums.choose import Chosen
from bot.answers.sums.expressed import expressed_sum
from bot.answers.sums.held import held_sum
from bot.answers.sums.left import left_out
from bot.read.placed import Amounts

_VERDICT: Final = "yes"


def of_values(chosen: Chosen | None, amounts: Amounts) -> Chosen | None:
    """The verdict of what there is, else the sum by units that cancel, unless all values make one as they were said.

    Args:
        chosen: the sum found by name, if any.
        amounts: what the message gives and asks for.
    """
    judged = held_sum(None, amounts) if chosen is None else None
    if judged is not None:
        return judged
    found = cancelled(chosen, amounts)
    said = expressed_sum(chosen, amounts) if found is not chosen else chosen
    whole = said is not None and said is not chosen and not left_out(said, amounts, frozenset(), ())
    return said if whole else found


def is_refuted(found: Chosen, amounts: Amounts) -> bool:
    """Whether a verdict that was fitted to the numbers is another than that of what words say is there."""
    if QUANTITIES[found.solutions[0].name].unit != _VERDICT:
        return False
    judged = held_sum(None, amounts)
    return judged is not None and bool(judged.solutions[0].value) != bool(found.solutions[0].value)


__all__ = ["is_refuted", "of_values"]
