"""What is true of a question about a purchase, for the rows of routes.yaml."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from bot.core.request import Request


def _is_memory_in_all(request: Request) -> bool:
    """Whether so much memory is to be had for least, in one card or several."""
    from bot.answers.choose.memory_in_all import is_asked

    return is_asked(request)


def _is_checking_asked(request: Request) -> bool:
    """Whether it is asked how a card that changes hands is looked over, and not what it is worth."""
    heard = request.heard
    return (
        heard.shows("deal", "looked_over")
        and not (request.slot("price") or heard.prices)
        and not heard.speaks_of("money_question", "compare")
    )


FACTS: Final[Mapping[str, Callable[[Request], bool]]] = {
    "checking_asked": _is_checking_asked,
    "memory_in_all": _is_memory_in_all,
}
"""Name in routes.yaml -> whether it holds of a question."""
