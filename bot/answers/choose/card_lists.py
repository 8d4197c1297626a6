"""Cards by memory: which have so much, and which have the most, newest first, with a price where one is on record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from advisor.models import Gpu, Money, Step, step_of
from advisor.recommend import Channel, Need
from advisor.recommend.ground import is_legacy
from advisor.recommend.market import quotes_for
from advisor.recommend.models import Quote
from advisor.recommend.settings import settings
from bot.answers.choose.own_prices import money_in
from bot.answers.choose.spec_lines import CardList, ListedCard, list_headline, list_lines
from bot.answers.choose.wishes import currency_of, region_of
from bot.answers.common import source_refs
from bot.core.answers import Answer, answer_with
from bot.core.message import fact_of
from bot.core.request import Request

_APART: Final = ("laptop", "mod", "flashed", "module", "unified", "cloud", "APU", "MXM")
"""Parts of form factors that are no cards one can put into a computer."""
_CONSUMER: Final = frozenset({"GeForce", "TITAN", "Radeon", "Arc"})
_KINDS: Final = {
    "GeForce": "consumer",
    "TITAN": "consumer",
    "Quadro / RTX pro": "workstation",
    "Tesla / data center": "datacentre",
}
_ORDER: Final = ("consumer", "workstation", "datacentre", "other")
_MOST: Final = 6
"""Cards that are named by their memory size alone."""
_RECORDED: Final = 12
_CITED: Final = 4


def asks_list(request: Request) -> bool:
    """Whether cards are asked for by their memory: all of a size, or those with the most."""
    if any(request.slot(name) for name in ("model", "task", "method", "gpu", "persona")):
        return False
    if request.heard.shows("wish", "most_memory"):
        return True
    return request.intent == "gpu_specs" and bool(request.slot("vram_gb"))


@dataclass(frozen=True, slots=True)
class _Found:
    """Cards that suit, best first, with what each costs; the versions of the Chinese market apart."""

    cards: tuple[Gpu, ...]
    apart: tuple[str, ...]
    bought: Mapping[str, Quote | None]


def card_list(request: Request) -> Answer | None:
    """The cards of a size by kind, or those with the most memory; None when none is known."""
    size = request.slot("vram_gb")
    most = request.heard.shows("wish", "most_memory")
    currency = currency_of(request)
    limit = money_in(request, request.slot("budget") or request.slot("price"), currency)
    found = _found(request, limit, most=most)
    if not found.cards:
        return None
    taken = list(found.cards[:_MOST] if most else found.cards)
    told = CardList(
        groups=_groups(taken, {gpu.id: _listed(gpu, found.bought[gpu.id], currency) for gpu in taken}, most=most),
        count=len(found.cards),
        size=float(size) if size and not most else 0.0,
        least=request.bounds.get("vram_gb") == "min",
        consumer=_consumer_only(request),
        limit=limit,
        apart=found.apart,
    )
    return answer_with(
        headline=(list_headline(told),),
        lines=list_lines(told),
        facts=(
            fact_of(name="cards", value=len(found.cards)),
            *(fact_of(name=f"vram:{gpu.name}", value=gpu.vram_gib, unit="GiB") for gpu in taken[:_RECORDED]),
        ),
        trace=_claims(taken[:_RECORDED]),
        sources=source_refs(request, _sources(taken, found.bought)[:_CITED]),
    )


def _found(request: Request, limit: Money | None, *, most: bool) -> _Found:
    currency, size = currency_of(request), request.slot("vram_gb")
    suited = [gpu for gpu in _candidates(request) if _sized(request, gpu, size)]
    need = Need(currency=currency, region=region_of(currency))
    quotes = quotes_for(request.services.catalog, request.now.date(), need)
    bought = {gpu.id: _price_of(quotes.get(gpu.id, ()), limit) for gpu in suited}
    if limit is not None:
        suited = [gpu for gpu in suited if _is_bought(bought[gpu.id])]
    variants = settings().variants()
    ordered = sorted(suited, key=lambda gpu: _place(gpu, most=most or limit is not None))
    return _Found(
        cards=tuple(gpu for gpu in ordered if gpu.id not in variants),
        apart=tuple(gpu.name for gpu in suited if gpu.id in variants),
        bought=bought,
    )


def _is_bought(quote: Quote | None) -> bool:
    return quote is not None and quote.channel is Channel.BUY


def _sources(taken: list[Gpu], bought: Mapping[str, Quote | None]) -> tuple[str, ...]:
    """Ids of what memory sizes rest on, then of prices."""
    claimed = [gpu.sources.get("vram_gib") or gpu.sources.get("*") or "" for gpu in taken]
    quotes = [bought[gpu.id] for gpu in taken]
    priced = [quote.source for quote in quotes if quote is not None]
    return tuple(name for name in (*dict.fromkeys(claimed), *dict.fromkeys(priced)) if name)


def _groups(
    taken: list[Gpu], cards: Mapping[str, ListedCard], *, most: bool
) -> tuple[tuple[str, tuple[ListedCard, ...]], ...]:
    """The cards by kind, kinds without any left out; all together where those with the most memory are asked for."""
    found = (
        (kind, tuple(cards[gpu.id] for gpu in taken if most or _kind(gpu) == kind))
        for kind in (("most",) if most else _ORDER)
    )
    return tuple(group for group in found if group[1])


def _claims(gpus: list[Gpu]) -> tuple[Step, ...]:
    """Where the memory of each card is said."""
    return tuple(
        step_of(
            name=f"vram {gpu.name}", value=gpu.vram_gib, unit="GiB", how="claim", sources=(source,) if source else ()
        )
        for gpu in gpus
        for source in [gpu.sources.get("vram_gib") or gpu.sources.get("*", "")]
    )


def _candidates(request: Request) -> list[Gpu]:
    catalog = request.services.catalog
    named = [part.strip() for part in str(request.slot("gpu_family") or "").split(",") if part.strip()]
    pool = [gpu for name in named for gpu in catalog.gpus_of(name)] or list(catalog.gpus.values())
    return [gpu for gpu in pool if _is_candidate(request, gpu)]


def _is_candidate(request: Request, gpu: Gpu) -> bool:
    """Whether it is a card one can put into a computer, is out, and is of the line that was asked about."""
    if not gpu.vram_gib or any(part in (gpu.form_factor or "") for part in _APART):
        return False
    out = gpu.release_date is not None and gpu.release_date <= request.now.date()
    if not (out or gpu.id in settings().variants()):
        return False
    return gpu.family in _CONSUMER or not _consumer_only(request)


def _consumer_only(request: Request) -> bool:
    return request.heard.speaks_of("geforce_line")


def _sized(request: Request, gpu: Gpu, size: object) -> bool:
    if not size:
        return True
    have, asked, bound = gpu.vram_gib or 0.0, float(str(size)), request.bounds.get("vram_gb")
    if bound == "min":
        return have >= asked
    return have <= asked if bound == "max" else have == asked


def _price_of(quotes: tuple[Quote, ...], limit: Money | None) -> Quote | None:
    """The cheapest purchase that one can count on, else the rental."""
    buys = [quote for quote in quotes if quote.channel is Channel.BUY and quote.standing.solid]
    if limit is not None:
        buys = [quote for quote in buys if quote.price <= limit.amount]
    if buys:
        return min(buys, key=lambda quote: quote.price)
    return next((quote for quote in quotes if quote.channel is Channel.RENT), None)


def _listed(gpu: Gpu, quote: Quote | None, currency: str) -> ListedCard:
    price = None
    if quote is not None:
        renting = quote.channel is Channel.RENT
        price = Money(amount=quote.price if renting else Decimal(round(quote.price)), currency=currency)
    return ListedCard(
        name=gpu.name,
        vram_gib=gpu.vram_gib or 0.0,
        year=gpu.release_date.year if gpu.release_date else None,
        price=price,
        renting=quote is not None and quote.channel is Channel.RENT,
        dated=(quote.day or quote.as_of.isoformat()) if quote is not None and quote.as_of else "",
        market=quote.market if quote is not None and quote.converted else "",
        used=quote is not None and quote.terms == "purchase_used",
    )


def _place(gpu: Gpu, *, most: bool) -> tuple[float | bool | str, ...]:
    """Newest first; by memory where the most is asked for, cards without Tensor Cores after those that have them."""
    newest = -(gpu.release_date.toordinal() if gpu.release_date else 0)
    return (-(gpu.vram_gib or 0.0), is_legacy(gpu), newest, gpu.id) if most else (newest, gpu.id)


def _kind(gpu: Gpu) -> str:
    return _KINDS.get(gpu.family, "other")
