"""The few calibrated constants of the memory model: value, meaning, and the published cases that set each.

Everything else in this package is counted from shapes. A constant stands here only when counting cannot settle it
(what an eager framework keeps for the backward pass, what an allocator wastes). `MEANING` documents every field and
a test holds the two together. Re-fitting changes this file and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Calibration:
    """Values in force. Units are in `MEANING`."""

    norm_units_rms: float = 4.0
    norm_units_layer: float = 2.5
    encoder_units: float = 17.0
    adapter_input_units: float = 1.5
    quantised_input_units: float = 1.7
    attention_copies: float = 2.0
    relative_attention_copies: float = 12.0
    checkpoint_residue: float = 1.0
    compiled_share: float = 0.85
    staging_bytes: float = 3.0
    sharding_load: float = 1.09
    recompute_slack: float = 1.0
    vision_fp32_bytes: float = 9.0
    vision_half_share: float = 0.57
    vision_inference_share: float = 0.25
    detection_values_m: float = 38.0
    detection_exponent: float = 0.55
    diffusion_fp32_gib: float = 10.0
    diffusion_half_share: float = 0.55
    diffusion_checkpoint_share: float = 0.15
    diffusion_decode_gib: float = 2.2
    prompt_gib: float = 0.6


CALIBRATION = Calibration()
