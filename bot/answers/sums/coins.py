"""Amounts in several currencies as amounts in one, by the rate that was said or by that of record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from advisor.models import Rate
from bot.read.placed import Amounts, Placed

_SAID: Final = "fx_rate"


@dataclass(frozen=True, slots=True)
class Exchange:
    """What one of a currency is in another."""

    base: str
    currency: str
    value: float
    as_of: date | None
    """None where the rate was said."""


def in_one_currency(
    amounts: Amounts, wanted: str, rate: Callable[[str, str], Rate]
) -> tuple[Amounts, tuple[Exchange, ...]]:
    """The same amounts in one currency, and the rates that were used.

    Args:
        amounts: what a message gives.
        wanted: currency of the answer; amounts without one are in it already.
        rate: what one of the first currency is in the second, of record.

    Raises:
        NoRate: a currency without a rate.
    """
    foreign = sorted(amounts.currencies - {wanted})
    if not foreign:
        return amounts, ()
    said = amounts.values.get(_SAID)
    used = {base: _rate(rate(base, wanted), said) for base in foreign}
    return (
        replace(
            amounts,
            placed=tuple(_changed(one, used, wanted) for one in amounts.placed if one.quantity != _SAID),
            others=tuple(_changed(one, used, wanted) for one in amounts.others),
            currency=wanted,
            currencies=frozenset({wanted}),
        ),
        tuple(used.values()),
    )


def _rate(record: Rate, said: float | None) -> Exchange:
    """The rate of record, or the one that was said, the way round in which it is near that of record."""
    value = float(record.value)
    if said is None:
        return Exchange(record.base, record.currency, value, record.as_of)
    turned = min(said, 1 / said, key=lambda one: max(one / value, value / one))
    return Exchange(record.base, record.currency, turned, None)


def _changed(one: Placed, used: dict[str, Exchange], wanted: str) -> Placed:
    exchange = used.get(one.measure.currency)
    if exchange is None:
        return one
    return replace(one, value=one.value * exchange.value, measure=replace(one.measure, currency=wanted))
