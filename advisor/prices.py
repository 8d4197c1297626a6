"""What a price is worth today: its age on a ladder, and which of several may decide.

Purchase prices are shown as what they are: a launch price or an old used price keeps its year and is never today's.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum

from advisor.models import Offer

FRESH_DAYS = 60
AGEING_DAYS = 180
STALE_DAYS = 365
"""Steps of the ladder, set by what prices did in the catalogue's own pairs: the member prices of AutoDL moved by 5 to
18 % (one card by 43 %) in the 190 days to 2026-10-04, and AWS halved H100 instances within 14 months. So a price counts
as today's for two months, as indicative for half a year, as a hint for a year, and after that as a record."""


class Age(StrEnum):
    """How far a price can be trusted to still stand. Expired prices never decide alone."""

    FRESH = "fresh"
    AGEING = "ageing"
    STALE = "stale"
    EXPIRED = "expired"

    @property
    def solid(self) -> bool:
        """Fresh or ageing: good enough to rank by."""
        return self in (Age.FRESH, Age.AGEING)


def age_of(offer: Offer, on: date) -> Age:
    """Step of the ladder on a day. Records of their time are expired; an undated copy is stale at best."""
    days = (on - offer.as_of).days
    if offer.historical or days > STALE_DAYS:
        return Age.EXPIRED
    if offer.as_of_precision == "unknown" or days > AGEING_DAYS:
        return Age.STALE
    return Age.AGEING if days > FRESH_DAYS else Age.FRESH
