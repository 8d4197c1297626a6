"""What the sentences of work, serving, heat and moved data tell beside their own value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

OF_WORKLOAD: Final[Mapping[str, tuple[str, ...]]] = {
    "requests_s": ("requests_s", "requests_minute"),
    "requests_minute": ("requests_minute", "requests_s"),
    "requests_hour": ("requests_hour", "requests_s"),
    "streams_kept": ("busy_share", "frames_s", "model_frames_s"),
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
    "cooler_enough": ("btu_h", "cooler_btu", "drawn_w"),
    "optimizer_saved_gb": ("optimizer_saved_gb", "optimizer_gb", "optimizer_small_gb"),
    "size_ratio": ("size_ratio", "quantized_gb"),
    "quantized_gb": ("quantized_gb", "size_ratio"),
    "rate_linear": ("rate_linear", "rate_root"),
    "rate_root": ("rate_root", "rate_linear"),
    "steps_for_tokens": ("steps_for_tokens", "tokens_step"),
    "guess_speedup": ("guess_speedup", "guessed_tokens_s"),
    "grid_hours": ("grid_hours", "grid_runs"),
    "by_weight": ("by_weight", "kg_left"),
    "rack_machines": ("rack_machines", "by_space", "by_power", "by_weight"),
    "part_share": ("part_share", "part_hours", "cycle_hours"),
    "queue_hours": ("queue_hours", "turn_rounds", "turn_hours"),
    "slow_hours": ("slow_hours", "slowest_pieces_s"),
    "slow_move_hours": ("slow_move_hours", "slowest_gb_s"),
    "watts_one": ("watts_one", "watts_other"),
    "watts_both": ("watts_both", "watts_one", "watts_other"),
    "airflow": ("airflow", "airflow_cfm"),
    "airflow_cfm": ("airflow_cfm", "airflow"),
}
