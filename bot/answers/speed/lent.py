"""A language model of which a part lies in the machine's RAM, as a pace is told of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from advisor.speed.results import OffloadEstimate
from bot.answers.machine.processor import SYSTEM_RAM
from bot.core.line import Figure, Line, Worded

_BITS: Final = 8.0
_LEAST_BITS: Final = 1.6
"""Bits a weight of the smallest files that people run."""


@dataclass(frozen=True, slots=True)
class Lent:
    """What lies where, and whether the RAM that was named holds its part."""

    made: OffloadEstimate
    ram_gb: float | None
    """As it was said; None where nobody did."""
    parameters: float

    @classmethod
    def of(cls, made: OffloadEstimate, ram_gb: object, parameters: float) -> Lent:
        """The placement beside the RAM that was said."""
        return cls(made, float(str(ram_gb)) if ram_gb else None, parameters)

    @property
    def short(self) -> bool:
        """Whether the RAM that was said does not hold its part beside the system."""
        return self.ram_gb is not None and self.ram_gb < self.made.in_ram_gb + SYSTEM_RAM

    def line(self, values: Mapping[str, Worded]) -> Line:
        """The pace with what lies where; of a part that finds no room that it does not run."""
        made = self.made
        kind = "fit.part_experts" if made.experts_only else "fit.part_layers"
        told: dict[str, Worded] = {**values, "part": Line(kind, {"ram": Figure(made.in_ram_gb, "GB")})}
        if self.short:
            return Line("time.ram_short", {**told, "said": Figure(self.ram_gb or 0.0, "GB")})
        memory: dict[str, Worded] = {
            "kind": made.host_memory or None,
            "channels": Figure(float(made.host_channels), ""),
            "rate": Figure(made.host_gb_per_s, "GB/s"),
        }
        told["memory"] = Line("fit.memory" if made.host_stated else "fit.memory_assumed", memory)
        return Line("time.writes_in_ram", {**told, "on": Figure(made.on_card_gb, "GB")})

    @property
    def holds(self) -> tuple[Line, ...]:
        """What card and RAM hold together, and in how many bits a weight that would be the model."""
        room = self.made.on_card_gb + max(0.0, (self.ram_gb or 0.0) - SYSTEM_RAM)
        bits = room * 1e9 * _BITS / self.parameters
        values: dict[str, Worded] = {"room": Figure(room, "GB"), "bits": Figure(round(bits, 1), "")}
        return (Line("time.ram_holds" if bits >= _LEAST_BITS else "time.ram_far", values),)
