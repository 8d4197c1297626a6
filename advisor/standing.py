"""Which of the prices on record still stand: what a seller asked later, or says in more detail, takes their place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from advisor.models import Offer


def newest_of_each(offers: Iterable[Offer]) -> tuple[Offer, ...]:
    """Of offers that differ only in their day the newest one: what a provider asked earlier is no second offer."""
    newest: dict[tuple[str, ...], Offer] = {}
    for offer in offers:
        terms = (offer.pricing_model.value, offer.tier, offer.unit, offer.currency)
        key: tuple[str, ...] = (offer.provider, offer.gpu, offer.region, *terms)
        if offer.region or offer.as_of_precision == "unknown":
            key = (*key, offer.note)
        held = newest.get(key)
        if held is None or offer.as_of > held.as_of:
            newest[key] = offer
    return tuple(_without_repeated(newest.values()))


def _without_repeated(offers: Collection[Offer]) -> Iterator[Offer]:
    """What a seller asked for a card as a whole gives way once newer offers say the same by kinds of machine."""
    tiers: dict[tuple[str, ...], list[Offer]] = {}
    for offer in offers:
        if offer.tier:
            tiers.setdefault(_seller_of(offer), []).append(offer)
    for offer in offers:
        newer = [] if offer.tier else [one for one in tiers.get(_seller_of(offer), ()) if one.as_of > offer.as_of]
        if not newer or not _within(offer, newer):
            yield offer


def _seller_of(offer: Offer) -> tuple[str, ...]:
    return (offer.provider, offer.gpu, offer.region, offer.pricing_model.value, offer.unit, offer.currency)


def _within(offer: Offer, others: Sequence[Offer]) -> bool:
    """Whether the prices of an offer lie between those of others."""
    return min(one.low for one in others) <= offer.low and offer.high <= max(one.high for one in others)
