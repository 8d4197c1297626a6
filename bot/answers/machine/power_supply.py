"""Watts and cables of a power supply, power limits, sudden shutdowns, the wall socket."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from advisor.errors import OutOfRange
from advisor.machine import CardGroup, Item, Machine
from advisor.machine.cooling import check_cooling
from advisor.machine.plugs import check_circuit, check_connectors, plug_rule, socket_rule
from advisor.machine.power import check_power, power_need
from advisor.machine.power_limit import limit_advice
from advisor.models import note_of
from bot.answers.common import NamedGpu, decline_error, step_sources
from bot.answers.machine.rig import (
    OFFER_CARD,
    answer_of,
    card_groups,
    cards_of,
    machine_of,
    reworded,
    supplied,
    topic_of,
    variant_notes,
)
from bot.answers.phrases import cards_named
from bot.core.answers import Answer, Decline, Outcome, assumption_of, offered_of
from bot.core.line import Line
from bot.core.message import fact_of
from bot.core.request import Request

_OF_ALTERNATIVES: Final = frozenset({"compare_gpus", "upgrade_or_not"})
"""Needs whose answer sets machines side by side that are not to be one."""
_LEAST_OF_ALL: Final = 400.0
"""Watts from which a figure beside a limit of each card is that of the supply or the socket."""
_EXAMPLES: Final = ("RTX 3090", "RTX 4090", "RTX 5090")
_PAIR: Final = 2


def handle(request: Request) -> Outcome:
    """Size of the supply for the stated cards, or a verdict on the stated supply; without a card the rule."""
    named = cards_of(request)
    if isinstance(named, Decline):
        return named
    named = _without_replaced(request, named)
    topic = topic_of(request)
    groups, assumed = card_groups(request, named) if named else ((), ())
    try:
        if _is_of_limit(request, topic):
            item = limit_advice(named[0].gpu if named else None, request.slot("limit_w"))
            return answer_of(request, item, notes=variant_notes(named), asks=None if named else OFFER_CARD, beyond=True)
        if not named:
            return _without_card(request, topic)
        if len(groups) > 1 and _are_alternatives(request):
            return _of_each(request, groups, named)
        most = supplied(request) or _most_in_all(request)
        machine = machine_of(request, groups, psu_w=most)
        need = power_need(groups, machine.cpu)
        if need.unknown:
            return Decline(reason=note_of("machine_power_unknown", {"gpus": list(need.unknown)}))
        item = _told(machine, check_power(machine), topic)
    except OutOfRange as error:
        return decline_error(error)
    beside = [one for one in (check_connectors(machine), check_circuit(machine)) if one is not None]
    facts = (
        fact_of(name="psu_w", value=need.size_w, low=need.floor_w, unit="W", sources=step_sources(need.trace)),
        fact_of(name="floor_w", value=need.floor_w, unit="W"),
        fact_of(name="wall_w", value=round(need.wall_w), unit="W"),
    )
    made = answer_of(
        request,
        item,
        beside=tuple(one for one in beside if one.headline != item.headline),
        notes=variant_notes(named),
        facts=facts,
        assumptions=assumed,
        asks=None if machine.psu_w else offered_of(slot="psu_w"),
    )
    return _with_heat(request, machine, made)


def _without_replaced(request: Request, named: list[NamedGpu]) -> list[NamedGpu]:
    """The cards without the one that goes out: of two of which one is put in place of the other, the first."""
    heard = request.heard
    swapped = heard.speaks_of("upgrade") or heard.shows("supplies", "swapped")
    if len(named) != _PAIR or not swapped or heard.speaks_of("add_card") or heard.counts_of("gpu"):
        return named
    own = request.slot("own_gpu")
    return [one for one in named if one.asked != own] if own in {one.asked for one in named} else named[1:]


def _with_heat(request: Request, machine: Machine, made: Answer) -> Answer:
    """The same with how the cards are kept cool, where that is asked in the same breath."""
    if not request.heard.speaks_of("cooling"):
        return made
    heat = Line("machine.also", {"told": check_cooling(machine, machine.n_cards).headline})
    return made.model_copy(update={"lines": (heat, *made.lines)})


def _is_of_limit(request: Request, topic: str) -> bool:
    """Whether a power limit is asked about, and not what supply goes with it."""
    limit = bool(request.slot("limit_w"))
    supply = request.heard.speaks_of("psu") or _goes_on_from_supply(request)
    if request.slot("psu_w") or _most_in_all(request) or (limit and supply):
        return False
    return topic == "limit" or (limit and (not topic or request.heard.shows("effect", "speed")))


def _goes_on_from_supply(request: Request) -> bool:
    """Whether the answer before sized a supply, and nothing is asked of the speed."""
    last = request.conversation.episodes[-1:]
    sized = any(one.intent == request.intent and any(fact.name == _SIZE for fact in one.facts) for one in last)
    return sized and not request.heard.shows("effect", "speed")


_SIZE: Final = "psu_w"
"""Fact of an answer that sizes a supply."""


def _most_in_all(request: Request) -> float | None:
    """Watts that the whole is to stay below, said beside a limit of each card."""
    limit = request.slot("limit_w")
    return next((watts for watts in request.heard.watts if limit and watts > limit and watts >= _LEAST_OF_ALL), None)


def _are_alternatives(request: Request) -> bool:
    """Whether the cards are those that were compared just before, and not all of one machine."""
    if request.heard.named("gpu"):
        return False
    compared = [one.slots.get("gpu") for one in request.conversation.episodes if one.intent in _OF_ALTERNATIVES]
    return any(held is not None and held.value == request.slot("gpu") for held in compared)


def _of_each(request: Request, groups: Sequence[CardGroup], named: list[NamedGpu]) -> Answer:
    """The supply that each of several machines takes, one line each."""
    items = [check_power(machine_of(request, (group,))) for group in groups]
    told = tuple(
        Line("machine.of_cards", {"cards": cards_named(group.gpu.name, group.count), "told": item.headline})
        for group, item in zip(groups, items, strict=True)
    )
    made = answer_of(request, items[0], notes=variant_notes(named))
    return made.model_copy(update={"headline": told[:1], "lines": told[1:], "blocks": ()})


def _told(machine: Machine, item: Item, topic: str) -> Item:
    """The verdict from the side that was asked about."""
    trips = topic == "trip" and machine.psu_w is not None
    if trips and any(group.limit_w for group in machine.cards):
        return item
    if topic == "shutdown" or trips:  # a supply that is named trips by itself, not the breaker of the house
        return reworded(
            item, note_of("machine_shutdown"), first=(item.headline,), actions=(note_of("machine_shutdown_how"),)
        )
    if topic in {"outlet", "trip"}:
        circuit = check_circuit(machine)
        if circuit is not None:
            return reworded(circuit, first=(item.headline,), steps=item.steps, actions=item.actions)
    if topic == "plugs":
        plugs = check_connectors(machine)
        if plugs is not None:
            return reworded(plugs, first=(item.headline, note_of("machine_plug_melt")), steps=item.steps)
    return item


def _without_card(request: Request, topic: str) -> Outcome:
    """The rule that the words ask for."""
    machine = machine_of(request, ())
    if topic == "plugs":
        return answer_of(request, plug_rule(), asks=OFFER_CARD)
    if topic == "shutdown":
        item = reworded(limit_advice(), note_of("machine_shutdown"), actions=(note_of("machine_shutdown_how"),))
        return answer_of(request, item, asks=OFFER_CARD)
    if topic in {"outlet", "trip"}:
        return _sockets(request, machine)
    return _rule(request, topic)


def _sockets(request: Request, machine: Machine) -> Outcome:
    """What sockets carry, and what the stated number of a usual card draws from them."""
    count = request.slot("gpu_count")
    if not count:
        return answer_of(request, socket_rule(machine.region), asks=OFFER_CARD)
    rows = _rows(request, count)
    item = reworded(socket_rule(machine.region), first=(note_of("machine_socket_rows", {"rows": rows}),))
    return answer_of(request, item, asks=OFFER_CARD)


def _rows(request: Request, count: int) -> list[dict[str, object]]:
    needs = [
        (name, power_need((CardGroup(gpu=request.services.catalog.get_gpu(name), count=count),))) for name in _EXAMPLES
    ]
    return [
        {"name": name, "n": count, "floor": need.floor_w, "size": need.size_w, "wall": need.wall_w}
        for name, need in needs
    ]


def _rule(request: Request, topic: str) -> Outcome:
    """The rule with the sums of a few common cards; a stated supply against them."""
    count = request.slot("gpu_count") or 1
    rows = _rows(request, count)
    group = CardGroup(gpu=request.services.catalog.get_gpu(_EXAMPLES[0]), count=count)
    item = check_power(machine_of(request, (group,), psu_w=None))
    psu = request.slot("psu_w")
    values = {"rows": rows, "n": count, "psu": psu, "fits": [row for row in rows if psu and psu >= row["size"]]}
    code = "machine_psu_two_rule" if topic == "two" else "machine_psu_holds" if psu else "machine_psu_rule"
    item = reworded(
        item,
        note_of(code, values),
        reasons=(note_of("machine_psu_rows", values),),
        actions=(note_of("machine_psu_limit_rule"),),
    )
    assumed = () if request.slot("gpu_count") else (assumption_of(slot="gpu_count", value=1),)
    return answer_of(request, item, assumptions=assumed, asks=OFFER_CARD)
