"""A notebook service that lends cards against a card of one's own: by the hours that it is used."""

from __future__ import annotations

from typing import Final

from bot.answers.documents.passages import answer_from
from bot.core.answers import Outcome
from bot.core.request import Request

_LENDS: Final = "colab"
_TOLD: Final = "colab-or-own-card"
_NOTEBOOK: Final = "notebook"


def is_asked(request: Request) -> bool:
    """Whether such a service is set against one card, or against buying one; notebooks are weighed elsewhere."""
    heard = request.heard
    compared = heard.speaks_of("or_word", "compare", "worth") and _NOTEBOOK not in heard.sides("site")
    named = request.services.catalog.find_provider(str(request.first("provider") or ""))
    if named is None or named.id != _LENDS or not compared or heard.speaks_of("where"):
        return False
    cards = heard.wished("gpu")
    return len(cards) == 1 or (not cards and heard.speaks_of("buying") and heard.speaks_of("gpu"))


def handle(request: Request) -> Outcome:
    """What decides between the two, in hours and in money."""
    return answer_from(request, [request.services.library.get(_TOLD)])
