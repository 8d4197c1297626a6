"""The largest matrix product a card reaches, beside its data-sheet peak."""

from __future__ import annotations

from advisor.errors import UnsupportedCombination
from advisor.models import Gpu
from advisor.speed import calibration


def matmul_tflops(gpu: Gpu) -> float:
    """TFLOPS of a large BF16 product with the best shapes.

    Raises:
        UnsupportedCombination: no dense 16-bit peak of the card, or no measured product of its vendor.
    """
    peak = gpu.bf16_tflops or gpu.fp16_tensor_fp32acc_tflops
    share = calibration.MATMUL_SHARE.get(gpu.architecture, 0.8 if gpu.vendor == "NVIDIA" else None)
    if not peak or share is None:
        raise UnsupportedCombination("no measured matrix product supports an estimate for this card", gpu=gpu.name)
    return peak * share
