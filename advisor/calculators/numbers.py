"""Ranges of number formats, links between cards and to the host."""

from __future__ import annotations

from typing import Final

from advisor.calculators.entry import Entry

FP16_MOST: Final = 65504.0
BF16_MOST: Final = 3.3895e38
_GIGATRANSFERS: Final = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0, 7: 128.0}
"""A lane of each generation of PCI Express, in gigatransfers a second (PCI-SIG)."""
_OLD_CODE: Final = 0.8
"""Generations 1 and 2 send 8 bits as 10."""
_CODE: Final = 128 / 130
_ZEROS: Final = 2.0
"""Of four neighbouring weights two must be zero (NVIDIA, Ampere whitepaper)."""
_HIDDEN_SHARE: Final = 0.2
"""An exchange up to this part of a step is hidden behind the backward pass or costs little."""


def pcie_gb_s(generation: float, lanes: float) -> float:
    """GB/s in one direction, at the most."""
    per_lane = _GIGATRANSFERS[int(generation)]
    return per_lane * lanes * (_OLD_CODE if generation <= 2 else _CODE) / 8


def exchange_share(gradients_gb: float, link_gb_s: float, step_s: float, cards: float) -> float:
    """Part of a step that a ring of cards spends on swapping gradients: each sends 2 (n - 1) / n of them."""
    n = max(2.0, cards)
    return 2 * (n - 1) / n * gradients_gb / link_gb_s / step_s


def ring_s(gradients_gb: float, link_gb_s: float, cards: float) -> float:
    """Seconds in which a ring of cards swaps its gradients."""
    return exchange_share(gradients_gb, link_gb_s, 1.0, cards)


TABLE: Final[tuple[Entry, ...]] = (
    ("scaled", ("loss_scale", "gradient"), "{loss_scale} × {gradient}", lambda a, b: a * b),
    ("squared", ("magnitude", "exponent"), "{magnitude}^{exponent}", lambda a, b: a**b),
    ("in_fp16", ("scaled",), "{scaled} ≤ 65504", lambda a: float(a <= FP16_MOST)),
    ("in_fp16", ("squared",), "{squared} ≤ 65504", lambda a: float(a <= FP16_MOST)),
    ("in_fp16", ("magnitude",), "{magnitude} ≤ 65504", lambda a: float(a <= FP16_MOST)),
    ("in_bf16", ("squared",), "{squared} ≤ 3.39e38", lambda a: float(a <= BF16_MOST)),
    ("in_bf16", ("scaled",), "{scaled} ≤ 3.39e38", lambda a: float(a <= BF16_MOST)),
    ("in_bf16", ("magnitude",), "{magnitude} ≤ 3.39e38", lambda a: float(a <= BF16_MOST)),
    ("sparse", ("fewest_zeros",), "{fewest_zeros} ≥ 2", lambda a: float(a >= _ZEROS)),
    ("link_gb_s", ("pcie_generation", "lanes"), "{pcie_generation} × {lanes}", pcie_gb_s),
    ("exchange_share", ("exchange_gb", "link_gb_s", "step_s", "cards"), "2 (n−1) ÷ n × {exchange_gb} ÷ {link_gb_s} ÷ {step_s}", exchange_share),
    ("nvlink_needed", ("exchange_share",), "{exchange_share}", lambda a: float(a > _HIDDEN_SHARE)),
    ("exchange_s", ("exchange_gb", "link_gb_s", "cards"), "2 (n−1) ÷ n × {exchange_gb} ÷ {link_gb_s}", ring_s),
)  # fmt: skip
