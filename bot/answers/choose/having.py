"""How a card is to be had: bought or rented, as said, as ruled out, or as who asks commonly means."""

from __future__ import annotations

from typing import Final

from advisor.recommend import Channel
from bot.answers.choose.room import is_spoken_of
from bot.answers.choose.work_meant import LEARNED, THRIFTY
from bot.core.request import Request

LENT: Final = ("renting", "per_hour", "cloud")
"""Ideas of a card that is somebody else's."""
_LEAVES_OPEN: Final = (
    "model",
    "method",
    "vram_gb",
    "budget",
    "duration",
    "utilization",
    "provider",
    "gpu_count",
    "users",
)


def deploy_of(request: Request) -> Channel | None:
    """Rent or buy as stated; who only asks for a card, or starts, is told what to buy, with a rental beside it."""
    stated = request.slot("deploy") or _left_over(request)
    if stated in {"rent", "buy"}:
        return Channel(stated)
    if _for_once(request):
        return Channel.RENT
    places = (_at_own_place, _stands_at_home, _asks_memory_alone, _leaves_all_open)
    return Channel.BUY if any(place(request) for place in places) else None


def _for_once(request: Request) -> bool:
    """Whether the job comes once, or the cheapest way to do it without a card is wished for: nobody buys one for that.

    Who speaks of buying, of a sum or of a place for the card wants one all the same.
    """
    heard = request.heard
    wishes = heard.sides("wish")
    way = "cheapest_way" in wishes and heard.speaks_of("finetuning", "training")
    lent = "once" in wishes or way or ("cheapest" in wishes and heard.speaks_of("no_gpu"))
    return lent and not request.slot("budget") and not (heard.speaks_of("buying") or "at_home" in wishes)


def _leaves_all_open(request: Request) -> bool:
    """Whether somebody only asks for a card, or starts, and speaks of no language model."""
    starts = request.slot("persona") in THRIFTY or request.slot("task") in LEARNED
    open_wish = (starts or not request.slot("task")) and not any(request.slot(name) for name in _LEAVES_OPEN)
    return open_wish and not request.heard.speaks_of("language_model")


def _left_over(request: Request) -> str:
    """The way that is left where the other one is ruled out, or where a sum is paid again and again."""
    out = request.excluded.get("deploy", ())
    if len(out) == 1:
        return {"buy": "rent", "rent": "buy"}.get(str(out[0]), "")
    return "rent" if (request.slot("budget") or {}).get("period") in {"month", "hour"} else ""


def _asks_memory_alone(request: Request) -> bool:
    """Whether a size of memory is all that is said of the card, and renting is not spoken of."""
    more = any(request.slot(name) for name in _LEAVES_OPEN if name != "vram_gb") or request.slot("task")
    return bool(request.slot("vram_gb")) and not more and not request.heard.speaks_of(*LENT)


def _stands_at_home(request: Request) -> bool:
    """Whether the card is to stand in somebody's own rooms, or on their socket, and renting is not spoken of."""
    heard = request.heard
    wishes = heard.sides("wish")
    placed = "at_home" in wishes or "own_ground" in wishes or bool(heard.watts) or is_spoken_of(request)
    return placed and not heard.speaks_of(*LENT)


def _at_own_place(request: Request) -> bool:
    """Whether a sum is to be spent once on what stands at one's own place."""
    budget = request.slot("budget")
    once = isinstance(budget, dict) and (budget.get("period") or "once") == "once"
    return once and request.heard.shows("wish", "own_ground")
