"""The need that a sum serves, and the sum of the last answer told once more in another language."""

from __future__ import annotations

from typing import Final

from advisor.calculators import Given, solve
from bot.answers.sums.choose import Chosen
from bot.answers.sums.gate import Found
from bot.answers.sums.needs import NEEDS
from bot.answers.sums.of_record import Records
from bot.answers.sums.tell import tell
from bot.core.sums import SumFrame
from bot.read.placed import Amounts

_NEED_OF: Final = {unknown: need for need, unknowns in NEEDS.items() for unknown in unknowns}
_BILL: Final = "estimate_cost"


def need_of(chosen: Chosen) -> str:
    """The need that a sum serves."""
    return _NEED_OF.get(chosen.solutions[0].name, _BILL)


def retold(before: SumFrame | None, turn: int) -> Found | None:
    """The sum of the last answer, from the same values; None where that was none.

    Args:
        before: what that answer left.
        turn: of the message.
    """
    if before is None:
        return None
    given = tuple(Given(name, value) for name, value in before.given.items())
    again = tuple(found for name in before.asked if (found := solve(name, given)) is not None)
    if not again:
        return None
    chosen = Chosen(again, given, follows=True)
    told = tell(chosen, Amounts(), before.currency, Records())
    return Found(told.answer, need_of(chosen), before.model_copy(update={"turn": turn}))
