"""What the sentences of sums of money of a kind of their own tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

OF_DEALS: Final[Mapping[str, tuple[str, ...]]] = {
    "use_share": ("use_share", "shared_bill",),
    "spot_pays": ("spot_hour", "on_demand_price",),
    "spot_bill": ("spot_bill", "spot_hour",),
    "cover_pays": ("expected_loss", "cover_price",),
    "added_kwh": ("added_kwh", "added_w",),
    "saving_pays": ("saving_months",),
    "bonus_off": ("bonus_tenths", "bonus_off",),
    "paid_more_share": ("paid_more_share", "paid_more",),
    "month_fits": ("month_cost", "budget_month",),
    "dear_pays": ("dear_job", "cheap_hourly", "dear_hourly",),
    "spread_more": ("spread_more", "hours_on_n",),
    "credit_hours": ("credit_hours", "credit_worth",),
    "second_cheaper": ("offer_cost_2", "offer_cost_1",),
    "second_more": ("runs_second", "runs_first",),
    "best_gb_price": ("best_gb", "best_gb_price",),
    "dearest_hour": ("dearest_at", "dearest_bill", "dearest_hour",),
    "wait_pays": ("price_drop", "meanwhile_rent",),
    "pack_dearer": ("pack_gap", "pack_by_hour", "pack_price",),
    "bonus_wins": ("bonus_hour", "plain_hourly",),
    "risen_bill": ("risen_bill", "risen_year",),
    "rate_rise": ("rate_rise", "rate_rise_cost",),
    "spot_job": ("spot_job", "spot_hours", "demand_job",),
    "spot_job_saves": ("spot_job_saves", "spot_job", "spot_hours", "demand_job",),
    "speedup_limit": ("speedup_limit", "speedup",),
    "save_part": ("save_part", "save_pause", "save_day",),
    "fit_more": ("fit_more", "fit_count_then", "fit_count",),
    "two_offers": ("two_offers", "offer_bill_1", "offer_bill_2",),
    "reserve_share": ("reserve_share", "reserve_hours",),
    "busy_idle_cost": ("busy_idle_cost", "busy_idle_kwh",),
    "import_cheaper": ("import_total", "home_price",),
}  # fmt: skip
"""Of the others only the value itself."""
TURNED: Final = frozenset(
    {
        "rent_ahead",
        "lease_more",
        "site_saves",
        "spot_saving",
        "deposit_back",
        "rate_rise",
        "let_profit",
        "spot_job_saves",
        "resale_loss",
        "two_offers",
    }
)
"""Differences that are told without their sign, in a sentence for either."""
FREE: Final = frozenset({"over_cost", "over_bill"})
"""What costs nothing within a free part."""
