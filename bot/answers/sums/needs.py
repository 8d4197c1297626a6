"""Which need each sum serves."""

from __future__ import annotations

from typing import Final

NEEDS: Final = {
    "estimate_cost": (
        *("bill", "work_cost", "power_cost", "power_cost_hour", "hours_affordable", "hours_a_day_affordable"),
        *("plan_hours", "plan_hours_day", "highest_hourly", "kwh", "card_hours"),
        *("budget_enough", "budget_left", "buy_total", "person_share", "useful_hour_price", "wasted", "own_hour"),
        *("days_affordable", "runs_affordable", "items_affordable", "tokens_affordable", "run_cost", "item_cost"),
        *("api_bill", "token_cost", "tokens_to_pay", "sound_bill", "sound_hour_cost", "storage_cost"),
        *("price_change", "price_gap", "saved_share", "own_month", "months_affordable", "discounted", "net_income"),
        *("paid_rate", "person_month", "saved_per_hour", "epochs_affordable"),
        *("item_bill", "item_saved", "items_to_pay", "own_day", "egress_cost", "faster_pays", "job_cost_ratio"),
        *("use_share", "rest_share", "own_due", "payers_share", "joiner_share"),
        *("student_term", "spot_hour", "spot_pays", "spot_bill", "redo_budget"),
        *("guard_months", "cover_pays", "cover_chance", "ladder_more", "ladder_power"),
        *("ladder_bill", "shift_saves", "limit_saves", "sleep_saves", "average_w"),
        *("added_kwh", "solar_cost", "fair_price", "written_off", "book_value"),
        *("kept_of_sale", "ask_price", "saving_pays", "let_hour", "let_income"),
        *("let_days", "rounded_more", "early_return", "pack_hours", "reserve_hours"),
        *("bonus_off", "cut_hour", "cut_price", "falling_total", "rising_total"),
        *("risen_price", "fallen_price", "lease_more", "paid_more_share", "month_fits"),
        *("landed_price", "exchanged", "coupon_price", "own_part", "off_saves"),
        *("on_off_bill", "over_cost", "over_bill", "idle_paid", "grant_month"),
        *("dear_pays", "even_speed", "spread_more", "credit_hours", "site_saves"),
        *("second_cheaper", "offer_even_hours", "second_more", "best_gb_price", "mean_hour"),
        *("dearest_hour", "pack_dearer", "cap_cards", "sweep_cost", "two_kinds_bill"),
        *("even_tokens_day", "rent_ahead", "wait_pays", "items_cost"),
        *("share_of_bill", "expected_loss", "bonus_wins", "bonus_hour", "expired_hour", "refund", "started_cost"),
        *("loan_month", "interest_lost", "after_refund", "half_price_two", "price_with_free"),
        *("fleet_hour", "spot_saving", "surcharged_power", "spoilt_cost", "deposit_back"),
        *("cached_bill", "even_tokens_month", "risen_bill", "rate_rise", "hours_after_part"),
        *("two_rates_bill", "jobs_bill", "let_profit", "earned_days", "left_cards_each"),
        *("import_cheaper",),
        *("list_hourly", "list_price", "each_part", "paid_more", "before_tax", "with_tax"),
    ),
    "price_lookup": ("per_card_hour",),
    "upgrade_or_not": ("upgrade_net",),
    "rent_or_buy": (
        *("break_even_days", "break_even_hours", "hours_a_day_to_break_even", "share_to_break_even"),
        *("buy_pays", "buy_saves", "api_pays_months"),
    ),
    "gpu_count": (
        *("cards_needed", "cards_by_memory", "cards_affordable", "cards_for_workers", "cards_for_runs"),
        "cards_by_speed",
    ),
    "estimate_time": (
        *("whole_hours", "hours_left", "days_on_n", "days_on_one", "hours_on_n", "one_card_hours"),
        *("decode_tokens_s", "steps", "round_hours", "rate_needed", "rounds_in_time", "steps_in_time"),
        *("items_in_time", "tokens_in_time", "items_a_second", "tokens_a_second", "answer_s", "requests_s"),
        *("requests_minute", "requests_hour"),
        *("users_by_speed", "speed_each", "frames_s", "busy_share", "streams_kept", "most_streams", "frame_count"),
        *("time_saved", "sound_in_time", "sound_pace", "train_eflop", "gpu_hours", "mfu_reached", "train_tokens_s"),
        *("tokens_best", "params_best", "prefill_s", "bubble_share"),
    ),
    "multi_gpu_scaling": ("efficiency", "global_batch", "speedup", "accumulation_needed"),
    "power_supply": (
        *("psu_enough", "full_load_w", "supply_left_w", "outlet_enough", "outlet_w", "psu_need_w", "drawn_w"),
        *("amps_drawn", "machines_on_outlet", "hours_on_battery"),
    ),
    "cooling": ("btu_h", "cooling_tons", "cooler_enough"),
    "carbon_footprint": ("kg",),
    "check_fit": ("fits",),
    "estimate_memory": (
        *("need_gb", "weights_gb", "state_gb", "kv_token_kib", "kv_gib", "longest_tokens", "most_requests"),
        *("users_by_memory", "most_bits", "largest_params", "lora_params", "most_batch", "layers_fit", "used_share"),
    ),
    "compare_gpus": ("bandwidth_ratio",),
    "disk_choice": (
        *("disk_enough", "disk_need_mb_s", "disk_items_s", "dataset_gb", "move_hours", "link_need_gb_s"),
        *("moved_in_time", "checkpoints_gb", "checkpoint_count", "checkpoints_fit", "items_fit", "tensor_mb"),
        "item_share_mb",
    ),
    "ram_sizing": ("ram_enough", "ram_used_gb", "ram_to_add_gb", "share_ram_gb", "workers_fit", "vectors_gb"),
    "cpu_sizing": ("cards_fed", "share_cores"),
    "precision_advice": ("in_fp16", "in_bf16", "scaled", "sparse"),
    "interconnect": ("link_gb_s", "exchange_share", "nvlink_needed", "exchange_s"),
}  # fmt: skip
"""The need that each unknown serves."""
