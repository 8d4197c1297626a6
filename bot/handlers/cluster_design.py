"""Clusters and shared servers: by cards, by people; Slurm, licences, networks."""

from __future__ import annotations

from advisor.errors import OutOfRange
from advisor.machine.cluster import cards_for_people, check_cluster
from bot.core.answers import Decline, Offered, Outcome
from bot.core.request import Request
from bot.handlers.common import decline_error
from bot.handlers.rig import answer_of, cards_of, variant_notes

_DEFAULT = 8


def handle(request: Request) -> Outcome:
    """Advice for the stated cards, or for the cards that the stated people need."""
    named = cards_of(request)
    if isinstance(named, Decline):
        return named
    count, people = request.slot("gpu_count"), request.slot("users")
    try:
        need = cards_for_people(people) if people and not count else None
        n = count or (int(need.value) if need is not None and isinstance(need.value, int) else _DEFAULT)
        item = check_cluster(n, people=people, need=need)
    except OutOfRange as error:
        return decline_error(error)
    asks = None if count or people else Offered(slot="users")
    return answer_of(request, item, notes=variant_notes(named), asks=asks)
