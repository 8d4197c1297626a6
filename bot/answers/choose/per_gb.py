"""Which card has the most memory for the money: the price of a gigabyte, over all sizes and from usual sizes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from advisor.models import Gpu, Money, Step, step_of
from advisor.recommend import Channel, Need
from advisor.recommend.ground import is_past
from advisor.recommend.home import for_home
from advisor.recommend.market import quotes_for
from advisor.recommend.models import Quote
from bot.answers.choose.makers import vendors_of
from bot.answers.choose.offer_lines import price_between, rounded
from bot.answers.choose.own_prices import money_of
from bot.answers.choose.wishes import currency_of, region_of
from bot.answers.common import named_gpus, source_refs
from bot.answers.money.marks import mark_of_quote
from bot.answers.phrases import cards_named
from bot.core.answers import Decline, Outcome, answer_with, elicit_of
from bot.core.claims import Claim, Kind
from bot.core.line import Figure, Label, Line, Worded, amount
from bot.core.message import fact_of
from bot.core.request import Request

_COMMON: Final = "NVIDIA"
_SIZES: Final = (16.0, 24.0, 32.0, 48.0)
"""Memory from which the best is told besides."""
_TOLD: Final = 3
_SEVERAL: Final = 2
_APART: Final = ("laptop", "module", "APU", "MXM")


@dataclass(frozen=True, slots=True)
class _Priced:
    """A card, the least it is bought for and what a gigabyte of it comes to."""

    gpu: Gpu
    quote: Quote
    gib: float

    @property
    def each(self) -> Decimal:
        """Money for a gigabyte."""
        return self.quote.price / Decimal(str(self.gib))


def is_asked(request: Request) -> bool:
    """Whether memory is set against money."""
    return request.heard.shows("wish", "per_gb")


def handle(request: Request) -> Outcome:
    """The card whose gigabyte costs least, of those that are named or of all that a home can use."""
    named = named_gpus(request)
    if isinstance(named, Decline):
        return named
    currency = currency_of(request)
    among = [one.gpu for one in named] if len(named) >= _SEVERAL else []
    found = _priced(request, among, currency)
    usable = [one for one in found if among or _is_usable(one.gpu)]
    if not usable:
        return elicit_of(slot="budget")
    best = usable[0]
    return answer_with(
        headline=(_line("per_gb.best", best, currency, [one for one in usable if one is not best]),),
        lines=(*_tiers(usable, currency, listed=bool(among)), *_past(best, found, currency)),
        facts=(
            fact_of(name="pick", value=best.gpu.name),
            fact_of(name="price_per_gb", value=float(best.each), unit=f"{currency}/GB", as_of=best.quote.as_of),
        ),
        trace=(_step(best),),
        sources=source_refs(request, [one.quote.source for one in usable[:_TOLD]]),
    )


def _priced(request: Request, among: Sequence[Gpu], currency: str) -> list[_Priced]:
    """Cards with a price of today to buy, the cheapest gigabyte first."""
    need = Need(currency=currency, region=region_of(currency))
    quotes = quotes_for(request.services.catalog, request.now.date(), need)
    limit = money_of(request.slot("budget"))
    pool = among or [gpu for gpu in request.services.catalog.gpus.values() if _suits(request, gpu)]
    found = []
    for gpu in pool:
        quote = _least(request, quotes.get(gpu.id, ()), limit)
        if quote is not None and gpu.vram_gib:
            found.append(_Priced(gpu, quote, gpu.vram_gib))
    return sorted(found, key=lambda one: (one.each, one.gpu.id))


def _least(request: Request, quotes: Sequence[Quote], limit: Money | None) -> Quote | None:
    """The least price of those that count, within the money and of a kind that is wanted."""
    out = {str(one) for one in request.excluded.get("pricing_model", ())}
    bought = [one for one in quotes if one.channel is Channel.BUY and one.standing.solid and one.terms not in out]
    return min((one for one in bought if limit is None or one.price <= limit.amount), key=_price, default=None)


def _price(quote: Quote) -> Decimal:
    return quote.price


def _suits(request: Request, gpu: Gpu) -> bool:
    """Whether it is a card to put into a computer, of a maker that is meant and of the least size that was said."""
    vendors = vendors_of(request) or (_COMMON,)
    built = not any(part in (gpu.form_factor or "") for part in _APART)
    size = float(str(request.slot("vram_gb") or 0))
    return gpu.vendor in vendors and built and (gpu.vram_gib or 0.0) >= size


def _is_usable(gpu: Gpu) -> bool:
    return for_home(gpu) and not is_past(gpu, Channel.BUY)


def _tiers(usable: Sequence[_Priced], currency: str, *, listed: bool) -> Iterator[Line]:
    """The others of a few named cards; else the best from each larger size on."""
    if listed:
        yield from (_line("per_gb.next", one, currency) for one in usable[1:])
        return
    last, told = usable[0], 0
    for size in _SIZES:
        one = next((found for found in usable if found.gib >= size), None)
        if one is not None and one is not last and size > usable[0].gib and told < _TOLD:
            last, told = one, told + 1
            yield _line("per_gb.from", one, currency, size=size)


def _past(best: _Priced, found: Sequence[_Priced], currency: str) -> Iterator[Line]:
    """Cards whose gigabyte costs less and that a home cannot use, or that current software left behind."""
    cheaper = [one for one in found if one.each < best.each]
    if cheaper:
        names = tuple(one.gpu.name for one in cheaper[:_TOLD])
        each = amount(rounded(Money(amount=cheaper[0].each, currency=currency)))
        yield Line("per_gb.past", {"names": names, "each": each})


def _line(code: str, one: _Priced, currency: str, others: Sequence[_Priced] = (), *, size: float | None = None) -> Line:
    quote = one.quote
    low, high = (Money(amount=each, currency=currency) for each in (quote.low, quote.high))
    terms = Label(quote.terms, "terms")
    values: dict[str, Worded] = {
        "card": cards_named(one.gpu.name),
        "vram": Figure(one.gib, "GB"),
        "each": amount(rounded(Money(amount=one.each, currency=currency))),
        "price": price_between(low, high),
        "origin": Line("offer.of_terms", {"terms": terms, "dated": quote.day, "mark": mark_of_quote(quote)}),
        "size": Figure(size, "GB") if size else None,
    }
    claim = Claim(Kind.LEAST, float(one.each), tuple(float(each.each) for each in others)) if others else None
    return Line(code, values, claim)


def _step(one: _Priced) -> Step:
    return step_of(
        name="price_per_gb", value=float(one.each), unit="", how="price / memory", sources=(one.quote.source,)
    )
