"""What a card offers a job: rates of its tensor units, its ordinary units and its memory, as it can sustain them.

Rates come from the catalogue's figures alone, so a card that nobody measured here is treated like all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from advisor.errors import UnsupportedCombination
from advisor.kept import Memo
from advisor.models import Gpu, Precision
from advisor.speed import calibration
from advisor.speed.fitted import FITTED

_HALVED_ISSUE = frozenset({"8.6", "8.7", "8.9", "12.0"})
"""Compute capabilities whose FP32 figure counts two pipes of which one is shared with integers."""

_TWO_AT_ONCE = frozenset({"RDNA 3.0", "RDNA 3.5", "RDNA 4.0", "CDNA 3.0"})
"""AMD's architectures whose FP32 figure counts two instructions at once."""

_TENSOR_PER_FP32 = {
    "7.0": 7.6,
    "7.2": 8.0,
    "7.5": 8.0,
    "8.0": 16.0,
    "8.6": 4.0,
    "8.7": 8.0,
    "8.9": 4.0,
    "9.0": 14.8,
    "10.0": 30.0,
    "11.0": 32.0,
    "12.0": 4.0,
    "12.1": 4.0,
}
"""FP16 tensor rate over FP32 rate of professional cards, for cards of which only one of the two is published."""

_HALVED_SUMS = frozenset({"7.5", "8.6", "8.9", "12.0"})
"""Compute capabilities whose GeForce cards sum 16-bit products in 32 bits at half the rate of professional cards."""

_PRE_AMPERE = frozenset({"3.0", "3.5", "3.7", "5.0", "5.2", "6.0", "6.1", "7.0", "7.5"})
_PCIE_GENERATION = {"3": 3, "5": 3, "6": 3, "7": 3, "8": 4, "9": 5, "1": 5}


@dataclass(frozen=True, slots=True)
class CardRates:
    """Rates in operations and bytes per second; `sustain` is the share of the peak that the power limit allows."""

    gpu: Gpu
    vector: float
    """FP32 operations outside the tensor units."""
    bandwidth: float
    sustain: float
    tensor: float | None
    """FP16/BF16 with FP32 accumulation, dense; None when the card has no such units."""
    tf32: float | None
    half: float
    """FP16 without tensor units."""
    pre_ampere: bool
    nvidia: bool
    pcie_generation: int
    consumer: bool
    outside: bool
    """No published case supports this kind of card: bands are widened and answers say so."""
    slow_to_fill: bool = False
    """Memory gives its rate only while many bytes are under way: stacked memory (HBM), and Intel's first cards, whose
    latency is the longest of their time (chipsandcheese.com, October 2022)."""
    unified: bool = False
    """The processor shares the memory."""
    paired: bool = False
    """Whole and floating numbers are worked on at the same time, so unpacking hides behind all else (Apple from M3)."""
    blocks: bool = False
    """Ordinary units multiply small blocks of matrices held in registers (Apple's simdgroups)."""
    prompt_peak: float = 0.0
    """The best rate of matrix products that inference kernels use, whatever they accumulate in; 0 when unknown."""
    idle: bool = False
    """Local software leaves its matrix units alone (Vulkan and SYCL on Intel's first cards)."""
    opened: float = 1.0
    """Of the rate that the chip's tensor units are built for, what this card's peak is: half where sums of 32 bits are
    halved (GeForce, L20), a quarter of an H20. The rest of the chip then feeds its units more easily."""
    clock: float = 1.7e9
    """Boost clock of its units in hertz; that of cards of 2020 where neither units nor rate are known."""

    def fed(self, share: float) -> float:
        """Of this card's peak, what is reached where a chip at its full rate reaches `share`: the time that feeding
        takes beside the products stays as it is."""
        return share / (share + (1.0 - share) * self.opened)

    def matrix(self, precision: Precision, *, four_bits: bool = False) -> tuple[float, str]:
        """Peak of matrix products in this number format, and which units do them: tensor | tf32 | vector.

        `four_bits`: factors are rounded to 4-bit floating point where the card multiplies such.
        """
        if precision is Precision.FP32:
            return self.vector_peak, "vector"
        if precision is Precision.TF32:
            return (self.tf32, "tf32") if self.tf32 else (self.vector_peak, "vector")
        narrow = (four_bits and (self.gpu.fp4_tflops or 0.0) * 1e12) or self.eight
        if precision is Precision.FP8 and narrow and self.tensor:
            return max(self.tensor, narrow * _matmul_share(self.gpu)), "tensor"
        return (self.tensor, "tensor") if self.tensor else (self.vector_peak, "vector")

    @property
    def eight(self) -> float:
        """Peak of products in 8-bit floating point: as published, else twice that of 16 bits from Ada on."""
        published = (self.gpu.fp8_tflops or 0.0) * 1e12
        if published or not (self.nvidia and self.tensor):
            return published
        return _EIGHT_OVER_HALF * self.tensor if float(self.gpu.compute_capability or 0.0) >= _EIGHT_FROM else 0.0

    @property
    def whole(self) -> float:
        """Operations a second on whole numbers, two counted for each lane and cycle as in the FP32 figure: chips whose
        figure counts two pipes have one that does them."""
        paired = self.gpu.compute_capability in _HALVED_ISSUE or self.gpu.architecture in _TWO_AT_ONCE
        return self.vector_peak / 2.0 if paired else self.vector_peak

    @property
    def vector_peak(self) -> float:
        """FP32 peak of matrix products on ordinary units: both pipes count."""
        return (self.gpu.fp32_tflops or 0.0) * 1e12 or self.vector


def _tera(figure: float | None) -> float:
    """Operations a second of a catalogue figure in units of 1e12; 0 when it is not known."""
    return (figure or 0.0) * 1e12


def _fp32(gpu: Gpu, tensor: float | None) -> float:
    """FP32 operations a second; 0 when no compute figure is known."""
    if gpu.fp32_tflops:
        return gpu.fp32_tflops * 1e12
    ratio = _TENSOR_PER_FP32.get(gpu.compute_capability or "", 16.0)
    return tensor / ratio if tensor else 0.0


_FOUR_PRODUCTS = frozenset({"6.1", "7.5"})
"""Compute capabilities without (usable) tensor units that multiply four 8-bit pairs in one FP32 operation."""


_FOUR_ON_AMD = frozenset({"GCN 5.1", "RDNA 2.0"})
"""The same on AMD's cards."""


def _prompt_peak(gpu: Gpu, tensor: float | None, vector: float) -> float:
    if tensor:
        return max(tensor, (gpu.fp16_tensor_fp16acc_tflops or 0.0) * 1e12)
    four = 4.0 if gpu.compute_capability in _FOUR_PRODUCTS or gpu.architecture in _FOUR_ON_AMD else 1.0
    return max(vector * four, (gpu.fp16_nontensor_tflops or 0.0) * 1e12 if gpu.vendor != "NVIDIA" else 0.0)


def compute_rates(gpu: Gpu) -> CardRates:
    """`card_rates` of a card whose compute figure is needed.

    Raises:
        UnsupportedCombination: the catalogue has no bandwidth or no compute figure of this card.
    """
    made = card_rates(gpu)
    if not made.vector:
        raise UnsupportedCombination("no compute figure is known for this card", gpu=gpu.name, missing="fp32_tflops")
    return made


_MADE: Memo[str, CardRates] = Memo()


def card_rates(gpu: Gpu) -> CardRates:
    """Rates of one card, kept per card object (a card of the same id with other figures is worked out anew).

    Raises:
        UnsupportedCombination: the catalogue has no bandwidth of this card. Rates of compute are 0 where none is known.
    """
    made = _MADE.get(gpu.id)
    if made is None or made.gpu is not gpu:
        made = _MADE[gpu.id] = _worked_out(gpu)
    return made


def _worked_out(gpu: Gpu) -> CardRates:
    """The rates of `card_rates`."""
    nominal = gpu.memory_bandwidth_gb_per_s
    if not nominal:
        raise UnsupportedCombination(
            "no memory bandwidth is known for this card", gpu=gpu.name, missing="memory_bandwidth_gb_per_s"
        )
    capability, nvidia = gpu.compute_capability or "", gpu.vendor == "NVIDIA"
    published = _published_tensor(gpu)
    peak = _fp32(gpu, published)
    vector = peak / 2 if capability in _HALVED_ISSUE else peak
    tensor = published * _matmul_share(gpu) if published else None
    return CardRates(
        gpu=gpu,
        vector=vector,
        bandwidth=nominal * 1e9 * _memory_efficiency(gpu, nominal),
        sustain=_sustained(gpu, vector),
        tensor=tensor,
        tf32=_tera(gpu.tf32_tflops) or None,
        half=_tera(gpu.fp16_nontensor_tflops),
        pre_ampere=capability in _PRE_AMPERE,
        nvidia=nvidia,
        pcie_generation=_PCIE_GENERATION.get(capability[:1], 4),
        consumer=gpu.family == "GeForce",
        slow_to_fill=_memory_kind(gpu).startswith("HBM") or gpu.architecture in _FIRST_XE,
        unified=gpu.unified_memory or _memory_kind(gpu).startswith("LPDDR"),
        paired=gpu.series[:8] in _PAIRED,
        blocks=gpu.vendor == "Apple",
        prompt_peak=_prompt_peak(gpu, tensor, peak),
        idle=gpu.architecture in _FIRST_XE,
        outside=not nvidia or capability in _UNMEASURED,
        opened=_opened(gpu, tensor),
        clock=_clock(gpu),
    )


_FIRST_XE: Final = frozenset({"Xe-HPG"})
"""Intel's first cards. llama.cpp turns cooperative matrices on from Xe2 only: on Xe they were slower than ordinary
units (its pull request 14001)."""
_APPLE_LANES: Final = 128
"""FP32 units of one of Apple's GPU cores."""
_EIGHT_OVER_HALF: Final = 2.0
"""FP8 over FP16 of Tensor Cores, both summed in FP32: so of all but one of the cards that publish both."""
_EIGHT_FROM: Final = 8.9
"""Compute capability from which Tensor Cores count in FP8."""
_FASTEST_HZ: Final = 3.4e9
"""No chip of this catalogue is clocked higher: a figure above counts two instructions at once (RDNA 3, CDNA 3)."""


def _clock(gpu: Gpu) -> float:
    """Hertz at which the FP32 figure was worked out: two operations a unit and cycle."""
    units = gpu.cores or (_APPLE_LANES * gpu.sm_count if gpu.vendor == "Apple" and gpu.sm_count else 0)
    if not (units and gpu.fp32_tflops):
        return 1.7e9
    once = gpu.fp32_tflops * 1e12 / (2.0 * units)
    return once if once <= _FASTEST_HZ else once / 2.0


_PAIRED = frozenset({"Apple M3", "Apple M4", "Apple M5", "Apple M6"})
_UNMEASURED = frozenset({"", "3.0", "3.5", "3.7", "5.0", "5.2"})
"""Compute capabilities of which no training run is published."""


def _opened(gpu: Gpu, tensor: float | None) -> float:
    """The peak over the full rate of the chip's tensor units; one where either is not known."""
    full = _tera(gpu.fp32_tflops) * _TENSOR_PER_FP32.get(gpu.compute_capability or "", 0.0)
    return min(1.0, tensor / full) if tensor and full and gpu.vendor == "NVIDIA" else 1.0


def _published_tensor(gpu: Gpu) -> float | None:
    """Dense 16-bit operations a second of tensor units, as published or from the FP32 figure of its chip; None for a
    card that has no such units (GTX 16, T1000)."""
    dense = gpu.fp16_tensor_fp32acc_tflops or gpu.bf16_tflops
    if not dense and gpu.tensor_core_gen and gpu.fp32_tflops:
        halved = 0.5 if gpu.family == "GeForce" and gpu.compute_capability in _HALVED_SUMS else 1.0
        dense = gpu.fp32_tflops * _TENSOR_PER_FP32.get(gpu.compute_capability or "", 0.0) * halved
    return dense * 1e12 if dense else None


def _matmul_share(gpu: Gpu) -> float:
    """What software reaches of this maker's peak, over what it reaches of NVIDIA's."""
    if gpu.vendor == "NVIDIA":
        return 1.0
    return calibration.MATMUL_SHARE.get(gpu.architecture, 0.55) / calibration.NVIDIA_MATMUL_SHARE


def _memory_kind(gpu: Gpu) -> str:
    return (gpu.memory_type or "").upper()


def _memory_efficiency(gpu: Gpu, nominal: float) -> float:
    """Share of the nominal bandwidth that is reached: less where the newest stacks promise most."""
    constants, kind = calibration.CARD, _memory_kind(gpu)
    newest_chip = (gpu.compute_capability or "")[:1] in {"9", "1"}
    if not (kind.startswith("HBM3") or (kind.startswith("HBM") and newest_chip)):
        return constants.memory_efficiency
    above = max(1.0, nominal / constants.hbm3_reference)
    return float(constants.hbm3_efficiency / above**constants.hbm3_saturation)


def _sustained(gpu: Gpu, vector: float) -> float:
    """Share of the peak that the board's power allows, against usual boards of its chip."""
    reference = calibration.CARD.watts_per_tflops.get(gpu.compute_capability or "")
    if not (reference and gpu.board_power_w and vector):
        return 1.0
    return float(min(1.0, gpu.board_power_w / (vector / 1e12) / reference) ** calibration.CARD.power_exponent)


def usable_peak(card: CardRates, share: float, peak: float | None = None) -> float:
    """Operations a second of dense products that software reaches: a share of the peak, as far as power allows.

    Professional boards promise the full rate of their chip at a fraction of its power; what they sustain goes with the
    watts. `peak` replaces the 16-bit peak; narrower products cost about as much less energy as they have fewer bits.
    """
    base = card.tensor or max(card.vector_peak, card.half)
    wanted = (peak or base) * share
    watts, per_watt = card.gpu.board_power_w, _PER_WATT.get(card.gpu.compute_capability or card.gpu.architecture)
    if not watts or not per_watt or not card.tensor:
        return wanted
    narrow = (peak or base) / base
    limit = watts * FITTED[per_watt] * 1e12 * narrow
    return float((wanted**-4.0 + limit**-4.0) ** -0.25)


_PER_WATT = {
    "7.5": "card.ampere_per_watt",
    "8.6": "card.ampere_per_watt",
    "8.9": "card.ada_per_watt",
    "9.0": "card.hopper_per_watt",
    "10.0": "card.blackwell_per_watt",
    "10.3": "card.blackwell_per_watt",
    "12.0": "card.ada_per_watt",
    "CDNA 3.0": "card.hopper_per_watt",
}
"""Constant by compute capability or architecture, which stand for the process a chip is made in (MI300X: 5 nm, as
Hopper)."""
