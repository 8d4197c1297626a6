"""Whether a card works with a CUDA or framework version, and what to install."""

from __future__ import annotations

from advisor.machine.compat import check_compat
from bot.core.answers import Answer, Decline, Offered, Outcome
from bot.core.request import Request
from bot.handlers.common import elicit_gpu
from bot.handlers.passages import passage_answer
from bot.handlers.rig import answer_of, card_groups, cards_of, machine_of, variant_notes


def handle(request: Request) -> Outcome:
    """Yes or no for a stated version, else the versions that the card needs."""
    named = cards_of(request)
    if isinstance(named, Decline):
        return named
    if not named:
        return _without_card(request)
    groups, _ = card_groups(request, named[:1])
    item = check_compat(machine_of(request, groups))
    asks = None if request.slot("cuda_version") or request.slot("framework") else Offered(slot="cuda_version")
    return answer_of(request, item, notes=variant_notes(named[:1]), asks=asks)


def _without_card(request: Request) -> Outcome:
    """The passage that the words point to; else ask for the card."""
    answer = passage_answer(request, "cuda_compat", only=True, template="passage")
    if answer is None:
        return elicit_gpu()
    assert isinstance(answer, Answer)
    return answer.model_copy(update={"asks": Offered(slot="gpu")})
