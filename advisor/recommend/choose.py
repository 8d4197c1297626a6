"""Chooses between prepared options: what the budget allows, whether to rent or to buy, and the order of the rest.

A pure function of options and need, so that `flips` can ask it again with one thing changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.recommend.candidates import Prepared
from advisor.recommend.models import Channel, Need, Option
from advisor.recommend.settings import settings

WEEKS_PER_MONTH = 52 / 12
_PER_HOUR = {"hour": 1.0, "day": 24.0}


@dataclass(frozen=True, slots=True)
class Choice:
    """Both channels in order, and which of them answers the need."""

    channel: Channel
    rent: tuple[Option, ...]
    buy: tuple[Option, ...]
    over: tuple[Option, ...]
    """Options that would do but cost more than the budget."""

    @property
    def order(self) -> tuple[Option, ...]:
        """Options of the chosen channel, best first."""
        return self.rent if self.channel is Channel.RENT else self.buy

    @property
    def winner(self) -> Option | None:
        """The best option of the chosen channel."""
        return self.order[0] if self.order else None


def hours_per_week(need: Need) -> float:
    """Hours of use a week: stated, or typical of the persona."""
    return need.hours_per_week or settings().hours_per_week(need.persona)


def rental_limit(need: Need) -> float | None:
    """The most an hour of rental may cost; None without a budget."""
    if need.budget is None:
        return None
    amount = float(need.budget.amount)
    if need.budget_period in _PER_HOUR:
        return amount / _PER_HOUR[need.budget_period]
    weekly = hours_per_week(need)
    if need.budget_period == "week":
        return amount / weekly
    if need.budget_period == "month":
        return amount / (weekly * WEEKS_PER_MONTH)
    if need.budget_period == "year":
        return amount / (weekly * 52)
    if need.hours_per_week:
        return amount / (weekly * WEEKS_PER_MONTH * need.horizon_months)
    floor = settings().rental_hours_floor
    return amount / (min(floor, need.deadline_hours) if need.deadline_hours else floor)


def purchase_limit(need: Need) -> float | None:
    """The most the cards may cost; None without a one-off budget."""
    if need.budget is None or need.budget_period != "once":
        return None
    return float(need.budget.amount)


def choose(made: Prepared, need: Need) -> Choice:
    """Order what is affordable and say which channel answers."""
    over: list[Option] = []
    rent = _affordable(made, need, Channel.RENT, rental_limit(need), over)
    buy = _affordable(made, need, Channel.BUY, purchase_limit(need), over)
    return Choice(_channel(need, rent, buy, made.base), rent, buy, tuple(over))


def _affordable(
    made: Prepared, need: Need, channel: Channel, limit: float | None, over: list[Option]
) -> tuple[Option, ...]:
    """What the budget allows, best first: older prices and older cards only when nothing else is left."""
    result: tuple[Option, ...] = ()
    for options in made.ordered(channel, need.objective):
        kept = options if limit is None else [option for option in options if option.cost <= limit]
        if limit is not None:
            over.extend(option for option in options if option.cost > limit)
        if kept and not result:
            firmest = min(option.quote.firmness for option in kept)
            result = tuple(option for option in kept if option.quote.firmness <= firmest)
    return result


def _channel(need: Need, rent: Sequence[Option], buy: Sequence[Option], base: float) -> Channel:
    """Rent or buy: as stated, else as the budget implies, else as the hours imply, else what has a price of today."""
    if need.deploy is not None:
        return need.deploy
    if need.providers or not buy:
        return Channel.RENT
    if need.budget is not None:
        bought = need.budget_period == "once"
        return Channel.BUY if bought or not rent else Channel.RENT
    if not rent:
        return Channel.BUY
    if need.hours_per_week:
        return Channel.BUY if buying_is_cheaper(need, rent[0], buy[0], base) else Channel.RENT
    return Channel.RENT


def buying_is_cheaper(need: Need, rent: Option, buy: Option, base: float) -> bool:
    """Whether the purchase costs less over the horizon than renting for the same hours.

    A purchase price that is not of today decides only when the verdict survives its change by the stated margin.
    """
    hours = hours_per_week(need) * WEEKS_PER_MONTH * need.horizon_months
    margin = 0.0 if buy.quote.standing.solid else settings().indicative_margin
    return buy.cost * (1 + margin) + base < rent.cost * hours
