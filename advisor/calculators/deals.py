"""Sums of money of a kind of their own: ladders, commissions, warranties, deposits, interruptions, worth that falls.

Money in one currency, time in hours unless the name says otherwise, power in watts, energy in kWh, shares from 0 to 1.
Each line gives one unknown; where nothing comes of the values (an interruption that loses more than there is) it raises ValueError.
"""

from __future__ import annotations

from math import ceil, floor
from typing import Final

from advisor.calculators.entry import Entry
from advisor.periods import DAYS_A_MONTH, HOURS_A_DAY

_WATTS: Final = 1000.0
_MINUTES: Final = 60.0
_ROUNDING: Final = 1e-9
_LONGEST: Final = 36.0
"""Months after which a card is seldom kept: what pays itself back later does not."""


def paid_by_use(total: float, own: float, first: float, second: float, third: float, void: float) -> float:
    """The part of a bill for one's own hours; `void` hours of the others do not count."""
    others = first + second + third - void
    if others < 0:
        raise ValueError("more hours left out than there are")
    return total * own / (own + others)


def useful_hour(price: float, between: float, lost: float) -> float:
    """Price of an hour that counts, where every `between` hours `lost` of them are lost."""
    if lost >= between:
        raise ValueError("nothing is ever finished")
    return price * between / (between - lost)


def redone(cost: float, runs: float, failing: float, lost: float) -> float:
    """Money for so many good runs where a share fails after a share of its cost and is done again until it ends."""
    if failing >= 1:
        raise ValueError("no run ever ends")
    return cost * runs * (1.0 + failing / (1.0 - failing) * lost)


def ladder(amount: float, widths: tuple[float, ...], prices: tuple[float, ...]) -> float:
    """Money for an amount whose parts have prices of their own, the last price for all that is left."""
    paid, left = 0.0, amount
    for width, price in zip(widths, prices, strict=False):
        part = min(left, width)
        paid, left = paid + part * price, left - part
    return paid + left * prices[-1]


def ladder_up_to(amount: float, tops: tuple[float, ...], prices: tuple[float, ...]) -> float:
    """The same with the amounts up to which each price holds."""
    if list(tops) != sorted(tops):
        raise ValueError("steps of a ladder rise")
    bottoms = (0.0, *tops)
    widths = tuple(top - bottom for bottom, top in zip(bottoms, tops, strict=False))
    return ladder(amount, widths, prices)


def falling(first: float, share: float, times: float) -> float:
    """The sum of so many payments, each by a share smaller than the one before; a negative share lets them rise."""
    count = int(times + _ROUNDING)
    return sum(first * (1.0 - share) ** at for at in range(count))


def best_of(prices: tuple[float, ...], sizes: tuple[float, ...]) -> tuple[float, float]:
    """The lowest price for a unit of size, and the size that has it; sizes of 0 are none."""
    return min((price / size, size) for price, size in zip(prices, sizes, strict=True) if size > 0)


def dearest_of(bills: tuple[float, ...], hours: tuple[float, ...]) -> tuple[float, float]:
    """The highest price of an hour, and which it is, from 1; hours of 0 are none."""
    return max((bill / time, at + 1.0) for at, (bill, time) in enumerate(zip(bills, hours, strict=True)) if time > 0)


def after_coupon(items: tuple[float, ...], least: float, off: float, back: float) -> float:
    """What is paid for some things with a coupon from some amount on and a share that is paid back."""
    total = sum(items)
    return (total - (off if total >= least else 0.0)) * (1.0 - back)


def loan_payment(loan: float, rate: float, months: float) -> float:
    """Equal payments at the end of each month for a loan at a yearly rate."""
    month = rate / 12.0
    left: float = (1.0 + month) ** -months
    return loan * month / (1.0 - left)


def billed_up(minutes: float, unit: float) -> float:
    """Hours that are paid for where a started unit counts whole; both in hours."""
    return ceil(minutes / unit - _ROUNDING) * unit


TABLE: Final[tuple[Entry, ...]] = (
    # who pays what of a bill
    ("use_share", ("shared_bill", "own_use", "use_1"), "{shared_bill} × {own_use} ÷ ({own_use} + {use_1} + {use_2} + {use_3} − {void_use})",
     paid_by_use, ("use_2", "use_3", "void_use")),
    ("rest_share", ("shared_bill", "paid_share", "people"), "{shared_bill} × (1 − {paid_share}) ÷ {people}", lambda a, b, c: a * (1.0 - b) / c),
    ("rest_share", ("shared_bill", "paid_part", "people"), "({shared_bill} − {paid_part}) ÷ {people}", lambda a, b, c: (a - b) / c),
    ("own_due", ("shared_bill", "own_outlay", "paid_share", "people"),
     "({shared_bill} + {own_outlay}) × (1 − {paid_share}) ÷ {people} − {own_outlay}", lambda a, b, c, d: (a + b) * (1.0 - c) / d - b),
    ("own_due", ("shared_bill", "own_outlay", "people"), "({shared_bill} + {own_outlay}) ÷ {people} − {own_outlay}", lambda a, b, c: (a + b) / c - b),
    ("payers_share", ("shared_bill", "people", "people_out"), "{shared_bill} ÷ ({people} − {people_out})", lambda a, b, c: a / (b - c)),
    ("joiner_share", ("power_month", "joined_months", "people", "people_more"), "{power_month} × {joined_months} ÷ ({people} + {people_more})",
     lambda a, b, c, d: a * b / (c + d)),
    # interruptions, failures, warranties
    ("spot_hour", ("spot_price", "interval_h", "lost_h"), "{spot_price} × {interval_h} ÷ ({interval_h} − {lost_h})", useful_hour),
    ("spot_hour", ("spot_price", "stops_day", "lost_h"), "{spot_price} × 24 ÷ (24 − {stops_day} × {lost_h})", lambda a, b, c: useful_hour(a, 24.0, b * c)),
    ("spot_pays", ("spot_hour", "on_demand_price"), "{spot_hour} < {on_demand_price}", lambda a, b: float(a < b)),
    ("spot_bill", ("spot_hour", "work_hours"), "{spot_hour} × {work_hours}", lambda a, b: a * b),
    ("redo_budget", ("run_cost", "runs_wanted", "failing_share"), "{run_cost} × {runs_wanted} × (1 + {failing_share} ÷ (1 − {failing_share}) × {lost_share})",
     redone, ("lost_share",)),
    ("guard_months", ("guard_price", "fails_month", "lost_h", "hour_worth"), "{guard_price} ÷ ({fails_month} × {lost_h} × {hour_worth})",
     lambda a, b, c, d: a / (b * c * d)),
    ("guard_months", ("guard_price", "fails_year", "lost_h", "hour_worth"), "{guard_price} ÷ ({fails_year} ÷ 12 × {lost_h} × {hour_worth})",
     lambda a, b, c, d: a / (b / 12.0 * c * d)),
    ("expected_loss", ("loss_cost", "failing_share"), "{loss_cost} × {failing_share}", lambda a, b: a * b),
    ("cover_pays", ("cover_price", "expected_loss"), "{expected_loss} > {cover_price}", lambda a, b: float(b > a)),
    ("cover_chance", ("cover_price", "loss_cost"), "{cover_price} ÷ {loss_cost}", lambda a, b: a / b),
    # tariffs
    ("ladder_more", ("tier_top_1", "tier_top_2", "tier_price_1", "tier_price_2", "tier_price_3", "usual_kwh", "more_kwh"),
     "({usual_kwh} + {more_kwh}; {tier_top_1}: {tier_price_1}; {tier_top_2}: {tier_price_2}; {tier_price_3})",
     lambda a, b, p, q, r, base, more: ladder_up_to(base + more, (a, b), (p, q, r)) - ladder_up_to(base, (a, b), (p, q, r))),
    ("ladder_more", ("tier_top_1", "tier_price_1", "tier_price_2", "usual_kwh", "more_kwh"),
     "({usual_kwh} + {more_kwh}; {tier_top_1}: {tier_price_1}; {tier_price_2})",
     lambda a, p, q, base, more: ladder_up_to(base + more, (a,), (p, q)) - ladder_up_to(base, (a,), (p, q))),
    ("ladder_power", ("tier_top_1", "tier_top_2", "tier_price_1", "tier_price_2", "tier_price_3", "used_kwh"),
     "({used_kwh}; {tier_top_1}: {tier_price_1}; {tier_top_2}: {tier_price_2}; {tier_price_3})", lambda a, b, p, q, r, n: ladder_up_to(n, (a, b), (p, q, r))),
    ("ladder_power", ("tier_top_1", "tier_price_1", "tier_price_2", "used_kwh"), "({used_kwh}; {tier_top_1}: {tier_price_1}; {tier_price_2})",
     lambda a, p, q, n: ladder_up_to(n, (a,), (p, q))),
    ("ladder_bill", ("step_hours_1", "step_hours_2", "step_price_1", "step_price_2", "step_price_3", "used_hours"),
     "({used_hours}; {step_hours_1}: {step_price_1}; {step_hours_2}: {step_price_2}; {step_price_3})", lambda a, b, p, q, r, n: ladder(n, (a, b), (p, q, r))),
    ("shift_saves", ("peak_price", "night_price", "load_w", "hours_day", "days"), "({peak_price} − {night_price}) × {load_w} × {hours_day} × {days}",
     lambda p, q, w, h, d: (p - q) * w / _WATTS * h * d),
    ("limit_saves", ("watts_before", "watts_after", "time_before", "time_after", "kwh_price"),
     "({watts_before} × {time_before} − {watts_after} × {time_after}) × {kwh_price}", lambda a, b, s, t, p: (a * s - b * t) / _WATTS * p),
    ("sleep_saves", ("power_cost", "wall_w", "sleep_w"), "{power_cost} × (1 − {sleep_w} ÷ {wall_w})", lambda a, b, c: a * (1.0 - c / b)),
    ("average_w", ("power_bill", "kwh_price", "hours_day", "days"), "{power_bill} ÷ {kwh_price} ÷ ({hours_day} × {days})",
     lambda a, p, h, d: a / p / (h * d) * _WATTS),
    ("added_kwh", ("bill_before", "bill_after", "kwh_price"), "({bill_after} − {bill_before}) ÷ {kwh_price}", lambda a, b, p: (b - a) / p),
    ("added_w", ("added_kwh", "days"), "{added_kwh} ÷ ({days} × 24 h)", lambda a, d: a / (d * HOURS_A_DAY) * _WATTS),
    ("solar_cost", ("load_w", "hours_day", "solar_kwh", "feed_price", "kwh_price"),
     "{solar_kwh} × {feed_price} + ({load_w} × {hours_day} − {solar_kwh}) × {kwh_price}",
     lambda w, h, s, f, p: min(s, w * h / _WATTS) * f + max(0.0, w * h / _WATTS - s) * p),
    # a card of one's own
    ("own_hour", ("net_price", "power_total", "hours_total"), "({net_price} + {power_total}) ÷ {hours_total}", lambda a, b, c: (a + b) / c),
    ("rent_ahead", ("rent_card_hour", "own_hour", "hours_total"), "({rent_card_hour} − {own_hour}) × {hours_total}", lambda a, b, c: (a - b) * c),
    ("fair_price", ("saved_per_hour", "hours_total"), "{saved_per_hour} × {hours_total} + {resale}", lambda a, b, c: a * b + c, ("resale",)),
    ("written_off", ("purchase", "kept_years", "rest_share_kept"), "{purchase} × (1 − {rest_share_kept}) ÷ ({kept_years} × 12)", lambda a, b, c: a * (1.0 - c) / b / 12.0),
    ("written_off", ("purchase", "kept_years"), "({purchase} − {rest_worth}) ÷ ({kept_years} × 12)", lambda a, b, c: (a - c) / b / 12.0, ("rest_worth",)),
    ("book_value", ("purchase", "written_off", "used_months"), "{purchase} − {written_off} × {used_months}", lambda a, b, c: a - b * c),
    ("kept_of_sale", ("sale_price", "fee_share"), "{sale_price} × (1 − {fee_share}) − {shipping}", lambda a, b, c: a * (1.0 - b) - c, ("shipping",)),
    ("ask_price", ("keep_wanted", "fee_share"), "({keep_wanted} + {shipping}) ÷ (1 − {fee_share})", lambda a, b, c: (a + c) / (1.0 - b), ("shipping",)),
    ("saving_months", ("purchase", "resale", "saved_month"), "({purchase} − {resale}) ÷ {saved_month}", lambda a, b, c: (a - b) / c),
    ("saving_months", ("purchase", "saved_month"), "{purchase} ÷ {saved_month}", lambda a, b: a / b),
    ("saving_pays", ("saving_months",), "{saving_months} ≤ 36", lambda a: float(a <= _LONGEST)),
    # letting a card
    ("let_hour", ("let_price", "fee_share"), "{let_price} × (1 − {fee_share})", lambda a, b: a * (1.0 - b)),
    ("let_hour", ("let_price", "fee_share", "power_cost_hour"), "{let_price} × (1 − {fee_share}) − {power_cost_hour}", lambda a, b, c: a * (1.0 - b) - c),
    ("let_income", ("let_hour", "let_share", "days"), "{let_hour} × {let_share} × {days} × 24 h", lambda a, b, c: a * b * c * HOURS_A_DAY),
    ("let_income", ("let_hour", "hours_day", "days"), "{let_hour} × {hours_day} × {days}", lambda a, b, c: a * b * c),
    ("let_days", ("purchase", "let_hour", "let_share"), "{purchase} ÷ ({let_hour} × {let_share} × 24 h)", lambda a, b, c: a / (b * c * HOURS_A_DAY)),
    ("let_days", ("purchase", "let_hour", "hours_day"), "{purchase} ÷ ({let_hour} × {hours_day})", lambda a, b, c: a / (b * c)),
    # ways to rent
    ("rounded_more", ("run_minutes", "rent_card_hour", "runs_day", "days"), "{rent_card_hour} × ({billed_unit} − {run_minutes}) × {runs_day} × {days}",
     lambda m, r, n, d, unit: r * (billed_up(m, unit) - m) * n * d, ("billed_unit",)),
    ("early_return", ("rent_month", "months"), "{rent_month} × ({months} + {penalty_months})", lambda a, b, c: a * (b + c), ("penalty_months",)),
    ("early_return", ("rent_month", "months", "penalty"), "{rent_month} × {months} + {penalty}", lambda a, b, c: a * b + c),
    ("pack_hours", ("pack_price", "rent_card_hour"), "{pack_price} ÷ {rent_card_hour}", lambda a, b: a / b),
    ("reserve_hours", ("reserve_off",), "24 h × (1 − {reserve_off})", lambda a: HOURS_A_DAY * (1.0 - a)),
    ("reserve_hours", ("reserve_price", "on_demand_price"), "24 h × {reserve_price} ÷ {on_demand_price}", lambda a, b: HOURS_A_DAY * a / b),
    ("bonus_off", ("paid_in", "bonus"), "1 − {paid_in} ÷ ({paid_in} + {bonus})", lambda a, b: 1.0 - a / (a + b)),
    ("bonus_tenths", ("bonus_off",), "10 × (1 − {bonus_off})", lambda a: 10.0 * (1.0 - a)),
    ("cut_hour", ("rent_card_hour", "cut_1", "cut_2"), "{rent_card_hour} × (1 − {cut_1}) × (1 − {cut_2}) × (1 − {cut_3})",
     lambda a, b, c, d: a * (1.0 - b) * (1.0 - c) * (1.0 - d), ("cut_3",)),
    ("cut_price", ("purchase", "cut_1", "cut_2"), "{purchase} × (1 − {cut_1}) × (1 − {cut_2}) × (1 − {cut_3})",
     lambda a, b, c, d: a * (1.0 - b) * (1.0 - c) * (1.0 - d), ("cut_3",)),
    ("falling_total", ("rent_card_hour", "hours_month", "months", "fall_share"), "{rent_card_hour} × {hours_month} × (1 − (1 − {fall_share})^{months}) ÷ {fall_share}",
     lambda a, h, n, f: falling(a * h, f, n)),
    ("rising_total", ("rent_card_hour", "hours_month", "months", "rise_share"), "{rent_card_hour} × {hours_month} × ((1 + {rise_share})^{months} − 1) ÷ {rise_share}",
     lambda a, h, n, f: falling(a * h, -f, n)),
    ("risen_price", ("purchase", "rise_share", "rise_times"), "{purchase} × (1 + {rise_share})^{rise_times}", lambda a, b, c: a * (1.0 + b) ** c),
    ("fallen_price", ("purchase", "fall_share", "rise_times"), "{purchase} × (1 − {fall_share})^{rise_times}", lambda a, b, c: a * (1.0 - b) ** c),
    ("lease_more", ("rent_month", "months", "cash_price"), "{rent_month} × {months} + {last_payment} − {cash_price}", lambda a, b, c, d: a * b + d - c, ("last_payment",)),
    ("paid_more_share", ("paid_more", "purchase"), "{paid_more} ÷ {purchase}", lambda a, b: a / b),
    ("month_fits", ("month_cost", "budget_month"), "{month_cost} ≤ {budget_month}", lambda a, b: float(a <= b)),
    ("month_cost", ("purchase", "times_paid"), "{purchase} ÷ {times_paid}", lambda a, b: a / b),
    ("month_cost", ("purchase", "times_paid", "power_month"), "{purchase} ÷ {times_paid} + {power_month}", lambda a, b, c: a / b + c),
    ("landed_price", ("purchase", "tax_rate", "bank_rate"), "{purchase} × (1 + {tax_rate}) × {bank_rate}", lambda a, b, c: a * (1.0 + b) * c),
    ("exchanged", ("purchase", "bank_rate"), "{purchase} × {bank_rate} × (1 + {bank_fee})", lambda a, b, c: a * b * (1.0 + c), ("bank_fee",)),
    ("coupon_price", ("item_1", "item_2", "coupon_least", "coupon_off"), "({item_1} + {item_2} + {item_3} + {item_4} + {item_5} − {coupon_off}) × (1 − {cashback})",
     lambda a, b, least, off, c, d, e, back: after_coupon((a, b, c, d, e), least, off, back), ("item_3", "item_4", "item_5", "cashback")),
    ("coupon_price", ("item_1", "coupon_least", "coupon_off"), "({item_1} − {coupon_off}) × (1 − {cashback})",
     lambda a, least, off, back: after_coupon((a,), least, off, back), ("cashback",)),
    ("own_part", ("purchase", "tax_rate", "paid_back"), "{purchase} × (1 + {tax_rate}) − {paid_back}", lambda a, b, c: max(0.0, a * (1.0 + b) - c)),
    ("off_saves", ("rent_card_hour", "off_hours", "days"), "{cards} × {rent_card_hour} × {off_hours} × {days}", lambda r, h, d, n: n * r * h * d, ("cards",)),
    ("on_off_bill", ("on_price", "off_price", "on_hours", "span_hours"), "{on_price} × {on_hours} + {off_price} × ({span_hours} − {on_hours})",
     lambda a, b, h, t: a * h + b * (t - h)),
    ("over_cost", ("free_gb", "over_price", "moved_gb"), "({moved_gb} × {moved_times} − {free_gb}) × {over_price}",
     lambda f, p, a, n: max(0.0, a * n - f) * p, ("moved_times",)),
    ("over_bill", ("free_hours", "rent_card_hour", "run_hours"), "({run_hours} × {runs} − {free_hours} × {free_weeks}) × {rent_card_hour}",
     lambda f, p, h, n, w: max(0.0, h * n - f * w) * p, ("runs", "free_weeks")),
    ("idle_paid", ("shared_bill", "rent_card_hour", "useful_hours"), "{shared_bill} − {rent_card_hour} × {useful_hours}", lambda a, b, c: a - b * c),
    ("grant_month", ("grant_total", "set_aside", "kept_years"), "{grant_total} × (1 − {set_aside}) ÷ ({kept_years} × 12)", lambda a, b, c: a * (1.0 - b) / c / 12.0),
    ("dear_job", ("dear_hourly", "speedup"), "{dear_hourly} ÷ {speedup}", lambda a, b: a / b),
    ("dear_pays", ("dear_job", "cheap_hourly"), "{dear_job} < {cheap_hourly}", lambda a, b: float(a < b)),
    ("even_speed", ("dear_hourly", "cheap_hourly"), "{dear_hourly} ÷ {cheap_hourly}", lambda a, b: max(a, b) / min(a, b)),
    ("spread_more", ("one_card_hours", "rent_card_hour", "efficiency"), "{one_card_hours} × {rent_card_hour} × (1 ÷ {efficiency} − 1)", lambda a, b, c: a * b * (1.0 / c - 1.0)),
    ("credit_hours", ("credits", "credits_hour"), "{credits} ÷ {credits_hour}", lambda a, b: a / b),
    ("credit_worth", ("credit_hours", "rent_card_hour"), "{credit_hours} × {rent_card_hour}", lambda a, b: a * b),
    ("site_saves", ("site_price", "item_cost", "items"), "({site_price} − {item_cost}) × {items}", lambda a, b, c: (a - b) * c),
    ("offer_cost_1", ("offer_hourly_1", "hours_month", "storage_price", "kept_gb"), "{offer_hourly_1} × {hours_month} + {storage_price} × {kept_gb}",
     lambda a, h, p, g: a * h + p * g),
    ("offer_cost_2", ("offer_hourly_2", "hours_month"), "{offer_hourly_2} × {hours_month}", lambda a, h: a * h),
    ("second_cheaper", ("offer_cost_1", "offer_cost_2"), "{offer_cost_2} < {offer_cost_1}", lambda a, b: float(b < a)),
    ("offer_even_hours", ("offer_hourly_1", "offer_hourly_2", "storage_price", "kept_gb"), "{storage_price} × {kept_gb} ÷ ({offer_hourly_2} − {offer_hourly_1})",
     lambda a, b, p, g: p * g / (b - a)),
    ("runs_first", ("budget", "hourly_1", "run_hours_1"), "{budget} ÷ ({hourly_1} × {run_hours_1})", lambda a, b, c: float(floor(a / (b * c) + _ROUNDING))),
    ("runs_second", ("budget", "hourly_2", "run_hours_2"), "{budget} ÷ ({hourly_2} × {run_hours_2})", lambda a, b, c: float(floor(a / (b * c) + _ROUNDING))),
    ("second_more", ("runs_first", "runs_second"), "{runs_second} > {runs_first}", lambda a, b: float(b > a)),
    ("best_gb_price", ("gb_1", "gb_2", "gb_price_1", "gb_price_2"), "min({gb_price_1} ÷ {gb_1}, {gb_price_2} ÷ {gb_2})",
     lambda a, b, p, q: best_of((p, q), (a, b))[0]),
    ("best_gb_price", ("gb_1", "gb_2", "gb_3", "gb_price_1", "gb_price_2", "gb_price_3"), "min({gb_price_1} ÷ {gb_1}, {gb_price_2} ÷ {gb_2}, {gb_price_3} ÷ {gb_3})",
     lambda a, b, c, p, q, r: best_of((p, q, r), (a, b, c))[0]),
    ("best_gb", ("gb_1", "gb_2", "gb_price_1", "gb_price_2"), "{gb_1}, {gb_2}", lambda a, b, p, q: best_of((p, q), (a, b))[1]),
    ("best_gb", ("gb_1", "gb_2", "gb_3", "gb_price_1", "gb_price_2", "gb_price_3"), "{gb_1}, {gb_2}, {gb_3}",
     lambda a, b, c, p, q, r: best_of((p, q, r), (a, b, c))[1]),
    ("mean_hour", ("bill_1", "bill_2", "hours_1", "hours_2"), "({bill_1} + {bill_2} + {bill_3}) ÷ ({hours_1} + {hours_2} + {hours_3})",
     lambda a, b, h, i, c, j: (a + b + c) / (h + i + j), ("bill_3", "hours_3")),
    ("dearest_hour", ("bill_1", "bill_2", "hours_1", "hours_2"), "max({bill_1} ÷ {hours_1}, {bill_2} ÷ {hours_2}, {bill_3} ÷ {hours_3})",
     lambda a, b, h, i, c, j: dearest_of((a, b, c), (h, i, j))[0], ("bill_3", "hours_3")),
    ("dearest_at", ("bill_1", "bill_2", "hours_1", "hours_2"), "max({bill_1} ÷ {hours_1}, {bill_2} ÷ {hours_2}, {bill_3} ÷ {hours_3})",
     lambda a, b, h, i, c, j: dearest_of((a, b, c), (h, i, j))[1], ("bill_3", "hours_3")),
    ("dearest_bill", ("bill_1", "bill_2", "hours_1", "hours_2"), "max({bill_1} ÷ {hours_1}, {bill_2} ÷ {hours_2}, {bill_3} ÷ {hours_3})",
     lambda a, b, h, i, c, j: (a, b, c)[int(dearest_of((a, b, c), (h, i, j))[1]) - 1], ("bill_3", "hours_3")),
    ("meanwhile_rent", ("rent_card_hour", "hours_day", "days"), "{rent_card_hour} × {hours_day} × {days}", lambda a, b, c: a * b * c),
    ("wait_pays", ("price_drop", "meanwhile_rent"), "{meanwhile_rent} < {price_drop}", lambda a, b: float(b < a)),
    ("pack_by_hour", ("night_hours", "rent_card_hour"), "{night_hours} × {rent_card_hour}", lambda a, b: a * b),
    ("pack_dearer", ("pack_price", "pack_by_hour"), "{pack_price} > {pack_by_hour}", lambda a, b: float(a > b)),
    ("pack_gap", ("pack_price", "pack_by_hour"), "({pack_price} − {pack_by_hour}) × {nights}", lambda a, b, n: abs(a - b) * n, ("nights",)),
    ("cap_cards", ("day_cap", "rent_card_hour"), "{day_cap} ÷ ({rent_card_hour} × {day_hours})", lambda a, b, h: float(floor(a / (b * h) + _ROUNDING)), ("day_hours",)),
    ("sweep_cost", ("sweep_runs", "run_hours", "rent_card_hour"), "{sweep_runs} × {sweep_seeds} × {run_hours} × {rent_card_hour} × (1 − {stopped_share} × (1 − {stopped_at}))",
     lambda n, h, r, s, share, at: n * s * h * r * (1.0 - share * (1.0 - at)), ("sweep_seeds", "stopped_share", "stopped_at")),
    ("two_kinds_bill", ("cards_1", "price_1", "cards_2", "price_2", "hours_total"), "({cards_1} × {price_1} + {cards_2} × {price_2}) × {hours_total}",
     lambda n, p, m, q, h: (n * p + m * q) * h),
    ("two_kinds_bill", ("cards_1", "price_1", "cards_2", "price_2", "hours_total", "hours_dear"), "{cards_1} × {price_1}, {cards_2} × {price_2}: {hours_dear}, {hours_total}",
     lambda n, p, m, q, h, d: n * p * (d if p >= q else h) + m * q * (h if p >= q else d)),
    ("items_cost", ("hourly_rate", "item_s", "items"), "{hourly_rate} × {item_s} × {items}", lambda a, b, c: a * b / 3600.0 * c),
    ("even_tokens_day", ("rent_month", "token_price"), "{rent_month} ÷ {token_price} ÷ 30.42", lambda a, b: a / b * 1e6 / DAYS_A_MONTH),
    ("student_term", ("purchase", "kept_years", "terms_year", "people"), "{purchase} ÷ ({kept_years} × {terms_year} × {people})", lambda a, b, c, d: a / (b * c * d)),
    # parts, refunds, fees
    ("share_of_bill", ("shared_bill", "own_share"), "{shared_bill} × {own_share}", lambda a, b: a * b),
    ("hours_affordable", ("paid_in", "bonus", "rent_card_hour"), "({paid_in} + {bonus}) ÷ {rent_card_hour}", lambda a, b, c: (a + b) / c),
    ("bonus_hour", ("rent_card_hour", "paid_in", "bonus"), "{rent_card_hour} × {paid_in} ÷ ({paid_in} + {bonus})", lambda a, b, c: a * b / (b + c)),
    ("bonus_wins", ("bonus_hour", "plain_hourly"), "{bonus_hour} < {plain_hourly}", lambda a, b: float(a < b)),
    ("expired_hour", ("paid_in", "useful_hours"), "{paid_in} ÷ {useful_hours}", lambda a, b: a / b),
    ("refund", ("paid_in", "rent_month", "used_months"), "{paid_in} − {rent_month} × {used_months}", lambda a, b, c: max(0.0, a - b * c)),
    ("refund", ("paid_in", "used_months"), "{paid_in} × (1 − {used_months} ÷ {paid_months}) × (1 − {kept_fee})",
     lambda a, b, n, f: a * (1.0 - b / n) * (1.0 - f), ("paid_months", "kept_fee")),
    ("started_cost", ("start_fee", "rent_card_hour", "run_hours", "starts"), "({start_fee} + {rent_card_hour} × {run_hours}) × {starts}",
     lambda f, r, h, n: (f + r * h) * n),
    ("loan_month", ("loan", "year_rate", "loan_months"), "{loan} × {year_rate} ÷ 12 ÷ (1 − (1 + {year_rate} ÷ 12)^−{loan_months})", loan_payment),
    ("interest_lost", ("savings", "year_rate", "kept_years"), "{savings} × ((1 + {year_rate})^{kept_years} − 1)", lambda a, r, n: a * ((1.0 + r) ** n - 1.0)),
    ("after_refund", ("shared_bill", "paid_share"), "{shared_bill} × (1 − {paid_share})", lambda a, b: a * (1.0 - b)),
    ("half_price_two", ("each_price",), "{each_price} × 1.5", lambda a: a * 1.5),
    ("price_with_free", ("each_price", "bought_count", "free_count"), "{each_price} × {bought_count} ÷ ({bought_count} + {free_count})",
     lambda a, n, m: a * n / (n + m)),
    ("fleet_hour", ("purchase", "cards", "kept_years", "hours_day"), "{purchase} ÷ ({cards} × {kept_years} × 365 × {hours_day})",
     lambda a, n, y, h: a / (n * y * 365.0 * h)),
    ("fleet_hour", ("purchase", "cards", "kept_years", "utilization"), "{purchase} ÷ ({cards} × {kept_years} × 8760 h × {utilization})",
     lambda a, n, y, u: a / (n * y * 8760.0 * u)),
    ("fleet_hour", ("purchase", "cards", "kept_years", "utilization", "power_cost_hour"),
     "({purchase} ÷ ({kept_years} × 8760 h × {utilization}) + {power_cost_hour}) ÷ {cards}", lambda a, n, y, u, p: (a / (y * 8760.0 * u) + p) / n),
    ("fleet_hour", ("purchase", "cards", "kept_years", "hours_day", "power_cost_hour"),
     "({purchase} ÷ ({kept_years} × 365 × {hours_day}) + {power_cost_hour}) ÷ {cards}", lambda a, n, y, h, p: (a / (y * 365.0 * h) + p) / n),
    ("spot_saving", ("spot_off", "redone_share"), "1 − (1 − {spot_off}) ÷ (1 − {redone_share})", lambda a, b: 1.0 - (1.0 - a) / (1.0 - b)),
    ("surcharged_power", ("load_w", "hours_day", "days", "kwh_price", "surcharge"), "{load_w} × {hours_day} × {days} × {kwh_price} × (1 + {surcharge})",
     lambda w, h, d, p, s: w / _WATTS * h * d * p * (1.0 + s)),
    ("spoilt_cost", ("rent_card_hour", "spoilt_hours"), "{rent_card_hour} × {spoilt_hours}", lambda a, b: a * b),
    ("deposit_back", ("deposit", "damage"), "{deposit} − {damage} − {owed}", lambda a, b, c: a - b - c, ("owed",)),
    ("deposit_back", ("deposit", "kept_fee"), "{deposit} × (1 − {kept_fee})", lambda a, b: a * (1.0 - b)),
    ("cached_bill", ("cache_share", "cached_price", "fresh_price", "tokens_total"),
     "({cache_share} × {cached_price} + (1 − {cache_share}) × {fresh_price}) × {tokens_total} ÷ 10^6", lambda h, a, b, n: (h * a + (1.0 - h) * b) * n / 1e6),
    ("even_tokens_month", ("subscription", "token_price"), "{subscription} ÷ {token_price}", lambda a, b: a / b * 1e6),
    ("loss_cost", ("lost_h", "hour_worth"), "{lost_h} × {hour_worth}", lambda a, b: a * b),
    ("risen_bill", ("bill_before", "raised_share"), "{bill_before} × (1 + {raised_share})", lambda a, b: a * (1.0 + b)),
    ("risen_year", ("bill_before", "raised_share"), "{bill_before} × {raised_share} × 12", lambda a, b: a * b * 12.0),
    ("rate_rise", ("hourly_before", "hourly_after"), "{hourly_after} ÷ {hourly_before} − 1", lambda a, b: b / a - 1.0),
    ("rate_rise_cost", ("hourly_before", "hourly_after", "hours_total"), "({hourly_after} − {hourly_before}) × {hours_total}", lambda a, b, h: (b - a) * h),
    ("hours_after_part", ("budget", "laid_aside", "rent_card_hour"), "({budget} − {laid_aside}) ÷ {rent_card_hour}", lambda a, b, c: max(0.0, a - b) / c),
    ("two_rates_bill", ("busy_price", "busy_hours", "quiet_price", "quiet_hours", "days"),
     "({busy_price} × {busy_hours} + {quiet_price} × {quiet_hours}) × {days}", lambda p, h, q, k, d: (p * h + q * k) * d),
    ("jobs_bill", ("rent_card_hour", "job_1", "job_2"), "{rent_card_hour} × ({job_1} + {job_2} + {job_3} + {job_4})",
     lambda r, a, b, c, d: r * (a + b + c + d), ("job_3", "job_4")),
    ("let_profit", ("let_price", "let_share", "power_month"), "{let_price} × {let_share} × 730 h − {power_month}", lambda a, b, c: a * b * HOURS_A_DAY * DAYS_A_MONTH - c),
    ("earned_days", ("purchase", "day_income", "day_cost"), "{purchase} ÷ ({day_income} − {day_cost})", lambda a, b, c: a / (b - c)),
    ("left_cards_each", ("purchase", "bought_count", "part_sold"), "({purchase} − {part_sold}) ÷ ({bought_count} − {sold_count})",
     lambda a, n, b, m: (a - b) / (n - m), ("sold_count",)),
    ("import_total", ("purchase", "tax_rate", "bank_rate"), "{purchase} × (1 + {tax_rate}) × {bank_rate} + {shipping}",
     lambda a, t, f, s: a * (1.0 + t) * f + s, ("shipping",)),
    ("import_cheaper", ("import_total", "home_price"), "{import_total} < {home_price}", lambda a, b: float(a < b)),
)  # fmt: skip
