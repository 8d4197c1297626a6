"""What the sentences of work, serving, heat and moved data tell beside their own value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

OF_WORKLOAD: Final[Mapping[str, tuple[str, ...]]] = {
    "requests_s": ("requests_s", "requests_minute"),
    "requests_minute": ("requests_minute", "requests_s"),
    "requests_hour": ("requests_hour", "requests_s"),
    "streams_kept": ("busy_share", "frames_s"),
    "gpu_hours": ("gpu_hours", "train_eflop"),
    "speedup": ("speedup", "efficiency", "time_saved"),
    "efficiency": ("efficiency", "speedup"),
    "psu_need_w": ("psu_need_w", "full_load_w"),
    "drawn_w": ("drawn_w", "amps_drawn"),
    "amps_drawn": ("amps_drawn", "drawn_w"),
    "btu_h": ("btu_h", "drawn_w"),
    "cooling_tons": ("cooling_tons", "drawn_w"),
    "checkpoints_gb": ("checkpoints_gb", "checkpoint_count"),
    "tensor_mb": ("tensor_mb", "dataset_gb"),
    "nvlink_needed": ("exchange_share",),
    "cooler_enough": ("drawn_w", "cooler_w"),
}
