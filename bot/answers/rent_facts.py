"""Facts of routes about prices: renting for a time, several at once, by a price that is judged; those of versions."""

from __future__ import annotations

from bot.answers.asked_job import usage_for
from bot.answers.common import named_gpus
from bot.core.request import Request


def is_hourly_price_judged(request: Request) -> bool:
    """Whether it is asked if the price of an hour is a good one."""
    stated = request.slot("price")
    hourly = isinstance(stated, dict) and stated.get("unit") == "hour"
    named = named_gpus(request)
    return hourly and request.heard.shows("deal", "judged") and isinstance(named, list) and len(named) == 1


def are_several_rented(request: Request) -> bool:
    """Whether several of one card are to be rented, and buying is not spoken of."""
    placed = request.heard.placed("price")
    one = len(request.slot("gpu") or ()) == 1 and (request.slot("gpu_count") or 1) > 1
    rented = request.slot("deploy") == "rent" or "rent" in placed
    return one and rented and "buy" not in placed and not is_hourly_price_judged(request)


def is_rented_for_a_time(request: Request) -> bool:
    """Whether renting is spoken of together with a time, and buying is not."""
    if is_hourly_price_judged(request):
        return False
    placed = request.heard.placed("price")
    # several by the month come to a bill; one is asked for its plan
    several = "month" in placed and (request.slot("gpu_count") or 1) > 1
    rents = (several or request.slot("deploy") == "rent") and "buy" not in placed
    return rents and usage_for(request).hours is not None


def are_hours_rented(request: Request) -> bool:
    """Whether so many hours of one card are to be rented, of no platform or of several, and nothing is bought."""
    stated = request.slot("provider")
    if len(request.slot("gpu") or ()) != 1 or (stated and not are_platforms_compared(request)):
        return False
    bought = "buy" in request.heard.placed("price") or any(one.unit == "card" for one in request.heard.prices)
    usage = usage_for(request)
    return not bought and (usage.hours is not None or usage.week is not None)


def is_price_of_versions_asked(request: Request) -> bool:
    """Whether it is asked what a card costs whose name several versions bear, and not whether it is worth it."""
    named = named_gpus(request)
    judged = request.heard.speaks_of("worth") or request.heard.shows("deal", "judged") or request.slot("price")
    one = isinstance(named, list) and len(named) == 1 and len(named[0].forms) > 1
    return one and request.heard.speaks_of("money_question") and not judged


def is_spent_once(request: Request) -> bool:
    """Whether a sum is to be spent at one time, in a talk that is not about how a cluster is laid out."""
    once = (request.slot("budget") or {}).get("period", "once") == "once"
    return once and not any(one.intent == "cluster_design" for one in request.conversation.episodes)


def are_platforms_compared(request: Request) -> bool:
    """Whether two platforms or more are named."""
    stated = request.slot("provider")
    return isinstance(stated, list) and len(stated) > 1


def is_rent_named(request: Request) -> bool:
    """Whether the price of an hour is told: then a card is weighed, and not sold."""
    return any(one.unit == "hour" for one in request.heard.prices)
