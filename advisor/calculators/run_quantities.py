"""Quantities of work in time; units as in `quantities.py`."""

from __future__ import annotations

from typing import Final

from advisor.calculators.quantity import Quantity, table
from advisor.calculators.quantity import quantity as _q

RUNS: Final[dict[str, Quantity]] = table(
    _q("parallel_share", "share", 1.0),
    _q("speedup_limit", "times"),
    _q("net_hours", "hour", 1e6),
    _q("run_part", "hour", 1e5),
    _q("pause_part", "hour", 1e5),
    _q("real_hours", "hour"),
    _q("crashes", "", 1e5),
    _q("hours_with_crashes", "hour"),
    _q("crash_card_hours", "hour"),
    _q("saved_gb", "GB", 1e7),
    _q("write_gb_s", "GB/s", 1e5),
    _q("save_every", "hour", 1e4),
    _q("save_pause", "hour"),
    _q("save_part", "share"),
    _q("save_day", "hour"),
    _q("jobs_hour", "", 1e7),
    _q("job_each_h", "hour", 1e4),
    _q("load_part", "share"),
    _q("sustained_tflops", "TFLOPS", 1e6),
    _q("mfu_share", "share", 1.0, 1.0),
    _q("flops_hours", "hour"),
    _q("bound_part", "share"),
    _q("jobs_at_once", "run", zero=True),
    _q("step_at", "step", 1e12),
    _q("steps_all", "step", 1e12),
    _q("steps_s", "step/s", 1e6),
    _q("left_hours", "hour"),
    _q("accumulation_before", "step", 1e6),
    _q("sharing_before", "card", 1e6),
    _q("sharing_after", "card", 1e6),
    _q("accumulation_after", "step"),
    _q("prompt_tokens", "token", 1e9),
    _q("answer_tokens", "token", 1e9),
    _q("prefill_rate", "token/s", 1e7),
    _q("decode_rate", "token/s", 1e7),
    _q("documents", "item", 1e12),
    _q("prompt_s", "second"),
    _q("prompts_hours", "hour"),
    *(_q(one, "GB", 1e6) for one in ("whole_gb", "each_item_gb", "smaller_gb")),
    _q("kept_free_gb", "GB", 1e6, zero=True),
    *(_q(one, "user") for one in ("fit_count", "fit_count_then", "fit_more")),
    *(_q(f"bits_{at}", "bit", 64.0) for at in ("before", "after")),
    _q("weights_saved", "GB"),
    _q("window_cards_1", "card", 1e6),
    _q("window_1", "hour", 24.0),
    _q("window_cards_2", "card", 1e6, 0.0, zero=True),
    _q("window_2", "hour", 24.0, 0.0, zero=True),
    _q("window_card_hours", "hour"),
)
