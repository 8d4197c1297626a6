"""How much system memory some cards want; killed processes; memory on rented machines."""

from __future__ import annotations

from advisor.machine.ram import check_ram
from bot.core.answers import Decline, Offered, Outcome
from bot.core.request import Request
from bot.handlers.rig import answer_of, card_groups, cards_of, concepts, machine_of, variant_notes


def handle(request: Request) -> Outcome:
    """Verdict on the stated memory or the amount to buy; without a card the rule."""
    named = cards_of(request)
    if isinstance(named, Decline):
        return named
    groups, assumed = card_groups(request, named) if named else ((), ())
    about = concepts(request)
    item = check_ram(machine_of(request, groups), killed="killed" in about, speed="clock" in about)
    asks = None if named else Offered(slot="gpu")
    return answer_of(request, item, notes=variant_notes(named), assumptions=assumed, asks=asks)
