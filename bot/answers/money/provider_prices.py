"""What named providers ask for their cards, the cheapest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from advisor.instances import Instance, instance_of
from advisor.models import Money, Offer, Provider, note_of
from advisor.prices import PricedOffer, priced, sorted_list
from bot.answers.choose.offer_lines import rounded
from bot.answers.common import source_refs
from bot.answers.money.price_phrases import Names, dated, price, terms
from bot.core.answers import Decline, Outcome, answer_with
from bot.core.claims import Claim, Kind
from bot.core.line import Block, Depth, Label, Line, Listing, Single, Table, Worded, amount
from bot.core.message import Fact, fact_of
from bot.core.request import Request

_AN_HOUR: Final = "gpu_hour"
_ROWS: Final = 4
"""Prices of a provider in a group, where it is the only one."""
_COLUMNS: Final = ("price.card", "price.amount", "price.on", "price.day")


@dataclass(frozen=True, slots=True)
class _Asks:
    """One provider with its prices, those by the hour first."""

    name: str
    hourly: int
    offers: tuple[PricedOffer, ...]


def price_list(request: Request, providers: Sequence[Provider], currency: str) -> Outcome:
    """What named providers ask for their cards, cheapest first; declined where none has a price on record.

    `currency`: that of the answer where a provider has no price of its own.
    """
    names = Names(request.services.catalog, request.language == "zh")
    found = [_asks(request, provider, currency, names) for provider in providers]
    asks = [one for one in found if one.offers]
    if not asks:
        return Decline(reason=note_of("price_provider_unknown", {"providers": [one.name for one in found]}))
    shown = [offer for one in asks for offer in one.offers]
    return answer_with(
        headline=(_head(asks[0], names),),
        lines=tuple(Line("price.too", {"told": _head(one, names)}) for one in asks[1:]),
        blocks=(_few(asks, names), *(_table(one, names) for one in asks)),
        facts=tuple(map(_fact, shown)),
        trace=tuple(one.trace for one in shown),
        sources=source_refs(request, dict.fromkeys(one.offer.source for one in shown)),
        conflicts=tuple(dict.fromkeys(one.offer.conflict for one in shown if one.offer.conflict)),
    )


def _asks(request: Request, provider: Provider, currency: str, names: Names) -> _Asks:
    catalog, on = request.services.catalog, request.now.date()
    own = [one for one in catalog.offers if one.provider == provider.id and one.as_of <= on]
    own = _of_instance(request, own)
    currency = own[0].currency if own else currency
    listed = sorted_list((), (priced(catalog, one, currency, on) for one in _newest(own)), on, currency)
    offers = (*listed.rent, *listed.other, *listed.records)
    return _Asks(names.provider(provider.id, provider.name), len(listed.rent), offers)


def _of_instance(request: Request, offers: list[Offer]) -> list[Offer]:
    """Offers of the machine that the words name ("p5", "p4d.24xlarge"), all where they name none."""
    words = {*request.heard.words}
    named = []
    for one in offers:
        instance = instance_of(one)
        if instance is not None and not one.historical and {instance.name.lower(), instance.family.lower()} & words:
            named.append(one)
    return named or offers


def _newest(offers: list[Offer]) -> list[Offer]:
    """The newest price of each card, the list price where a provider has several tiers."""
    newest: dict[str, Offer] = {}
    for one in sorted(offers, key=lambda one: (one.as_of, one.tier == "list")):
        newest[f"{one.gpu or one.quoted_as} {one.pricing_model.value} {one.unit} {_machine(one)}"] = one
    return list(newest.values())


def _machine(offer: Offer) -> str:
    instance = instance_of(offer)
    return instance.name if instance is not None else ""


def _fact(one: PricedOffer) -> Fact:
    return fact_of(
        name=f"{one.offer.provider}.{one.offer.gpu or one.offer.quoted_as}",
        value=float(one.asked.amount),
        unit=f"{one.low.currency}/{one.offer.unit}",
        basis=one.age.value,
        sources=(one.offer.source,),
        as_of=one.offer.as_of,
    )


# --- lines -----------------------------------------------------------------------------------------------------------


def _head(asks: _Asks, names: Names) -> Line:
    """The cheapest hour that a provider asks; how many prices there are where it lets nothing by the hour."""
    if not asks.hourly:
        return Line("price.list", {"provider": asks.name, "n": len(asks.offers)})
    best = min(asks.offers[: asks.hourly], key=lambda one: one.low.amount)
    values: dict[str, Worded] = {"provider": asks.name, "n": asks.hourly, "told": _offer(best, names)}
    claim = Claim(
        Kind.LEAST, float(best.low.amount), tuple(float(one.low.amount) for one in asks.offers[: asks.hourly])
    )
    return Line("price.list_only" if asks.hourly == 1 else "price.list_from", values, claim)


def _few(asks: Sequence[_Asks], names: Names) -> Listing:
    """The first prices of each, for a group."""
    each = max((_ROWS - len(asks) + 1) // len(asks), 1)
    rows = tuple(_offer(offer, names) for one in asks for offer in one.offers[:each])
    more = sum(max(len(one.offers) - each, 0) for one in asks)
    return Listing((*rows, *_further(more)), depth=Depth.GROUP, last=Depth.GROUP)


def _further(more: int) -> tuple[Line, ...]:
    return (Line("price.more", {"n": more}),) if more else ()


def _offer(one: PricedOffer, names: Names) -> Line:
    instance = instance_of(one.offer)
    values: dict[str, Worded] = {"card": names.card(one), "price": _per(one), "dated": dated(one)}
    if instance is None or not instance.gpus or instance.hourly is None:
        return Line("price.offer", values)
    whole: dict[str, Worded] = {"instance": instance.name, "n": instance.gpus, "whole": _whole(instance, one.offer)}
    return Line("price.offer_whole", {**values, **whole})


def _whole(instance: Instance, offer: Offer) -> Single:
    return amount(rounded(Money(amount=instance.hourly or Decimal(0), currency=offer.currency)))


def _per(one: PricedOffer) -> Single:
    """A price with what it is for; an hour of a card goes without saying."""
    if one.offer.unit == _AN_HOUR:
        return price(one)
    return Line("price.per", {"price": price(one), "unit": Label(one.offer.unit, "unit")})


def _table(asks: _Asks, names: Names) -> Block:
    rows = tuple((_named(one, names), _each(one), terms(one), dated(one)) for one in asks.offers)
    return Table(tuple(map(Line, _COLUMNS)), rows, title=Line("price.list_of", {"provider": asks.name}))


def _each(one: PricedOffer) -> Line:
    return Line("price.per", {"price": price(one), "unit": Label(one.offer.unit, "unit")})


def _named(one: PricedOffer, names: Names) -> Single:
    """The card of a price, with the machine that it is let in."""
    instance = instance_of(one.offer)
    if instance is None:
        return names.card(one)
    whole = _whole(instance, one.offer) if instance.gpus and instance.hourly is not None else None
    values: dict[str, Worded] = {"card": names.card(one), "instance": instance.name, "n": instance.gpus, "whole": whole}
    return Line("price.card_in", values)
