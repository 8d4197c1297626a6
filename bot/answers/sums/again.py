"""A bare time said after a sum of several times takes the place of the nearest of them."""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import Final

from advisor.calculators import QUANTITIES
from bot.answers.sums.choose import WEAK
from bot.core.sums import SumFrame
from bot.read.placed import Amounts, Placed

_IN_HOURS: Final = {"hour": 1.0, "day": 24.0}
_SEVERAL: Final = 2


def in_its_place(amounts: Amounts, before: SumFrame | None) -> Amounts:
    """The amounts of a message with each bare time as the time of the sum before whose place it takes.

    Args:
        amounts: what the message gives; a time that is called something, or asked beside, stays what it is.
        before: the sum of the last answer, its times in hours.
    """
    times = {name: value for name, value in before.given.items() if _is_time(name, value)} if before is not None else {}
    if len(times) < _SEVERAL or amounts.asked or len(amounts.placed) != 1:
        return amounts
    return replace(amounts, placed=tuple(_placed(one, times) for one in amounts.placed))


def _is_time(name: str, value: float) -> bool:
    return QUANTITIES[name].unit == "hour" and value > 0


def _placed(one: Placed, times: dict[str, float]) -> Placed:
    scale = _IN_HOURS.get(QUANTITIES[one.quantity].unit)
    if scale is None or one.quantity in times or one.score >= WEAK or one.value <= 0:
        return one
    hours = one.value * scale
    nearest = min(times, key=lambda name: abs(log(hours / times[name])))
    return replace(one, quantity=nearest, value=hours)
