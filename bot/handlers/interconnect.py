"""NVLink, PCIe lanes, networks between machines: whether they matter for these cards."""

from __future__ import annotations

from advisor.machine.interconnect import check_lanes, check_network, check_nvlink
from advisor.machine.models import Item, Machine
from bot.core.answers import Decline, Offered, Outcome
from bot.core.request import Request
from bot.handlers.rig import answer_of, card_groups, cards_of, concepts, machine_of, variant_notes

_TOPICS = {"nvlink": check_nvlink, "pcie": check_lanes, "motherboard": check_lanes, "network": check_network}


def handle(request: Request) -> Outcome:
    """The link that was asked about first, the others in a line each when a card is named."""
    named = cards_of(request)
    if isinstance(named, Decline):
        return named
    groups, _ = card_groups(request, named) if named else ((), ())
    machine = machine_of(request, groups)
    lead = _lead(request, machine)
    beside = (check_lanes(machine),) if lead.name == "nvlink" and named else ()
    asks = None if named else Offered(slot="gpu")
    return answer_of(request, lead, beside=beside, notes=variant_notes(named), asks=asks)


def _lead(request: Request, machine: Machine) -> Item:
    about = concepts(request)
    for name, check in _TOPICS.items():
        if name in about:
            return check(machine)
    return check_nvlink(machine)
