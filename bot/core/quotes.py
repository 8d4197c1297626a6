"""Prices that a chat's own members tell: kept apart from sourced ones, by chat, with day and reporter."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from statistics import median
from typing import Final

from advisor.models import Frozen

FRESH_DAYS: Final = 60
"""How long a price of a group stands: as long as any other price stands as it is."""
MOST_KEPT: Final = 200
MOST_OF_ONE: Final = 20
"""Of these one member's: who tells more loses his own oldest, never another's."""
LEAST_CHATS: Final = 3
"""So many chats have to agree before their middle is shown to others."""

LEAST_TELLERS: Final = 3
"""So many members have to tell a price far from the record before an answer rests on it: two may be in league."""

KINDS: Final = ("used", "new", "rent")


class Report(Frozen):
    """One member's word on one price, as it is kept."""

    gpu: str
    """Gpu.id"""
    kind: str
    """used | new | rent"""
    amount: Decimal
    """Of one card, or of one card for an hour."""
    currency: str
    day: date
    by: str
    """Hash of who said it."""
    confirmed: bool = False
    odd: bool = False
    """Far from what is on record: somebody else has to confirm it."""

    @property
    def about(self) -> tuple[str, str, str]:
        """What is priced."""
        return (self.gpu, self.kind, self.currency)


class Reports(Frozen):
    """Everything that members of a chat told."""

    held: tuple[Report, ...] = ()

    def without(self, by: str) -> Reports:
        """The same without one member's."""
        return Reports(held=tuple(one for one in self.held if one.by != by))

    def put(self, fresh: Report) -> Reports:
        """With a member's newer word in the place of his older one on the same thing.

        Of one member the newest count; of more than a chat holds, those that nobody confirmed go first.
        """
        kept = [one for one in self.held if (one.by, one.about) != (fresh.by, fresh.about)]
        own = [one for one in kept if one.by == fresh.by]
        gone = set(map(id, own[: max(len(own) + 1 - MOST_OF_ONE, 0)]))
        kept = [one for one in kept if id(one) not in gone]
        over = max(len(kept) + 1 - MOST_KEPT, 0)
        gone = set(map(id, sorted(kept, key=lambda one: one.confirmed)[:over]))
        return Reports(held=(*(one for one in kept if id(one) not in gone), fresh))

    def young(self, today: date) -> Reports:
        """Those that still stand."""
        return Reports(held=tuple(one for one in self.held if (today - one.day).days <= FRESH_DAYS))

    def quotes(self) -> tuple[ChatQuote, ...]:
        """The confirmed ones as quotes: one a card, kind and currency, the middle of its reporters."""
        found: dict[tuple[str, str, str], list[Report]] = {}
        for one in self.held:
            if one.confirmed:
                found.setdefault(one.about, []).append(one)
        return tuple(_quote(reports) for reports in found.values())


class ChatQuote(Frozen):
    """A price that the members of a chat agree on, ready for an answer."""

    gpu: str
    kind: str
    amount: Decimal
    currency: str
    day: date
    """Of the newest report."""
    people: int = 1
    elsewhere: bool = False
    """The middle of what several other chats told, not this chat's own."""
    odd: bool = False
    """Far from what is on record, by the word of half of its reporters or more."""

    @property
    def decides(self) -> bool:
        """Whether a choice or a sum may rest on it; else it stands beside the record and no more."""
        return not self.elsewhere and (not self.odd or self.people >= LEAST_TELLERS)


def _quote(reports: list[Report]) -> ChatQuote:
    first = reports[0]
    return ChatQuote(
        gpu=first.gpu,
        kind=first.kind,
        amount=median(one.amount for one in reports),
        currency=first.currency,
        day=max(one.day for one in reports),
        people=len(reports),
        odd=2 * sum(one.odd for one in reports) >= len(reports),
    )


ChatQuote.model_rebuild()
