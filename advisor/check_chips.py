"""Holds the figures of a card against each other: what its chip can do at one clock, and what its memory bus carries.

A source may be copied faithfully and be wrong. `data/chips.yaml` says what each architecture implies (cores in a unit,
rates as multiples of the FP32 rate), so that a figure of another form, die or clock is seen without a second source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from advisor.check_records import Located, Records
from advisor.errors import Problem
from advisor.models import ChipRule, Gpu

APART: Final = 0.06
"""Relative difference from which two figures of a card do not belong to one chip: sheets round to whole numbers."""
_SMALL: Final = 0.1
"""TFLOPS below which a rounded figure says too little."""
_MEGA: Final = 1e6
_BITS: Final = 8
_PIN_GBIT: Final[dict[str, tuple[float, float]]] = {
    "DDR3": (0.8, 2.2),
    "DDR4": (1.6, 3.3),
    "LPDDR4": (2.6, 4.3),
    "LPDDR4X": (2.6, 4.4),
    "LPDDR5": (4.2, 6.5),
    "LPDDR5X": (6.4, 9.7),
    "GDDR5": (3.0, 9.1),
    "GDDR5X": (9.0, 11.5),
    "GDDR6": (9.9, 20.2),
    "GDDR6X": (18.9, 23.1),
    "GDDR7": (17.9, 32.1),
    "HBM": (0.9, 1.1),
    "HBM2": (1.3, 2.5),
    "HBM2e": (1.1, 3.7),
    "HBM3": (5.0, 6.5),
    "HBM3e": (5.8, 9.7),
}
"""Rate of one data line by the type of memory, of the slowest and the fastest cards with it."""


_SLOT_W: Final = 75
"""What a graphics slot gives by the PCIe specification."""


def check_chips(found: Records) -> Iterator[Problem]:
    """Every figure that the others of its card contradict."""
    rules = [one.record for one in found.chips]
    known = {one.record.id for one in found.gpus}
    for located in found.chips:
        yield from (
            located.problem(f"apart names {name!r}, which is no card") for name in set(located.record.apart) - known
        )
    settled = {(one.record.entity, one.record.attribute) for one in found.rulings}
    for card in found.gpus:
        yield from _bus(card)
        yield from _plug(card)
        rule = _rule_of(card.record, rules)
        if rule is not None:
            yield from _held(card, rule, settled)


def _held(card: Located[Gpu], rule: ChipRule, settled: set[tuple[str, str]]) -> Iterator[Problem]:
    """What does not belong to the chip; of a card that is named as differing, only that it does not differ."""
    faults = [*_units(card, rule), *_multiples(card, rule, settled)]
    if card.record.id not in rule.apart:
        yield from faults
    elif not faults:
        yield card.problem(f"chips.yaml names it as differing from other {rule.architecture} cards, but it does not")


def _rule_of(gpu: Gpu, rules: Sequence[ChipRule]) -> ChipRule | None:
    """The first row for the architecture, family and capability of a card."""
    for rule in rules:
        named = gpu.architecture.startswith(rule.architecture)
        if named and rule.family in ("", gpu.family) and rule.capability in ("", gpu.compute_capability):
            return rule
    return None


def _bus(card: Located[Gpu]) -> Iterator[Problem]:
    """A bandwidth that the bus cannot carry with this memory."""
    gpu = card.record
    rates = _PIN_GBIT.get(gpu.memory_type or "")
    if rates is None or not gpu.bus_width_bit or not gpu.memory_bandwidth_gb_per_s:
        return
    pin = gpu.memory_bandwidth_gb_per_s * _BITS / gpu.bus_width_bit
    if not rates[0] <= pin <= rates[1]:
        told = f"{gpu.bus_width_bit} bit of {gpu.memory_type} would carry {pin:.2f} Gbit/s a line"
        yield card.problem(f"{told}, which is not between {rates[0]:g} and {rates[1]:g}", "memory_bandwidth_gb_per_s")


def _plug(card: Located[Gpu]) -> Iterator[Problem]:
    """A card without a power connector that draws more than its slot gives."""
    gpu = card.record
    if gpu.power_connector == "none" and (gpu.board_power_w or 0) > _SLOT_W:
        yield card.problem(f"a slot gives {_SLOT_W} W, not {gpu.board_power_w:g}", "power_connector")


def _units(card: Located[Gpu], rule: ChipRule) -> Iterator[Problem]:
    """Cores that do not fill the units, and a clock that such chips do not run at."""
    gpu = card.record
    if gpu.cores and gpu.sm_count and gpu.cores != gpu.sm_count * rule.units:
        yield card.problem(f"{gpu.sm_count} units have {gpu.sm_count * rule.units} cores, not {gpu.cores}", "cores")
    if gpu.cores and gpu.fp32_tflops:
        clock, (least, most) = gpu.fp32_tflops * _MEGA / gpu.cores / rule.per_core, rule.clock_mhz
        if not least <= clock <= most:
            yield card.problem(
                f"{gpu.fp32_tflops:g} TFLOPS would need {clock:.0f} MHz; {rule.architecture} runs at {least:g} to "
                f"{most:g}",
                "fp32_tflops",
            )


def _multiples(card: Located[Gpu], rule: ChipRule, settled: set[tuple[str, str]]) -> Iterator[Problem]:
    """Rates that are not the multiple of the FP32 rate which the architecture has."""
    gpu = card.record
    for name, times in rule.of_fp32.items() if gpu.fp32_tflops else ():
        value, due = getattr(gpu, name), times * (gpu.fp32_tflops or 0.0)
        if value is None or min(value, due) < _SMALL or (gpu.id, name) in settled:
            continue
        if abs(value - due) > APART * max(value, due):
            yield card.problem(f"{name} is {value:g}; {times:g} times the FP32 rate would be {due:.4g}", name)
