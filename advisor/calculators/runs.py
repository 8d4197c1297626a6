"""Sums of work in time: parts that run alone, pauses, crashes, checkpoints, arrivals, speeds against their limits, turns.

Time in hours unless the name says otherwise, data in GB, rates a second, compute in 10^12 operations a second, shares from 0 to 1.
Sources of the rules: the limit of a part that is not divided (Amdahl 1967); six operations a parameter and token (Kaplan et al. 2020);
Little's law. Where nothing comes of the values (a step behind the last one) a line raises ValueError.
"""

from __future__ import annotations

from math import floor
from typing import Final

from advisor.calculators.entry import Entry
from advisor.periods import HOURS_A_DAY

_HOUR: Final = 3600.0
_EXACT: Final = 1e-9


def steps_left(done: float, total: float) -> float:
    """Steps that are still to be done; ValueError where more are done than there are."""
    if done > total:
        raise ValueError("more steps are done than there are")
    return total - done


def fitting(total: float, fixed: float, each: float) -> float:
    """Whole things that fit beside a fixed part; ValueError where that part alone does not fit."""
    if fixed > total:
        raise ValueError("the fixed part does not fit")
    return float(floor((total - fixed) / each + _EXACT))


TABLE: Final[tuple[Entry, ...]] = (
    ("serial_share", ("parallel_share",), "1 − {parallel_share}", lambda a: 1.0 - a),
    ("speedup_limit", ("serial_share",), "1 ÷ {serial_share}", lambda a: 1.0 / a),
    ("real_hours", ("net_hours", "run_part", "pause_part"), "{net_hours} × ({run_part} + {pause_part}) ÷ {run_part}", lambda n, a, b: n * (a + b) / a),
    ("hours_with_crashes", ("net_hours", "crashes", "lost_h"), "{net_hours} + {crashes} × {lost_h}", lambda a, n, b: a + n * b),
    ("crash_card_hours", ("cards", "crashes", "lost_h"), "{cards} × {crashes} × {lost_h}", lambda n, a, b: n * a * b),
    ("save_pause", ("saved_gb", "write_gb_s"), "{saved_gb} ÷ {write_gb_s}", lambda a, b: a / b / _HOUR),
    ("save_part", ("save_pause", "save_every"), "{save_pause} ÷ {save_every}", lambda a, b: a / b),
    ("save_day", ("save_part",), "24 h × {save_part}", lambda a: HOURS_A_DAY * a),
    ("load_part", ("jobs_hour", "job_each_h", "cards"), "{jobs_hour} × {job_each_h} ÷ {cards}", lambda a, b, n: a * b / n),
    ("flops_hours", ("params", "tokens_total", "cards", "sustained_tflops"), "6 × {params} × {tokens_total} ÷ ({cards} × {sustained_tflops} × {mfu_share})",
     lambda p, t, n, f, u: 6.0 * p * t / (n * f * u * 1e12) / _HOUR, ("mfu_share",)),
    ("bound_part", ("bandwidth_needed", "bandwidth_gb_s"), "{bandwidth_needed} ÷ {bandwidth_gb_s}", lambda a, b: a / b),
    ("jobs_at_once", ("turn_cards", "cards_each"), "{turn_cards} ÷ {cards_each}", lambda a, b: fitting(a, 0.0, b)),
    ("left_hours", ("step_at", "steps_all", "steps_s"), "({steps_all} − {step_at}) ÷ {steps_s}", lambda a, b, c: steps_left(a, b) / c / _HOUR),
    ("accumulation_after", ("accumulation_before", "sharing_before", "sharing_after"), "{accumulation_before} × {sharing_before} ÷ {sharing_after}", lambda a, n, m: a * n / m),
    ("prompt_s", ("prompt_tokens", "prefill_rate", "answer_tokens", "decode_rate"), "{prompt_tokens} ÷ {prefill_rate} + {answer_tokens} ÷ {decode_rate}", lambda a, p, b, q: a / p + b / q),
    ("prompts_hours", ("prompt_s", "documents"), "{documents} × {prompt_s}", lambda a, n: n * a / _HOUR),
    ("fit_count", ("whole_gb", "kept_free_gb", "each_item_gb"), "({whole_gb} − {kept_free_gb}) ÷ {each_item_gb}", fitting),
    ("fit_count_then", ("whole_gb", "kept_free_gb", "smaller_gb"), "({whole_gb} − {kept_free_gb}) ÷ {smaller_gb}", fitting),
    ("fit_more", ("fit_count", "fit_count_then"), "{fit_count_then} − {fit_count}", lambda a, b: b - a),
    ("weights_saved", ("params", "bits_before", "bits_after"), "{params} × ({bits_before} − {bits_after}) ÷ 8", lambda p, a, b: p * (a - b) / 8e9),
    ("window_card_hours", ("window_cards_1", "window_1"), "{window_cards_1} × {window_1} + {window_cards_2} × {window_2}",
     lambda n, a, m, b: n * a + m * b, ("window_cards_2", "window_2")),
)  # fmt: skip
