"""What the place that a card goes into allows: watts, length, thickness, plugs, noise; and how it is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from advisor.models import Gpu
from advisor.recommend.ground import SLOT_W
from advisor.recommend.settings import settings
from bot.core.line import Figure, Line, Worded
from bot.core.request import Request

_MM: Final = "mm"
_MM_A_CM: Final = 10.0
_WATT: Final = "W"
_CIRCUIT: Final = "circuit"
_CIRCUITS: Final = frozenset({"outlet", "trip"})
_WISHES: Final = frozenset({"quiet", "sparing", "small_case", "half_height", "one_slot", "two_slots", "unplugged"})
"""Sides of a place that are a wish for a card."""


@dataclass(frozen=True, slots=True)
class Room:
    """Bounds on one card; None where nothing was said."""

    supply_w: float | None = None
    """Of the supply, or the circuit, that the whole machine has to keep to."""
    card_w: float | None = None
    """What that leaves for the cards; else what is quiet."""
    length_mm: float | None = None
    slots: float | None = None
    unplugged: bool = False
    calm: bool = False
    """Quiet, or sparing of power, is asked for."""

    @property
    def is_cased(self) -> bool:
        """Whether the case sets a bound."""
        return bool(self.length_mm or self.slots or self.unplugged)


def room_of(request: Request) -> Room:
    """What the place allows, as far as the message says; sizes of a small case are assumed where none is given."""
    length, slots, unplugged = _case(request)
    supply = watts_in_all(request)
    left = _left_of(supply) if supply else None
    calm = bool({"quiet", "sparing"}.intersection(request.heard.sides("place")))
    quiet = settings().room.quiet_w if calm else None
    bounds = [one for one in (left, quiet, _of_the_card(request)) if one is not None]
    return Room(supply, min(bounds, default=None), length, slots, unplugged, calm)


def _left_of(supply: float) -> float:
    """Watts for the cards: of a small supply a share, since small machines take less themselves."""
    room = settings().room
    return max(supply - min(room.other_w, supply * room.other_share), 1.0)


def watts_in_all(request: Request) -> float | None:
    """Watts that the whole machine has to keep to: those of its supply, else what is named beside no card."""
    psu = request.slot("psu_w")
    if psu:
        return float(psu)
    return max(request.heard.watts, default=None) if _is_of_supply(request) else None


def _is_of_supply(request: Request) -> bool:
    """Whether watts are those of a supply or a circuit; else they are the card's own."""
    heard = request.heard
    spoken = heard.speaks_of("psu") or bool(_CIRCUITS.intersection(heard.sides("power_supply")))
    return not request.slot("gpu") and (spoken or heard.shows("place", _CIRCUIT))


def _of_the_card(request: Request) -> float | None:
    """Watts that the card itself may draw at most."""
    if request.slot("psu_w") or request.slot("gpu") or _is_of_supply(request):
        return None
    return max(request.heard.watts, default=None)


def _case(request: Request) -> tuple[float | None, float | None, bool]:
    """Longest card, most slots and whether it has to do without a plug."""
    said, heard = settings().room, request.heard
    sides = heard.sides("place")
    lengths = [float(one) for one in heard.slot_of_board(_MM)] + [_MM_A_CM * one for one in heard.slot_of_board("cm")]
    small, low = "small_case" in sides, "half_height" in sides
    length = min(lengths, default=said.low_mm if low else said.small_mm if small else None)
    slots = 1.0 if "one_slot" in sides else 2.0 if small or low or lengths or "two_slots" in sides else None
    return length, slots, "unplugged" in sides


def is_spoken_of(request: Request) -> bool:
    """Whether the place asks something of a card, in words or in watts."""
    sides = request.heard.sides("place")
    return not _WISHES.isdisjoint(sides) or (_CIRCUIT in sides and watts_in_all(request) is not None)


def room_lines(request: Request, gpu: Gpu) -> tuple[Line, ...]:
    """How a pick keeps to what the place allows; nothing where nothing was said of it."""
    return tuple(_lines(room_of(request), gpu))


def _lines(room: Room, gpu: Gpu) -> Iterator[Line]:
    watts = Figure(gpu.board_power_w, _WATT) if gpu.board_power_w else None
    if room.supply_w is not None and room.card_w is not None:
        left = Figure(_left_of(room.supply_w), _WATT)
        yield Line("room.watts", {"supply": Figure(room.supply_w, _WATT), "left": left, "watts": watts})
    elif room.card_w is not None and not room.calm:
        yield Line("room.own_watts", {"limit": Figure(room.card_w, _WATT), "watts": watts})
    if room.is_cased:
        yield Line("room.case", {**_bounds(room), **_sizes(gpu)})
    if room.calm:
        yield Line("room.calm", {"limit": Figure(settings().room.quiet_w, _WATT), "watts": watts})


def _bounds(room: Room) -> dict[str, Worded]:
    return {
        "length": Figure(room.length_mm, _MM) if room.length_mm else None,
        "slots": Figure(room.slots) if room.slots else None,
        "plug": Line("room.no_plug", {"watts": Figure(SLOT_W, _WATT)}) if room.unplugged else None,
    }


def _sizes(gpu: Gpu) -> dict[str, Worded]:
    return {
        "long": Figure(gpu.length_mm, _MM) if gpu.length_mm else None,
        "thick": Figure(gpu.slots) if gpu.slots else None,
    }
