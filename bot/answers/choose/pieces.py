"""Memory in one piece against the same in several: the cards that stand for so many gigabytes each."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from advisor.models import Gpu
from advisor.recommend import Channel, Need
from advisor.recommend.ground import is_past
from advisor.recommend.home import for_home
from advisor.recommend.market import quotes_for
from bot.answers.choose.wishes import market_currency_of, region_of
from bot.core.request import Request

_COMMON: Final = "NVIDIA"
_SEVERAL: Final = 2
_CARD: Final = "laptop"


def are_weighed(request: Request) -> bool:
    """Whether so many cards of one size are set against so many of another, and no card is named."""
    heard = request.heard
    if len(heard.pieces) < _SEVERAL:
        return False
    counts = {n for n, _ in heard.pieces}
    sizes = {size for _, size in heard.pieces}
    several = len(sizes) == len(heard.pieces) and len(counts) > 1
    return several and not heard.wished("gpu") and heard.speaks_of("compare", "or_word")


def standing_for(request: Request) -> dict[str, object]:
    """Slots of the comparison: for each size the card of it that costs least, with its number; none without prices."""
    found = [(n, size, _least(request, size)) for n, size in request.heard.pieces]
    sides = [(n, size, gpu.name) for n, size, gpu in found if gpu is not None]
    if len(sides) < _SEVERAL:
        return {}
    counts = {name: n for n, _, name in sides}
    stand = [f"{size:g} GB: {name}" for _, size, name in sides]
    return {
        "gpu": list(counts),
        "card_counts": counts,
        "stands_for": stand,
        "gpu_count": None,
        "vram_gb": None,
    }


def _least(request: Request, size: float) -> Gpu | None:
    """The card of a size that is bought for least, of those that a home can use and current software knows."""
    currency = market_currency_of(request)
    need = Need(currency=currency, region=region_of(currency))
    quotes = quotes_for(request.services.catalog, request.now.date(), need)
    prices: dict[str, Decimal] = {}
    for gpu in request.services.catalog.gpus.values():
        bought = [one.price for one in quotes.get(gpu.id, ()) if one.channel is Channel.BUY and one.standing.solid]
        if bought and _suits(gpu, size):
            prices[gpu.id] = min(bought)
    return request.services.catalog.gpus[min(prices, key=lambda one: (prices[one], one))] if prices else None


def _suits(gpu: Gpu, size: float) -> bool:
    plain = gpu.vendor == _COMMON and _CARD not in (gpu.form_factor or "")
    return plain and gpu.vram_gib == size and for_home(gpu) and not is_past(gpu, Channel.BUY)
