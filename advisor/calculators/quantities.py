"""The quantities that sums are made of: what each is measured in, and between which ends it makes sense.

Units: time in hours unless the name says otherwise, money in one currency, memory and data in GB of 1e9 bytes unless the name says GiB, power in
watts, energy in kWh. `low` and `high` are the ends beyond which a stated value is a slip ("31 hours a day") and is asked about.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_MUCH: Final = 1e15


@dataclass(frozen=True, slots=True)
class Quantity:
    """One kind of number."""

    name: str
    unit: str
    """hour | day | week | money | money/hour | money/kwh | W | kWh | GB | GB/s | MB/s | MB | count | share | ... "" plain"""
    low: float = 0.0
    high: float = _MUCH
    positive: bool = True
    """Zero is no sensible value."""
    default: float | None = None
    """Taken when nothing was said and a formula lists it as optional."""


def _table(*entries: Quantity) -> dict[str, Quantity]:
    return {entry.name: entry for entry in entries}


def _q(name: str, unit: str, high: float = _MUCH, default: float | None = None, *, zero: bool = False) -> Quantity:
    return Quantity(name, unit, 0.0, high, not zero, default)


QUANTITIES: Final = _table(
    # money
    _q("rent_card_hour", "money/hour", 1e5, zero=True),
    _q("rent_machine_hour", "money/hour", 1e6, zero=True),
    _q("rent_month", "money", 1e7),
    _q("hourly_rate", "money/hour", 1e7, zero=True),
    _q("bill", "money"),
    _q("per_card_hour", "money/hour"),
    _q("purchase", "money", 1e9),
    _q("resale", "money", 1e9, 0.0, zero=True),
    _q("net_price", "money"),
    _q("budget", "money", 1e9),
    _q("budget_month", "money", 1e9),
    _q("kwh_price", "money/kwh", 1e3, zero=True),
    _q("power_cost", "money"),
    _q("power_cost_hour", "money/hour"),
    _q("saved_per_hour", "money/hour"),
    _q("break_even_hours", "hour"),
    _q("break_even_days", "day"),
    _q("hours_a_day_to_break_even", "hour/day"),
    _q("share_to_break_even", "share"),
    _q("buy_total", "money"),
    _q("buy_saves", "money"),
    _q("buy_pays", "yes"),
    _q("hours_affordable", "hour"),
    _q("hours_a_day_affordable", "hour/day"),
    _q("plan_hours", "hour/month"),
    _q("plan_hours_day", "hour/day"),
    _q("highest_hourly", "money/hour"),
    _q("cards_affordable", "card"),
    _q("work_cost", "money"),
    _q("budget_enough", "yes"),
    _q("budget_left", "money"),
    # use
    _q("hours_total", "hour", 1e7),
    _q("hours_day", "hour/day", 24.0),
    _q("hours_week", "hour/week", 168.0),
    _q("hours_month", "hour/month", 744.0),
    _q("days", "day", 1e5),
    _q("days_week", "day/week", 7.0),
    _q("weeks", "week", 1e4),
    _q("span_days", "day", 1e5),
    _q("utilization", "share", 1.0, zero=True),
    _q("card_hours", "hour"),
    # how many
    _q("cards", "card", 1e6, 1.0),
    _q("machines", "machine", 1e5, 1.0),
    _q("runs", "run", 1e5, 1.0),
    _q("sound_hours", "hour", 1e8),
    _q("requests_total", "request", 1e12),
    _q("tokens_in", "token", 1e7),
    _q("tokens_out", "token", 1e7),
    _q("cards_a_run", "card", 1e5, 1.0),
    _q("run_hours", "hour", 1e7),
    _q("runs_behind", "run"),
    _q("cards_for_runs", "card"),
    # work
    _q("one_card_hours", "hour", 1e9),
    _q("measured_hours", "hour", 1e8),
    _q("items", "item"),
    _q("items_per_s", "item/s"),
    _q("epochs", "round", 1e7, 1.0),
    _q("epoch_hours", "hour", 1e6),
    _q("step_s", "second", 1e6),
    _q("steps", "step"),
    _q("deadline_hours", "hour", 1e6),
    _q("efficiency", "share", 1.0, 1.0),
    _q("speedup", "times", 1e5),
    _q("cards_needed", "card"),
    _q("hours_on_n", "hour"),
    _q("tokens_total", "token"),
    _q("tokens_per_s", "token/s"),
    # power
    _q("wall_w", "W", 1e7),
    _q("card_w", "W", 2e4),
    _q("card_limit_w", "W", 2e4),
    _q("cpu_w", "W", 1e4, 0.0, zero=True),
    _q("rest_w", "W", 1e5, 0.0, zero=True),
    _q("load_w", "W"),
    _q("full_load_w", "W"),
    _q("psu_w", "W", 1e5),
    _q("psus", "psu", 64.0, 1.0),
    _q("psu_share", "share", 1.0, 1.0),
    _q("supply_w", "W"),
    _q("supply_left_w", "W"),
    _q("psu_enough", "yes"),
    _q("volts", "V", 1e3),
    _q("amps", "A", 1e3),
    _q("outlet_share", "share", 1.0, 1.0),
    _q("outlet_w", "W"),
    _q("outlet_enough", "yes"),
    _q("kwh", "kWh"),
    _q("kwh_metered", "kWh"),
    _q("pue", "", 5.0, 1.0),
    _q("kg_per_kwh", "kg/kWh", 5.0, zero=True),
    _q("kg", "kg"),
    # memory
    _q("card_gb", "GB", 1e4),
    _q("need_gb", "GB", 1e6),
    _q("peak_gb", "GB", 1e6),
    _q("total_gb", "GB", 1e6),
    _q("split", ""),
    _q("fixed_gb", "GB", 1e6, 0.0, zero=True),
    _q("weights_gb", "GB", 1e7),
    _q("weights_gib", "GiB", 1e7),
    _q("weights_read_gb", "GB", 1e7),
    _q("params", "parameter", 1e15),
    _q("active_params", "parameter", 1e15),
    _q("bits", "bit", 64.0),
    _q("bytes_per_param", "byte", 64.0),
    _q("state_gb", "GB"),
    _q("fits", "yes"),
    _q("layers", "layer", 1e4),
    _q("kv_heads", "head", 1e4),
    _q("head_dim", "", 1e5),
    _q("kv_bytes", "byte", 8.0),
    _q("kv_token_kib", "KiB/token", 1e7),
    _q("kv_room_gib", "GiB", 1e6),
    _q("kv_gib", "GiB"),
    _q("tokens", "token", 1e12),
    _q("requests", "request", 1e9, 1.0),
    _q("longest_tokens", "token"),
    _q("most_requests", "request"),
    _q("bandwidth_gb_s", "GB/s", 1e7),
    _q("other_bandwidth_gb_s", "GB/s", 1e7),
    _q("bandwidth_ratio", "times"),
    _q("decode_tokens_s", "token/s"),
    # disk, RAM, cores
    _q("item_mb", "MB", 1e9),
    _q("batch", "item", 1e9),
    _q("pass_hours", "hour", 1e6),
    _q("disk_mb_s", "MB/s", 1e7),
    _q("disk_need_mb_s", "MB/s"),
    _q("disk_items_s", "item/s"),
    _q("disk_enough", "yes"),
    _q("read_hours", "hour"),
    _q("dataset_gb", "GB", 1e9),
    _q("data_gb", "GB", 1e9),
    _q("ram_gb", "GB", 1e7),
    _q("other_gb", "GB", 1e7, 0.0, zero=True),
    _q("ram_used_gb", "GB"),
    _q("ram_enough", "yes"),
    _q("ram_to_add_gb", "GB"),
    _q("cores", "core", 1e6),
    _q("cores_per_card", "core", 1e5),
    _q("ram_per_card_gb", "GB", 1e6),
    _q("workers", "process", 1e6),
    _q("worker_gb", "GB", 1e5),
    _q("cards_fed", "card"),
    _q("cards_for_workers", "card"),
    _q("host_cards", "card", 1e5),
    _q("host_cores", "core", 1e6),
    _q("host_ram_gb", "GB", 1e7),
    _q("share_cores", "core"),
    _q("share_ram_gb", "GB"),
    # numbers, links
    _q("loss_scale", "", 1e30),
    _q("gradient", "", 1e30),
    _q("magnitude", "", 1e30),
    _q("exponent", "", 8.0),
    _q("scaled", ""),
    _q("squared", ""),
    _q("in_fp16", "yes"),
    _q("in_bf16", "yes"),
    _q("fewest_zeros", "", 4.0, zero=True),
    _q("sparse", "yes"),
    _q("pcie_generation", "", 7.0),
    _q("lanes", "lane", 64.0),
    _q("link_gb_s", "GB/s", 1e6),
    _q("transfer_s", "second"),
    _q("exchange_gb", "GB", 1e6),
    _q("exchange_share", "share"),
    _q("nvlink_needed", "yes"),
    _q("micro_batch", "item", 1e7),
    _q("accumulation", "step", 1e6, 1.0),
    _q("global_batch", "item"),
)
