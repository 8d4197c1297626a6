"""Power connectors of cards and supplies, and what a wall socket carries."""

from __future__ import annotations

from math import ceil

from advisor.machine.models import Item, Machine, Verdict
from advisor.machine.power import power_need
from advisor.machine.rules import rules
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


def check_connectors(machine: Machine) -> Item | None:
    """Plugs of the supply against plugs of the cards; None when no card has a known power."""
    groups = [group for group in machine.cards if group.gpu.board_power_w and group.gpu.form_factor == "PCIe"]
    if not groups:
        return None
    rule = rules().power
    sixteen = sum(group.count for group in groups if wants_sixteen_pin(group.gpu))
    eight = sum(group.count * (eight_pins(group.gpu) or 0) for group in groups if not wants_sixteen_pin(group.gpu))
    adapted = sum(group.count * (eight_pins(group.gpu) or 0) for group in groups if wants_sixteen_pin(group.gpu))
    values = {"sixteen": sixteen, "eight": eight, "adapted": adapted}
    verdict = Verdict.OPEN
    if machine.psu_sixteen_pin is not None or machine.psu_eight_pin is not None:
        have16, have8 = machine.psu_sixteen_pin or 0, machine.psu_eight_pin or 0
        missing16 = max(0, sixteen - have16)
        per_card = max((eight_pins(g.gpu) or 0 for g in groups if wants_sixteen_pin(g.gpu)), default=0)
        lacking = have8 < eight + missing16 * per_card
        verdict = Verdict.FAIL if lacking else Verdict.WARN if missing16 else Verdict.PASS
        values |= {"have16": have16, "have8": have8}
    step = step_of(
        name="power_plugs",
        value=", ".join(f"{n} x {kind}" for n, kind in ((sixteen, "16-pin"), (eight, "8-pin")) if n),
        how="16-pin carries 600 W, 8-pin 150 W, the slot 75 W",
        sources=(rule.connector_w.source,),
    )
    return Item(name="connectors", verdict=verdict, headline=note_of("machine_plugs", values), steps=(step,))


def check_circuit(machine: Machine) -> Item | None:
    """Draw at the wall against the sockets of a region; None when the region is not known."""
    rule = rules().power
    circuits = rule.circuits.get(machine.region)
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
