"""Prices of the asker and of the chat: each for the card that it was said of, over every price of the catalogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from advisor.models import Gpu, Money
from advisor.recommend import UserPrice
from bot.core.request import Request

_SAID: Final = "user"
"""Terms of a price that the asker names."""
_UNITS: Final = ("card", "hour")


def stated_prices(request: Request) -> tuple[Mapping[str, object], ...]:
    """Prices as the asker quoted them, the newest first; the slot of one price where nothing more is kept."""
    kept = request.slot("prices")
    one = request.slot("price")
    return tuple(reversed(kept)) if kept else (one,) if isinstance(one, Mapping) else ()


def own_prices(request: Request, gpus: Sequence[Gpu]) -> tuple[UserPrice, ...]:
    """Prices that the asker quoted for some cards, and what the chat's members told."""
    told = (_own_price(request, one, gpus) for one in stated_prices(request))
    return (*(price for price in told if price is not None), *quoted_here(request))


def own_hourly(request: Request, gpu: Gpu) -> Money | None:
    """What an hour of a card costs by the asker's own words."""
    prices = own_prices(request, [gpu])
    return next((one.money for one in prices if one.unit == "hour" and one.terms == _SAID), None)


def _own_price(request: Request, stated: Mapping[str, object], gpus: Sequence[Gpu]) -> UserPrice | None:
    """One price that was quoted, for its own card where it names one; None for one of another card."""
    money, unit = money_of(stated), str(stated.get("unit"))
    if money is None or unit not in _UNITS:
        return None
    name = str(stated.get("of") or "")
    ids = {one.id for one in request.services.catalog.gpu_variants(name)} if name else {one.id for one in gpus[:1]}
    gpu = next((one for one in gpus if one.id in ids), None)
    return UserPrice(gpu=gpu.id, money=money, unit=unit) if gpu is not None else None


def quoted_here(request: Request) -> tuple[UserPrice, ...]:
    """What this chat's members told, as prices of the asker: shown as quoted here, with their day."""
    return tuple(
        UserPrice(
            gpu=one.gpu,
            money=Money(amount=one.amount, currency=one.currency),
            unit="hour" if one.kind == "rent" else "card",
            terms=f"chat_{one.kind}",
            as_of=one.day,
        )
        for one in request.quotes
        if one.decides and f"purchase_{one.kind}" not in request.excluded.get("pricing_model", ())
    )


def asked_price(request: Request) -> tuple[Money, str] | None:
    """The price that the message puts up to be judged, and its unit: hour or card; None where it names none.

    A sum to spend, or a number without any unit, is the price of the card where nothing else is asked about.
    """
    stated = request.slot("price")
    if isinstance(stated, Mapping):
        money = money_of(stated)
        return (money, str(stated.get("unit"))) if money is not None and stated.get("unit") in _UNITS else None
    heard = request.heard
    if not (heard.shows("deal", "judged") or heard.shows("deal", "sold") or heard.speaks_of("worth")):
        return None
    spent = money_of(request.slot("budget"))
    if spent is not None:
        return spent, "card"
    bare = heard.bare_amount
    currency = "CNY" if request.language == "zh" else "USD"
    return (Money(amount=Decimal(str(bare)), currency=currency), "card") if bare is not None else None


def money_of(stated: object) -> Money | None:
    """An amount as stated, or None."""
    if not isinstance(stated, Mapping) or stated.get("amount") is None:
        return None
    return Money(amount=Decimal(str(stated["amount"])), currency=str(stated.get("currency") or "CNY"))


def money_in(request: Request, stated: object, currency: str) -> Money | None:
    """An amount as stated, at the day's rate in the currency that is answered in; None where none was stated.

    Raises:
        NoRate: no rate is on record between the two.
    """
    money = money_of(stated)
    return request.services.catalog.convert(money, currency, request.now.date()) if money is not None else None
