"""Time of one step on one card and on several: a roofline with a floor, and the exchange that does not hide."""

from __future__ import annotations

from math import exp, log1p, log2
from typing import NamedTuple

from advisor.errors import UnsupportedCombination
from advisor.models import Gpu, Precision
from advisor.speed import calibration
from advisor.speed.card import CardRates, usable_peak
from advisor.speed.demand import Demand
from advisor.speed.fitted import FITTED


class StepTime(NamedTuple):
    """Seconds of one step on one card, by what they are spent on."""

    matrix: float
    vector: float
    memory: float
    launch: float
    total: float
    units: str
    """Which units do the matrix products: tensor | tf32 | vector."""

    @property
    def bound(self) -> str:
        """The largest part."""
        parts = {"compute": self.matrix + self.vector, "memory": self.memory, "launch": self.launch}
        return max(parts, key=lambda name: parts[name])


def stack_gain(kind: str, stack: str, tensor: bool) -> float:
    """Logarithm of how much faster a software stack runs this class than the containers of 2020."""
    behaviour = calibration.STACKS[stack]
    gain = FITTED["train.newer"] * behaviour.newer
    if behaviour.recipe and kind != "decoder":
        gain += FITTED["train.recipe_tensor" if tensor else "train.recipe_wide"]
    return gain


def step_time(card: CardRates, demand: Demand, stack: str = calibration.TODAY, batch: int | None = None) -> StepTime:
    """Seconds one step takes on one card, at the batch of the demand or at another one.

    Matrix work, other work and memory traffic add, as they alternate within a step; launches hide behind them or
    set the floor (`STEP_EXPONENT`).
    """
    if not card.vector:
        raise UnsupportedCombination("no compute figure is known", gpu=card.gpu.name, missing="fp32_tflops")
    constants, batch = demand.constants, batch or demand.batch
    peak, units = card.matrix(demand.precision, four_bits=demand.four_bits)
    efficiency = {
        "tensor": constants.tensor_efficiency,
        "tf32": constants.tf32_efficiency,
        "vector": constants.vector_efficiency,
    }[units]
    gain = stack_gain(demand.workload_class, stack, units == "tensor")
    slower = exp((constants.old_cards if card.pre_ampere else 0.0) - gain)
    fused = FITTED["train.fused_traffic"] if calibration.STACKS[stack].fused and demand.unit == "tok" else 1.0
    if units == "tensor" and demand.workload_class == "decoder":
        rate = usable_peak(card, card.fed(efficiency), peak)
    else:
        rate = peak * efficiency * card.sustain
    matrix = demand.matrix_ops * batch / rate * slower
    vector = demand.vector_ops * batch / (card.vector * card.sustain) * slower * fused
    narrow = demand.precision is Precision.FP8 and peak > (card.tensor or peak)
    casts = demand.casts * calibration.STACKS[stack].casts if narrow else 0.0
    memory = ((demand.traffic * fused + casts) * batch + demand.step_traffic) / card.bandwidth * slower
    launch = demand.launch_s * slower
    power = calibration.STEP_EXPONENT
    busy = matrix + vector + memory
    total = float((busy**power + launch**power) ** (1.0 / power))
    return StepTime(matrix, vector, memory, launch, total, units)


_FABRIC_GB_PER_S = {"CDNA 2.0": 500.0, "CDNA 3.0": 896.0, "CDNA 4.0": 1075.0, "Gaudi": 600.0}
"""Total of both directions of what joins other makers' boards (Infinity Fabric, Ethernet ports of Gaudi 2), by
architecture, from their data sheets."""


def fabric_of(gpu: Gpu) -> float:
    """GB/s of the links between boards of one host that are no PCIe slot; 0 when there are none."""
    if gpu.nvlink_gb_per_s or gpu.vendor == "NVIDIA":
        return gpu.nvlink_gb_per_s or 0.0
    return next((rate for name, rate in _FABRIC_GB_PER_S.items() if gpu.architecture.startswith(name)), 0.0)


def link_of(card: CardRates, link: str = "") -> str:
    """What joins cards of one host: the wish, else NVLink on boards that carry it, else the card's PCIe generation."""
    nvlink = fabric_of(card.gpu)
    if link == "nvlink" or (not link and nvlink >= calibration.SWITCHED_NVLINK and _on_board(card.gpu)):
        return "nvlink" if nvlink else f"pcie{card.pcie_generation}"
    return link or f"pcie{card.pcie_generation}"


def exchange_rate(card: CardRates, n_gpus: int, link: str = "") -> float:
    """Usable bytes per second of an all-reduce among cards of one host. `link` as in `link_of`."""
    constants = calibration.LINK
    kind = link_of(card, link)
    if kind == "nvlink":
        return fabric_of(card.gpu) * 1e9 * constants.nvlink_share
    if kind[:4] != "pcie" or not kind[4:].isdigit() or int(kind[4:]) not in constants.pcie:
        raise UnsupportedCombination(f"no figure is known for a link called {link!r}", link=link)
    rate = constants.pcie[int(kind[4:])]
    if not card.consumer:
        return rate
    return float(rate * constants.consumer * (2.0 / max(n_gpus, 2)) ** constants.crowding)


def _on_board(gpu: Gpu) -> bool:
    """NVLink is part of the board (SXM, OAM), not a bridge that may or may not be there."""
    form = (gpu.form_factor or "").upper()
    return form.startswith(("SXM", "OAM")) or "SXM" in gpu.name or gpu.vendor == "Intel"


def several(step: StepTime, demand: Demand, rate: float, n_gpus: int) -> float:
    """Seconds of a step on n cards, each with its own batch: exchange that outlasts the backward pass shows."""
    if n_gpus == 1:
        return step.total
    constants, link = demand.constants, calibration.LINK
    exchange = 2.0 * (n_gpus - 1) / n_gpus * demand.exchanged_bytes / rate + link.latency_s * log2(n_gpus)
    if not demand.trains:
        exchange = 0.0
    excess = (exchange / step.total - constants.overlap) * link.sharpness
    exposed = (excess if excess > 30 else log1p(exp(excess))) / link.sharpness * step.total
    hidden_floor = log1p(exp(-constants.overlap * link.sharpness)) / link.sharpness * step.total
    return step.total * (1.0 + constants.imbalance * log2(n_gpus)) + max(0.0, exposed - hidden_floor)
