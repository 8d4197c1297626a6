"""Unit prices: what was asked for first (used, new, launch, by the month, by the hour), each with its day and standing.

Rentals come by provider, cheapest first. Purchase prices are shown as what they are and of when: where nothing newer
is held, the newest record stands in with its date rather than nothing.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from advisor.catalog import Catalog
from advisor.errors import NoRate
from advisor.instances import instance_of
from advisor.kept import kept
from advisor.models import Gpu, Money, Note, Offer, PricingModel, Provider, note_of
from advisor.prices import (
    Age,
    PricedOffer,
    PriceList,
    ProviderRange,
    price_of,
    priced,
    provider_ranges,
    sorted_list,
)
from bot.answers.common import NamedGpu, decline_error, elicit_gpu, named_gpus, source_refs
from bot.answers.money.marks import mark_of_offer
from bot.core.answers import Answer, Decline, Outcome, answer_with
from bot.core.message import Fact, fact_of
from bot.core.request import Request

_CURRENCY = {"zh": "CNY", "en": "USD"}
"""What people of a language count in when they name no currency."""
_MOST_CARDS = 3
_SHOPS = frozenset({"jd", "taobao", "xianyu"})
_BOUGHT = {
    "new": PricingModel.PURCHASE_NEW,
    "used": PricingModel.PURCHASE_USED,
    "launch": PricingModel.LAUNCH_PRICE,
}
"""Kinds of purchase prices, in the order in which one stands in for another."""
_BOTH = ({"rent", "buy"}, {"rent", "new"}, {"used", "new"})
"""Sides that leave open which price is wanted when both are spoken of."""
_BUY = "buy"
"""Asked without saying new or used: whichever is held."""
_MARKETS = {"CN": "CNY", "US": "USD"}
"""Countries whose providers and currency make a market of their own."""
_FEW = 3
_WORD = re.compile(r"[a-z0-9_]+(?:\.[a-z0-9]+)?")
_MONTH = "gpu_month"


@dataclass(frozen=True, slots=True)
class CardPrices:
    """The prices of one card as it was named, for the template."""

    asked: str
    names: tuple[str, ...]
    prices: PriceList
    show_rent: bool
    show_buy: bool
    kind: str = ""
    """What was asked for: used | launch | month | rent | new | buy; "" when it was left open."""
    home: str = ""
    """Currency of the market that was named."""


def handle(request: Request) -> Outcome:
    """Prices of the named cards; of a provider's whole list when no card is named; else ask for the card."""
    named = named_gpus(request)
    if isinstance(named, Decline):
        return named
    catalog = request.services.catalog
    providers = _providers(request, catalog)
    if not named and not providers:
        return elicit_gpu()
    try:
        if not named:
            return _price_list(request, catalog, providers)
        return _card_prices(request, catalog, named[:_MOST_CARDS], providers)
    except NoRate as error:
        return decline_error(error)


def _providers(request: Request, catalog: Catalog) -> list[Provider]:
    """The named providers that are on record, in the user's order."""
    slot = request.slot("provider")
    names = slot if isinstance(slot, list) else [slot] if slot else []
    found = [catalog.find_provider(str(name)) for name in names]
    return [one for one in found if one is not None and one.id not in _SHOPS]


def _names(request: Request, providers: list[Provider]) -> list[str]:
    """Names of providers in the user's language."""
    return [one.name_zh if request.language == "zh" and one.name_zh else one.name for one in providers]


def _currency(request: Request) -> str:
    """The currency the user speaks in: stated with a price or budget, else that of the market or the language."""
    if request.slot("currency"):
        return str(request.slot("currency"))
    for name in ("price", "budget"):
        stated = request.slot(name)
        if isinstance(stated, dict) and stated.get("currency"):
            return str(stated["currency"])
    return _MARKETS.get(_market(request)) or _CURRENCY[request.language]


def _market(request: Request) -> str:
    """Country that was named, when it has a market of its own; else empty."""
    stated = request.slot("region")
    if not stated:
        return ""
    from advisor.money.energy import find_region  # only where a place is named

    key = find_region(str(stated)) or ""
    return key if key in _MARKETS else ""


def _kind(request: Request) -> str:
    """Which price was asked for; "" for any, as where renting and buying are both spoken of."""
    unwanted = request.excluded.get("pricing_model", ())
    sides = [one for one in request.heard.sides("price") if one not in _BOUGHT or _BOUGHT[one].value not in unwanted]
    if any(pair <= set(sides) for pair in _BOTH):
        return ""
    deploy = request.slot("deploy")
    first = sides[0] if sides else deploy if deploy in {"buy", "rent"} else ""
    return str(first)


# --- prices of cards -------------------------------------------------------------------------------------------------


def _card_prices(request: Request, catalog: Catalog, named: list[NamedGpu], providers: list[Provider]) -> Answer:
    currency, on = _currency(request), request.now.date()
    kind, market = _kind(request), _market(request)
    cards: list[CardPrices] = []
    notes: list[Note] = []
    for one in named:
        gpus, asked = (one.gpu, *one.others), one.asked
        listed = _listed(catalog, gpus, on, currency, providers)
        if providers and listed.empty:
            notes.append(note_of("price_provider_none", {"providers": _names(request, providers), "gpus": [one.asked]}))
            listed = price_of(catalog, gpus, on=on, currency=currency)
        elif providers and not _said_now(request):
            notes += _elsewhere(request, catalog, price_of(catalog, gpus, on=on, currency=currency), providers)
        if not one.others and not (_offered(listed) and (providers or _at_home(listed))):
            gpus, asked, listed = _siblings(catalog, one, listed)
            if len(gpus) > 1:
                names = [catalog.gpus[name].name for name in _priced_versions(listed)]
                notes.append(note_of("price_sibling", {"name": one.gpu.name, "shown": names}))
        if market:
            listed = _within(catalog, listed, market)
        cards.append(_card(asked, gpus, listed, kind, request, market))
        notes += _notes(asked, listed)
        notes = [*_told_here(request, gpus), *notes, *_own_price(request, catalog, listed)]
    shown = [offer for card in cards for offer in _shown(card)]
    notes += rate_notes(shown)
    return answer_with(
        template="price_lookup",
        result=tuple(card.prices for card in cards),
        facts=tuple(fact for card in cards for fact in _facts(card, alone=len(cards) == 1)),
        trace=tuple(offer.trace for offer in shown),
        sources=source_refs(request, dict.fromkeys(offer.offer.source for offer in shown)),
        notes=tuple(notes),
        conflicts=tuple(dict.fromkeys(conflict for card in cards for conflict in _conflicts(card))),
        extra={"mode": "cards", "cards": [_card_view(catalog, card) for card in cards], "currency": currency},
    )


def _said_now(request: Request) -> bool:
    """Whether this message names the provider, or only goes on from one that did."""
    heard = request.heard
    return not heard.is_read or heard.is_elliptical or bool(heard.wished("provider"))


def _elsewhere(request: Request, catalog: Catalog, listed: PriceList, providers: list[Provider]) -> list[Note]:
    """The cheapest hour at others, for who spoke of a provider before and now asks for the card alone."""
    named = {one.id for one in providers}
    best = next((one for one in listed.rent if one.offer.provider not in named), None)
    if best is None:
        return []
    record = catalog.providers.get(best.offer.provider)
    name = _names(request, [record])[0] if record is not None else best.offer.provider_name
    return [note_of("price_elsewhere", {"providers": _names(request, providers), "low": best.asked, "name": name})]


def _card(asked: str, gpus: tuple[Gpu, ...], listed: PriceList, kind: str, request: Request, market: str) -> CardPrices:
    """One card with what is shown of it: who rents is not told what it sells for, who buys not what it rents for.

    Where the price that was asked for is not held, or is only a record, the other side is shown after that is said.
    """
    rented, sold = bool(listed.rent or listed.ranges), any(_bought(listed, name) for name in _BOUGHT)
    if kind == _BUY:
        kind = next((name for name in ("new", "used") if _bought(listed, name)), _BUY)
    answered = kind in _BOUGHT and any(kind == "launch" or one.age is not Age.EXPIRED for one in _bought(listed, kind))
    rents = kind == "month" or (request.slot("deploy") == "rent" and kind not in {*_BOUGHT, _BUY})
    return CardPrices(
        asked=asked,
        names=tuple(gpu.name for gpu in gpus),
        prices=listed,
        show_rent=rented and not answered,
        show_buy=sold and not (rents and rented),
        kind=kind,
        home=_MARKETS.get(market, ""),
    )


def _offered(listed: PriceList) -> bool:
    """Whether there is a price that is not only a record of its time."""
    return bool(listed.rent) or _current(listed)


def _at_home(listed: PriceList) -> bool:
    """Whether a price of today is asked in the market of the answer's currency."""
    return any(not one.converted for one in (*listed.rent, *listed.new, *listed.used, *listed.machines))


def _current(listed: PriceList) -> bool:
    """Whether there is a purchase price that is not only a record of its time."""
    return bool(listed.new or listed.used or listed.machines)


def _siblings(catalog: Catalog, one: NamedGpu, listed: PriceList) -> tuple[tuple[Gpu, ...], str, PriceList]:
    """Where a version of a card has no price, what its sister versions under the common name have."""
    for group in catalog.generic_gpus:
        if one.gpu.id in group.means:
            others = tuple(catalog.gpus[name] for name in group.means if name in catalog.gpus)
            found = price_of(catalog, others, on=listed.on, currency=listed.currency)
            if _offered(found) and (_at_home(found) or not _offered(listed)):
                return others, group.name, found
    return (one.gpu,), one.asked, listed


def _priced_versions(listed: PriceList) -> list[str]:
    """Versions whose prices a list holds, each once."""
    return list(dict.fromkeys(one.offer.gpu for one in (*listed.rent, *listed.new, *listed.used, *listed.machines)))


def _within(catalog: Catalog, listed: PriceList, country: str) -> PriceList:
    """A price list with the rentals of one country's providers alone, where there are any."""
    home = tuple(
        one
        for one in listed.rent
        if (held := catalog.providers.get(one.offer.provider)) is not None and held.country == country
    )
    return listed.model_copy(update={"rent": home, "ranges": ()}) if home else listed


def _bought(listed: PriceList, kind: str, home: str = "") -> list[PricedOffer]:
    """Purchase prices of a kind, the newest of each version: today's, else those of systems, else old records."""
    if kind == "launch":
        return list(listed.launch[:_FEW])
    model = _BOUGHT[kind]
    old = tuple(one for one in listed.records if one.offer.pricing_model is model and one.offer.unit == "card")
    today = listed.new or listed.machines if kind == "new" else listed.used
    held = today or old
    if home:
        held = tuple(one for one in (*today, *old) if one.offer.currency == home) or held
    first: dict[str, date] = {}
    for one in held:  # the asker's own market first, prices that stand before widened ones, then the newest
        first.setdefault(one.offer.gpu, one.offer.as_of)
    kept = [one for one in held if one.offer.as_of == first[one.offer.gpu]]
    return sorted(kept, key=lambda one: listed.gpus.index(one.offer.gpu) if one.offer.gpu in listed.gpus else 0)[:_FEW]


def _conflicts(card: CardPrices) -> list[str]:
    """Disputes about the prices that the answer rests on: records count only when there is nothing newer."""
    listed = card.prices
    rest = (*listed.rent, *listed.new, *listed.used)
    return [one.offer.conflict for one in (rest or listed.records) if one.offer.conflict]


def _listed(catalog: Catalog, gpus: tuple[Gpu, ...], on: date, currency: str, providers: list[Provider]) -> PriceList:
    """Prices of a card, only those of the named providers when any is named."""
    if not providers:
        return price_of(catalog, gpus, on=on, currency=currency)
    lists = [price_of(catalog, gpus, on=on, currency=currency, provider=one.id) for one in providers]
    shelves = ("rent", "ranges", "new", "used", "systems", "records", "other")
    found = [offer for one in lists for shelf in shelves for offer in getattr(one, shelf)]
    return sorted_list(tuple(gpu.id for gpu in gpus), found, on, currency)


def _shown(card: CardPrices) -> list[PricedOffer]:
    """Offers that the full form prints, in its order."""
    listed = card.prices
    shown = [*listed.rent, *listed.ranges] if card.show_rent else []
    if card.show_buy:
        shown += [*listed.new, *listed.used, *listed.machines, *listed.systems, *listed.launch]
    return [*shown, *listed.records, *listed.other]


def _card_view(catalog: Catalog, card: CardPrices) -> dict[str, Any]:
    """What a template needs of one card, nothing left to compute. People ask for the same few cards all day."""
    views = _views_of(card.prices)
    key = (card.asked, card.names, card.show_rent, card.show_buy, card.kind, card.home)
    if key not in views:
        views[key] = _work_out_view(catalog, card)
    return views[key]


@kept(most=128)
def _views_of(listed: PriceList) -> dict[Hashable, dict[str, Any]]:
    """Room for the views of a price list, by how it was asked for."""
    return {}


def _work_out_view(catalog: Catalog, card: CardPrices) -> dict[str, Any]:
    listed = card.prices
    several = len(card.names) > 1
    bought = {
        kind: [_offer_view(catalog, one, several) for one in _bought(listed, kind, card.home)] if card.show_buy else []
        for kind in _BOUGHT
    }
    headline = next((kind for kind in _BOUGHT if bought[kind]), "")
    return {
        "asked": card.asked,
        "several": several,
        "kind": card.kind,
        "bought": {**bought, _BUY: []},
        "held": [kind for kind in _BOUGHT if bought[kind]],
        "headline": headline,
        "told": _told(card, headline),
        "current": _current(listed),
        "months": _months(catalog, card) if card.kind == "month" else [],
        "providers": [_range_view(catalog, one) for one in provider_ranges(listed)] if card.show_rent else [],
        "rent": [_offer_view(catalog, one, several) for one in listed.rent] if card.show_rent else [],
        "ranges": [_offer_view(catalog, one, several) for one in listed.ranges] if card.show_rent else [],
        "new": [_offer_view(catalog, one, several) for one in listed.new] if card.show_buy else [],
        "used": [_offer_view(catalog, one, several) for one in listed.used] if card.show_buy else [],
        "machines": [_offer_view(catalog, one, several) for one in listed.machines] if card.show_buy else [],
        "systems": [_offer_view(catalog, one, several) for one in listed.systems] if card.show_buy else [],
        "launch": [_offer_view(catalog, one, several) for one in listed.launch[:2]] if card.show_buy else [],
        "records": [_offer_view(catalog, one, several) for one in listed.records],
    }


def _told(card: CardPrices, headline: str) -> str:
    """Which kind of purchase price the first line tells."""
    if card.kind in _BOUGHT:
        return card.kind
    return headline if not card.kind and (card.show_rent or _current(card.prices)) else ""


def _months(catalog: Catalog, card: CardPrices) -> list[dict[str, Any]]:
    """A month at each provider: its monthly price, else its cheapest hour that is not cut short, 730 times."""
    from advisor.money.bill import HOURS  # only where a month is asked for

    listed, made, known = card.prices, [], set()
    for one in (offer for offer in listed.other if offer.offer.unit == _MONTH):
        known.add(one.offer.provider)
        made.append({"view": _offer_view(catalog, one, several=False), "money": one.low, "hourly": None})
    for one in listed.rent:
        if one.offer.provider in known or one.offer.pricing_model is PricingModel.SPOT or not one.age.solid:
            continue
        known.add(one.offer.provider)
        money = Money(amount=one.asked.amount * HOURS["month"], currency=one.low.currency)
        made.append({"view": _offer_view(catalog, one, several=False), "money": money, "hourly": one.asked})
    return sorted(made, key=lambda line: (line["hourly"] is not None, line["money"].amount))


def _offer_view(catalog: Catalog, one: PricedOffer, several: bool) -> dict[str, Any]:
    provider = catalog.providers.get(one.offer.provider)
    gpu = catalog.gpus.get(one.offer.gpu)
    return {
        "priced": one,
        "offer": one.offer,
        "name": provider.name if provider else one.offer.provider,
        "name_zh": (provider.name_zh or provider.name) if provider else one.offer.provider,
        "gpu": gpu.name if gpu and several else "",
        "terms": one.offer.pricing_model.value,
        "when": _when(one.offer),
        "mark": mark_of_offer(one),
        "instance": instance_of(one.offer),
    }


def _range_view(catalog: Catalog, one: ProviderRange) -> dict[str, Any]:
    provider = catalog.providers.get(one.provider)
    return {
        "range": one,
        "name": one.provider_name,
        "name_zh": (provider.name_zh if provider else "") or one.provider_name,
    }


def _when(offer: Offer) -> str:
    """The day of an offer as exactly as it is known; empty for an undated copy."""
    if offer.as_of_precision == "unknown":
        return ""
    if offer.pricing_model is PricingModel.LAUNCH_PRICE or offer.as_of_precision == "year":
        return offer.as_of.isoformat()[:4]
    return offer.as_of.isoformat()[:7] if offer.as_of_precision == "month" else offer.as_of.isoformat()


def _facts(card: CardPrices, *, alone: bool) -> list[Fact]:
    """Every amount that is told as a fact for programs, the cheapest rental first."""
    facts = []
    rented, bought = (
        ("rent",) if card.show_rent else (),
        ("new", "used", "machines", "systems", "launch") if card.show_buy else (),
    )
    for shelf in (*rented, *bought, "records"):
        for one in getattr(card.prices, shelf):
            name = shelf if alone else f"{card.asked}.{shelf}"
            facts.append(
                fact_of(
                    name=f"{name}.{one.offer.provider}",
                    value=float(one.asked.amount),
                    low=float(one.low.amount),
                    high=float(one.high.amount),
                    unit=f"{one.low.currency}/{one.offer.unit}",
                    basis=one.age.value,
                    sources=(one.offer.source,),
                    as_of=one.offer.as_of,
                )
            )
    return facts


# --- remarks ---------------------------------------------------------------------------------------------------------


def _notes(asked: str, listed: PriceList) -> list[Note]:
    notes: list[Note] = []
    if not _offered(listed):
        notes.append(note_of("price_none", {"gpus": [asked], "launch": bool(listed.launch)}))
    best = next(iter(listed.rent), None)
    if best is not None and not best.age.solid:
        notes.append(note_of("price_old", {"providers": [best.offer.provider_name]}))
    return notes


def _told_here(request: Request, gpus: tuple[Gpu, ...]) -> list[Note]:
    """What this chat's members told of a card, beside what sources say and never mixed with it."""
    ids = {gpu.id for gpu in gpus}
    return [
        note_of(
            "price_here",
            {
                "kind": one.kind,
                "price": Money(amount=one.amount, currency=one.currency),
                "day": one.day,
                "people": one.people,
                "elsewhere": one.elsewhere,
            },
        )
        for one in request.quotes
        if one.gpu in ids
    ]


def _own_price(request: Request, catalog: Catalog, listed: PriceList) -> list[Note]:
    """How a price that the user names compares with what is on record."""
    stated = request.slot("price")
    if not isinstance(stated, dict) or stated.get("unit") not in ("card", "hour"):
        return []
    shelf = _comparable(listed.rent if stated["unit"] == "hour" else (*listed.new, *listed.used))
    if not shelf:
        return []
    said = Money(amount=Decimal(str(stated["amount"])), currency=str(stated.get("currency") or listed.currency))
    amount = catalog.convert(said, listed.currency, listed.on).amount
    low, high = min(one.low.amount for one in shelf), max(one.high.amount for one in shelf)
    verdict = "below" if amount < low else "above" if amount > high else "within"
    span = {"low": Money(amount=low, currency=listed.currency), "high": Money(amount=high, currency=listed.currency)}
    return [note_of("price_yours", {"said": said, "verdict": verdict, **span})]


def _comparable(shelf: tuple[PricedOffer, ...]) -> tuple[PricedOffer, ...]:
    """Prices of the asker's own market, where there are any."""
    return tuple(one for one in shelf if not one.converted) or shelf


def rate_notes(shown: list[PricedOffer]) -> list[Note]:
    """Each exchange rate that was used, once."""
    used: dict[tuple[str, str], Note] = {}
    for one in shown:
        if one.converted and len(one.trace.inputs) == 2:
            rate = one.trace.inputs[1]
            values = {"base": one.offer.currency, "currency": one.low.currency, "value": rate.value, "day": rate.as_of}
            used.setdefault((one.offer.currency, one.low.currency), note_of("price_rate", values))
    return list(used.values())


# --- a provider's list -----------------------------------------------------------------------------------------------


def _price_list(request: Request, catalog: Catalog, providers: list[Provider]) -> Outcome:
    """What named providers ask for their cards, cheapest first."""
    on = request.now.date()
    groups: list[dict[str, Any]] = []
    shown: list[PricedOffer] = []
    for provider in providers:
        own = [one for one in catalog.offers if one.provider == provider.id and one.as_of <= on]
        own = _of_instance(request, own)
        currency = own[0].currency if own else _currency(request)
        listed = sorted_list((), (priced(catalog, one, currency, on) for one in _newest(own)), on, currency)
        offers = [*listed.rent, *listed.other, *listed.records]
        shown += offers
        groups.append(
            {
                "name": provider.name,
                "name_zh": provider.name_zh or provider.name,
                "offers": [_offer_view(catalog, one, several=True) for one in offers],
            }
        )
    if not shown:
        return Decline(reason=note_of("price_provider_unknown", {"providers": _names(request, providers)}))
    return answer_with(
        template="price_lookup",
        facts=tuple(
            fact_of(
                name=f"{one.offer.provider}.{one.offer.gpu or one.offer.quoted_as}",
                value=float(one.asked.amount),
                unit=f"{one.low.currency}/{one.offer.unit}",
                basis=one.age.value,
                sources=(one.offer.source,),
                as_of=one.offer.as_of,
            )
            for one in shown
        ),
        trace=tuple(one.trace for one in shown),
        sources=source_refs(request, dict.fromkeys(one.offer.source for one in shown)),
        conflicts=tuple(dict.fromkeys(one.offer.conflict for one in shown if one.offer.conflict)),
        extra={"mode": "provider", "groups": groups, "cards": [], "currency": ""},
    )


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
