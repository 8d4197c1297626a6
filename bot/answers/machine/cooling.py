"""Heat, noise, space between cards, water, cases, fans for passive cards."""

from __future__ import annotations

from advisor.machine.cooling import check_cooling, memory_heat, temperature_limit
from advisor.machine.models import Item
from advisor.models import Note, note_of
from bot.answers.common import NamedGpu
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

_HEAT = {
    "temperature": "machine_cool_temperature",
    "throttling": "machine_cool_throttling",
    "damage": "machine_cool_damage",
}
_DEGREES = (50.0, 125.0)
"""Numbers that can be the temperature of a card under load, in C."""
_SLOWING = "throttling"
_OF_DEGREES = frozenset({"", "case", "gap", "temperature", _SLOWING})
"""Sides that a stated temperature is about."""
_SLOWS = ("machine_cool_slows_hot", "machine_cool_slows_early")
_NEAR_LIMIT_C = 5.0
"""Degrees below its limit from which a card may slow down for its core's heat: sensors differ by as much."""
_CORE = ("machine_cool_said_over", "machine_cool_said_below")
_MEMORY = ("machine_cool_memory_over", "machine_cool_memory_below")
"""Headlines for a temperature at its limit and below it."""
_ROOM = "room"
_HEATER_W = 1500.0
"""What a usual electric heater takes."""
_WAYS = "machine_cool_ways"
_WORDED = {
    "black": "machine_cool_black",
    _ROOM: "machine_cool_heats",
    "blower": "machine_cool_blower",
    "water": "machine_cool_water",
    "damage": "machine_cool_damage",
    "noise": "machine_cool_noise",
    "gap": "machine_cool_rule",
}


def handle(request: Request) -> Outcome:
    """Verdict on these cards side by side, or the side of it that was asked about."""
    named = cards_of(request)
    if isinstance(named, Decline):
        return named
    groups, assumed = card_groups(request, named) if named else ((), ())
    count = request.slot("gpu_count")
    item = check_cooling(machine_of(request, groups), count)
    said = _said_degrees(request, named)
    topic = _side_of(request, said, named)
    item = _told(item, topic, named, count or 0, said)
    spread = topic in {"", "case", "gap", _ROOM} and (count is not None or len(named) > 1)
    asks = None if named else OFFER_CARD
    return answer_of(request, item, notes=variant_notes(named), assumptions=assumed if spread else (), asks=asks)


def _side_of(request: Request, said: float | None, named: list[NamedGpu]) -> str:
    """The side that is told: who states a temperature asks about it, wherever the cards stand, or why it slows a card.

    The heat of a room is that of cards that are named.
    """
    topic = topic_of(request)
    topic = "" if topic == _ROOM and not named else topic
    if said is None or topic not in _OF_DEGREES:
        return topic
    return _SLOWING if _SLOWING in request.heard.sides(request.intent) else "temperature"


def _said_degrees(request: Request, named: list[NamedGpu]) -> float | None:
    """The temperature that a message states; the numbers of its cards are none."""
    names = {part for one in named for part in one.asked.split()}
    said = (float(one) for one in request.heard.numbers if one not in names)
    return next((one for one in said if _is_degrees(one) and one not in request.heard.amounts_of("percent")), None)


def _is_degrees(value: float) -> bool:
    return _DEGREES[0] <= value <= _DEGREES[1]


def _of_said(headline: Note, said: float | None, codes: tuple[str, str]) -> Note:
    """The headline as the verdict on a stated temperature: at its limit, or below it."""
    if said is None:
        return headline
    limit = float(str(headline.values.get("series_limit") or headline.values.get("low")))
    return note_of(codes[0] if said >= limit else codes[1], {**headline.values, "said": said})


def _of_slowing(headline: Note, said: float | None) -> Note:
    """The headline for a card that slows down at a stated temperature: near its limit, or well before it."""
    if said is None:
        return headline
    limit = float(str(headline.values["series_limit"]))
    return note_of(_SLOWS[said < limit - _NEAR_LIMIT_C], {**headline.values, "said": said})


def _told(item: Item, topic: str, named: list[NamedGpu], count: int, said: float | None = None) -> Item:
    if topic in _HEAT:
        heat = temperature_limit(named[0].gpu if named else None)
        headline = note_of(_HEAT[topic], heat.headline.values)
        worded = _of_slowing(headline, said) if topic == _SLOWING else _of_said(headline, said, _CORE)
        return reworded(heat, worded, actions=item.actions)
    if topic == "memory_heat":
        heat = memory_heat()
        return reworded(heat, _of_said(heat.headline, said, _MEMORY))
    if topic == "passive":
        passive = {"cards": [one.gpu.name for one in named]}
        kept = tuple(note for note in item.reasons if note.code in {"machine_cool_passive", "machine_cool_normal"})
        return reworded(item, note_of("machine_cool_passive_how", passive), reasons=kept)
    if topic in _WORDED:
        return _worded(item, topic, count)
    if item.headline.code == "machine_cool_rule":
        return reworded(item, reasons=_but(item, "gap"))
    return item


def _worded(item: Item, topic: str, count: int) -> Item:
    """The item from one side; noise of nobody knows how many cards is mostly that of one."""
    alone = topic == "noise" and count <= 1
    kept = tuple(one for one in item.actions if not alone or one.code != _WAYS)
    return reworded(item, note_of(_WORDED[topic], _values(item, count)), reasons=_but(item, topic), actions=kept)


def _values(item: Item, count: int) -> dict[str, object]:
    """What a headline of one topic tells: the figures of the verdict, the cards, and their heat in heaters."""
    heat = float(str(item.headline.values.get("heat") or 0.0))
    return {**item.headline.values, "count": count, "heaters": heat / _HEATER_W}


def _but(item: Item, topic: str) -> tuple[Note, ...]:
    """The reasons without those that the headline tells, or that have nothing to do with the topic."""
    left_out = {
        "gap": {"machine_cool_gap"},
        "black": {"machine_cool_gap", "machine_cool_space"},
        "noise": {"machine_cool_gap", "machine_cool_space"},
        "blower": {"machine_cool_normal"},
        "water": {"machine_cool_normal"},
    }.get(topic, set())
    return tuple(note for note in item.reasons if note.code not in left_out)
