"""How much dearer one compared card is than another, bought and rented, where both prices are on record."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from advisor.models import Frozen, Money, Note, note_of
from bot.answers.choose.side_prices import PriceView


class Priced(Frozen):
    """One side of a comparison with its prices."""

    name: str
    rent: PriceView | None
    buy: PriceView | None


def gap_notes(sides: Sequence[Priced]) -> tuple[Note, ...]:
    """The dearest against the cheapest side: bought, then rented; a note where there is nothing to subtract."""
    bought = [(side.name, side.buy) for side in sides if side.buy is not None and side.buy.solid]
    rented = [(side.name, side.rent) for side in sides if side.rent is not None]
    notes = [*_gap(bought, len(sides), "buy"), *_gap(rented, len(sides), "rent")]
    return tuple(notes) or (note_of("contest_no_gap", {"names": [side.name for side in sides]}),)


def _gap(priced: list[tuple[str, PriceView]], count: int, channel: str) -> list[Note]:
    if len(priced) < count or count < 2:
        return []
    cheap_name, cheap = min(priced, key=lambda one: one[1].price.amount)
    dear_name, dear = max(priced, key=lambda one: one[1].price.amount)
    if cheap.price.amount <= 0:
        return []
    more = dear.price.amount - cheap.price.amount
    values = {
        "dear": dear_name,
        "cheap": cheap_name,
        "dear_price": dear.price,
        "cheap_price": cheap.price,
        "more": Money(amount=max(more, Decimal(0)), currency=dear.price.currency),
        "times": float(dear.price.amount / cheap.price.amount),
        "channel": channel,
        "dear_seller": dear.seller,
        "dear_terms": dear.terms,
        "dear_dated": dear.dated,
        "dear_mark": dear.mark,
        "cheap_seller": cheap.seller,
        "cheap_terms": cheap.terms,
        "cheap_dated": cheap.dated,
        "cheap_mark": cheap.mark,
    }
    return [note_of("contest_price_gap", values)]
