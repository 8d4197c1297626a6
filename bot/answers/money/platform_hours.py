"""What platforms ask by the hour: of one for each card, for one card of each."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from advisor.catalog import Catalog
from advisor.errors import NoRate
from advisor.models import Gpu, Offer, PricingModel, Provider
from advisor.prices import Age, PricedOffer, price_of, priced, rent_place
from advisor.standing import newest_of_each
from bot.core.request import Request

_AN_HOUR: Final = "gpu_hour"
_ORDER: Final = ("RTX 4090", "A100 80GB", "H100 80GB", "RTX 3090", "RTX 5090")
_CURRENCY: Final = {"zh": "CNY", "en": "USD"}


def rentals(request: Request, asked: str) -> list[PricedOffer]:
    """The cheapest rental of each provider, cheapest first, for all variants of the card."""
    catalog = request.services.catalog
    try:
        listed = price_of(catalog, catalog.gpu_variants(asked), on=request.now.date(), currency=_currency(request))
    except NoRate:
        return []
    cheapest: dict[str, PricedOffer] = {}
    for one in listed.rent:
        cheapest.setdefault(one.offer.provider, one)
    return list(cheapest.values())


def hourly(request: Request, provider: Provider) -> dict[str, PricedOffer]:
    """What one platform asks by the hour for each card: the cheapest but spot and lowest listings."""
    catalog = request.services.catalog
    best: dict[str, tuple[tuple[bool | Decimal, ...], PricedOffer]] = {}
    for one in _current(request, provider):
        name = card_named(catalog, catalog.gpus[one.offer.gpu])
        rank = (*rent_place(one.offer, one.stands, converted=False), one.middle)
        if name not in best or rank < best[name][0]:
            best[name] = (rank, one)
    return {name: one for name, (_, one) in best.items()}


def _current(request: Request, provider: Provider) -> Iterator[PricedOffer]:
    """The prices of a platform by the hour that are not of their time only."""
    catalog, on = request.services.catalog, request.now.date()
    own = (one for one in catalog.offers if one.provider == provider.id and one.as_of <= on)
    for offer in newest_of_each(own):
        if not _is_hourly(catalog, offer):
            continue
        try:
            one = priced(catalog, offer, _currency(request), on)
        except NoRate:
            continue
        if one.age is not Age.EXPIRED:
            yield one


def _is_hourly(catalog: Catalog, offer: Offer) -> bool:
    free = offer.pricing_model is not PricingModel.SPOT
    return free and offer.unit == _AN_HOUR and offer.gpu in catalog.gpus


def _currency(request: Request) -> str:
    return str(request.slot("currency") or _CURRENCY[request.language])


def card_named(catalog: Catalog, gpu: Gpu) -> str:
    """The common name of versions of one size, else the card's own."""
    groups = (group for group in catalog.generic_gpus if gpu.id in group.means)
    names = [group.name for group in groups if len({catalog.gpus[one].vram_gib for one in group.means}) == 1]
    return min(names, key=len, default=gpu.name)


def place(name: str) -> tuple[int, str]:
    """Where a card stands in a list: the usual ones first."""
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)


def usual_first(held: tuple[str, PricedOffer]) -> tuple[int, str]:
    """The same for a card with its price."""
    return place(held[0])
