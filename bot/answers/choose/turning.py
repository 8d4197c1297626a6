"""At which price a pick would no longer be the pick: said where its price is not sure."""

from __future__ import annotations

from decimal import Decimal

from advisor.models import Money, Note, note_of
from advisor.recommend import Recommendation
from bot.answers.choose.offers import Shown


def turn_of(found: Recommendation, best: Shown, currency: str) -> Note | None:
    """The price from which another card wins, with the offer to recompute; None where the price is sure.

    A price is not sure when it stands as a range by its age or its one report, or is another market's.
    """
    if best.mark is None:
        return None
    flip = next((one for one in found.flips if one.axis == "price"), None)
    values = {"renting": best.channel == "rent", "name": best.name}
    if flip is None or flip.winner in _short_of_memory(best):
        return note_of("rec_quote_asked", values)
    at = best.price.amount * Decimal(str(flip.at))
    inside = best.low.amount <= at <= best.high.amount
    turned = {"at": Money(amount=_rough(at), currency=currency), "winner": flip.winner, "n": flip.n, "inside": inside}
    return note_of("rec_turn", {**values, **turned})


def _short_of_memory(best: Shown) -> set[str]:
    """The card that was just said to be short of memory."""
    return {str(note.values["second"]) for note in best.reasons if note.code == "rec_why_safe"}


def _rough(amount: Decimal) -> Decimal:
    """To three digits: no finer than the price it is a multiple of."""
    if amount < 100:
        return amount.quantize(Decimal("0.01"))
    step = Decimal(1).scaleb(amount.adjusted() - 2)
    return (amount / step).quantize(Decimal(1)) * step
