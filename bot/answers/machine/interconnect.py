"""NVLink, PCIe lanes, networks between machines: whether they matter for these cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from advisor.machine.interconnect import check_lanes, check_network, check_nvlink, link_gain
from advisor.machine.models import Item, Machine
from advisor.models import Method, note_of
from bot.answers.machine.rig import (
    OFFER_CARD,
    answer_of,
    card_groups,
    cards_of,
    machine_of,
    reworded,
    topic_of,
    variant_notes,
)
from bot.core.answers import Decline, Outcome
from bot.core.request import Request

_JOBS = (("resnet50", Method.TRAIN), ("llm-7b", Method.LORA), ("llm-7b", Method.FULL))
"""Jobs with little traffic between cards, and one with much."""


def handle(request: Request) -> Outcome:
    """The link that was asked about, judged for the stated cards."""
    named = cards_of(request)
    if isinstance(named, Decline):
        return named
    groups, _ = card_groups(request, named) if named else ((), ())
    stated = _stated(request)
    topic = _topic(request, stated)
    machine = machine_of(request, groups, **stated)
    item = _lead(request, machine, topic)
    beside = (check_lanes(machine),) if topic in {"nvlink", "gain"} and named else ()
    runs = request.slot("method") == Method.INFERENCE.value
    gain = None if runs else _gain(request, machine)
    if gain:
        item = reworded(item, first=(gain.headline,), steps=gain.steps)
    asks = None if named or topic == "network" else OFFER_CARD
    return answer_of(request, item, beside=beside, notes=variant_notes(named), asks=asks, beyond=topic == "p2p")


def _topic(request: Request, stated: Mapping[str, float]) -> str:
    """The link that is meant: what is asked of a riser is how few lanes it brings, where it says so."""
    if request.heard.shows("interconnect", "dock"):
        return "dock"
    topic = topic_of(request)
    if "lanes" in stated and topic in {"", "riser"}:
        return "pcie"
    return topic or "nvlink"


def _stated(request: Request) -> dict[str, int | float]:
    """Lanes, PCIe generation and network speed in the text; of several lane counts none is the user's."""
    found: dict[str, int | float] = {}
    lanes, generations = (request.heard.slot_of_board(kind) for kind in ("lanes", "generation"))
    narrow = set(lanes) - {_FULL}  # beside a full slot the other one is the question
    if len(narrow) == 1:
        found["lanes"] = min(narrow)
    if len(generations) == 1:
        found["pcie_gen"] = min(generations)
    gbit = request.heard.gbit
    if gbit:
        found["network_gbit"] = gbit
    return found


_FULL: Final = 16
"""Lanes of a slot that asks nothing."""


def _lead(request: Request, machine: Machine, topic: str) -> Item:
    if topic == "network":
        return check_network(machine)
    if topic == "pcie":
        counted = machine.n_cards if machine.n_cards > 1 else request.slot("gpu_count")
        return check_lanes(machine, counted, infers=request.slot("method") == Method.INFERENCE.value)
    if topic == "dock":
        return reworded(
            check_lanes(machine), note_of("machine_dock"), reasons=(), actions=(note_of("machine_dock_how"),)
        )
    if topic == "riser":
        return reworded(check_lanes(machine), note_of("machine_riser"))
    item = check_nvlink(machine, request.slot("gpu_count"))
    if topic == "p2p":
        return reworded(item, note_of("machine_p2p"))
    return reworded(item, note_of("machine_nvlink_gain", item.headline.values)) if topic == "gain" else item


def _gain(request: Request, machine: Machine) -> Item | None:
    """Speed-up of the stated cards by link, when two or more of one kind are stated."""
    if len(machine.cards) != 1 or machine.n_cards < 2:
        return None
    catalog = request.services.catalog
    return link_gain(machine.cards[0], tuple((catalog.get_ml_model(name), method) for name, method in _JOBS))
