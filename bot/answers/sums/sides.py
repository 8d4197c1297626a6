"""First lines of their own: two ways to one thing compared, days in the unit that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from advisor.calculators import QUANTITIES, Solution
from advisor.periods import DAYS_A_MONTH, HOURS_A_DAY, HOURS_A_YEAR
from bot.answers.sums.versus import Side, Versus
from bot.core.line import Figure, Line, Worded
from bot.read.placed import Amounts
from bot.words.figures import readable

_DAYS: Final = {"week": 7.0, "month": DAYS_A_MONTH, "year": HOURS_A_YEAR / HOURS_A_DAY}
_FAR: Final = 60
"""Characters between a name and the first figure that is said of it."""


def against(found: Versus, amounts: Amounts, currency: str) -> Line:
    """Which of two is cheaper and by how much, or by what share a price rose or fell."""
    before, after = found.sides
    ends: dict[str, Worded] = {
        "price_before": Figure(before.value, "money", currency),
        "price_after": Figure(after.value, "money", currency),
    }
    if found.gap.name == "price_change":
        change = Figure(abs(found.gap.value), "share")
        return Line(f"sum.price_change.{'up' if found.gap.value > 0 else 'down'}", {**ends, "price_change": change})
    gap = Figure(abs(after.value - before.value), "money", currency)
    low, high = sorted(found.sides, key=lambda side: side.value)
    values: dict[str, Worded] = {
        "cheaper": _called(low, high, amounts, currency),
        "price_gap": gap,
        "low": Figure(low.value, "money", currency),
        "high": Figure(high.value, "money", currency),
    }
    if found.gap.name == "saved_share":
        return Line("sum.saves", {**values, "saved_share": Figure(found.gap.value, "share")})
    return Line("sum.cheaper", values)


_HOURS: Final = {"hour": 1.0, "minute": 1 / 60, "second": 1 / 3600}


def added_up(total: Solution, parts: Sequence[Solution], currency: str, called: Sequence[str] = ()) -> Line:
    """What several bills come to in all, and each of them: by what it is for, by its own figures where that is one."""
    figures = [_figure(one, currency) for one in parts]
    if called and len({one.name for one in parts}) == 1:
        named = [
            Line("sum.part.own", {"named": name, "figure": one}) for name, one in zip(called, figures, strict=True)
        ]
    else:
        named = [Line(f"sum.part.{one.name}", {"figure": each}) for one, each in zip(parts, figures, strict=True)]
    return Line("sum.added", {"total": _figure(total, currency), "parts": tuple(named)})


def _figure(one: Solution, currency: str) -> Figure:
    """What one part or all of them come to, in the unit that people would say."""
    unit = QUANTITIES[one.name].unit
    return Figure(one.value, unit, currency) if unit.startswith("money") else Figure(*readable(one.value, unit))


def is_product(solution: Solution) -> bool:
    """Whether a sum is of values that no formula names, so that nothing beside it can be told."""
    return solution.node.formula is not None and not solution.node.inputs


def in_span(line: Line, span: str) -> Line:
    """A first line with its times in the unit that was asked for."""
    if span in _HOURS:
        return replace(line, values={name: _in_hours(value, span) for name, value in line.values.items()})
    days = _DAYS.get(span)
    if days is None:
        return line
    return replace(line, values={name: _in_days(value, span, days) for name, value in line.values.items()})


def _in_hours(value: Worded, span: str) -> Worded:
    """Hours, minutes or seconds as those that were asked for; anything else as it is."""
    if not isinstance(value, Figure) or value.unit not in _HOURS:
        return value
    return Figure(value.value * _HOURS[value.unit] / _HOURS[span], span)


def _in_days(value: Worded, span: str, days: float) -> Worded:
    """Days as weeks, months or years; anything else as it is."""
    return Figure(value.value / days, span) if isinstance(value, Figure) and value.unit == "day" else value


def _called(side: Side, other: Side, amounts: Amounts, currency: str) -> Worded:
    """What one of two is called: the name that stands with its figures, else the figure that tells it.

    A name of the writer's own stands with its figure.
    """
    name = _name(side, amounts)
    if name and name != _name(other, amounts):
        return name
    first = side.first
    unit = QUANTITIES[first.quantity].unit
    figure = Figure(first.value, unit, currency if unit.startswith("money") else "")
    called = dict(amounts.called)
    own, others = (called.get(one.first.measure.start, "") for one in (side, other))
    return Line("sum.called", {"name": own, "figure": figure}) if own and own != others else figure


def _name(side: Side, amounts: Amounts) -> str:
    """The name that stands nearest to a figure, before it rather than behind."""
    start = side.first.measure.start
    near = [(start - at if at <= start else 2 * (at - start), name) for at, name in amounts.named]
    best = min(near, default=(_FAR, ""))
    return best[1] if best[0] < _FAR else ""
