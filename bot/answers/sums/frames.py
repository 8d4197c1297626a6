"""What is kept of a sum for the message after it."""

from __future__ import annotations

from math import isfinite

from bot.answers.sums.choose import Chosen
from bot.core.sums import SumFrame


def frame_of(chosen: Chosen, currency: str, turn: int, before: SumFrame | None) -> SumFrame:
    """The values of a sum; where it is one of before with other values, what came out then, too.

    Args:
        chosen: the sums that were told.
        currency: of all money in them.
        turn: of the conversation.
        before: the sum of the last answer.
    """
    values = {one.name: one.value for one in chosen.solutions if isfinite(one.value)}
    last = before.values if before is not None and chosen.follows else {}
    return SumFrame(
        turn=turn,
        given={one.name: one.value for one in chosen.given},
        asked=tuple(one.name for one in chosen.solutions),
        values=values,
        earlier={name: value for name, value in last.items() if name in values and value != values[name]},
        currency=currency,
        open=chosen.open,
        said=chosen.said,
    )
