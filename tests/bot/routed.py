"""A question to whoever answers it, as on the road: by the rows of routes.yaml."""

from __future__ import annotations

from bot.answers import get_handler
from bot.answers.route import route
from bot.core.answers import Outcome
from bot.core.request import Request


def answered_by(request: Request) -> Outcome:
    """What the family says that a route leads to."""
    routed = route(request)
    return get_handler(routed.need)(routed.request)
