"""How many cores, which processor, how many loader processes for some cards."""

from __future__ import annotations

from advisor.machine.cpu import check_cpu
from advisor.machine.disk import check_disk
from advisor.machine.ram import check_ram
from advisor.models import note_of
from bot.answers.machine.rig import (
    answer_of,
    card_groups,
    cards_of,
    machine_of,
    reworded,
    topic_of,
    variant_notes,
)
from bot.core.answers import Decline, Outcome, assumption_of, offered_of
from bot.core.request import Request


def handle(request: Request) -> Outcome:
    """Cores for the stated cards, or a verdict on the stated processor; without a count the rule for one card."""
    named = cards_of(request)
    if isinstance(named, Decline):
        return named
    count = request.slot("gpu_count")
    groups, assumed = card_groups(request, named) if named else ((), ())
    machine = machine_of(request, groups)
    n = count or machine.n_cards or 1
    if not named and not count:
        assumed = (assumption_of(slot="gpu_count", value=1),)
    item = check_cpu(machine, n)
    values = item.headline.values
    topic = topic_of(request)
    if topic == "workers":
        item = reworded(item, item.reasons[1], reasons=(item.headline, item.reasons[0]))
    elif topic == "server":
        item = reworded(item, note_of("machine_cpu_server"), first=(item.headline,))
    elif topic == "brand" and values["cores"] is None:
        item = reworded(item, item.actions[0], first=(item.headline,), actions=item.actions[1:])
    elif machine.cpu and values["cores"] is None:
        item = reworded(item, note_of("machine_cpu_named", values))
    elif topic == "matter":
        item = reworded(item, note_of("machine_cpu_matters"), first=(item.headline,))
    asks = None if count else offered_of(slot="gpu_count", values=(1, 2, 4, 8))
    about = request.heard.ideas
    beside = [check_ram(machine, count)] if "ram" in about else []
    beside += [check_disk(machine)] if "disk" in about else []
    return answer_of(request, item, also=tuple(beside), notes=variant_notes(named), assumptions=assumed, asks=asks)
