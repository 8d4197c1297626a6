"""Bills, electricity, rent against buying, and what a budget reaches for."""

from __future__ import annotations

from math import floor, inf
from typing import Final

from advisor.calculators.entry import Entry
from advisor.periods import DAYS_A_MONTH, HOURS_A_MONTH

_WATTS: Final = 1000.0


def hours_until(price: float, saved: float) -> float:
    """Hours after which buying has cost less; infinite when an hour of one's own costs as much as a rented one.

    None are needed where the sale brings in as much as was paid.
    """
    return max(price, 0.0) / saved if saved > 0 else inf


TABLE: Final[tuple[Entry, ...]] = (
    ("hourly_rate", ("rent_machine_hour",), "{rent_machine_hour} × {machines}", lambda a, b: a * b, ("machines",)),
    ("hourly_rate", ("rent_machine_hour", "host_cards", "cards"), "{rent_machine_hour} ÷ {host_cards} × {cards}", lambda a, b, c: a / b * c),
    ("hourly_rate", ("rent_card_hour",), "{cards} × {rent_card_hour}", lambda a, b: a * b, ("cards",)),
    ("hourly_rate", ("rent_card_hour", "cards_a_run"), "{cards_a_run} × {rent_card_hour}", lambda a, b: a * b),
    ("rent_month", ("rent_year",), "{rent_year} ÷ 12", lambda a: a / 12.0),
    ("hourly_rate", ("rent_month",), "{rent_month} ÷ 730 h", lambda a: a / HOURS_A_MONTH),
    ("bill", ("hourly_rate", "hours_total"), "{hourly_rate} × {hours_total} × {runs}", lambda a, b, c: a * b * c, ("runs",), ("002-226",)),
    ("bill", ("hourly_rate", "hours_total", "people_each"), "{people_each} × {hourly_rate} × {hours_total}", lambda a, b, c: a * b * c, (), ("002-226",)),
    ("bill", ("hourly_rate", "hours_total", "discount"), "{hourly_rate} × {hours_total} × (1 − {discount})", lambda a, b, c: a * b * (1.0 - c)),
    ("bill", ("hourly_rate", "hours_total", "raised_share"), "{hourly_rate} × {hours_total} × (1 + {raised_share})", lambda a, b, c: a * b * (1.0 + c)),
    ("paid_more", ("part_paid", "times_paid", "purchase"), "{times_paid} × {part_paid} + {first_paid} − {purchase}", lambda a, b, c, d: a * b + d - c, ("first_paid",)),
    ("bill", ("rent_day", "days"), "{cards} × {rent_day} × {days}", lambda a, b, c: a * b * c, ("cards",)),
    ("bill", ("rent_machine_day", "days"), "{machines} × {rent_machine_day} × {days}", lambda a, b, c: a * b * c, ("machines",)),
    ("bill", ("rent_week", "weeks"), "{cards} × {rent_week} × {weeks}", lambda a, b, c: a * b * c, ("cards",)),
    ("days_affordable", ("budget", "rent_day"), "{budget} ÷ ({cards} × {rent_day})", lambda a, b, c: a / (b * c), ("cards",)),
    ("days_affordable", ("budget", "rent_machine_day"), "{budget} ÷ ({machines} × {rent_machine_day})", lambda a, b, c: a / (b * c), ("machines",)),
    ("before_tax", ("purchase", "tax_rate"), "{purchase} ÷ (1 + {tax_rate})", lambda a, b: a / (1.0 + b)),
    ("with_tax", ("purchase", "tax_rate"), "{purchase} × (1 + {tax_rate})", lambda a, b: a * (1.0 + b)),
    ("hours_a_day_affordable", ("power_month", "load_w", "kwh_price"), "{power_month} ÷ ({load_w} × {kwh_price}) ÷ 30.42",
     lambda a, w, k: a / (w / _WATTS * k) / DAYS_A_MONTH),
    ("list_hourly", ("rent_card_hour", "discount"), "{rent_card_hour} ÷ (1 − {discount})", lambda a, b: a / (1.0 - b)),
    ("list_price", ("purchase", "discount"), "{purchase} ÷ (1 − {discount})", lambda a, b: a / (1.0 - b)),
    ("bill", ("rent_card_hour", "gpu_hours"), "{rent_card_hour} × {gpu_hours}", lambda a, b: a * b),
    ("hourly_rate", ("rent_card_hour", "cards", "machines"), "{machines} × {cards} × {rent_card_hour}", lambda a, b, c: a * b * c),
    ("discounted", ("purchase", "discount"), "{purchase} × (1 − {discount})", lambda a, b: a * (1.0 - b)),
    # runs that come again and again, or so many of them
    ("bill", ("run_cost", "runs_total"), "{run_cost} × {runs_total}", lambda a, b: a * b),
    ("bill", ("run_cost", "runs"), "{run_cost} × {runs}", lambda a, b: a * b),
    ("bill", ("rent_month", "months"), "{rent_month} × {months} × {machines}", lambda a, b, c: a * b * c, ("machines",)),
    ("work_cost", ("hourly_rate", "hours_on_n"), "{hourly_rate} × {hours_on_n}", lambda a, b: a * b, (), ("002-226",)),
    ("work_cost", ("rent_card_hour", "one_card_hours"), "{rent_card_hour} × {one_card_hours}", lambda a, b: a * b, (), ("002-226",)),
    ("budget_enough", ("budget", "bill"), "{bill} ≤ {budget}", lambda a, b: float(b <= a)),
    ("budget_left", ("budget", "bill"), "{budget} − {bill}", lambda a, b: a - b),
    ("per_card_hour", ("rent_machine_hour", "cards"), "{rent_machine_hour} ÷ {cards}", lambda a, b: a / b),
    ("per_card_hour", ("rent_month", "cards"), "{rent_month} ÷ 730 ÷ {cards}", lambda a, b: a / HOURS_A_MONTH / b),
    ("paid_rate", ("purchase", "hours_total"), "{purchase} ÷ ({cards} × {hours_total})", lambda a, b, c: a / (b * c), ("cards",)),
    ("paid_rate", ("paid_total", "hours_total"), "{paid_total} ÷ ({cards} × {hours_total})", lambda a, b, c: a / (b * c), ("cards",)),
    ("power_cost", ("kwh", "kwh_price"), "{kwh} × {kwh_price}", lambda a, b: a * b),
    ("power_cost_hour", ("load_w", "kwh_price"), "{load_w} × {kwh_price}", lambda a, b: a / _WATTS * b),
    ("saved_per_hour", ("hourly_rate", "power_cost_hour"), "{hourly_rate} − {power_cost_hour}", lambda a, b: a - b),
    ("purchase", ("each_price", "cards"), "{cards} × {each_price}", lambda a, b: a * b),
    ("net_price", ("purchase",), "{purchase} − {resale}", lambda a, b: a - b, ("resale",)),
    ("break_even_hours", ("net_price", "saved_per_hour"), "{net_price} ÷ {saved_per_hour}", hours_until, (), ("002-231",)),
    ("break_even_hours", ("net_price", "hourly_rate"), "{net_price} ÷ {hourly_rate}", hours_until, (), ("002-231",)),
    ("break_even_days", ("break_even_hours", "hours_day"), "{break_even_hours} ÷ {hours_day}", lambda a, b: a / b),
    ("break_even_days", ("net_price", "rent_month"), "{net_price} ÷ {rent_month} × 30.42", lambda a, b: max(a, 0.0) / b * DAYS_A_MONTH),
    ("hours_a_day_to_break_even", ("break_even_hours", "days"), "{break_even_hours} ÷ {days}", lambda a, b: a / b),
    ("share_to_break_even", ("hours_a_day_to_break_even",), "{hours_a_day_to_break_even} ÷ 24", lambda a: a / 24.0),
    ("buy_total", ("net_price", "power_cost"), "{net_price} + {power_cost}", lambda a, b: a + b),
    ("buy_total", ("net_price", "power_month", "months"), "{net_price} + {power_month} × {months}", lambda a, b, c: a + b * c),
    ("buy_saves", ("bill", "buy_total"), "{bill} − {buy_total}", lambda a, b: a - b),
    ("buy_pays", ("saved_per_hour",), "{saved_per_hour}", lambda a: float(a > 0)),
    ("hours_affordable", ("budget", "hourly_rate"), "{budget} ÷ {hourly_rate}", lambda a, b: a / b),
    ("hours_affordable", ("budget_month", "hourly_rate"), "{budget_month} ÷ {hourly_rate}", lambda a, b: a / b),
    ("hours_a_day_affordable", ("hours_affordable", "days"), "{hours_affordable} ÷ {days}", lambda a, b: a / b),
    ("hours_a_day_affordable", ("budget_month", "hourly_rate"), "{budget_month} ÷ {hourly_rate} ÷ 30.42", lambda a, b: a / b / DAYS_A_MONTH),
    ("hours_a_day_affordable", ("budget_month", "power_cost_hour"), "{budget_month} ÷ {power_cost_hour} ÷ 30.42", lambda a, b: a / b / DAYS_A_MONTH),
    ("plan_hours", ("rent_month", "rent_card_hour"), "{rent_month} ÷ {rent_card_hour}", lambda a, b: a / b),
    ("plan_hours_day", ("plan_hours",), "{plan_hours} ÷ 30.42", lambda a: a / DAYS_A_MONTH),
    ("highest_hourly", ("budget", "cards", "hours_total"), "{budget} ÷ ({cards} × {hours_total})", lambda a, b, c: a / (b * c)),
    ("highest_hourly", ("budget_month", "cards", "hours_month"), "{budget_month} ÷ ({cards} × {hours_month})", lambda a, b, c: a / (b * c)),
    ("cards_affordable", ("budget", "rent_card_hour", "hours_total"), "{budget} ÷ ({rent_card_hour} × {hours_total})", lambda a, b, c: float(floor(a / (b * c)))),
    ("hours_affordable", ("budget", "power_cost_hour"), "{budget} ÷ {power_cost_hour}", lambda a, b: a / b),
    ("hours_affordable", ("budget_month", "power_cost_hour"), "{budget_month} ÷ {power_cost_hour}", lambda a, b: a / b),
    ("hours_affordable", ("budget", "net_price", "hourly_rate", "rest_of_budget"), "({budget} − {net_price}) ÷ {hourly_rate}", lambda a, b, c, _: (a - b) / c),
    ("hours_affordable", ("budget", "spent", "hourly_rate"), "({budget} − {spent}) ÷ {hourly_rate}", lambda a, b, c: (a - b) / c),
    ("epochs_affordable", ("budget", "hourly_rate", "epoch_hours"), "{budget} ÷ ({hourly_rate} × {epoch_hours})", lambda a, b, c: float(floor(a / (b * c) + 1e-9))),
    ("months_affordable", ("budget", "rent_month"), "{budget} ÷ {rent_month}", lambda a, b: a / b),
    ("months_affordable", ("budget", "budget_month"), "{budget} ÷ {budget_month}", lambda a, b: a / b),
    ("days_affordable", ("hours_affordable", "hours_day"), "{hours_affordable} ÷ {hours_day}", lambda a, b: a / b),
    ("days_affordable", ("hours_affordable",), "{hours_affordable} ÷ 24", lambda a: a / 24.0),
    ("budget_enough", ("budget", "work_cost"), "{work_cost} ≤ {budget}", lambda a, b: float(b <= a)),
    ("budget_left", ("budget", "work_cost"), "{budget} − {work_cost}", lambda a, b: a - b),
    ("budget_enough", ("budget", "api_bill"), "{api_bill} ≤ {budget}", lambda a, b: float(b <= a)),
    ("budget_left", ("budget", "api_bill"), "{budget} − {api_bill}", lambda a, b: a - b),
    # what is paid for while nothing runs
    ("utilization", ("idle_share",), "1 − {idle_share}", lambda a: 1.0 - a),
    ("hours_span", ("days",), "{days} × 24 h", lambda a: a * 24.0),
    ("useful_hour_price", ("rent_month", "hours_month"), "{rent_month} ÷ {hours_month}", lambda a, b: a / b),
    ("useful_hour_price", ("rent_month", "hours_day"), "{rent_month} ÷ ({hours_day} × 30.42)", lambda a, b: a / (b * DAYS_A_MONTH)),
    ("useful_hour_price", ("hourly_rate", "utilization"), "{hourly_rate} ÷ {utilization}", lambda a, b: a / b),
    ("wasted", ("hourly_rate", "hours_span", "utilization"), "{hourly_rate} × {hours_span} × (1 − {utilization})", lambda a, b, c: a * b * (1.0 - c)),
    ("wasted", ("hourly_rate", "hours_total", "utilization"), "{hourly_rate} × {hours_total} × (1 − {utilization})", lambda a, b, c: a * b * (1.0 - c)),
    # what a card of one's own comes to, hour by hour, and what another costs once the old one is sold
    ("own_hour", ("net_price", "hours_total", "power_cost_hour"), "{net_price} ÷ {hours_total} + {power_cost_hour}", lambda a, b, c: a / b + c),
    ("own_hour", ("net_price", "hours_total"), "{net_price} ÷ {hours_total}", lambda a, b: a / b),
    ("own_month", ("net_price", "months", "power_month"), "{net_price} ÷ {months} + {power_month}", lambda a, b, c: a / b + c),
    ("own_month", ("net_price", "months"), "{net_price} ÷ {months}", lambda a, b: a / b),
    ("own_day", ("net_price", "days"), "{net_price} ÷ {days}", lambda a, b: a / b),
    ("useful_hour_price", ("net_price", "hours_span", "utilization"), "{net_price} ÷ ({hours_span} × {utilization})", lambda a, b, c: a / (b * c)),
    ("wasted", ("budget_month", "utilization"), "{budget_month} × (1 − {utilization})", lambda a, b: a * (1.0 - b)),
    ("wasted", ("rent_month", "utilization"), "{rent_month} × (1 − {utilization})", lambda a, b: a * (1.0 - b)),
    ("wasted", ("paid_total", "utilization"), "{paid_total} × (1 − {utilization})", lambda a, b: a * (1.0 - b)),
    # so many times as dear and so many times as fast
    ("job_cost_ratio", ("price_ratio", "speedup"), "{price_ratio} ÷ {speedup}", lambda a, b: a / b),
    ("faster_pays", ("job_cost_ratio",), "{job_cost_ratio} < 1", lambda a: float(a < 1.0)),
    # data that leaves a cloud
    ("egress_cost", ("egress_price", "data_gb"), "{data_gb} × {egress_price}", lambda a, b: a * b),
    ("net_income", ("hourly_rate", "power_cost_hour", "hours_total"), "({hourly_rate} − {power_cost_hour}) × {hours_total}", lambda a, b, c: (a - b) * c),
    ("upgrade_net", ("purchase", "resale"), "{purchase} − {resale}", lambda a, b: a - b),
    # one price against another
    ("price_change", ("price_before", "price_after"), "{price_after} ÷ {price_before} − 1", lambda a, b: b / a - 1.0),
    ("saved_share", ("price_before", "price_after"), "1 − {price_after} ÷ {price_before}", lambda a, b: 1.0 - min(a, b) / max(a, b)),
    ("price_gap", ("price_before", "price_after"), "{price_after} − {price_before}", lambda a, b: abs(b - a)),
    # a share of the whole
    ("person_share", ("bill", "people"), "{bill} ÷ {people}", lambda a, b: a / b),
    ("person_share", ("power_cost", "people"), "{power_cost} ÷ {people}", lambda a, b: a / b),
    ("person_month", ("purchase", "months", "people"), "{purchase} ÷ {months} ÷ {people}", lambda a, b, c: a / b / c),
    ("person_share", ("rent_month", "people"), "{rent_month} ÷ {people}", lambda a, b: a / b),
    ("person_share", ("purchase", "power_month", "months", "people"), "({purchase} + {power_month} × {months}) ÷ {people}",
     lambda a, b, c, d: (a + b * c) / d),
    ("person_share", ("purchase", "people"), "{purchase} ÷ {people}", lambda a, b: a / b),
    ("person_share", ("budget_month", "people"), "{budget_month} ÷ {people}", lambda a, b: a / b),
    ("cards_affordable", ("budget", "purchase"), "{budget} ÷ {purchase}", lambda a, b: float(floor(a / b))),
)  # fmt: skip
