"""How long a machine is used: hours a week, over which time, on how many cards, and where each of that came from.

Bills, electricity, carbon and rent-or-buy read this and nothing else. A week has seven days; nought is a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from advisor.errors import OutOfRange
from advisor.jobs.spoken import Means, Period
from advisor.periods import HOURS_A_MONTH
from advisor.recommend.settings import settings

WEEK: Final = 168.0
HOURS: Final[Mapping[Period, float]] = {
    Period.HOUR: 1.0,
    Period.DAY: 24.0,
    Period.WEEK: WEEK,
    Period.MONTH: HOURS_A_MONTH,
    Period.YEAR: 8760.0,
}
SAID: Final = "said"
UTILISATION: Final = "utilisation"


@dataclass(frozen=True, slots=True)
class Usage:
    """Hours of use. `cards` run at the same time, so an hour of use is that many card hours."""

    week: float | None
    """Hours in use each week as they were said; None when nothing was."""
    week_from: str
    """said | utilisation | "" """
    period: float | None
    """Hours of the time that was named ("for a month", "36 hours"); None when none was."""
    cards: int = 1

    @property
    def share(self) -> float | None:
        """Of all hours, 0 to 1."""
        return None if self.week is None else self.week / WEEK

    @property
    def hours(self) -> float | None:
        """Hours in use over the time that was named: all of it, unless a rate was said too."""
        if self.period is None:
            return None
        return self.period if self.share is None else self.period * self.share

    def hours_over(self, period: float) -> float | None:
        """Hours in use over another time, in hours; None when no rate was said."""
        return None if self.share is None else period * self.share

    @property
    def card_hours(self) -> float | None:
        """`hours` on all cards together."""
        return None if self.hours is None else self.hours * self.cards


def usage_of(means: Means, cards: int = 1) -> Usage:
    """The use that was said. Hours that were named go before a share of them.

    Raises:
        OutOfRange: more hours than there are, less than none, a share above one, no card.
    """
    if cards < 1:
        raise OutOfRange("there is no fewer than one card", name="gpu_count", value=cards)
    week, origin = _week(means)
    period = _period(means)
    if period is not None and period < 0:
        raise OutOfRange("a time cannot be negative", name="duration", value=period)
    return Usage(week, origin, period, cards)


def usual_week(persona: str | None) -> float:
    """Hours a week that are usual for a kind of user."""
    return settings().hours_per_week(persona)


def _week(means: Means) -> tuple[float | None, str]:
    hours = means.hours
    if hours is not None and hours.per is not Period.ONCE:
        within = HOURS[hours.per]
        if not 0 <= hours.amount <= within:
            raise OutOfRange(f"a {hours.per} has {within:g} hours", name="duration", value=hours.amount, most=within)
        return hours.amount / within * WEEK, SAID
    if means.utilization is not None:
        if not 0 <= means.utilization <= 1:
            raise OutOfRange("a share is from 0 to 1", name="utilization", value=means.utilization)
        return means.utilization * WEEK, UTILISATION
    return None, ""


def _period(means: Means) -> float | None:
    if means.span_days is not None:
        return means.span_days * HOURS[Period.DAY]
    if means.hours is not None and means.hours.per is Period.ONCE:
        return means.hours.amount
    return None
