"""So much memory in all for the least money: in one card or in several that share a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import Final

from advisor.models import Gpu, Money, Step, step_of
from advisor.recommend import Channel, Need
from advisor.recommend.ground import is_past
from advisor.recommend.home import TOGETHER, for_home, is_modified
from advisor.recommend.market import quotes_for
from advisor.recommend.models import Quote
from bot.answers.choose.makers import vendors_of
from bot.answers.choose.offer_lines import price_between, rounded
from bot.answers.choose.own_prices import money_of
from bot.answers.choose.wishes import currency_of, region_of
from bot.answers.common import source_refs
from bot.answers.money.marks import mark_of_quote
from bot.answers.phrases import cards_named
from bot.core.answers import Outcome, answer_with, elicit_of
from bot.core.claims import Claim, Kind
from bot.core.line import Figure, Label, Line, Worded, amount
from bot.core.message import fact_of
from bot.core.request import Request

_COMMON: Final = "NVIDIA"
_APART: Final = ("laptop", "module", "APU", "MXM")
_PAIR: Final = 2
"""Cards that most boards take: what so many cost is told beside more of them."""
_SLACK: Final = 0.5
"""GB by which a sum of cards may stay below what was said: 22 and 24 GB are sizes apart, 47.9 and 48 are not."""


@dataclass(frozen=True, slots=True)
class _Lot:
    """So many cards of a kind and what they cost together."""

    gpu: Gpu
    n: int
    quote: Quote

    @property
    def price(self) -> Decimal:
        """Money for all of them."""
        return self.quote.price * self.n


def is_asked(request: Request) -> bool:
    """Whether an amount of memory is to be had for least, or within a sum, and no job, card or place is named."""
    heard, size = request.heard, request.slot("vram_gb")
    if not size or request.slot("deploy") in {"rent", "laptop"} or heard.speaks_of("renting", "which_llm"):
        return False
    if "weekend" in heard.sides("period") or request.slot("duration"):
        return False  # nobody buys for a few days
    spends = bool(money_of(request.slot("budget"))) and heard.shows("wish", "had")
    return heard.shows("wish", "cheapest_way") or (spends and not heard.speaks_of("gpu", "which_card"))


def handle(request: Request) -> Outcome:
    """The cards that come to so much memory for least; then one card alone, and what costs less and is left behind."""
    currency = currency_of(request)
    size = float(str(request.slot("vram_gb")))
    found = sorted(_lots(request, size, currency), key=lambda lot: (lot.price, lot.n, lot.gpu.id))
    usable = [lot for lot in found if _is_usable(lot.gpu)]
    if not usable:
        return elicit_of(slot="budget")
    best = usable[0]
    claim = Claim(Kind.LEAST, float(best.price), tuple(float(lot.price) for lot in usable[1:]))
    values = {**_values(best, currency), "size": Figure(size, "GB"), **_money(request, best)}
    return answer_with(
        headline=(Line(_code(best, over="budget" in values), values, claim),),
        lines=tuple(_others(usable, found, currency)),
        facts=(
            fact_of(name="pick", value=best.gpu.name),
            fact_of(name="cards", value=best.n),
            fact_of(name="price_buy", value=float(best.price), unit=currency, as_of=best.quote.as_of),
        ),
        trace=(_step(best),),
        sources=source_refs(request, [lot.quote.source for lot in usable[:2]]),
    )


def _code(best: _Lot, *, over: bool) -> str:
    return "in_all.over" if over else "in_all.one" if best.n == 1 else "in_all.best"


def _money(request: Request, best: _Lot) -> dict[str, Worded]:
    """The sum that was named, where it does not reach."""
    money = money_of(request.slot("budget"))
    reaches = money is None or money.currency != best.quote.currency or best.price <= money.amount
    return {} if reaches or money is None else {"budget": amount(money)}


def _lots(request: Request, size: float, currency: str) -> Iterator[_Lot]:
    """For each card with a price of today the fewest of it that hold so much, up to what a home puts together."""
    need = Need(currency=currency, region=region_of(currency))
    quotes = quotes_for(request.services.catalog, request.now.date(), need)
    out = {str(one) for one in request.excluded.get("pricing_model", ())}
    vendors = vendors_of(request) or (_COMMON,)
    for gpu in request.services.catalog.gpus.values():
        n = max(1, ceil((size - _SLACK) / gpu.vram_gib)) if gpu.vram_gib else 0
        offered = _offered(quotes.get(gpu.id, ()), out)
        if offered and 0 < n <= TOGETHER[-1] and gpu.vendor in vendors and _is_card(gpu):
            yield _Lot(gpu, n, min(offered, key=_price))


def _offered(quotes: Iterable[Quote], out: set[str]) -> list[Quote]:
    """Prices of today to buy for, of kinds that are not ruled out."""
    return [one for one in quotes if one.channel is Channel.BUY and one.standing.solid and one.terms not in out]


def _price(quote: Quote) -> Decimal:
    return quote.price


def _is_card(gpu: Gpu) -> bool:
    return not any(part in (gpu.form_factor or "") for part in _APART)


def _is_usable(gpu: Gpu) -> bool:
    return for_home(gpu) and not is_past(gpu, Channel.BUY) and not is_modified(gpu)


def _others(usable: list[_Lot], found: list[_Lot], currency: str) -> Iterator[Line]:
    """What several cards ask for, what fewer cost, what costs less but was modified or is past its support."""
    best = usable[0]
    if best.n > 1:
        yield Line("in_all.split", {"n": best.n})
    for n in range(min(best.n, _PAIR + 1) - 1, 0, -1):
        fewer = next((one for one in usable if one.n == n), None)
        if fewer is not None:
            yield Line("in_all.alone" if n == 1 else "in_all.fewer", _values(fewer, currency))
    yield from _left_out(best, found, currency)


def _left_out(best: _Lot, found: list[_Lot], currency: str) -> Iterator[Line]:
    past = next((lot for lot in found if lot.price < best.price and not _is_usable(lot.gpu)), None)
    if past is not None:
        yield Line("in_all.modified" if is_modified(past.gpu) else "in_all.past", _values(past, currency))


def _values(lot: _Lot, currency: str) -> dict[str, Worded]:
    quote = lot.quote
    low, high = (Money(amount=each * lot.n, currency=quote.currency) for each in (quote.low, quote.high))
    terms = Label(quote.terms, "terms")
    return {
        "cards": cards_named(lot.gpu.name, lot.n),
        "vram": Figure(lot.gpu.vram_gib or 0.0, "GB"),
        "total": amount(rounded(Money(amount=lot.price, currency=currency))),
        "price": price_between(low, high),
        "origin": Line("offer.of_terms", {"terms": terms, "dated": quote.as_of, "mark": mark_of_quote(quote)}),
        "n": lot.n,
    }


def _step(lot: _Lot) -> Step:
    return step_of(
        name="price_in_all", value=float(lot.price), unit="", how="price x cards", sources=(lot.quote.source,)
    )
