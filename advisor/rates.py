"""Currency rates of record: each with its day and source; nothing is fetched and nothing is guessed.

Rates are kept as published, against one base a day (the European Central Bank quotes against the euro), so a pair such
as USD -> CNY is crossed through the base of the same day.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from datetime import date
from decimal import Decimal

from advisor.errors import NoRate
from advisor.models import Money, Rate

CENT = Decimal("0.0001")
"""Converted amounts are kept to a hundredth of a cent: rental prices are given to three or four digits."""


class RateTable:
    """Published rates by day. `find` answers with the newest day not later than the one asked for."""

    def __init__(self, rates: Iterable[Rate]) -> None:
        """Sort the rows by day and base."""
        days: dict[tuple[date, str], dict[str, Rate]] = {}
        for row in rates:
            days.setdefault((row.as_of, row.base), {})[row.currency] = row
        self._days = sorted(days)
        self._tables = days
        self.currencies = frozenset(
            {row.currency for table in days.values() for row in table.values()} | {base for _, base in days}
        )
        self._found: dict[tuple[str, str, date], Rate] = {}

    def find(self, base: str, currency: str, on: date) -> Rate:
        """What one `base` cost in `currency` on the newest recorded day up to `on`, else on the first day after it.

        Raises NoRate when no recorded day knows both.
        """
        key = (base, currency, on)
        if key not in self._found:
            self._found[key] = self._look_up(base, currency, on)
        return self._found[key]

    def _look_up(self, base: str, currency: str, on: date) -> Rate:
        if base == currency:
            return Rate(base=base, currency=currency, value=Decimal(1), as_of=on, source="")
        split = bisect_right(self._days, (on, "~"))
        for day in (*reversed(self._days[:split]), *self._days[split:]):
            table = self._tables[day]
            through = day[1]
            known = [one in table or one == through for one in (base, currency)]
            if not all(known):
                continue
            over = Decimal(1) if base == through else table[base].value
            under = Decimal(1) if currency == through else table[currency].value
            source = next(iter(table.values())).source
            return Rate(base=base, currency=currency, value=under / over, as_of=day[0], source=source)
        raise NoRate(f"no rate on record from {base} to {currency}", base=base, currency=currency)

    def convert(self, money: Money, currency: str, on: date) -> Money:
        """The same amount in another currency, at the rate `find` gives."""
        if money.currency == currency:
            return money
        rate = self.find(money.currency, currency, on)
        return Money(amount=(money.amount * rate.value).quantize(CENT), currency=currency)
