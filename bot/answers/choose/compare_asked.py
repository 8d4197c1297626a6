"""What a comparison is asked for beside which side is ahead: a reason, what the money buys, the least money."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from math import ceil
from typing import Final

from advisor.models import Money, Note, note_of
from bot.answers.choose.compare_bills import rent_bill, rent_limit, worth_of_difference
from bot.answers.choose.compare_lines import Compared, value_named
from bot.answers.choose.compare_memory import STEADY, by_memory
from bot.answers.choose.compare_sides import Column, is_modified, job_named, origin_named, price_named, side_named
from bot.answers.choose.offer_lines import rounded
from bot.answers.choose.own_prices import money_of
from bot.answers.choose.side_prices import PriceView
from bot.answers.phrases import cards_named
from bot.core.line import Figure, Line, Worded, amount
from bot.core.request import Request

_TWO: Final = 2
_FELT: Final = 1.05
"""So many times the speed are worth a word."""
_ONCE: Final = "once"
_OWN: Final = "user"
_CUDA: Final = "NVIDIA"
"""The maker whose cards run what most software is written for."""
_CLEARLY: Final = Decimal("1.05")
"""Costs that differ by less are called the same."""


def on_platform(request: Request) -> Request:
    """The request with renting meant, where cards are compared on a platform that lets them by the hour."""
    named = request.slot("provider")
    if request.slot("deploy") or not isinstance(named, str) or "buy" in request.heard.placed("price"):
        return request
    found = request.services.catalog.find_provider(named)
    return replace(request, slots={**request.slots, "deploy": "rent"}) if found is not None else request


def is_of_rent(request: Request) -> bool:
    """Whether prices of renting are meant."""
    spoken = request.heard.placed("price")
    return request.slot("deploy") == "rent" or ("rent" in spoken and "buy" not in spoken)


def asked_headline(request: Request, told: Compared) -> Line | None:
    """The line that fills what was asked of two sides; None where the order of the sides does."""
    if len(told.columns) != _TWO:
        return None
    heard = request.heard
    if request.slot("against"):
        return _against(request, told)
    if heard.shows("form", "why"):
        return _reason(request, told.columns)
    times = _times_as_fast(request, told)
    if times is not None or heard.speaks_of("how_many", "few_cards"):
        return times or _as_many(told)
    if request.slot("aspect") == "bill":
        return rent_bill(request, told) or rent_limit(told)
    return _steady(request, told) or _within(request, told.columns) or _by_money_or_memory(request, told)


def _by_money_or_memory(request: Request, told: Compared) -> Line | None:
    """What more money buys, the side that costs less where that is asked, else the one whose memory decides."""
    worth = worth_of_difference(request, told)
    return worth or (_cheapest(request, told) if _is_cheap_asked(request, told) else by_memory(request, told))


def _times_as_fast(request: Request, told: Compared) -> Line | None:
    """How many times as fast the one is as the other, where that is asked and speeds tell it."""
    made, heard = told.made, request.heard
    if not (heard.shows("form", "how_much") and (heard.shows("contest", "speed") or heard.shows("effect", "speed"))):
        return None
    if made.winner is None or made.margin is None or made.margin.low >= 1:
        return None  # a sure lead is what the order of the sides opens with anyway
    times = made.margin
    values: dict[str, Worded] = {
        "fast": side_named(made.sides[made.winner]),
        "slow": side_named(made.sides[1 - made.winner]),
        "times": Figure(times.value, "times", low=times.low, high=times.high),
        "job": job_named(told.jobs[0]),
    }
    return Line("cmp.how_fast", values) if times.value > 1 else None


def _steady(request: Request, told: Compared) -> Line | None:
    """For who wants it steady the side whose memory is as it was made; None where that tells the two not apart."""
    kept = [one for one in told.columns if not is_modified(one.side)]
    if not request.heard.shows("wish", "steady") or len(kept) != 1:
        return None
    other = next(one for one in told.columns if one is not kept[0])
    made = told.made
    ahead = made.margin is not None and told.winner is other.side and float(made.margin.value) >= _FELT
    values: dict[str, Worded] = {
        "side": side_named(kept[0].side),
        "other": side_named(other.side),
        "lead": Figure(round(float(made.margin.value) - 1, 2), "share") if ahead and made.margin is not None else None,
    }
    return Line(STEADY, values)


def _is_cheap_asked(request: Request, told: Compared) -> bool:
    """Whether the side that costs less is asked for, or both are rented at prices that the asker named.

    Then what the same work costs decides.
    """
    own = all(one.rent is not None and one.rent.terms == _OWN for one in told.columns)
    return own or request.heard.shows("platform", "cheap")


def _as_many(told: Compared) -> Line | None:
    """How many of the slower card are as fast as the faster one, losses aside; None where speeds do not tell."""
    made = told.made
    if made.winner is None or made.margin is None or any(side.n != 1 for side in made.sides):
        return None
    fast, slow = made.sides[made.winner], made.sides[1 - made.winner]
    times = float(made.margin.value)
    values: dict[str, Worded] = {
        "cards": cards_named(slow.name, ceil(times)),
        "fast": side_named(fast),
        "job": job_named(told.jobs[0]),
        "times": Figure(times, "times"),
        "each": Figure(slow.vram_gib, "GB") if slow.vram_gib else None,
    }
    return Line("cmp.as_many", values)


def _cheapest(request: Request, told: Compared) -> Line | None:
    """Which side costs less: by value where that is asked, over the time of a rent, else by its price."""
    if request.heard.shows("wish", "value") and told.priced == "buy":
        return value_named(told)
    if is_of_rent(request):
        return rent_bill(request, told) or rent_limit(told) or _cheaper(request, told)
    return _cheaper(request, told)


def _reason(request: Request, columns: Sequence[Column]) -> Line | None:
    """What speaks for the side that is named first; of its price, what it is paid for or why it is the cheaper one."""
    first, other = columns
    heard = request.heard
    of_price = heard.speaks_of("expensive") or request.slot("aspect") == "price"
    if heard.speaks_of("cheap") and not heard.speaks_of("expensive") and _is_not_dearer(first, other):
        return _merited("cmp.why.cheap", first, other, of=other)
    if of_price and _is_not_dearer(first, other):
        return Line("cmp.why.not", {"side": side_named(first.side), "other": side_named(other.side)})
    return _merited("cmp.why.dear" if of_price else "cmp.why.take", first, other, of=first)


def _against(request: Request, told: Compared) -> Line | None:
    """What speaks for the side beside the card that is asked about; None where that one is ahead, or nothing does."""
    name = str(request.slot("against"))
    ahead = told.by_use is None and told.winner is not None and _is_of(told.winner.gpu, name, request)
    of = next((one for one in told.columns if not _is_of(one.side.gpu, name, request)), None)
    if ahead or of is None:
        return None
    other = next(one for one in told.columns if one is not of)
    merits = (*_eased(request, of, other), *of.side.merits)
    values: dict[str, Worded] = {"side": side_named(of.side), "other": side_named(other.side), "merits": merits}
    return Line("cmp.why.take", values) if merits else None


def _eased(request: Request, of: Column, other: Column) -> tuple[Note, ...]:
    """That software runs on a side as it is, where it does not on the other one."""
    makers = [request.services.catalog.gpus[one.side.gpu].vendor for one in (of, other)]
    return (note_of("speed_merit_cuda", {}),) if makers[0] == _CUDA != makers[1] else ()


def _is_of(gpu: str, name: str, request: Request) -> bool:
    """Whether a card of the catalogue is one that a name stands for."""
    return any(one.id == gpu for one in request.services.catalog.gpu_variants(name))


def _merited(code: str, first: Column, other: Column, *, of: Column) -> Line | None:
    """Two sides with what speaks for one of them; None where nothing does."""
    if not of.side.merits:
        return None
    values: dict[str, Worded] = {"side": side_named(first.side), "other": side_named(other.side)}
    return Line(code, {**values, "merits": of.side.merits})


def _is_not_dearer(first: Column, other: Column) -> bool:
    """Whether prices of one kind are known, and the first side's is not the higher one."""
    views = (first.shown, other.shown)
    prices = [view.price.amount for view in views if view is not None] if _comparable(views) else []
    return bool(prices) and prices[0] <= prices[1]


def _within(request: Request, columns: Sequence[Column]) -> Line | None:
    """Which of two sides a sum that is paid once buys, where it does not buy both."""
    money = _to_spend(request)
    if money is None:
        return None
    priced = [(one, one.buy) for one in columns if one.buy is not None and one.buy.price.currency == money.currency]
    bought = [one for one, view in priced if view.price.amount <= money.amount]
    if len(priced) != _TWO or len(bought) == _TWO:
        return None
    values: dict[str, Worded] = {"budget": amount(rounded(money))}
    if bought:
        return Line("cmp.budget.one", {**values, "side": side_named(bought[0].side)})
    least, view = min(priced, key=lambda pair: pair[1].price.amount)
    price: dict[str, Worded] = {"price": amount(rounded(view.price)), "origin": origin_named(view)}
    return Line("cmp.budget.none", {**values, "least": side_named(least.side), **price})


def _to_spend(request: Request) -> Money | None:
    """What is to be spent once."""
    budget = request.slot("budget")
    return money_of(budget) if budget and (budget.get("period") or _ONCE) == _ONCE else None


def _cheaper(request: Request, told: Compared) -> Line | None:
    """Which side does the same work for less, where both are rented and speeds are known; else the lower price."""
    buys = request.slot("deploy") == "buy" or "buy" in request.heard.placed("price")
    views = [one.buy if buys else one.shown for one in told.columns]
    if told.made.reason in {"only_one_fits", "none_fits"}:
        return None
    if not _comparable(views):
        return _of_another_time(told.columns, views)
    pairs = [(one, view) for one, view in zip(told.columns, views, strict=True) if view is not None]
    if pairs[0][1].channel == "rent" and all(map(_speed, told.columns)):
        return _for_the_same_work(pairs)
    (least, low), (most, high) = sorted(pairs, key=lambda pair: pair[1].price.amount)
    sides: dict[str, Worded] = {"side": side_named(least.side), "other": side_named(most.side)}
    sure = low.high.amount <= high.low.amount
    prices: dict[str, Worded] = {"price": price_named(low), "more": price_named(high)}
    return Line("cmp.cheaper.price" if sure else "cmp.cheaper.likely", {**sides, **prices})


def _for_the_same_work(pairs: Sequence[tuple[Column, PriceView]]) -> Line | None:
    """Which side does for less what the other does in an hour."""

    def cost(pair: tuple[Column, PriceView]) -> Decimal:
        return pair[1].price.amount / _speed(pair[0])

    least, most = sorted(pairs, key=cost)
    spent = least[1].price.amount * _speed(most[0]) / _speed(least[0])
    money = Money(amount=spent, currency=least[1].price.currency)
    if spent * _CLEARLY > most[1].price.amount:
        return Line("cmp.cheaper.even", {"side": side_named(least[0].side), "other": side_named(most[0].side)})
    return Line(
        "cmp.cheaper.work",
        {
            "side": side_named(least[0].side),
            "other": side_named(most[0].side),
            "cost": amount(rounded(money)),
            "more": amount(rounded(most[1].price)),
        },
    )


def _speed(column: Column) -> Decimal:
    """Speed at the first job over the slowest side's; 0 where it is not known."""
    factor = column.side.results[0].factor if column.side.results else None
    return Decimal(str(factor.value)) if factor is not None else Decimal(0)


def _of_another_time(columns: Sequence[Column], views: Sequence[PriceView | None]) -> Line | None:
    """That two prices are no comparison where one is that of its day of launch and the other one of today."""
    pairs = [(one, view) for one, view in zip(columns, views, strict=True) if view is not None and not view.variant]
    old = [pair for pair in pairs if pair[1].launch]
    if len(pairs) != _TWO or len(old) != 1:
        return None
    (then, price), (now, more) = old[0], next(pair for pair in pairs if not pair[1].launch)
    sides: dict[str, Worded] = {"side": side_named(then.side), "other": side_named(now.side)}
    return Line("cmp.cheaper.then", {**sides, "price": price_named(price), "more": price_named(more)})


def _comparable(views: Sequence[PriceView | None]) -> bool:
    """Whether all have a price of one kind, time and currency, each of the card itself: none of its day of launch
    beside one of today."""
    known = [view for view in views if view is not None and not view.variant]
    kinds = {(view.channel, view.price.currency, view.launch) for view in known}
    return len(known) == len(views) and len(kinds) == 1
