"""Money for pieces of work: tokens of a service or of a card, images, sound, runs, stored data; inverses among them.

Prices of tokens are for a million of them, those of storage for a GB (1e9 bytes) and a month.
"""

from __future__ import annotations

from math import ceil, floor
from typing import Final

from advisor.calculators.entry import Entry
from advisor.periods import DAYS_A_MONTH, HOURS_A_MONTH

_MILLION: Final = 1e6
_SECONDS: Final = 3600.0

TABLE: Final[tuple[Entry, ...]] = (
    # a service that is paid by the token
    ("requests_month", ("requests_day",), "{requests_day} × 30.42", lambda a: a * DAYS_A_MONTH),
    ("requests_total", ("requests_day", "days"), "{requests_day} × {days}", lambda a, b: a * b),
    ("requests_total", ("requests_month", "days"), "{requests_month} × {days} ÷ 30.42", lambda a, b: a * b / DAYS_A_MONTH),
    ("requests_total", ("requests_month",), "{requests_month}", lambda a: a),
    ("requests_total", ("requests_day",), "{requests_day}", lambda a: a),
    ("tokens_month", ("tokens_day",), "{tokens_day} × 30.42", lambda a: a * DAYS_A_MONTH),
    ("tokens_month", ("requests_month", "tokens_each"), "{requests_month} × {tokens_each}", lambda a, b: a * b),
    ("tokens_total", ("tokens_day", "days"), "{tokens_day} × {days}", lambda a, b: a * b),
    ("tokens_total", ("tokens_month", "days"), "{tokens_month} × {days} ÷ 30.42", lambda a, b: a * b / DAYS_A_MONTH),
    ("tokens_total", ("tokens_month",), "{tokens_month}", lambda a: a),
    ("tokens_total", ("tokens_day",), "{tokens_day}", lambda a: a),
    ("tokens_total", ("requests_total", "tokens_each"), "{requests_total} × {tokens_each}", lambda a, b: a * b),
    ("api_bill", ("tokens_total", "token_price"), "{tokens_total} × {token_price}", lambda a, b: a * b / _MILLION),
    ("api_bill", ("tokens_total", "token_price_out"), "{tokens_total} × {token_price_out}", lambda a, b: a * b / _MILLION),
    ("api_bill", ("people_each", "tokens_total", "token_price"), "{people_each} × {tokens_total} × {token_price}", lambda a, b, c: a * b * c / _MILLION),
    ("api_bill", ("tokens_in", "token_price_in", "tokens_out", "token_price_out", "requests_total"),
     "{requests_total} × ({tokens_in} × {token_price_in} + {tokens_out} × {token_price_out})", lambda a, b, c, d, n: n * (a * b + c * d) / _MILLION),
    ("api_bill", ("tokens_in", "token_price_in", "tokens_out", "token_price_out"),
     "{tokens_in} × {token_price_in} + {tokens_out} × {token_price_out}", lambda a, b, c, d: (a * b + c * d) / _MILLION),
    ("tokens_in", ("tokens_in_day", "days"), "{tokens_in_day} × {days}", lambda a, b: a * b),
    ("tokens_out", ("tokens_out_day", "days"), "{tokens_out_day} × {days}", lambda a, b: a * b),
    ("tokens_in", ("tokens_in_month", "months"), "{tokens_in_month} × {months}", lambda a, b: a * b),
    ("tokens_out", ("tokens_out_month", "months"), "{tokens_out_month} × {months}", lambda a, b: a * b),
    ("api_month", ("tokens_in_month", "token_price_in", "tokens_out_month", "token_price_out"),
     "{tokens_in_month} × {token_price_in} + {tokens_out_month} × {token_price_out}", lambda a, b, c, d: (a * b + c * d) / _MILLION),
    ("api_month", ("tokens_month", "token_price"), "{tokens_month} × {token_price}", lambda a, b: a * b / _MILLION),
    ("api_pays_months", ("net_price", "api_month", "load_w", "hours_day", "kwh_price"),
     "{net_price} ÷ ({api_month} − {load_w} × {hours_day} × 30.42 × {kwh_price})", lambda a, b, w, h, k: a / (b - w / 1000 * h * DAYS_A_MONTH * k)),
    ("api_pays_months", ("net_price", "api_month"), "{net_price} ÷ {api_month}", lambda a, b: a / b),
    ("tokens_to_pay", ("rent_month", "token_price"), "{rent_month} ÷ {token_price}", lambda a, b: a / b * _MILLION),
    ("tokens_to_pay", ("hourly_rate", "token_price"), "{hourly_rate} × 730 ÷ {token_price}", lambda a, b: a * HOURS_A_MONTH / b * _MILLION),
    ("tokens_affordable", ("budget", "token_price"), "{budget} ÷ {token_price}", lambda a, b: a / b * _MILLION),
    ("tokens_affordable", ("budget", "hourly_rate", "tokens_per_s"), "{budget} ÷ {hourly_rate} × {tokens_per_s} × 3600", lambda a, b, c: a / b * c * _SECONDS),
    # tokens of a card
    ("token_cost", ("hourly_rate", "tokens_per_s", "utilization"), "{hourly_rate} ÷ ({tokens_per_s} × 3600 × {utilization}) × 10^6",
     lambda a, b, c: a / (b * _SECONDS * c) * _MILLION),
    ("token_cost", ("hourly_rate", "tokens_per_s"), "{hourly_rate} ÷ ({tokens_per_s} × 3600) × 10^6", lambda a, b: a / (b * _SECONDS) * _MILLION),
    ("token_cost", ("hourly_rate", "hours_total", "tokens_total"), "{hourly_rate} × {hours_total} ÷ {tokens_total} × 10^6",
     lambda a, b, c: a * b / c * _MILLION),
    ("token_cost", ("power_cost_hour", "tokens_per_s"), "{power_cost_hour} ÷ ({tokens_per_s} × 3600) × 10^6", lambda a, b: a / (b * _SECONDS) * _MILLION),
    # images, clips, texts
    ("one_card_hours", ("items", "item_s"), "{items} × {item_s}", lambda a, b: a * b / _SECONDS),
    ("item_cost", ("hourly_rate", "item_s"), "{hourly_rate} × {item_s}", lambda a, b: a * b / _SECONDS),
    ("item_cost", ("hourly_rate", "items_per_s"), "{hourly_rate} ÷ ({items_per_s} × 3600)", lambda a, b: a / (b * _SECONDS)),
    ("item_cost", ("hourly_rate", "hours_total", "items"), "{hourly_rate} × {hours_total} ÷ {items}", lambda a, b, c: a * b / c),
    ("item_cost", ("power_cost_hour", "item_s"), "{power_cost_hour} × {item_s}", lambda a, b: a * b / _SECONDS),
    ("item_cost", ("power_cost_hour", "items_per_s"), "{power_cost_hour} ÷ ({items_per_s} × 3600)", lambda a, b: a / (b * _SECONDS)),
    ("item_bill", ("item_price", "items"), "{item_price} × {items}", lambda a, b: a * b),
    ("item_saved", ("item_price", "item_cost"), "{item_price} − {item_cost}", lambda a, b: a - b),
    ("items_to_pay", ("net_price", "item_price"), "{net_price} ÷ {item_price}", lambda a, b: float(ceil(a / b - 1e-9))),
    ("items_affordable", ("budget", "item_price"), "{budget} ÷ {item_price}", lambda a, b: float(floor(a / b + 1e-9))),
    ("items_affordable", ("budget", "item_cost"), "{budget} ÷ {item_cost}", lambda a, b: float(floor(a / b + 1e-9))),
    # sound
    ("sound_speed", ("sound_work_hours",), "{sound_unit} ÷ {sound_work_hours}", lambda a, b: b / a, ("sound_unit",)),
    ("one_card_hours", ("sound_hours", "sound_speed"), "{sound_hours} ÷ {sound_speed}", lambda a, b: a / b),
    ("sound_bill", ("sound_hours", "sound_price"), "{sound_hours} × {sound_price}", lambda a, b: a * b),
    ("sound_hour_cost", ("hourly_rate", "sound_speed"), "{hourly_rate} ÷ {sound_speed}", lambda a, b: a / b),
    # runs
    ("runs_total", ("runs_day", "days"), "{runs_day} × {days}", lambda a, b: a * b),
    ("runs_total", ("runs_week", "weeks"), "{runs_week} × {weeks}", lambda a, b: a * b),
    ("runs_total", ("runs_month", "days"), "{runs_month} × {days} ÷ 30.42", lambda a, b: a * b / DAYS_A_MONTH),
    ("runs_total", ("runs_month",), "{runs_month}", lambda a: a),
    ("run_cost", ("hourly_rate", "hours_total"), "{hourly_rate} × {hours_total}", lambda a, b: a * b),
    ("run_cost", ("hourly_rate", "measured_hours"), "{hourly_rate} × {measured_hours}", lambda a, b: a * b),
    ("runs_affordable", ("budget", "run_cost"), "{budget} ÷ {run_cost}", lambda a, b: float(floor(a / b + 1e-9))),
    ("runs_affordable", ("budget_month", "run_cost"), "{budget_month} ÷ {run_cost}", lambda a, b: float(floor(a / b + 1e-9))),
    # stored data
    ("months", ("days",), "{days} ÷ 30.42", lambda a: a / DAYS_A_MONTH),
    ("storage_month", ("kept_gb", "storage_price"), "({kept_gb} − {free_gb}) × {storage_price}", lambda a, b, c: max(0.0, a - c) * b, ("free_gb",)),
    ("storage_cost", ("storage_month", "months"), "{storage_month} × {months}", lambda a, b: a * b),
)  # fmt: skip
