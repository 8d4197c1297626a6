"""How many cores, which processor, how many loader processes for some cards."""

from __future__ import annotations

from collections.abc import Sequence

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
from bot.core.answers import Assumption, Decline, Outcome, assumption_of, offered_of
from bot.core.request import Request

_KINDS = frozenset({"brand", "platform"})
"""Sides that ask for a kind of processor."""


def _platform(assumed: Sequence[Assumption]) -> str:
    """The verdict on a platform for the cards that are said, or the rule where their number is only assumed."""
    return "machine_cpu_platform_rule" if any(one.slot == "gpu_count" for one in assumed) else "machine_cpu_platform"


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
    elif topic in _KINDS and values["cores"] is None:
        headline = item.actions[0] if topic == "brand" else note_of(_platform(assumed), item.actions[0].values)
        item = reworded(item, headline, first=(item.headline,), actions=item.actions[1:])
    elif machine.cpu and values["cores"] is None:
        item = reworded(item, note_of("machine_cpu_named", values))
    elif topic == "matter":
        item = reworded(item, note_of("machine_cpu_matters"), first=(item.headline,))
    asks = None if count else offered_of(slot="gpu_count", values=(1, 2, 4, 8))
    about = request.heard.ideas
    beside = [check_ram(machine, count)] if "ram" in about else []
    beside += [check_disk(machine)] if "disk" in about else []
    return answer_of(request, item, also=tuple(beside), notes=variant_notes(named), assumptions=assumed, asks=asks)
