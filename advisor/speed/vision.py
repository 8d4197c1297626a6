"""Pictures that are looked at: how many a second an engine of fused kernels, or a processor, gets through."""

from __future__ import annotations

from typing import Final

from advisor.errors import UnsupportedCombination
from advisor.models import Gpu, Method, Precision, Workload
from advisor.speed.card import compute_rates, usable_peak
from advisor.speed.demand import Demand, demand_of
from advisor.speed.fitted import FITTED
from advisor.speed.hosts import Host
from advisor.speed.networks import activations_of
from advisor.speed.step import StepTime

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
    """Samples a second of one card in an engine that fuses layers (TensorRT, ONNX Runtime), which sums 16-bit products
    in 16 bits, at the higher rate that GeForce cards have for that.

    Args:
        gpu: the card.
        workload: the network; `resolution` or `seq_len` as wished.
        narrow: products in 8 bits where the card can, as submissions to benchmarks run them.
        alone: one sample at a time, for its latency.

    Raises:
        UnsupportedCombination: no operation count of the network or no compute figure of the card.
    """
    card = compute_rates(gpu)
    half_sums = (gpu.fp16_tensor_fp16acc_tflops or 0.0) * 1e12
    peak = max(card.tensor, half_sums) if card.tensor else max(card.vector_peak, card.half)
    if narrow:
        peak = max(peak, (gpu.int8_tops or 0.0) * 1e12, card.eight)
    seconds = forward_ops(workload) / usable_peak(card, FITTED["vision.engine_share"], peak)
    return 1.0 / (seconds * 1.5 + _LATENCY_S) if alone else 1.0 / seconds


_PROGRAMS: Final = ("tensorrt", "onnx", "openvino")
_NARROW: Final = (Precision.INT8, Precision.FP8)


def in_an_engine(workload: Workload) -> bool:
    """Whether pictures are looked at in a named program that fuses layers."""
    named = (workload.framework or "").lower()
    looks = workload.method is Method.INFERENCE and workload.ml_model.modality == "vision"
    return looks and any(word in named for word in _PROGRAMS)


def engine_step(gpu: Gpu, workload: Workload) -> tuple[Demand, StepTime]:
    """What one batch asks for and takes in such a program, the network alone: a single picture waits for its launches.

    Products of 8 bits where the job names them. Raises UnsupportedCombination as `engine_rate`.
    """
    narrow, batch = workload.precision in _NARROW, workload.batch or 1
    job = workload.model_copy(update={"precision": Precision.FP16}) if narrow else workload
    demand, alone = demand_of(job), batch == 1
    total = batch / engine_rate(gpu, job, narrow=narrow, alone=alone)
    launch = _LATENCY_S if alone else 0.0
    return demand, StepTime(total - launch, 0.0, 0.0, launch, total, "tensor")


def host_rate(host: Host, ops: float, *, narrow: bool = False) -> float:
    """Samples a second of a processor. `narrow`: 8-bit products, which its units do four times as fast, tiles more.

    Raises:
        UnsupportedCombination: no operations.
    """
    if ops <= 0.0:
        raise UnsupportedCombination("no operation count is known for this model")
    faster = (_OF_TILES if host.tiles else 4.0) if narrow else 1.0
    return host.tflops * 1e12 * FITTED["vision.host_share"] * faster / ops
