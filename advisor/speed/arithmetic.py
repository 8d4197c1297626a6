"""In how many bits a card multiplies for weights that are stored in so many."""

from __future__ import annotations

from typing import Final

from advisor.models import Precision, Workload
from advisor.speed.card import CardRates
from advisor.speed.weights import weight_format

_EIGHT_BITS: Final = frozenset({"fp8", "int8", "mxfp8"})
_FOUR_BITS_FLOATING: Final = frozenset({"nvfp4", "mxfp4", "fp4"})


def arithmetic_peak(card: CardRates, workload: Workload) -> float:
    """Operations a second of the products that engines run for weights stored like this.

    Eight-bit weights are multiplied in 8 bits where the card can, four-bit floating point on Blackwell in 4 bits;
    integer 4-bit formats (AWQ, GPTQ, GGUF) are widened to 16 bits first.
    """
    stored = weight_format(workload).name
    base = card.tensor or max(card.vector_peak, card.half)
    if stored in _EIGHT_BITS:
        return max(base, _eight_bit_peak(card, workload, stored))
    if stored in _FOUR_BITS_FLOATING:
        blackwell = (card.gpu.compute_capability or "").split(".")[0] in {"10", "12"}
        four = (card.gpu.fp4_tflops or 0.0) * 1e12 if blackwell else 0.0
        return max(base, four, _eight_bit_peak(card, workload, stored) * (2.0 if blackwell else 1.0))
    return base


def _eight_bit_peak(card: CardRates, workload: Workload, stored: str) -> float:
    """Operations a second of 8-bit products: floating point, or integers where activations are stored so, too."""
    floating = card.eight if card.nvidia or stored == "fp8" else 0.0
    whole = (card.gpu.int8_tops or 0.0) if Precision.INT8 in (workload.precision, stored) else 0.0
    return max(floating, whole * 1e12)
