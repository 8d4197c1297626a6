"""What has to be said of prices: none that is new, a rate used, what this chat told, how one's own compares."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from statistics import median
from typing import Final, cast

from advisor.catalog import Catalog
from advisor.models import Gpu, Money, Note, PricingModel, note_of
from advisor.money.bill import HOURS
from advisor.prices import PricedOffer, PriceList
from bot.answers.choose.offer_lines import days_named, rounded
from bot.answers.choose.own_prices import asked_price
from bot.answers.money.price_shelves import day_of, offered
from bot.core.line import Label, Line, Worded, amount
from bot.core.quotes import KINDS, LEAST_TELLERS, ChatQuote
from bot.core.request import Request

_UNINTERRUPTED: Final = frozenset({PricingModel.ON_DEMAND, PricingModel.MARKETPLACE})
_DEAR: Final = Decimal("1.15")
"""Times the middle of all offers from which a price is on the dear side."""
YOURS: Final = "price_yours"
"""Note of how a price that the user names compares."""


def state_notes(listed: PriceList) -> list[Note]:
    """What has to be said of how new the prices are."""
    notes: list[Note] = []
    if not offered(listed):
        notes.append(note_of("price_none", {}))
    best = next(iter(listed.rent), None)
    if best is not None and not best.age.solid:
        notes.append(note_of("price_old", {"providers": [best.offer.provider_name]}))
    return notes


def told_here(request: Request, gpus: tuple[Gpu, ...], kinds: Sequence[str] = KINDS) -> list[Line]:
    """What this chat's members told of a card, beside what sources say and never mixed with it."""
    ids = {gpu.id for gpu in gpus}
    return [_quoted(one) for one in request.quotes if one.gpu in ids and one.kind in kinds]


def _quoted(one: ChatQuote) -> Line:
    where, unit = "elsewhere" if one.elsewhere else "here", "_hour" if one.kind == "rent" else ""
    return Line(
        f"price.{where}{unit}",
        {
            "people": one.people,
            "kind": Label(one.kind, "quote"),
            "price": amount(Money(amount=one.amount, currency=one.currency)),
            "day": one.day,
            "odd": None if one.elsewhere or one.decides else Line("price.here.odd", {"least": LEAST_TELLERS}),
        },
    )


def own_price(request: Request, catalog: Catalog, listed: PriceList) -> list[Note]:
    """How a price that the user names compares with what is on record."""
    asked = asked_price(request)
    if asked is None:
        return []
    said, unit = asked
    bought = listed.used[:1] if request.heard.shows("deal", "sold") else (*listed.new, *listed.used)
    shelf = _comparable(_lasting(listed.rent) if unit == "hour" else bought)
    if not shelf:
        return []
    amount = catalog.convert(said, listed.currency, listed.on).amount
    low, high = min(one.low.amount for one in shelf), max(one.high.amount for one in shelf)
    usual = median(one.low.amount for one in shelf) if unit == "hour" else high
    verdict = _place(amount, low, high, usual * _DEAR)
    span = {"low": Money(amount=low, currency=listed.currency), "high": Money(amount=high, currency=listed.currency)}
    days = sorted({day_of(one.offer) for one in shelf} - {""})
    return [note_of(YOURS, {"said": said, "verdict": verdict, "days": days[:1] + days[1:][-1:], **span})]


def _place(amount: Decimal, low: Decimal, high: Decimal, dear: Decimal) -> str:
    """below | above | dear | within: where an amount lies to those on record."""
    if amount < low:
        return "below"
    return "above" if amount > high else "dear" if amount > dear else "within"


def judged_price(notes: Sequence[Note], *, sold: bool) -> Line | None:
    """The price that the user named as the first line, where it compares with what is on record.

    `sold`: it is what somebody offers for the asker's own card.
    """
    said = next((note for note in notes if note.code == YOURS), None)
    if said is None:
        return None
    money = {name: said.values[name] for name in ("said", "low", "high")}
    values: dict[str, Worded] = {name: amount(rounded(one)) for name, one in money.items() if isinstance(one, Money)}
    values["days"] = days_named(cast("Sequence[str]", said.values["days"]))
    return Line(f"price.{'offered' if sold else 'deal'}.{said.values['verdict']}", values)


def month_of(request: Request) -> tuple[Line, ...]:
    """What an hour at the asker's own price comes to in a month without a break, where a month is asked about."""
    asked = asked_price(request)
    if asked is None or asked[1] != "hour" or "month" not in request.heard.sides("period"):
        return ()
    money = asked[0].model_copy(update={"amount": asked[0].amount * HOURS["month"]})
    return (Line("price.month_of", {"hourly": amount(asked[0], "hour"), "total": amount(rounded(money))}),)


def _lasting(rents: tuple[PricedOffer, ...]) -> tuple[PricedOffer, ...]:
    """Rents of today that nobody interrupts, where there are any."""
    return tuple(one for one in rents if one.offer.pricing_model in _UNINTERRUPTED and one.age.solid) or rents


def _comparable(shelf: tuple[PricedOffer, ...]) -> tuple[PricedOffer, ...]:
    """Prices of the asker's own market, where there are any."""
    return tuple(one for one in shelf if not one.converted) or shelf


def rate_notes(shown: Sequence[PricedOffer]) -> list[Note]:
    """Each exchange rate that was used, once."""
    used: dict[tuple[str, str], Note] = {}
    for one in shown:
        if one.converted and len(one.trace.inputs) == 2:
            rate = one.trace.inputs[1]
            values = {"base": one.offer.currency, "currency": one.low.currency, "value": rate.value, "day": rate.as_of}
            used.setdefault((one.offer.currency, one.low.currency), note_of("price_rate", values))
    return list(used.values())
