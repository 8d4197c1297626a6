"""How long things are used and how long work takes; how many cards a deadline asks for."""

from __future__ import annotations

from math import ceil, floor
from typing import Final

from advisor.calculators.entry import Entry
from advisor.periods import DAYS_A_MONTH

HOURS_A_DAY: Final = 24.0
DAYS_A_WEEK: Final = 7.0
_LONG_H: Final = 72.0
_ROUNDING: Final = 1e-9
"""A count that is whole but for the last bit of a float is that count."""


def cards_for(hours: float, deadline: float, efficiency: float) -> float:
    """The fewest cards that finish `hours` of one card's work in time, each at that efficiency."""
    return float(max(1, ceil(hours / (deadline * efficiency) - _ROUNDING)))


def runs_one_behind_another(run: float, deadline: float) -> float:
    """How many whole runs end in time on the same cards; ValueError where not even one does."""
    found = floor(deadline / run + _ROUNDING)
    if found < 1:
        raise ValueError("one run takes longer than there is time")
    return float(found)


def cards_for_runs(runs: float, behind: float, cards: float) -> float:
    """The fewest cards for so many runs, each kept on its own cards and `behind` of them following one another."""
    return ceil(runs / behind - _ROUNDING) * cards


def long_as_days(hours: float) -> float:
    """Hours as days; ValueError where hours are how people say it."""
    if hours < _LONG_H:
        raise ValueError("a time that is said in hours")
    return hours / HOURS_A_DAY


TABLE: Final[tuple[Entry, ...]] = (
    ("hours_total", ("hours_day", "days"), "{hours_day} × {days}", lambda a, b: a * b),
    ("hours_total", ("hours_day", "days_week", "weeks"), "{hours_day} × {days_week} × {weeks}", lambda a, b, c: a * b * c),
    ("hours_total", ("hours_week", "weeks"), "{hours_week} × {weeks}", lambda a, b: a * b),
    ("hours_total", ("days", "utilization"), "{days} × 24 h × {utilization}", lambda a, b: a * HOURS_A_DAY * b),
    ("hours_total", ("days",), "{days} × 24 h", lambda a: a * HOURS_A_DAY),
    ("hours_total", ("run_hours",), "{run_hours}", lambda a: a),
    ("hours_total", ("hours_month",), "{hours_month}", lambda a: a),
    ("days", ("weeks",), "{weeks} × 7", lambda a: a * DAYS_A_WEEK),
    ("weeks", ("days",), "{days} ÷ 7", lambda a: a / DAYS_A_WEEK),
    ("days", ("span_days",), "{span_days}", lambda a: a),
    ("hours_day", ("hours_week",), "{hours_week} ÷ 7", lambda a: a / DAYS_A_WEEK),
    ("hours_day", ("hours_month",), "{hours_month} ÷ 30.42", lambda a: a / DAYS_A_MONTH),
    ("hours_day", ("utilization",), "24 h × {utilization}", lambda a: a * HOURS_A_DAY),
    ("card_hours", ("cards", "hours_total"), "{cards} × {hours_total}", lambda a, b: a * b),
    ("one_card_hours", ("measured_hours",), "{measured_hours}", lambda a: a),
    ("one_card_hours", ("epoch_hours", "epochs"), "{epochs} × {epoch_hours}", lambda a, b: a * b),
    ("one_card_hours", ("items", "items_per_s"), "{items} ÷ {items_per_s} × {epochs}", lambda a, b, c: a * c / b / 3600, ("epochs",)),
    ("one_card_hours", ("tokens_total", "tokens_per_s"), "{tokens_total} ÷ {tokens_per_s}", lambda a, b: a / b / 3600),
    ("one_card_hours", ("steps", "step_s"), "{steps} × {step_s}", lambda a, b: a * b / 3600),
    ("items_per_s", ("batch", "step_s"), "{batch} ÷ {step_s}", lambda a, b: a / b),
    ("efficiency", ("speedup", "cards"), "{speedup} ÷ {cards}", lambda a, b: a / b),
    ("hours_on_n", ("one_card_hours", "speedup"), "{one_card_hours} ÷ {speedup}", lambda a, b: a / b),
    ("hours_on_n", ("one_card_hours", "cards"), "{one_card_hours} ÷ ({cards} × {efficiency})", lambda a, b, c: a / (b * c), ("efficiency",)),
    ("hours_on_n", ("hours_total", "cards_before", "cards"), "{hours_total} × {cards_before} ÷ ({cards} × {efficiency})",
     lambda a, b, c, e: a * b / (c * e), ("efficiency",)),
    ("hours_on_n", ("run_hours", "cards_a_run", "cards"), "{run_hours} × {cards_a_run} ÷ ({cards} × {efficiency})",
     lambda a, b, c, e: a * b / (c * e), ("efficiency",)),
    ("hours_on_n", ("gpu_hours", "cards"), "{gpu_hours} ÷ ({cards} × {efficiency})", lambda a, b, e: a / (b * e), ("efficiency",)),
    ("whole_hours", ("hours_total", "progress"), "{hours_total} ÷ {progress}", lambda a, b: a / b),
    ("hours_left", ("whole_hours", "hours_total"), "{whole_hours} − {hours_total}", lambda a, b: a - b),
    ("days_on_n", ("hours_on_n",), "{hours_on_n} ÷ 24 h", long_as_days),
    ("days_on_one", ("one_card_hours",), "{one_card_hours} ÷ 24 h", long_as_days),
    ("cards_needed", ("one_card_hours", "deadline_hours"), "{one_card_hours} ÷ ({deadline_hours} × {efficiency})", cards_for, ("efficiency",),
     ("002-105",)),
    ("runs_behind", ("run_hours", "deadline_hours"), "{deadline_hours} ÷ {run_hours}", runs_one_behind_another),
    ("cards_for_runs", ("runs", "runs_behind"), "{runs} ÷ {runs_behind} × {cards_a_run}", cards_for_runs, ("cards_a_run",)),
    ("card_hours", ("runs", "run_hours"), "{runs} × {run_hours} × {cards_a_run}", lambda a, b, c: a * b * c, ("cards_a_run",)),
)  # fmt: skip
