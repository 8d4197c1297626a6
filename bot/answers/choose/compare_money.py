"""Sides that are told by their price: as much memory in fewer cards or more, and what runs as well for less."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from advisor.speed.rate import generates
from bot.answers.choose.compare_sides import price_alone, side_named
from bot.answers.choose.side_prices import PriceView
from bot.answers.choose.use_lines import by_price
from bot.core.line import Line, Worded, measured

if TYPE_CHECKING:
    from advisor.speed.uses import SideUse
    from bot.answers.choose.compare_lines import Compared

BY_MEMORY: Final = frozenset({"only_one_fits", "none_fits"})
"""Why a side is taken where memory alone decides."""
_TWO: Final = 2
_STACKS: Final = "stacks"
_ROCM: Final = "rocm"
_CHEAPER: Final = 0.9
"""Share of the price from which a side with other software is told to cost less."""
_NAMED: Final = "yours"


def of_one_size(told: Compared) -> Line | None:
    """As much memory in fewer cards or more: the cheaper one, unless the other is surely faster; None for others."""
    prices = _of_two(told)
    if told.use is None or told.made.reason in BY_MEMORY or prices is None:
        return None
    margin = told.made.margin
    faster = measured(margin, "times") if margin is not None and float(margin.low) >= 1 else None
    least = int(prices[0].price.amount > prices[1].price.amount)
    taken = least if faster is None else told.made.winner or 0
    named = (price_alone(prices[0]), price_alone(prices[1]))
    return by_price(told.use, named, taken, faster, cheaper=taken == least)


def runs_as_well(told: Compared) -> Line | None:
    """Of CUDA and ROCm where models are only run: the one that holds as much for less; None for all else."""
    use, prices = told.by_use, _of_two(told)
    if use is None or use.rest is None or prices is None or not _is_run_on_stacks(told, use.kind):
        return None
    rest, other = use.sides[use.rest], use.sides[1 - use.rest]
    cheap, dear = prices[1 - use.rest].price.amount, prices[use.rest].price.amount
    if not _holds_as_much(other, rest) or float(cheap) > _CHEAPER * float(dear):
        return None
    named = [side_named(side) for side in told.made.sides]
    values: dict[str, Worded] = {"rest": named[use.rest], "other": named[1 - use.rest]}
    values |= {"price": price_alone(prices[1 - use.rest]), "more": price_alone(prices[use.rest])}
    return Line("use.stacks.run", values)


def _is_run_on_stacks(told: Compared, kind: str) -> bool:
    """Whether sides of different software are compared for writing text, and nothing is trained."""
    return kind == _STACKS and told.purpose and not told.trains and _writes(told)


def _holds_as_much(other: SideUse, rest: SideUse) -> bool:
    """Whether a side of ROCm has no less memory than the one that is set against it."""
    return other.stack == _ROCM and (other.total_gib or 0.0) >= (rest.total_gib or 0.0) > 0


def _of_two(told: Compared) -> tuple[PriceView, PriceView] | None:
    """What each of two sides costs to buy, where both are known themselves and in one currency."""
    views = [one.buy for one in told.columns if one.buy is not None and not one.buy.variant]
    alike = len({view.price.currency for view in views}) == 1
    return (views[0], views[1]) if alike and len(views) == len(told.columns) == _TWO else None


def _writes(told: Compared) -> bool:
    """Whether the job that was named is to write text, or none was."""
    return not told.jobs or told.jobs[0].code != _NAMED or generates(told.jobs[0].row.workloads[0])
