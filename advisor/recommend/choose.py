"""Chooses between prepared options: what the budget allows, whether to rent or to buy, and the order of the rest.

A pure function of options and need, so that `flips` can ask it again with one thing changed.
"""

from __future__ import annotations

from typing import Final

from advisor.periods import DAYS_A_MONTH
from advisor.recommend.candidates import Prepared
from advisor.recommend.models import Channel, Need, Objective, Option, Prospect
from advisor.recommend.settings import settings

WEEKS_PER_MONTH: Final = DAYS_A_MONTH / 7
_PER_HOUR: Final = {"hour": 1.0, "day": 24.0}


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


class Choice:
    """Both channels, and which of them answers the need; orders are worked out when they are first asked for."""

    def __init__(self, made: Prepared, need: Need, channel: Channel | None = None) -> None:
        """Choose for a need, or look at one channel whatever the need says."""
        self.made = made
        self.need = need
        self.limits = {Channel.RENT: rental_limit(need), Channel.BUY: purchase_limit(need)}
        self._orders: dict[Channel, tuple[Option, ...]] = {}
        self.channel = channel or self._channel()

    def options(self, channel: Channel) -> tuple[Option, ...]:
        """What the budget allows in a channel, best first."""
        found = self._orders.get(channel)
        if found is None:
            found = self.made.affordable(channel, self._objective(channel), self.limits[channel])
            self._orders[channel] = found
        return found

    @property
    def objective(self) -> Objective:
        """What "best" means in the chosen channel."""
        return self._objective(self.channel)

    def _objective(self, channel: Channel) -> Objective:
        """A sum to spend once is no price of an hour: rented for it is what gives the most for the money."""
        need = self.need
        spread = channel is Channel.RENT and need.budget is not None and need.budget_period == "once"
        return Objective.BALANCED if spread and need.objective is Objective.MOST else need.objective

    @property
    def order(self) -> tuple[Option, ...]:
        """Options of the chosen channel, best first."""
        return self.options(self.channel)

    @property
    def winner(self) -> Option | None:
        """The best option of the chosen channel."""
        order = self.order
        return order[0] if order else None

    def other(self) -> Choice:
        """The same market, answered by the channel that was not chosen."""
        return Choice(self.made, self.need, Channel.BUY if self.channel is Channel.RENT else Channel.RENT)

    def has(self, channel: Channel) -> bool:
        """Whether the budget allows anything in a channel."""
        return self.made.firmest(channel, self.limits[channel]) is not None

    def over(self) -> list[Prospect]:
        """Options that would do but cost more than the budget."""
        found = []
        for (renting, _, _), group in self.made.groups.items():
            limit = self.limits[Channel.RENT if renting else Channel.BUY]
            if limit is not None:
                found += [one for one in group if one.cost > limit]
        return found

    def _channel(self) -> Channel:
        """Rent or buy: as stated, else as budget or hours imply, else what has a price of today."""
        need = self.need
        if need.deploy is not None:
            return need.deploy
        if need.providers or not self.has(Channel.BUY):
            return Channel.RENT
        rentable = self.has(Channel.RENT)
        if need.budget is not None:
            bought = need.budget_period == "once"
            return Channel.BUY if bought or not rentable else Channel.RENT
        if not rentable:
            return Channel.BUY
        if need.hours_per_week:
            return self.cheaper_at(need.hours_per_week)
        return Channel.BUY if need.owns and self._is_homely() else Channel.RENT

    def _is_homely(self) -> bool:
        """Whether what would be bought does the job for a sum that people spend on a card at home.

        It does so surely, unless only the least money counts: then the cheapest may be tight, and is told to be.
        """
        best = self.options(Channel.BUY)[0]
        holds = best.sure or self.need.objective is Objective.CHEAPEST
        return holds and best.n == 1 and best.cost <= self.made.home_limit

    def cheaper_at(self, hours: float) -> Channel:
        """Whether to rent or to buy the best option of each channel for so many hours a week."""
        rent, buy = self.options(Channel.RENT)[0], self.options(Channel.BUY)[0]
        cheaper = buying_is_cheaper(self.need, rent, buy, self.made.base, hours)
        return Channel.BUY if cheaper else Channel.RENT


def buying_is_cheaper(need: Need, rent: Option, buy: Option, base: float, weekly: float) -> bool:
    """Whether the purchase costs less over the horizon than renting for the same hours a week.

    A purchase price that is not of today decides only when the verdict survives its change by the stated margin.
    """
    hours = weekly * WEEKS_PER_MONTH * need.horizon_months
    margin = 0.0 if buy.quote.standing.solid else settings().indicative_margin
    return buy.cost * (1 + margin) + base < rent.cost * hours
