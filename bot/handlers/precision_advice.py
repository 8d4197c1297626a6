"""Number formats: what a card has, what to train and run in, what quantising costs."""

from __future__ import annotations

from advisor.machine.precision import check_precision
from bot.core.answers import Decline, Offered, Outcome
from bot.core.request import Request
from bot.handlers.passages import answer_from, passage_answer
from bot.handlers.rig import answer_of, cards_of, variant_notes

_GENERAL = "mixed-precision-speedup"


def handle(request: Request) -> Outcome:
    """Yes or no for a format on a card; without a card the passage about the formats named."""
    named = cards_of(request)
    if isinstance(named, Decline):
        return named
    if not named:
        answer = passage_answer(request, "precision_advice", only=True, template="passage")
        answer = answer or answer_from(request, [request.services.library.get(_GENERAL)])
        return answer.model_copy(update={"asks": Offered(slot="gpu")})
    item = check_precision(named[0].gpu, str(request.first("precision") or ""))
    return answer_of(request, item, notes=variant_notes(named[:1]))
