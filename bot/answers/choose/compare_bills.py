"""What two sides of a comparison come to in money: rent over a time, and whether one is worth what it costs beyond."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from advisor.models import Money
from bot.answers.asked_job import usage_for
from bot.answers.choose.compare_lines import Compared
from bot.answers.choose.compare_sides import Column, job_named, side_named
from bot.answers.choose.offer_lines import beyond, days_named, rounded
from bot.answers.choose.side_jobs import SideJob
from bot.answers.choose.wishes import currency_of
from bot.answers.money.marks import market_alone
from bot.answers.phrases import in_turn
from bot.core.claims import Claim, Kind
from bot.core.line import Figure, Line, Worded, amount
from bot.core.request import Request

_TWO: Final = 2
_FELT: Final = 0.05
_USED: Final = "purchase_used"
"""Share of speed from which a gain is told."""


# --- rent over a time ------------------------------------------------------------------------------------------------


def rent_bill(request: Request, told: Compared) -> Line | None:
    """What renting each of two sides comes to over the time that was named; None without a time or without rents."""
    hours = usage_for(request).hours
    views = [one.rent for one in told.columns if one.rent is not None and not one.rent.variant]
    rents = [one.price for one in views]
    if not hours or len(rents) != _TWO or rents[0].currency != rents[1].currency:
        return None
    bills = [
        (one, money.model_copy(update={"amount": money.amount * Decimal(str(hours))}))
        for one, money in zip(told.columns, rents, strict=True)
    ]
    (least, low), (most, high) = sorted(bills, key=lambda pair: pair[1].amount)
    values: dict[str, Worded] = {
        "side": side_named(least.side),
        "other": side_named(most.side),
        "span": Figure(hours, "hour"),
        "price": amount(rounded(low)),
        "more": amount(rounded(high)),
        "days": days_named((one.dated for one in views), market_alone(*(one.mark for one in views))),
    }
    return Line("cmp.bill", values, Claim(Kind.LESS, float(low.amount), (float(high.amount),)))


def rent_limit(told: Compared) -> Line | None:
    """Below which rent a side without one does the same work for less; None unless one rent and speeds are known."""
    without = [one for one in told.columns if one.rent is None or one.rent.variant]
    priced = [one for one in told.columns if one not in without]
    if len(without) != 1 or len(priced) != 1 or priced[0].rent is None:
        return None
    speeds = _speed(without[0], 0), _speed(priced[0], 0)
    if not all(speeds):
        return None
    rent = priced[0].rent.price
    limit = rent.model_copy(update={"amount": rent.amount * Decimal(str(speeds[0] / speeds[1]))})
    values: dict[str, Worded] = {
        "side": side_named(without[0].side),
        "other": side_named(priced[0].side),
        "rent": amount(rounded(rent), "hour"),
        "limit": amount(rounded(limit), "hour"),
    }
    return Line("cmp.cheaper.below", values)


# --- worth the difference --------------------------------------------------------------------------------------------


def worth_of_difference(request: Request, told: Compared) -> Line | None:
    """Whether the dearer side is worth what it costs beyond the other; None where no difference is asked about."""
    dear, base = _by_price(told)
    more = _difference(request, dear, base)
    if more is None:
        return None
    if request.heard.price_between is None and _is_unlike(dear, base) and _brings_nothing(told, dear, base):
        return _limit_of_worth(told)
    share = _share(more, base)
    gains = tuple(_gains(told, dear, base))
    values: dict[str, Worded] = {
        "dear": side_named(dear.side),
        "other": side_named(base.side),
        "gap": _told_gap(request, more, dear, base),
        "share": Figure(_whole(share), "share") if share is not None else None,
        "gains": in_turn(gains) if gains else Line("cmp.gain.none"),
    }
    return Line(f"cmp.worth.{_verdict(told, dear, base, share)}", values)


def _is_unlike(dear: Column, base: Column) -> bool:
    """Whether one side is priced used and the other new, so that what lies between is no price of what it brings."""
    terms = [one.buy.terms if one.buy is not None else "" for one in (dear, base)]
    return _USED in terms and terms[0] != terms[1]


def _brings_nothing(told: Compared, dear: Column, base: Column) -> bool:
    """Whether the dearer side is neither faster nor larger: then what it costs beyond the other is its being new."""
    gains = [gain for row, _ in _rows(told) if (gain := _faster(dear, base, row)) is not None]
    return max(gains, default=0.0) < _FELT and _memory(dear) <= _memory(base)


def _limit_of_worth(told: Compared) -> Line | None:
    """How much more the faster of two sides may cost to be worth it, where their prices do not compare."""
    first, second = told.columns
    sums = [sum(_speed(one, row) for row, _ in _rows(told)) for one in (first, second)]
    fast, slow = (first, second) if sums[0] >= sums[1] else (second, first)
    gains = [gain for row, _ in _rows(told) if (gain := _faster(fast, slow, row)) is not None]
    if not gains or _memory(fast) != _memory(slow) or min(gains) < -_FELT:
        return None
    values: dict[str, Worded] = {"fast": side_named(fast.side), "slow": side_named(slow.side)}
    most = _whole(max(gains))
    if most < _FELT:
        return Line("cmp.worth.same", values)
    return Line(
        "cmp.worth.below", {**values, "share": Figure(most, "share"), "gains": in_turn([*_gains(told, fast, slow)])}
    )


def _told_gap(request: Request, more: Money, dear: Column, base: Column) -> Worded:
    """The difference as it was said; of prices on record the span between them, with their days."""
    high, low = dear.buy, base.buy
    if request.heard.price_between is not None or high is None or low is None:
        return amount(rounded(more))
    span = beyond((high.low, high.high), (low.low, low.high), ())
    days = days_named((high.dated, low.dated), market_alone(high.mark, low.mark))
    code = "cmp.worth.gap" if high.ranged or low.ranged else "cmp.worth.gap.day"
    return Line(code, {"gap": amount(rounded(more)), "days": days, "span": span})


def _difference(request: Request, dear: Column, base: Column) -> Money | None:
    """What was said to be the difference, else that of the prices on record where one is asked about."""
    said = request.heard.price_between
    if said is not None:
        return Money(amount=Decimal(str(said[0])), currency=said[1] or currency_of(request))
    high, low = dear.buy, base.buy
    heard = request.heard
    worth = heard.speaks_of("worth") and (heard.shows("gap", "asked") or heard.is_few_words)
    asked = worth or heard.shows("gap", "weighed")
    if not asked or high is None or low is None or high.price.currency != low.price.currency:
        return None
    more = high.price.amount - low.price.amount
    return Money(amount=more, currency=high.price.currency) if more > 0 else None


def _by_price(told: Compared) -> tuple[Column, Column]:
    """The dearer side and the other; by speed and memory where a price is not known."""
    first, second = told.columns
    prices = [one.buy.price.amount if one.buy is not None else None for one in (first, second)]
    if prices[0] is not None and prices[1] is not None and prices[0] != prices[1]:
        return (first, second) if prices[0] > prices[1] else (second, first)
    ahead = told.made.winner == 0 or (told.made.winner is None and _memory(first) >= _memory(second))
    return (first, second) if ahead else (second, first)


def _share(beyond: Money, base: Column) -> float | None:
    """The difference over the price of the cheaper side."""
    price = base.buy.price if base.buy is not None else None
    known = price is not None and price.currency == beyond.currency and price.amount > 0
    return float(beyond.amount / price.amount) if known and price is not None else None


def _gains(told: Compared, dear: Column, base: Column) -> Iterator[Line]:
    """What the dearer side brings: memory, and speed at each job."""
    more = _memory(dear) - _memory(base)
    if more:
        yield Line("cmp.gain.memory" if more > 0 else "cmp.gain.less", {"gib": Figure(abs(more), "GB")})
    for row, job in _rows(told):
        gain = _faster(dear, base, row)
        if gain is not None and abs(gain) >= _FELT:
            values: dict[str, Worded] = {"job": job_named(job), "share": Figure(_whole(abs(gain)), "share")}
            yield Line("cmp.gain.speed" if gain > 0 else "cmp.gain.slower", values)


def _verdict(told: Compared, dear: Column, base: Column, share: float | None) -> str:
    """yes | no | memory | open: the gain in speed or memory against the share of money that is paid for it."""
    speeds = [gain for row, _ in _rows(told) if (gain := _faster(dear, base, row)) is not None]
    faster = max(speeds, default=0.0)
    larger = _memory(dear) / _memory(base) - 1 if _memory(base) else 0.0
    if max(faster, larger) < _FELT:
        return "no"
    if share is None or (told.purpose and _faster(dear, base, 0) is None):
        return "open"
    if faster >= share:
        return "yes"
    return "memory" if larger > 0 else "no"


def _rows(told: Compared) -> Sequence[tuple[int, SideJob]]:
    """The jobs that count: the one that was named where speeds of it are known, else all."""
    rows = list(enumerate(told.jobs))
    known = all(_speed(one, 0) for one in told.columns)
    return rows[:1] if told.purpose and known else rows


def _whole(share: float) -> float:
    """A share in whole per cent: finer is not known."""
    return round(share, 2)


def _faster(dear: Column, base: Column, row: int) -> float | None:
    """By which share the dearer side is faster at a job; None where a speed is not known."""
    first, second = (_speed(column, row) for column in (dear, base))
    return first / second - 1 if first and second else None


def _speed(column: Column, row: int) -> float:
    """Speed at a job over the slowest side's; 0 where it is not known."""
    factor = column.side.results[row].factor if row < len(column.side.results) else None
    return float(factor.value) if factor is not None else 0.0


def _memory(column: Column) -> float:
    """Memory of all cards of a side."""
    return float(column.side.total_vram_gib or 0.0)
