"""Heat, noise, space between cards, water, cases."""

from __future__ import annotations

from advisor.machine.cooling import check_cooling
from bot.core.answers import Decline, Offered, Outcome
from bot.core.request import Request
from bot.handlers.rig import answer_of, card_groups, cards_of, machine_of, variant_notes


def handle(request: Request) -> Outcome:
    """Verdict on these cards side by side; without a card the rule about gaps."""
    named = cards_of(request)
    if isinstance(named, Decline):
        return named
    groups, assumed = card_groups(request, named) if named else ((), ())
    item = check_cooling(machine_of(request, groups), request.slot("gpu_count"))
    asks = None if named else Offered(slot="gpu")
    return answer_of(request, item, notes=variant_notes(named), assumptions=assumed, asks=asks)
