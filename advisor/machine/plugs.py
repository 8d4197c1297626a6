"""Power connectors of cards and supplies, and what a wall socket carries."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from advisor.machine.models import CardGroup, Item, Machine, Verdict
from advisor.machine.power import power_need
from advisor.machine.rules import Circuit, rules
from advisor.models import Gpu, note_of, step_of


def eight_pins(gpu: Gpu) -> int | None:
    """Eight-pin plugs a card needs at least, or through an adapter; None when its power is unknown."""
    plug = rules().power.connector_w
    if gpu.board_power_w is None:
        return None
    return max(0, ceil((gpu.board_power_w - plug.slot) / plug.eight))


def wants_sixteen_pin(gpu: Gpu) -> bool:
    """Whether its usual boards have the 16-pin plug (12VHPWR, 12V-2x6): the strong cards of RTX 40 and 50."""
    rule = rules().power
    return gpu.series in rule.sixteen_pin_series and (gpu.board_power_w or 0) >= rule.sixteen_pin_from_w


def plug_rule() -> Item:
    """What each power plug carries."""
    plug = rules().power.connector_w
    values = {"sixteen": plug.sixteen, "eight": plug.eight, "six": plug.six, "slot": plug.slot}
    step = step_of(
        name="plug_watts",
        value=f"{plug.sixteen:g} / {plug.eight:g} / {plug.six:g} W",
        how="16-pin / 8-pin / 6-pin",
        sources=(plug.source,),
    )
    return Item(
        name="plugs",
        verdict=Verdict.OPEN,
        headline=note_of("machine_plug_rule", values),
        reasons=(note_of("machine_plug_melt"),),
        actions=(note_of("machine_plug_how"),),
        steps=(step,),
    )


def socket_rule(region: str) -> Item:
    """What the sockets of a region carry for hours."""
    rule = rules().power
    circuits = rule.circuits.get(region, rule.circuits["US"])
    values = {
        "sockets": [{"volts": one.volts, "amps": one.amps, "watts": one.watts} for one in circuits],
        "continuous": circuits[0].continuous,
    }
    steps = tuple(
        step_of(
            name="socket",
            value=one.watts,
            unit="W",
            how=f"{one.volts:g} V x {one.amps:g} A x {one.continuous:g}",
            sources=(rule.circuit_source,),
        )
        for one in circuits
    )
    return Item(name="socket", verdict=Verdict.OPEN, headline=note_of("machine_socket_rule", values), steps=steps)


class _Plugs(NamedTuple):
    """Plugs that some cards want."""

    sixteen: int
    eight: int
    adapted: int
    """Eight-pin plugs that stand for the 16-pin ones through adapters."""
    most_adapted: int
    """Of one card."""


def _plugs_of(groups: list[CardGroup]) -> _Plugs:
    modern = [(group.count, eight_pins(group.gpu) or 0) for group in groups if wants_sixteen_pin(group.gpu)]
    older = [(group.count, eight_pins(group.gpu) or 0) for group in groups if not wants_sixteen_pin(group.gpu)]
    return _Plugs(
        sixteen=sum(count for count, _ in modern),
        eight=sum(count * pins for count, pins in older),
        adapted=sum(count * pins for count, pins in modern),
        most_adapted=max((pins for _, pins in modern), default=0),
    )


def _plugs_verdict(plugs: _Plugs, sixteen: int, eight: int) -> Verdict:
    """Whether a supply with so many plugs feeds the cards, if need be through adapters."""
    missing = max(0, plugs.sixteen - sixteen)
    if eight < plugs.eight + missing * plugs.most_adapted:
        return Verdict.FAIL
    return Verdict.WARN if missing else Verdict.PASS


def check_connectors(machine: Machine) -> Item | None:
    """Plugs of the supply against plugs of the cards; None when no card has a known power."""
    groups = [group for group in machine.cards if group.gpu.board_power_w and group.gpu.form_factor == "PCIe"]
    if not groups:
        return None
    plugs = _plugs_of(groups)
    values = {"sixteen": plugs.sixteen, "eight": plugs.eight, "adapted": plugs.adapted}
    verdict = Verdict.OPEN
    if (machine.psu_sixteen_pin, machine.psu_eight_pin) != (None, None):
        sixteen, eight = machine.psu_sixteen_pin or 0, machine.psu_eight_pin or 0
        verdict = _plugs_verdict(plugs, sixteen, eight)
        values |= {"have16": sixteen, "have8": eight}
    wanted = ((plugs.sixteen, "16-pin"), (plugs.eight, "8-pin"))
    step = step_of(
        name="power_plugs",
        value=", ".join(f"{n} x {kind}" for n, kind in wanted if n),
        how="16-pin carries 600 W, 8-pin 150 W, the slot 75 W",
        sources=(rules().power.connector_w.source,),
    )
    return Item(name="connectors", verdict=verdict, headline=note_of("machine_plugs", values), steps=(step,))


def _circuits_of(machine: Machine, usual: Sequence[Circuit]) -> Sequence[Circuit]:
    """The circuit that is named, at its own volts or the region's; else the usual ones."""
    if machine.amps is None or not usual:
        return usual
    return [usual[0].model_copy(update={"amps": machine.amps, "volts": machine.volts or usual[0].volts})]


def check_circuit(machine: Machine) -> Item | None:
    """Draw at the wall against the sockets of a region; None when the region is not known."""
    rule = rules().power
    circuits = _circuits_of(machine, rule.circuits.get(machine.region) or ())
    if not circuits or not machine.cards:
        return None
    need = power_need(machine.cards, machine.cpu)
    fits = [circuit for circuit in circuits if need.wall_w <= circuit.watts]
    verdict = Verdict.PASS if len(fits) == len(circuits) else Verdict.WARN if fits else Verdict.FAIL
    smallest, largest = circuits[0], circuits[-1]
    chosen = fits[0] if fits else largest
    values = {
        "wall": need.wall_w,
        "volts": chosen.volts,
        "amps": chosen.amps,
        "watts": chosen.watts,
        "small_amps": smallest.amps,
        "small_watts": smallest.watts,
        "verdict": verdict.value,
        "named": machine.amps is not None,
    }
    step = step_of(
        name="wall_draw",
        value=round(need.wall_w),
        unit="W",
        how="full load / efficiency of the supply",
        inputs=(
            step_of(name="full_load", value=round(need.floor_w), unit="W", how="board powers + rest of the computer"),
            rule.efficiency.step("efficiency"),
        ),
        sources=(rule.circuit_source,),
    )
    return Item(name="circuit", verdict=verdict, headline=note_of("machine_circuit", values), steps=(step,))
