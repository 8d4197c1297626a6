"""What is true of a question about choosing, for the rows of routes.yaml."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from bot.core.request import Request


def _is_card_sought(request: Request) -> bool:
    """Whether a card is looked for that suits a place, and none is named."""
    heard = request.heard
    wanted = bool(request.slot("model") or request.slot("task")) or heard.speaks_of("which_card")
    return wanted and not request.slot("gpu") and bool(heard.sides("place"))


def _is_least_put_up(request: Request) -> bool:
    from bot.answers.memory.least import is_asked

    return is_asked(request)


FACTS: Final[Mapping[str, Callable[[Request], bool]]] = {
    "card_sought": _is_card_sought,
    "least_put_up": _is_least_put_up,
}
"""Name in routes.yaml -> whether it holds of a question."""
