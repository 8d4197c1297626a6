"""Unit prices: what was asked for first (used, new, launch, by the month, by the hour), each with its day and standing.

Rentals come by provider, cheapest first. Purchase prices are shown as what they are and of when: where nothing newer
is held, the newest record stands in with its date rather than nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import Final

from advisor.catalog import Catalog
from advisor.errors import NoRate
from advisor.models import Gpu, Note, Provider, note_of
from advisor.prices import PriceList, price_of
from bot.answers.common import NamedGpu, decline_error, elicit_gpu, named_gpus, source_refs
from bot.answers.money.paid import is_judged
from bot.answers.money.price_lines import CardTold, card_told
from bot.answers.money.price_phrases import Names
from bot.answers.money.price_remarks import YOURS, judged_price, month_of, own_price, rate_notes, state_notes, told_here
from bot.answers.money.price_shelves import (
    BOUGHT,
    BUY,
    MARKETS,
    SPOT,
    CardPrices,
    at_home,
    card_of,
    conflicts,
    facts,
    listed,
    offered,
    priced_versions,
    shown,
    siblings,
    spot_alone,
    within,
)
from bot.answers.money.provider_prices import price_list
from bot.answers.open_sizes import without_size
from bot.core.answers import Answer, Decline, Outcome, answer_with
from bot.core.line import Depth, Line, Listing
from bot.core.request import Request

_CURRENCY: Final = {"zh": "CNY", "en": "USD"}
"""What people of a language count in when they name no currency."""
_MOST_CARDS: Final = 3
_SHOPS: Final = frozenset({"jd", "taobao", "xianyu"})
_BOTH: Final = (frozenset({"rent", "buy"}), frozenset({"rent", "new"}), frozenset({"used", "new"}))
"""Sides that leave open which price is wanted when both are spoken of."""
_APIECE: Final = "apiece"
"""What one card costs, where no word tells of an hour or a month: what it is bought for."""
_ROWS: Final = 5
"""Lines below the first in a group."""
_REMARKS: Final = 2
"""Of these the most that are kept for remarks."""
_RATE: Final = "price_rate"
_HERE: Final = "price_here"


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a message wants to know of prices."""

    request: Request
    catalog: Catalog
    providers: Sequence[Provider]
    currency: str
    on: date
    kind: str
    market: str

    def prices(self, gpus: tuple[Gpu, ...]) -> PriceList:
        """What any provider asks."""
        return price_of(self.catalog, gpus, on=self.on, currency=self.currency)


@dataclass(frozen=True, slots=True)
class _Found:
    """One card with what has to be said of its prices."""

    card: CardPrices
    here: list[Line]
    """What the chat told of it."""
    notes: list[Note]


def handle(request: Request) -> Outcome:
    """Prices of the named cards; of a provider's whole list when no card is named; else ask for the card."""
    named = named_gpus(request)
    if isinstance(named, Decline):
        return named
    providers = _providers(request, request.services.catalog)
    if not named and not providers:
        return elicit_gpu()
    try:
        if not named:
            return price_list(request, providers, _currency(request))
        return _card_prices(request, named[:_MOST_CARDS], providers)
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
    return MARKETS.get(_market(request)) or _CURRENCY[request.language]


def _market(request: Request) -> str:
    """Country that was named, when it has a market of its own; else empty."""
    stated = request.slot("region")
    if not stated:
        return ""
    from advisor.money.energy import find_region  # only where a place is named

    key = find_region(str(stated)) or ""
    return key if key in MARKETS else ""


def _kind(request: Request) -> str:
    """Which price was asked for; "" for any, as where renting and buying are both spoken of."""
    if request.heard.shows("deal", "sold"):
        return "used"
    unwanted = request.excluded.get("pricing_model", ())
    sides = [one for one in request.heard.sides("price") if one not in BOUGHT or BOUGHT[one].value not in unwanted]
    if any(pair <= set(sides) for pair in _BOTH):
        return ""
    deploy = request.slot("deploy")
    first = sides[0] if sides else deploy if deploy in {"buy", "rent"} else ""
    return str(first)


# --- prices of cards -------------------------------------------------------------------------------------------------


def _card_prices(request: Request, named: list[NamedGpu], providers: list[Provider]) -> Answer:
    catalog = request.services.catalog
    asked = _Asked(
        request, catalog, providers, _currency(request), request.now.date(), _kind(request), _market(request)
    )
    found = [_found(asked, one) for one in named]
    cards = [one.card for one in found]
    offers = list(chain.from_iterable(map(shown, cards)))
    here = chain.from_iterable(one.here for one in found)
    notes = [*chain.from_iterable(one.notes for one in found), *rate_notes(offers)]
    names = Names(catalog, request.language == "zh")
    told = [card_told(card, names) for card in cards]
    heads, notes = _heads(request, told[0].head, notes)
    return answer_with(
        headline=heads[:1],
        lines=(
            *heads[1:],
            *here,
            *(Line("price.too", {"told": one.head}) for one in told[1:]),
            *month_of(request),
            *_selling(request, cards[0]),
        ),
        blocks=(*_rows(told, notes), *chain.from_iterable(one.blocks for one in told)),
        result=tuple(card.prices for card in cards),
        facts=tuple(fact for card in cards for fact in facts(card, alone=len(cards) == 1)),
        trace=tuple(one.trace for one in offers),
        sources=source_refs(request, dict.fromkeys(one.offer.source for one in offers)),
        notes=tuple(notes),
        conflicts=tuple(dict.fromkeys(chain.from_iterable(map(conflicts, cards)))),
    )


def _heads(request: Request, price: Line, notes: list[Note]) -> tuple[tuple[Line, ...], list[Note]]:
    """The price on record, behind the verdict on the asker's own where one is asked for; and the notes left to say."""
    sold = request.heard.shows("deal", "sold")
    judged = judged_price(notes, sold=sold) if sold or is_judged(request) else None
    if judged is None:
        return (price,), notes
    return (judged, price), [note for note in notes if note.code != YOURS]


def _selling(request: Request, card: CardPrices) -> tuple[Line, ...]:
    """What a used price means to who sells."""
    sells = request.heard.shows("deal", "sold") and card.bought("used")
    return (Line("price.selling"),) if sells else ()


def _rows(told: Sequence[CardTold], notes: Sequence[Note]) -> tuple[Listing, ...]:
    """What stands below the first lines in a group, where there is room beside the remarks."""
    remarks = sum(note.code != _RATE for note in notes)
    # What the chat itself told is never what is left out, also where documents say something beside it.
    own = any(note.code == _HERE for note in notes)
    room = _ROWS - (len(told) - 1) - min(remarks, _REMARKS) - own
    each = max(room // len(told), 1)
    rows = tuple(row for one in told for row in one.rows[:each])
    return (Listing(rows, depth=Depth.GROUP, last=Depth.GROUP),) if rows else ()


def _found(asked: _Asked, one: NamedGpu) -> _Found:
    """The prices of one card: at the named providers, else elsewhere, else those of its sister versions."""
    gpus, name = (one.gpu, *one.others), without_size(one.asked) if one.is_open_size else one.asked
    held, notes = _at_providers(asked, one, gpus)
    if not one.others and not (offered(held) and (asked.providers or at_home(held))):
        gpus, name, held = siblings(asked.catalog, one, held)
        if len(gpus) > 1:
            notes += _sisters(asked.catalog, one.gpu, held)
    if asked.market:
        held = within(asked.catalog, held, asked.market)
    if asked.kind == SPOT:
        held = spot_alone(held)
    rents = asked.request.slot("deploy") == "rent"
    card = card_of(name, gpus, held, _kind_held(asked.kind, held), asked.market, rents=rents)
    notes += [*state_notes(held), *own_price(asked.request, asked.catalog, held)]
    return _Found(card, told_here(asked.request, gpus), notes)


def _kind_held(kind: str, held: PriceList) -> str:
    """Which price is told: of one card the one to buy it for, where today has one; else any."""
    if kind != _APIECE:
        return kind
    return BUY if held.new or held.used or held.machines else ""


def _sisters(catalog: Catalog, gpu: Gpu, held: PriceList) -> list[Note]:
    """That the prices are those of other versions: all of them, or those of the asker's own market."""
    if gpu.id not in priced_versions(held):
        return [_shown_instead(catalog, "price_sibling", gpu, priced_versions(held))]
    home = priced_versions(held, at_home=True)
    return [_shown_instead(catalog, "price_sibling_home", gpu, home)] if gpu.id not in home else []


def _shown_instead(catalog: Catalog, code: str, gpu: Gpu, versions: Sequence[str]) -> Note:
    return note_of(code, {"name": gpu.name, "shown": [catalog.gpus[one].name for one in versions]})


def _at_providers(asked: _Asked, one: NamedGpu, gpus: tuple[Gpu, ...]) -> tuple[PriceList, list[Note]]:
    """What the named providers ask, and what has to be said of others."""
    providers = list(asked.providers)
    held = listed(asked.catalog, gpus, asked.on, asked.currency, providers)
    if not providers:
        return held, []
    if held.empty:
        said = {"providers": _names(asked.request, providers), "gpus": [one.asked]}
        return asked.prices(gpus), [note_of("price_provider_none", said)]
    if _said_now(asked.request):
        return held, []
    return held, _elsewhere(asked.request, asked.catalog, asked.prices(gpus), providers)


def _said_now(request: Request) -> bool:
    """Whether this message names the provider, or only goes on from one that did."""
    heard = request.heard
    return not heard.is_read or heard.is_elliptical or bool(heard.wished("provider"))


def _elsewhere(request: Request, catalog: Catalog, held: PriceList, providers: list[Provider]) -> list[Note]:
    """The cheapest hour at others, for who spoke of a provider before and now asks for the card alone."""
    named = {one.id for one in providers}
    best = next((one for one in held.rent if one.offer.provider not in named), None)
    if best is None:
        return []
    record = catalog.providers.get(best.offer.provider)
    name = _names(request, [record])[0] if record is not None else best.offer.provider_name
    return [note_of("price_elsewhere", {"providers": _names(request, providers), "low": best.asked, "name": name})]
