"""What a way of driving the card costs before the first tensor: context, kernels, blocks that the allocator keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Runtime:
    """One generation of driver libraries and allocator, shared by all programs built on it."""

    name: str
    context_gib: float
    """What nvidia-smi shows beyond the allocator: context, loaded kernels, handles of cuBLAS and cuDNN."""
    slack: float
    """Reserved over allocated for tensors that come and go."""
    score_copies: float | None = None
    """Score-sized tensors kept by attention where it is not fused, if other than in PyTorch."""


CUDA_12: Final = Runtime("cuda-12", 0.6, 1.08)
"""PyTorch since CUDA 11.7: kernels are loaded when first used."""
CUDA_11: Final = Runtime("cuda-11", 1.31, 1.2)
"""PyTorch before that: all kernels at once (1,343 MiB on a V100, transformers documentation)."""
NGC: Final = Runtime("ngc-2020", 1.5, 1.65)
"""NVIDIA containers of 2020 with cuDNN workspaces searched for speed."""
TENSORFLOW: Final = Runtime("tensorflow", 0.3, 1.1, score_copies=4.9)
TENSORFLOW_NGC: Final = Runtime("tensorflow-ngc", CUDA_11.context_gib, 1.32)
"""NVIDIA's containers of 2020, whose graphs are fused (XLA)."""
GGML: Final = Runtime("ggml", 0.4, 1.0)
"""Buffers laid out once, no caching allocator."""
CT2: Final = Runtime("ctranslate2", CUDA_12.context_gib, 1.0)
ENGINE: Final = Runtime("engine", 1.0, 1.08)
"""Servers: CUDA graphs and communication handles on top."""

DRAWING_SLACK: Final = 0.3
"""Reserved over allocated while a diffusion pipeline draws (22 against 16, 25 against 22 GiB: diffusers docs)."""

NCCL_GIB: Final = 0.4
"""Communication buffers of one card that works with others (NCCL channels and their kernels)."""
