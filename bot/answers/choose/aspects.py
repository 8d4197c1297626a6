"""What is asked of cards beside which to take: noise, ECC, power and its cost. Each is a line of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from advisor.jobs.draw import draw_of
from advisor.machine import CardGroup
from advisor.machine.power import power_need
from advisor.models import Gpu, Money
from bot.answers.choose.room import room_of
from bot.answers.choose.wishes import currency_of
from bot.answers.money.bills import power_price
from bot.answers.phrases import cards_named, in_turn
from bot.core.line import Figure, Line, amount
from bot.core.request import Request

Side = tuple[Gpu, int]
"""A card and how many of it."""
_PROFESSIONAL: Final = ("Tesla", "Quadro")
"""How families begin whose memory corrects errors."""
_PASSIVE: Final = "passive"
_WHOLE: Final = frozenset({"soc", "whole"})
"""How chips are built in that are a computer of their own."""
_KILO: Final = 1000


def aspects_of(request: Request, sides: Sequence[Side]) -> tuple[Line, ...]:
    """A line for each side of the cards that the message asks about beside the choice."""
    if not sides:
        return ()
    return tuple(_lines(request, sides))


def _lines(request: Request, sides: Sequence[Side]) -> Iterator[Line]:
    heard = request.heard
    if heard.wished("psu_w") and heard.wished("gpu"):
        yield from _supply(request, sides)
    if heard.speaks_of("noise") and (request.slot("gpu") or not room_of(request).calm):
        yield from _noise(sides)
    if heard.shows("aspect", "ecc"):
        yield _ecc(sides)
    if heard.speaks_of("electricity"):
        yield from _electricity(request, sides)
    elif heard.shows("aspect", "power"):
        yield from _power(sides)


def _supply(request: Request, sides: Sequence[Side]) -> Iterator[Line]:
    """Whether the supply that is named carries each side, with the watts that it takes."""
    stated = request.heard.wished("psu_w")[0]
    each = [_carried(float(str(stated)), gpu, n) for gpu, n in sides if gpu.board_power_w]
    if each:
        yield Line("aspect.supply", {"supply": Figure(float(str(stated)), "W"), "each": in_turn(each)})


def _carried(supply: float, gpu: Gpu, n: int) -> Line:
    """Enough, tight or short for so many of a card, and the supply to buy where it is not enough."""
    need = power_need((CardGroup(gpu=gpu, count=n),))
    word = "enough" if supply >= need.advised_w else "tight" if supply >= need.floor_w else "short"
    drawn = {"watts": Figure(need.floor_w, "W"), "size": Figure(float(need.size_w), "W")}
    return Line(f"aspect.supply.{word}", {"side": cards_named(gpu.name, n), **drawn})


def _noise(sides: Sequence[Side]) -> Iterator[Line]:
    """Watts are what a cooler has to carry away; a card without a fan of its own wants a loud one."""
    passive = [cards_named(gpu.name, n) for gpu, n in sides if gpu.mount == _PASSIVE]
    if passive:
        yield Line("aspect.noise.passive", {"names": in_turn(passive)})
        return
    whole = [cards_named(gpu.name, n) for gpu, n in sides if gpu.mount in _WHOLE]
    drawn = _watts([one for one in sides if one[0].mount not in _WHOLE])
    each = in_turn(drawn) if drawn else None
    if whole:
        yield Line("aspect.noise.whole", {"names": in_turn(whole), "each": each})
    elif drawn:
        yield Line("aspect.noise", {"each": each})


def _power(sides: Sequence[Side]) -> Iterator[Line]:
    drawn = _watts(sides)
    if drawn:
        yield Line("aspect.power", {"each": in_turn(drawn)})


def _watts(sides: Sequence[Side]) -> list[Line]:
    """Watts of each side at full load; none where one is not known."""
    known = [(gpu, n, gpu.board_power_w) for gpu, n in sides if gpu.board_power_w]
    if len(known) < len(sides):
        return []
    return [
        Line("aspect.watts", {"side": cards_named(gpu.name, n), "watts": Figure(w * n, "W")}) for gpu, n, w in known
    ]


def _ecc(sides: Sequence[Side]) -> Line:
    """Which of the cards correct errors of their memory, and when that is worth money."""
    have = [cards_named(gpu.name, n) for gpu, n in sides if gpu.family.startswith(_PROFESSIONAL)]
    return Line("aspect.ecc", {"names": in_turn(have)}) if have else Line("aspect.ecc.none")


def _electricity(request: Request, sides: Sequence[Side]) -> Iterator[Line]:
    """What an hour at full load costs with each side, the computer counted; nothing where a power is not known."""
    currency = currency_of(request)
    price = power_price(request, currency)
    if price is None:
        return
    unit = Figure(float(price.span.value), "money/kwh", currency=currency)
    each = [_cost(gpu, n, price.span.value, currency) for gpu, n in sides]
    yield Line("aspect.electricity", {"each": in_turn(each), "price": unit})


def _cost(gpu: Gpu, n: int, price: Decimal, currency: str) -> Line:
    """What an hour of a machine with these cards costs; that its power is not on record, where it is not."""
    side, draw = cards_named(gpu.name, n), draw_of(gpu, n)
    if draw is None:
        return Line("aspect.cost.unknown", {"side": side})
    watts = Decimal(str(draw.machine.high))
    return Line(
        "aspect.cost", {"side": side, "cost": amount(Money(amount=watts / _KILO * price, currency=currency), "hour")}
    )
