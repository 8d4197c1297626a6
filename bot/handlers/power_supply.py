"""Watts and cables of a power supply, power limits, the wall socket."""

from __future__ import annotations

from advisor.errors import OutOfRange
from advisor.machine.power import check_circuit, check_connectors, check_power, power_need
from advisor.models import Note
from bot.core.answers import Assumption, Decline, Offered, Outcome
from bot.core.message import Fact
from bot.core.request import Request
from bot.handlers.common import decline_error, step_sources
from bot.handlers.rig import answer_of, card_groups, cards_of, machine_of, variant_notes

_EXAMPLES = ("RTX 3090", "RTX 4090", "RTX 5090")


def handle(request: Request) -> Outcome:
    """Size of the supply for the stated cards, or a verdict on the stated supply; without a card the rule."""
    named = cards_of(request)
    if isinstance(named, Decline):
        return named
    if not named:
        return _rule(request)
    groups, assumed = card_groups(request, named)
    machine = machine_of(request, groups)
    need = power_need(groups, machine.cpu)
    if need.unknown:
        return Decline(reason=Note("machine_power_unknown", {"gpus": list(need.unknown)}))
    try:
        item = check_power(machine)
    except OutOfRange as error:
        return decline_error(error)
    beside = tuple(one for one in (check_connectors(machine), check_circuit(machine)) if one is not None)
    facts = (
        Fact(name="psu_w", value=need.size_w, low=need.floor_w, unit="W", sources=step_sources(need.trace)),
        Fact(name="floor_w", value=need.floor_w, unit="W"),
    )
    asks = None if machine.psu_w else Offered(slot="psu_w")
    return answer_of(
        request,
        item,
        beside=beside,
        notes=variant_notes(named),
        facts=facts,
        assumptions=assumed,
        asks=asks,
        extra={"need": need},
    )


def _rule(request: Request) -> Outcome:
    """The rule with the sums of a few common cards, and the passage that the words point to."""
    from advisor.machine import CardGroup

    count = request.slot("gpu_count") or 1
    catalog = request.services.catalog
    groups = [CardGroup(gpu=catalog.get_gpu(name), count=count) for name in _EXAMPLES]
    item = check_power(machine_of(request, (groups[0],), psu_w=None))
    rows = [
        {"name": group.gpu.name, "n": count, "floor": power_need((group,)).floor_w, "size": power_need((group,)).size_w}
        for group in groups
    ]
    item = item.model_copy(
        update={
            "headline": Note("machine_psu_rule", {"rows": rows, "n": count}),
            "reasons": (Note("machine_psu_rows", {"rows": rows}),),
            "actions": (Note("machine_psu_limit_rule"),),
        }
    )
    assumed = () if request.slot("gpu_count") else (Assumption(slot="gpu_count", value=1),)
    return answer_of(request, item, assumptions=assumed, asks=Offered(slot="gpu"))
