"""Pictures that are looked at: how many a second an engine of fused kernels, or a processor, gets through."""

from __future__ import annotations

from typing import Final

from advisor.errors import UnsupportedCombination
from advisor.models import Gpu, Precision, Workload
from advisor.speed.card import compute_rates, usable_peak
from advisor.speed.demand import demand_of
from advisor.speed.fitted import FITTED
from advisor.speed.hosts import Host
from advisor.speed.networks import activations_of

_EAGER_S: Final = 0.012
"""Floor of one eager forward call, whatever its batch."""
_OF_TILES: Final = 16.0
"""Times the FP32 rate that 8-bit products in tiles come to; their units promise twice that (AMX: 2,048 a cycle and
core against 64 of FP32)."""
_LATENCY_S: Final = 0.0008
"""Floor of one picture alone in such an engine: launches and hand-over."""


def forward_ops(workload: Workload) -> float:
    """Operations of one forward pass on one sample. Raises UnsupportedCombination when they are not known."""
    return demand_of(workload).matrix_ops


def eager_rate(gpu: Gpu, workload: Workload) -> float:
    """Samples a second of one card running layer by layer from PyTorch in its usual layout.

    Products at a share of the peak, then every activation written and read; a floor of launches a batch.

    Raises:
        UnsupportedCombination: no operation count of the network or no compute figure of the card.
    """
    card, demand = compute_rates(gpu), demand_of(workload)
    wide = workload.precision in (Precision.FP32, Precision.TF32)
    ops = demand.matrix_ops
    values = activations_of(workload.ml_model.name, demand.workload_class, ops / 2e9)
    products = ops / card.matrix(workload.precision or Precision.FP32)[0] if wide else ops / usable_peak(card, 1.0)
    moved = values * FITTED["vision.activation_bytes"] * (1.7 if wide else 1.0)
    seconds = products + moved / ((gpu.memory_bandwidth_gb_per_s or 0.0) * 1e9)
    return 1.0 / max(seconds, _EAGER_S / demand.batch)


def engine_rate(gpu: Gpu, workload: Workload, *, narrow: bool = False, alone: bool = False) -> float:
    """Samples a second of one card in an engine that fuses layers (TensorRT, ONNX Runtime).

    Args:
        gpu: the card.
        workload: the network; `resolution` or `seq_len` as wished.
        narrow: products in 8 bits where the card can, as submissions to benchmarks run them.
        alone: one sample at a time, for its latency.

    Raises:
        UnsupportedCombination: no operation count of the network or no compute figure of the card.
    """
    card = compute_rates(gpu)
    peak = card.tensor or card.vector_peak
    if narrow:
        peak = max(peak, (gpu.int8_tops or 0.0) * 1e12, card.eight)
    seconds = forward_ops(workload) / usable_peak(card, FITTED["vision.engine_share"], peak)
    return 1.0 / (seconds * 1.5 + _LATENCY_S) if alone else 1.0 / seconds


def host_rate(host: Host, ops: float, *, narrow: bool = False) -> float:
    """Samples a second of a processor. `narrow`: 8-bit products, which its units do four times as fast, tiles more.

    Raises:
        UnsupportedCombination: no operations.
    """
    if ops <= 0.0:
        raise UnsupportedCombination("no operation count is known for this model")
    faster = (_OF_TILES if host.tiles else 4.0) if narrow else 1.0
    return host.tflops * 1e12 * FITTED["vision.host_share"] * faster / ops
