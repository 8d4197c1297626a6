"""The card at hand beside a newer one: what it sells for, and whether a second one of it would do."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from advisor.jobs.plan import Place, chosen_on
from advisor.models import Gpu, Money
from bot.answers.choose.offer_lines import beyond, price_between, rounded
from bot.answers.choose.offers import Shown
from bot.answers.choose.used_prices import used_quote
from bot.answers.money.marks import mark_of_quote, market_alone
from bot.answers.phrases import cards_named
from bot.core.line import Figure, Label, Line, Worded, amount
from bot.core.request import Request

if TYPE_CHECKING:
    from bot.answers.choose.wishes import Wish

_TWO: Final = 2
_THREE: Final = 3


def sale_lines(request: Request, owned: Gpu, offer: Shown | None, currency: str) -> Iterator[Line]:
    """What the card at hand sells for and what the newer one costs beyond that, where selling is spoken of."""
    if not request.heard.shows("deal", "sold"):
        return
    quote = used_quote(request, owned, currency)
    if quote is None or not quote.standing.solid:
        yield Line("up.sells.none", {"owned": owned.name})
        return
    low, high = (Money(amount=one, currency=currency) for one in (quote.low, quote.high))
    values: dict[str, Worded] = {
        "owned": owned.name,
        "price": price_between(low, high),
        "dated": quote.day,
        "mark": mark_of_quote(quote),
    }
    yield Line("up.sells", values)
    more = net_price(request, owned, 1, offer, currency)
    if more is not None:
        yield Line("up.sells.more", {"more": more})


def net_price(request: Request, owned: Gpu, n: int, offer: Shown | None, currency: str) -> Line | None:
    """What the newer card costs beyond what the cards at hand sell for, as a span with the days of both prices.

    A price that is no longer of today is a span, so what is left between two of them is one. None where a price that
    may decide is missing, or where nothing is left to pay.
    """
    quote = used_quote(request, owned, currency)
    if quote is None or not quote.standing.solid or offer is None or offer.channel != "buy":
        return None
    if offer.launch or offer.price.currency != currency or offer.price.amount <= n * quote.price:
        return None
    spent = Money(amount=n * quote.low, currency=currency), Money(amount=n * quote.high, currency=currency)
    mark = market_alone(offer.mark, mark_of_quote(quote))
    return beyond((offer.low, offer.high), spent, (offer.dated, quote.day), mark)


def second_card(request: Request, wish: Wish, owned: Gpu, currency: str, n: int = 1) -> Line | None:
    """Whether one more card of the kind at hand would do for the job, where adding one is asked about."""
    heard = request.heard
    asked = heard.shows("rig", "added") or heard.shows("wish", "one_more")
    if not asked or not wish.ladder:
        return None
    if wish.ladder[0].workload.ml_model.modality == _DRAWN:
        return Line(DRAWN, {"owned": owned.name})
    alone = next((one.verdict.runs for one in chosen_on(wish.ladder, [Place(owned, n)])), None)
    line = _second(request, wish, owned, currency, n + 1)
    # where one does the job, or none was named, one more is memory for the next job and no way to do this one
    does = alone is not False or not (request.slot("model") or request.slot("task"))
    return Line(OPEN, line.values) if does and line is not None else line


def added_card(request: Request, wish: Wish) -> Line | None:
    """Whether the card at hand and another one beside it do the job, where that is set against a third one.

    Memory counts as that of the smaller one twice: layers are split evenly unless somebody takes pains.
    """
    if len(wish.named) != _THREE or not wish.ladder or not request.heard.shows("against", "second"):
        return None
    owned, added = (one.gpu for one in wish.named[:_TWO])
    small = min(owned, added, key=lambda one: one.vram_gib or 0.0)
    verdict = chosen_on(wish.ladder, [Place(small, _TWO)])[0].verdict
    values: dict[str, Worded] = {
        "owned": owned.name,
        "added": added.name,
        "total": Figure((owned.vram_gib or 0.0) + (added.vram_gib or 0.0), "GB"),
        "fits": Label(verdict.word.value, "verdict"),
        **_price_of(request, added, wish.need.currency),
    }
    return Line("up.beside" if verdict.runs else "up.beside.no", values)


def second_instead(request: Request, wish: Wish, cost: Decimal) -> Line | None:
    """A second card of the kind at hand, where it does a job that one does not, for less than what is recommended."""
    one_at_hand = request.heard.speaks_of("own") and wish.named and (wish.need.gpu_count or 1) == 1
    if not one_at_hand or wish.job is None:
        return None
    owned, currency = wish.named[0].gpu, wish.need.currency
    alone = next((one.verdict.runs for one in chosen_on(wish.ladder, [Place(owned)])), None)
    if alone is not False or not _costs_less(request, owned, currency, cost):
        return None
    line = _second(request, wish, owned, currency)
    return line if line is not None and line.say == _DOES else None


def _costs_less(request: Request, gpu: Gpu, currency: str, cost: Decimal) -> bool:
    """Whether a used one of today's price costs less than so much."""
    quote = used_quote(request, gpu, currency)
    return quote is not None and quote.standing.solid and quote.price < cost


_DRAWN: Final = "image-gen"
DRAWN: Final = "up.second.drawn"
"""What is said of one more card where pictures are drawn."""
OPEN: Final = "up.second.open"
"""What is said of one more card where the job does without it."""
_DOES: Final = "up.second"


def _second(request: Request, wish: Wish, owned: Gpu, currency: str, n: int = _TWO) -> Line | None:
    verdict = next((one.verdict for one in chosen_on(wish.ladder, [Place(owned, n)])), None)
    if verdict is None or verdict.usable is None:
        return None
    values: dict[str, Worded] = {
        "cards": cards_named(owned.name, n),
        "total": Figure((owned.vram_gib or 0.0) * n, "GB"),
        "fits": Label(verdict.word.value, "verdict"),
        **_price_of(request, owned, currency),
    }
    return Line(_DOES if verdict.runs else "up.second.no", values)


def _price_of(request: Request, gpu: Gpu, currency: str) -> dict[str, Worded]:
    """What a used one costs, and of which day; nothing to say where no price counts."""
    quote = used_quote(request, gpu, currency)
    if quote is None or not quote.standing.solid:
        return {"price": None, "dated": None}
    dated = Line("price.dated", {"day": quote.day, "age": None, "mark": market_alone(mark_of_quote(quote))})
    return {"price": amount(rounded(Money(amount=quote.price, currency=currency))), "dated": dated}
