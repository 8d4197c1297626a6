"""The best that costs less than the answer before, or that nothing does, for whoever finds the pick too dear."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from advisor.models import Money
from advisor.recommend import Channel, Need, Objective, Recommendation, choose, recommend
from bot.answers.choose.offer_lines import rounded
from bot.answers.choose.wishes import Wish
from bot.core.line import Line, Worded, amount, gib
from bot.core.request import Request

_BELOW = Decimal("0.999")
"""A price counts as lower from here on."""


def below(request: Request, wish: Wish) -> tuple[Wish, Recommendation, Line]:
    """The recommendation below the price to beat; where there is none the cheapest of all. With what to say of it."""
    beat = request.slot("cheaper_than")
    hourly = beat["period"] == "hour"
    alike = wish.workload is None
    need = wish.need.model_copy(update={"deploy": Channel.RENT if hourly else Channel.BUY})
    if alike:
        need = need.model_copy(update={"gpu_count": 1})
    price = _own_price(request, need, beat["gpu"]) if alike else None
    if price is None:
        price = Money(amount=Decimal(str(beat["amount"])), currency=str(beat["currency"]))
    price = request.services.catalog.convert(price, need.currency, request.now.date())
    said: dict[str, Worded] = {
        "name": str(beat["gpu"]),
        "price": amount(rounded(price), "hour" if hourly else ""),
        "least": gib(need.vram_gib) if need.vram_gib else None,
    }
    limit = price.model_copy(update={"amount": price.amount * _BELOW})
    lower = need.model_copy(update={"budget": limit, "budget_period": "hour" if hourly else "once"})
    found = _recommended(request, lower)
    if found.winner is not None:
        return replace(wish, need=lower), found, Line("cheaper.alike" if alike else "cheaper.found", said)
    if alike and not hourly:  # nothing to buy, but perhaps to rent
        rented = need.model_copy(update={"deploy": Channel.RENT})
        return replace(wish, need=rented), _recommended(request, rented), Line("cheaper.none_to_buy", said)
    # the card itself, which nothing undercuts
    limit = price.model_copy(update={"amount": price.amount / _BELOW})
    same = lower.model_copy(update={"budget": limit})
    found = _recommended(request, same)
    code = "cheaper.none_alike" if alike else "cheaper.none"
    if found.winner is None:  # its price was of another day or place
        same = need.model_copy(update={"objective": Objective.CHEAPEST})
        found = _recommended(request, same)
    return replace(wish, need=same), found, Line(code, said)


def _recommended(request: Request, need: Need) -> Recommendation:
    return recommend(need, request.services.catalog, request.now.date())


def _own_price(request: Request, need: Need, name: str) -> Money | None:
    """What the card itself costs among those that hold as much: a lowest listing of a marketplace decides nothing."""
    cards = {gpu.id for gpu in request.services.catalog.gpu_variants(name)}
    ranked = choose(need, request.services.catalog, request.now.date()).ranked
    prices = [option.money for option in ranked if option.gpu.id in cards and option.n == 1]
    return Money(amount=min(prices), currency=need.currency) if prices else None
