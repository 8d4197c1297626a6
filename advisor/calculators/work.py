"""How long things are used and how long work takes; how many cards a deadline asks for."""

from __future__ import annotations

from math import ceil, floor
from typing import Final

from advisor.calculators.entry import Entry
from advisor.periods import DAYS_A_MONTH

HOURS_A_DAY: Final = 24.0
DAYS_A_WEEK: Final = 7.0
_EXA: Final = 1e18
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


def optimizer_steps(items: float, batch: float, epochs: float) -> float:
    """Steps of all rounds; the last batch of a round may be a smaller one."""
    return ceil(items / batch - _ROUNDING) * epochs


def users_served(rate: float, each: float) -> float:
    """How many get their own rate of a whole one."""
    return float(floor(rate / each + _ROUNDING))


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
    ("one_card_hours", ("tokens_total", "tokens_per_s"), "{tokens_total} ÷ {tokens_per_s} × {epochs}", lambda a, b, c: a * c / b / 3600, ("epochs",)),
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
    ("step_s", ("steps_per_s",), "1 ÷ {steps_per_s}", lambda a: 1 / a),
    ("steps", ("steps_round", "epochs"), "{steps_round} × {epochs}", lambda a, b: a * b),
    ("steps", ("items", "global_batch"), "{items} ÷ {global_batch} × {epochs}", optimizer_steps, ("epochs",)),
    ("steps", ("items", "batch"), "{items} ÷ {batch} × {epochs}", optimizer_steps, ("epochs",)),
    ("one_card_hours", ("steps_round", "step_s", "epochs"), "{steps_round} × {step_s} × {epochs}", lambda a, b, c: a * b * c / 3600),
    ("round_hours", ("steps_round", "step_s"), "{steps_round} × {step_s}", lambda a, b: a * b / 3600),
    ("round_hours", ("items", "items_per_s"), "{items} ÷ {items_per_s}", lambda a, b: a / b / 3600),
    ("round_hours", ("items", "epoch_hours", "items_before"), "{epoch_hours} × {items} ÷ {items_before}", lambda a, b, c: b * a / c),
    ("rate_needed", ("items", "deadline_hours"), "{items} × {epochs} ÷ {deadline_hours}", lambda a, b, c: a * c / b / 3600, ("epochs",)),
    ("rounds_in_time", ("epoch_hours", "deadline_hours"), "{deadline_hours} ÷ {epoch_hours}", lambda a, b: float(floor(b / a + _ROUNDING))),
    ("rounds_in_time", ("epoch_hours", "hours_total"), "{hours_total} ÷ {epoch_hours}", lambda a, b: float(floor(b / a + _ROUNDING))),
    ("steps_in_time", ("hours_total", "step_s"), "{hours_total} ÷ {step_s}", lambda a, b: float(floor(a * 3600 / b + _ROUNDING))),
    ("items_in_time", ("hours_total", "item_s"), "{hours_total} ÷ {item_s} × {cards}", lambda a, b, c: float(floor(a * 3600 / b * c + _ROUNDING)), ("cards",)),
    ("items_in_time", ("hours_total", "items_per_s"), "{hours_total} × {items_per_s} × {cards}", lambda a, b, c: a * 3600 * b * c, ("cards",)),
    ("tokens_in_time", ("hours_total", "tokens_per_s"), "{hours_total} × {tokens_per_s} × {cards}", lambda a, b, c: a * 3600 * b * c, ("cards",)),
    ("items_a_second", ("items", "hours_total"), "{items} ÷ {hours_total}", lambda a, b: a / b / 3600),
    ("items_a_second", ("items_per_s", "cards", "efficiency"), "{items_per_s} × {cards} × {efficiency}", lambda a, b, c: a * b * c),
    ("items_a_second", ("batch", "steps_per_s"), "{batch} × {steps_per_s} × {cards}", lambda a, b, c: a * b * c, ("cards",)),
    ("tokens_a_second", ("tokens_total", "hours_total"), "{tokens_total} ÷ {hours_total}", lambda a, b: a / b / 3600),
    ("tokens_a_second", ("user_tokens_s", "requests"), "{user_tokens_s} × {requests}", lambda a, b: a * b),
    ("answer_s", ("tokens_out", "tokens_per_s"), "{tokens_out} ÷ {tokens_per_s}", lambda a, b: a / b),
    ("answer_s", ("tokens_total", "tokens_per_s"), "{tokens_total} ÷ {tokens_per_s}", lambda a, b: a / b),
    # what is asked of a server at once
    ("requests_s", ("requests", "latency_s"), "{requests} ÷ {latency_s}", lambda a, b: a / b),
    ("requests_s", ("tokens_per_s", "tokens_out"), "{tokens_per_s} ÷ {tokens_out}", lambda a, b: a / b),
    ("requests_minute", ("requests_s",), "{requests_s} × 60", lambda a: a * 60),
    ("requests_hour", ("requests_s",), "{requests_s} × 3600", lambda a: a * 3600),
    ("users_by_speed", ("tokens_per_s", "user_tokens_s"), "{tokens_per_s} ÷ {user_tokens_s}", users_served),
    ("cards_by_speed", ("requests", "user_tokens_s", "tokens_per_s"), "{requests} × {user_tokens_s} ÷ {tokens_per_s}",
     lambda a, b, c: float(max(1, ceil(a * b / c - _ROUNDING)))),
    ("speed_each", ("tokens_per_s", "requests"), "{tokens_per_s} ÷ {requests}", lambda a, b: a / b),
    # frames that come in as time goes by
    ("frames_s", ("film_streams", "frame_rate"), "{film_streams} × {frame_rate}", lambda a, b: a * b),
    ("busy_share", ("frames_s", "item_s"), "{frames_s} × {item_s}", lambda a, b: a * b),
    ("busy_share", ("frames_s", "items_per_s"), "{frames_s} ÷ {items_per_s}", lambda a, b: a / b),
    ("streams_kept", ("busy_share",), "{busy_share} ≤ 100%", lambda a: float(a <= 1.0)),
    ("most_streams", ("item_s", "frame_rate"), "1 ÷ ({item_s} × {frame_rate})", lambda a, b: float(floor(1 / (a * b) + _ROUNDING))),
    ("most_streams", ("items_per_s", "frame_rate"), "{items_per_s} ÷ {frame_rate}", users_served),
    ("frame_count", ("frame_rate", "clip_hours"), "{clip_hours} × {frame_rate}", lambda a, b: a * b * 3600),
    ("frame_count", ("frame_rate", "hours_total"), "{hours_total} × {frame_rate}", lambda a, b: a * b * 3600),
    # two measurements of one job
    ("efficiency", ("items_per_s", "rate_before", "cards"), "{items_per_s} ÷ ({cards} × {rate_before})", lambda a, b, c: a / (b * c)),
    ("efficiency", ("items_per_s", "rate_before", "cards", "cards_before"), "{items_per_s} × {cards_before} ÷ ({cards} × {rate_before})",
     lambda a, b, c, d: a * d / (b * c)),
    ("efficiency", ("tokens_per_s", "token_rate_before", "cards"), "{tokens_per_s} ÷ ({cards} × {token_rate_before})", lambda a, b, c: a / (b * c)),
    ("efficiency", ("hours_before", "hours_after", "cards"), "{hours_before} ÷ ({cards} × {hours_after})", lambda a, b, c: a / (b * c)),
    ("speedup", ("items_per_s", "rate_before"), "{items_per_s} ÷ {rate_before}", lambda a, b: a / b),
    ("speedup", ("tokens_per_s", "token_rate_before"), "{tokens_per_s} ÷ {token_rate_before}", lambda a, b: a / b),
    ("speedup", ("hours_before", "hours_after"), "{hours_before} ÷ {hours_after}", lambda a, b: a / b),
    ("time_saved", ("hours_before", "hours_after"), "1 − {hours_after} ÷ {hours_before}", lambda a, b: 1 - b / a),
    ("hours_on_n", ("hours_total", "speedup"), "{hours_total} ÷ {speedup}", lambda a, b: a / b),
    # sound
    ("sound_speed", ("real_time_factor",), "1 ÷ {real_time_factor}", lambda a: 1 / a),
    ("sound_hours", ("items", "clip_hours"), "{items} × {clip_hours}", lambda a, b: a * b),
    ("sound_in_time", ("hours_total", "sound_speed"), "{hours_total} × {sound_speed}", lambda a, b: a * b),
    ("sound_pace", ("sound_hours", "hours_total"), "{sound_hours} ÷ {hours_total}", lambda a, b: a / b),
    # arithmetic of training: six operations a parameter and token (Kaplan et al. 2020), twenty tokens a parameter (Hoffmann et al. 2022)
    ("train_eflop", ("active_params", "tokens_total"), "6 × {active_params} × {tokens_total}", lambda a, b: 6 * a * b / _EXA),
    ("train_eflop", ("params", "tokens_total"), "6 × {params} × {tokens_total}", lambda a, b: 6 * a * b / _EXA),
    ("gpu_hours", ("train_eflop", "peak_tflops", "peak_share"), "{train_eflop} ÷ ({peak_tflops} × {peak_share})", lambda a, b, c: a * 1e6 / (b * c) / 3600),
    ("mfu_reached", ("train_eflop", "cards", "peak_tflops", "hours_total"), "{train_eflop} ÷ ({cards} × {peak_tflops} × {hours_total})",
     lambda a, b, c, d: a * 1e6 / (b * c * d * 3600)),
    ("mfu_reached", ("params", "tokens_per_s", "peak_tflops"), "6 × {params} × {tokens_per_s} ÷ ({cards} × {peak_tflops})",
     lambda a, b, c, d: 6 * a * b / (d * c * 1e12), ("cards",)),
    ("mfu_reached", ("tflops_reached", "peak_tflops"), "{tflops_reached} ÷ {peak_tflops}", lambda a, b: a / b),
    ("train_tokens_s", ("params", "peak_tflops", "peak_share"), "{cards} × {peak_tflops} × {peak_share} ÷ (6 × {params})", lambda a, b, c, d: d * b * 1e12 * c / (6 * a), ("cards",)),
    ("cards_needed", ("gpu_hours", "deadline_hours"), "{gpu_hours} ÷ ({deadline_hours} × {efficiency})", cards_for, ("efficiency",)),
    ("tokens_best", ("params",), "{params} × {tokens_per_param}", lambda a, b: a * b, ("tokens_per_param",)),
    ("params_best", ("tokens_total",), "{tokens_total} ÷ {tokens_per_param}", lambda a, b: a / b, ("tokens_per_param",)),
    # a bar that shows how far it is
    ("hours_left", ("steps_done", "steps", "hours_total"), "({steps} − {steps_done}) ÷ {steps_done} × {hours_total}", lambda a, b, c: (b - a) / a * c),
    ("hours_left", ("steps_done", "steps", "step_s"), "({steps} − {steps_done}) × {step_s}", lambda a, b, c: (b - a) * c / 3600),
    ("speedup", ("serial_share", "cards"), "1 ÷ ({serial_share} + (1 − {serial_share}) ÷ {cards})", lambda a, b: 1 / (a + (1 - a) / b)),
    ("exchange_share", ("exchange_time_s", "compute_s"), "{exchange_time_s} ÷ ({exchange_time_s} + {compute_s})", lambda a, b: a / (a + b)),
    ("one_card_hours", ("sound_hours", "sound_speed", "requests"), "{sound_hours} ÷ ({sound_speed} × {requests})", lambda a, b, c: a / (b * c)),
    # a prompt is read with two operations a parameter and token
    ("prefill_s", ("params", "tokens", "tflops_reached"), "2 × {params} × {tokens} ÷ {tflops_reached}", lambda a, b, c: 2 * a * b / (c * 1e12)),
    ("prefill_s", ("params", "tokens", "peak_tflops"), "2 × {params} × {tokens} ÷ {peak_tflops}", lambda a, b, c: 2 * a * b / (c * 1e12)),
    ("bubble_share", ("stages", "micro_batches"), "({stages} − 1) ÷ ({micro_batches} + {stages} − 1)", lambda a, b: (a - 1) / (b + a - 1)),
)  # fmt: skip
