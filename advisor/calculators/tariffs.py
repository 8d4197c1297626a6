"""Sums of prices with rules of their own: tiers, free parts, taxes, interruptions, instalments, clocks, two bills compared.

Money in one currency, time in hours, power in watts, energy in kWh, data in GB, shares from 0 to 1; a month has 30.42 days.
Each line gives one unknown; where nothing comes of the values (payments that leave nothing, more parts than the whole) it raises ValueError.
"""

from __future__ import annotations

from typing import Final

from advisor.calculators.deals import ladder
from advisor.calculators.entry import Entry
from advisor.periods import DAYS_A_MONTH, HOURS_A_DAY

_WATTS: Final = 1000.0
_MILLION: Final = 1e6
_MONTH_HOURS: Final = HOURS_A_DAY * DAYS_A_MONTH


def two_tiers(first: float, price: float, beyond: float, used: float, fee: float, tax: float) -> float:
    """Money for `used` units: `price` for each of the `first` ones, `beyond` for each after; a fee once, a tax on all."""
    return (ladder(used, (first,), (price, beyond)) + fee) * (1.0 + tax)


def what_is_left(*parts: float) -> float:
    """The share beside some shares of a whole; ValueError where they are more than all of it."""
    left = 1.0 - sum(parts)
    if left < 0:
        raise ValueError("parts of a whole are more than it")
    return left


def both_watts(busy: float, idle: float, hours: float, days: float) -> float:
    """kWh of a machine that is busy so many hours a day and idle for the rest of it."""
    return (busy * hours + idle * (HOURS_A_DAY - hours)) / _WATTS * days


def by_the_clock(night: float, day: float, hours: float, days: float) -> float:
    """Prices of every hour of some days, `hours` of each at the price of the night."""
    return (night * hours + day * (HOURS_A_DAY - hours)) * days


def instalment(price: float, times: float, down: float, share: float, fee: float, fee_share: float) -> float:
    """One of equal payments for what is left of a price after a sum or a share of it is paid, fees of financing added."""
    left = price * (1.0 - share + fee_share) - down + fee
    if left <= 0:
        raise ValueError("nothing is left to be paid")
    return left / times


TABLE: Final[tuple[Entry, ...]] = (
    # tiers and free parts
    ("step_price_2", ("step_price_1", "step_off"), "{step_price_1} × (1 − {step_off})", lambda a, b: a * (1.0 - b)),
    ("ladder_bill", ("step_hours_1", "step_price_1", "step_price_2", "used_hours"),
     "({setup_fee} + ({used_hours}; {step_hours_1}: {step_price_1}; {step_price_2})) × (1 + {added_tax})", two_tiers, ("setup_fee", "added_tax")),
    ("ladder_bill", ("step_gb_1", "step_gb_price_1", "step_gb_price_2", "tier_gb_used"),
     "({setup_fee} + ({tier_gb_used}; {step_gb_1}: {step_gb_price_1}; {step_gb_price_2})) × (1 + {added_tax})", two_tiers, ("setup_fee", "added_tax")),
    ("ladder_bill", ("step_tokens_1", "step_token_price_1", "step_token_price_2", "used_tokens"),
     "({setup_fee} + ({used_tokens}; {step_tokens_1}: {step_token_price_1}; {step_token_price_2})) × (1 + {added_tax})",
     lambda a, p, q, n, fee, tax: two_tiers(a / _MILLION, p, q, n / _MILLION, fee, tax), ("setup_fee", "added_tax")),
    ("over_bill", ("free_tokens", "token_price", "used_tokens"), "({used_tokens} − {free_tokens}) × {token_price}",
     lambda f, p, n: max(0.0, n - f) / _MILLION * p),
    # discounts and taxes
    ("cut_total", ("cut_1", "cut_2"), "1 − (1 − {cut_1}) × (1 − {cut_2}) × (1 − {cut_3})", lambda a, b, c: 1.0 - (1.0 - a) * (1.0 - b) * (1.0 - c), ("cut_3",)),
    ("cut_total", ("cut_1", "cut_count"), "1 − (1 − {cut_1})^{cut_count}", lambda a, n: 1.0 - (1.0 - a) ** n),
    ("gross_total", ("net_each", "tax_rate"), "{pieces_bought} × {net_each} × (1 + {tax_rate})", lambda a, t, n: n * a * (1.0 + t), ("pieces_bought",)),
    ("tax_in_gross", ("purchase", "tax_rate"), "{purchase} − {purchase} ÷ (1 + {tax_rate})", lambda a, t: a - a / (1.0 + t)),
    # interruptible against on demand
    ("spot_hours", ("work_hours", "longer_share"), "{work_hours} × (1 + {longer_share})", lambda a, b: a * (1.0 + b)),
    ("spot_hours", ("work_hours", "stops", "lost_h"), "{work_hours} + {stops} × {lost_h}", lambda a, n, b: a + n * b),
    ("spot_job", ("spot_price", "spot_hours"), "{cards} × {spot_price} × {spot_hours}", lambda p, h, n: n * p * h, ("cards",)),
    ("demand_job", ("on_demand_price", "work_hours"), "{cards} × {on_demand_price} × {work_hours}", lambda p, h, n: n * p * h, ("cards",)),
    ("spot_job_saves", ("demand_job", "spot_job"), "{demand_job} − {spot_job}", lambda a, b: a - b),
    ("reserve_share", ("reserve_off",), "1 − {reserve_off}", lambda a: 1.0 - a),
    ("reserve_share", ("reserve_price", "on_demand_price"), "{reserve_price} ÷ {on_demand_price}", lambda a, b: a / b),
    ("reserve_share", ("reserve_month", "on_demand_price"), "{reserve_month} ÷ ({on_demand_price} × 730 h)", lambda a, b: a / (b * _MONTH_HOURS)),
    ("reserve_hours", ("reserve_month", "on_demand_price"), "{reserve_month} ÷ {on_demand_price} ÷ 30.42", lambda a, b: a / b / DAYS_A_MONTH),
    ("offer_bill_1", ("offer_hourly_1", "offer_gb_price_1", "hours_total", "moved_gb"), "{offer_hourly_1} × {hours_total} + {offer_gb_price_1} × {moved_gb}",
     lambda a, p, h, g: a * h + p * g),
    ("offer_bill_2", ("offer_hourly_2", "offer_gb_price_2", "hours_total", "moved_gb"), "{offer_hourly_2} × {hours_total} + {offer_gb_price_2} × {moved_gb}",
     lambda a, p, h, g: a * h + p * g),
    ("two_offers", ("offer_bill_1", "offer_bill_2"), "{offer_bill_1} − {offer_bill_2}", lambda a, b: a - b),
    # instalments, flat prices
    ("each_part", ("purchase", "times_paid"),
     "({purchase} × (1 − {down_share} + {financing_share}) − {first_paid} + {financing_fee}) ÷ {times_paid}", instalment,
     ("first_paid", "down_share", "financing_fee", "financing_share")),
    ("flat_hour", ("flat_month", "used_hours"), "{flat_month} ÷ {used_hours}", lambda a, b: a / b),
    # what a change saves
    ("pue_saves", ("pue_before", "pue_after", "load_w", "hours_total", "kwh_price"), "({pue_before} − {pue_after}) × {load_w} × {hours_total} × {kwh_price}",
     lambda a, b, w, h, p: (a - b) * w / _WATTS * h * p),
    ("watts_save", ("watts_before", "watts_after", "hours_total", "kwh_price"), "{cards} × ({watts_before} − {watts_after}) × {hours_total} × {kwh_price}",
     lambda a, b, h, p, n: n * (a - b) / _WATTS * h * p, ("cards",)),
    ("price_saves", ("hourly_before", "hourly_after", "hours_total"), "{cards} × ({hourly_before} − {hourly_after}) × {hours_total}",
     lambda a, b, h, n: n * (a - b) * h, ("cards",)),
    # day and night, busy and idle
    ("clock_power", ("load_w", "night_price", "peak_price", "night_hours", "days"),
     "{cards} × {load_w} × ({night_price} × {night_hours} + {peak_price} × (24 − {night_hours})) × {days}",
     lambda w, p, q, h, d, n: n * w / _WATTS * by_the_clock(p, q, h, d), ("cards",)),
    ("clock_power", ("load_w", "night_price", "peak_price", "night_hours", "busy_hours", "days"),
     "{cards} × {load_w} × ({night_price} × {night_hours} + {peak_price} × {busy_hours}) × {days}",
     lambda w, p, q, h, b, d, n: n * w / _WATTS * (p * h + q * b) * d, ("cards",)),
    ("clock_bill", ("quiet_price", "busy_price", "night_hours", "days"), "{cards} × ({quiet_price} × {night_hours} + {busy_price} × (24 − {night_hours})) × {days}",
     lambda p, q, h, d, n: n * by_the_clock(p, q, h, d), ("cards",)),
    ("clock_bill", ("busy_price", "night_off", "night_hours", "days"), "{cards} × {busy_price} × (24 − {night_hours} × {night_off}) × {days}",
     lambda q, off, h, d, n: n * by_the_clock(q * (1.0 - off), q, h, d), ("cards",)),
    ("busy_idle_kwh", ("busy_w", "idle_w", "busy_hours", "days"), "{cards} × ({busy_w} × {busy_hours} + {idle_w} × (24 − {busy_hours})) × {days}",
     lambda b, i, h, d, n: n * both_watts(b, i, h, d), ("cards",)),
    ("busy_idle_kwh", ("busy_w", "idle_w", "busy_part", "days"), "{cards} × ({busy_w} × {busy_part} + {idle_w} × (1 − {busy_part})) × 24 h × {days}",
     lambda b, i, s, d, n: n * both_watts(b, i, HOURS_A_DAY * s, d), ("cards",)),
    ("busy_idle_cost", ("busy_idle_kwh", "kwh_price"), "{busy_idle_kwh} × {kwh_price}", lambda a, b: a * b),
    # parts of a bill
    ("use_share", ("shared_bill", "own_use", "all_use"), "{shared_bill} × {own_use} ÷ {all_use}", lambda a, b, c: a * b / c),
    ("rest_percent", ("part_1", "part_2"), "1 − {part_1} − {part_2} − {part_3} − {part_4}", what_is_left, ("part_3", "part_4")),
    ("rest_of_bill", ("shared_bill", "part_1", "part_2"), "{shared_bill} × (1 − {part_1} − {part_2} − {part_3} − {part_4})",
     lambda a, *parts: a * what_is_left(*parts), ("part_3", "part_4")),
    ("resale_loss", ("purchase", "sale_price"), "{purchase} − ({sale_price} × (1 − {fee_taken}) − {shipping})", lambda a, b, f, s: a - (b * (1.0 - f) - s), ("fee_taken", "shipping")),
    ("move_months", ("move_cost", "monthly_before", "monthly_after"), "{move_cost} ÷ ({monthly_before} − {monthly_after})", lambda a, b, c: a / (b - c)),
)  # fmt: skip
