"""Arithmetic of the trade: buses and decoding, sharded training, adapters, racks, cooling, sound and checkpoints.

Sources of the rules: six operations a parameter and token (Kaplan et al. 2020); adapters of two thin matrices (Hu et al.
2021); parts of training state that are divided (Rajbhandari et al. 2020); guessed tokens (Leviathan et al. 2023); the learning
rate follows the batch (Goyal et al. 2017; its root, Krizhevsky 2014); Little's law; air takes 0.335 Wh per cubic metre and kelvin.
"""

from __future__ import annotations

from math import ceil, exp, floor, log10, sqrt
from typing import Final

from advisor.calculators.entry import Entry

_BTU_PER_WH: Final = 3.412
_AIR_WH: Final = 0.335
_CFM: Final = 1.699
"""Cubic metres an hour of a cubic foot a minute."""
_HALF_BYTES, _GRADIENT_BYTES = 2.0, 2.0
_EXACT: Final = 1e-9


def zero_gb(params: float, each: float, stage: float, cards: float) -> float:
    """GB on each card: stage 1 divides what the optimizer keeps, stage 2 the gradients too, stage 3 all.

    Args:
        params: of the model.
        each: bytes of all that is kept for one, 2 of them the weight and 2 its gradient.
        stage: 1, 2 or 3.
        cards: that divide it.
    """
    whole = {1: _HALF_BYTES + _GRADIENT_BYTES, 2: _HALF_BYTES, 3: 0.0}[int(stage)]
    return params * (whole + (each - whole) / cards) / 1e9


def whole(value: float) -> float:
    """The largest whole number in a value, bits of a float aside."""
    return float(floor(value + _EXACT))


def accepted(rate: float, drafted: float) -> float:
    """Tokens of a round on the average, the one of the large model among them."""
    return (1 - float(rate ** (drafted + 1))) / (1 - rate)


TABLE: Final[tuple[Entry, ...]] = (
    # buses, and what is read through them for each token
    ("bus_gb_s", ("bus_bits", "pin_gbps"), "{bus_bits} ÷ 8 × {pin_gbps}", lambda a, b: a / 8 * b),
    ("bus_gb_s", ("transfers_mt_s", "memory_channels"), "{transfers_mt_s} × {memory_channels} × {channel_bits} ÷ 8", lambda a, b, c: a * b * c / 8000, ("channel_bits",)),
    ("bandwidth_gb_s", ("bus_gb_s",), "{bus_gb_s}", lambda a: a),
    ("pin_gbps", ("bandwidth_gb_s", "bus_bits"), "{bandwidth_gb_s} × 8 ÷ {bus_bits}", lambda a, b: a * 8 / b),
    ("bandwidth_needed", ("token_rate_wanted", "weights_read_gb"), "{token_rate_wanted} × {weights_read_gb}", lambda a, b: a * b),
    ("average_bits", ("weights_gb", "params"), "{weights_gb} × 8 ÷ {params}", lambda a, b: a * 8e9 / b),
    # training
    ("mfu_reached", ("params", "card_tokens_s", "peak_tflops"), "6 × {params} × {card_tokens_s} ÷ {peak_tflops}", lambda a, b, c: 6 * a * b / (c * 1e12)),
    ("lora_params", ("rank", "layers", "matrix_sides"), "{layers} × {layer_matrices} × {rank} × {matrix_sides}", lambda a, b, c, d: a * b * c * d, ("layer_matrices",)),
    ("scores_gb", ("attention_heads", "sequence_tokens", "value_bytes"), "{sequences} × {attention_layers} × {attention_heads} × {sequence_tokens}² × {value_bytes}",
     lambda a, b, c, d, e: a * b * b * c * d * e / 1e9, ("sequences", "attention_layers")),
    ("logits_gb", ("vocabulary", "sequence_tokens", "value_bytes"), "{sequences} × {sequence_tokens} × {vocabulary} × {value_bytes}", lambda a, b, c, d: a * b * c * d / 1e9, ("sequences",)),
    ("embedding_params", ("vocabulary", "hidden_width"), "{embedding_tables} × {vocabulary} × {hidden_width}", lambda a, b, c: a * b * c, ("embedding_tables",)),
    ("block_params", ("layers", "hidden_width"), "12 × {layers} × {hidden_width}²", lambda a, b: 12 * a * b * b),
    ("optimizer_gb", ("params",), "{params} × {state_values} × 4", lambda a, b: a * b * 4 / 1e9, ("state_values",)),
    ("optimizer_small_gb", ("params", "state_bits"), "{params} × {state_values} × {state_bits} ÷ 8", lambda a, b, c: a * c * b / 8e9, ("state_values",)),
    ("optimizer_saved_gb", ("optimizer_gb", "optimizer_small_gb"), "{optimizer_gb} − {optimizer_small_gb}", lambda a, b: a - b),
    ("need_gb", ("params", "training_bytes", "zero_stage", "sharing_cards"), "{params} × {training_bytes} ÷ {sharing_cards}", zero_gb),
    ("need_gb", ("weights_gb", "sharing_cards"), "({weights_gb} + {shared_kv_gb}) ÷ {sharing_cards} + {each_gb}", lambda a, b, c, d: (a + c) / b + d, ("shared_kv_gb", "each_gb")),
    ("prefetch_gb", ("workers", "batch", "values_each", "value_bytes"), "{workers} × {prefetch_factor} × {batch} × {values_each} × {value_bytes}",
     lambda a, b, c, d, e: a * b * c * d * e / 1e9, ("prefetch_factor",)),
    ("feature_gb", ("values_each", "value_bytes"), "{sequences} × {map_channels} × {values_each} × {value_bytes}", lambda a, b, c, d: a * b * c * d / 1e9, ("sequences", "map_channels")),
    ("size_ratio", ("value_bytes", "bits"), "{value_bytes} × 8 ÷ {bits}", lambda a, b: a * 8 / b),
    ("quantized_gb", ("weights_gb", "size_ratio"), "{weights_gb} ÷ {size_ratio}", lambda a, b: a / b),
    ("batch_at_size", ("batch", "pixels_before", "pixels_after"), "{batch} × ({pixels_before} ÷ {pixels_after})²", lambda a, b, c: whole(a * (b / c) ** 2)),
    ("warmup_steps", ("warmup_share", "steps"), "{warmup_share} × {steps}", lambda a, b: float(ceil(a * b - _EXACT))),
    ("warmup_hours", ("warmup_steps", "step_s"), "{warmup_steps} × {step_s}", lambda a, b: a * b / 3600),
    ("loss_perplexity", ("loss",), "e^{loss}", exp),
    ("rate_linear", ("learning_rate", "batch_before", "batch_new"), "{learning_rate} × {batch_new} ÷ {batch_before}", lambda a, b, c: a * c / b),
    ("rate_root", ("learning_rate", "batch_before", "batch_new"), "{learning_rate} × √({batch_new} ÷ {batch_before})", lambda a, b, c: a * sqrt(c / b)),
    ("tokens_step", ("batch", "sequence_tokens"), "{batch} × {sequence_tokens} × {sharing_cards} × {accumulation}", lambda a, b, c, d: a * b * c * d, ("sharing_cards", "accumulation")),
    ("steps_for_tokens", ("tokens_total", "tokens_step"), "{tokens_total} ÷ {tokens_step}", lambda a, b: float(ceil(a / b - _EXACT))),
    ("patches", ("pixels_before", "patch"), "({pixels_before} ÷ {patch})²", lambda a, b: whole(a / b) ** 2),
    ("conv_params", ("kernel", "channels_in", "channels_out"), "{kernel}² × {channels_in} × {channels_out} + {channels_out}", lambda a, b, c: a * a * b * c + c),
    ("conv_size", ("pixels_before", "kernel"), "({pixels_before} + 2 × {padding} − {kernel}) ÷ {stride} + 1", lambda a, b, c, d: whole((a + 2 * c - b) / d) + 1, ("padding", "stride")),
    # guessed tokens
    ("accepted_tokens", ("accept_rate", "draft_tokens"), "(1 − {accept_rate}^({draft_tokens} + 1)) ÷ (1 − {accept_rate})", accepted),
    ("guessed_tokens_s", ("accepted_tokens", "guess_round_s"), "{accepted_tokens} ÷ {guess_round_s}", lambda a, b: a / b),
    ("guess_speedup", ("accepted_tokens", "guess_round_s", "plain_token_s"), "{accepted_tokens} × {plain_token_s} ÷ {guess_round_s}", lambda a, b, c: a * c / b),
    # time and work
    ("in_flight", ("arrivals_s", "stay_s"), "{arrivals_s} × {stay_s}", lambda a, b: a * b),
    ("compute_share", ("step_s", "wait_s"), "({step_s} − {wait_s}) ÷ {step_s}", lambda a, b: (a - b) / a),
    ("interruption_hours", ("job_hours", "failure_hours", "lost_hours"), "{job_hours} ÷ {failure_hours} × {lost_hours}", lambda a, b, c: a / b * c),
    ("item_s", ("steps", "step_s"), "{steps} × {step_s} + {extra_s}", lambda a, b, c: a * b + c, ("extra_s",)),
    ("images_in_time", ("hours_total", "item_s"), "{hours_total} ÷ {item_s} × {cards}", lambda a, b, c: a * 3600 / b * c, ("cards",)),
    ("grid_runs", ("settings",), "{settings} × {folds}", lambda a, b: a * b, ("folds",)),
    ("grid_hours", ("grid_runs", "trial_hours"), "{grid_runs} ÷ {sharing_cards} × {trial_hours}", lambda a, b, c: ceil(a / c - _EXACT) * b, ("sharing_cards",)),
    ("chunk_count", ("items", "page_words", "chunk_words"), "{items} × {pages_each} × {page_words} ÷ ({chunk_words} − {overlap_words})",
     lambda a, b, c, d, e: float(ceil(a * e * b / (c - d) - _EXACT)), ("overlap_words", "pages_each")),
    ("model_frames_s", ("item_s",), "1 ÷ {item_s}", lambda a: 1 / a),
    # parts of a time, turns, the slower of two
    ("part_hours", ("time_one", "steps_between", "step_s"), "{time_one}", lambda a, _, __: a),
    ("cycle_hours", ("time_one", "steps_between", "step_s"), "{steps_between} × {step_s} + {time_one}", lambda a, b, c: a + b * c / 3600),
    ("part_hours", ("time_one", "time_other", "part_count"), "{part_count} × min({time_one}, {time_other})", lambda a, b, c: c * min(a, b)),
    ("part_hours", ("time_one", "time_other"), "min({time_one}, {time_other})", min),
    ("cycle_hours", ("time_one", "time_other", "part_added"), "{time_one} + {time_other}", lambda a, b, _: a + b),
    ("cycle_hours", ("time_one", "time_other"), "max({time_one}, {time_other})", max),
    ("part_share", ("part_hours", "cycle_hours"), "{part_hours} ÷ {cycle_hours}", lambda a, b: a / b),
    ("at_once", ("turn_cards",), "{turn_cards} ÷ {cards_each}", lambda a, b: max(1.0, whole(a / b)), ("cards_each",)),
    ("turn_rounds", ("turn_jobs", "at_once"), "{turn_jobs} ÷ {at_once}", lambda a, b: float(ceil(a / b - _EXACT))),
    ("queue_hours", ("turn_rounds", "turn_hours"), "{turn_rounds} × {turn_hours}", lambda a, b: a * b),
    ("slowest_pieces_s", ("pieces_s_one", "pieces_s_other"), "min({pieces_s_one}, {pieces_s_other})", min),
    ("slow_hours", ("pieces", "slowest_pieces_s"), "{pieces} ÷ {slowest_pieces_s}", lambda a, b: a / b / 3600),
    ("slowest_gb_s", ("flow_one", "flow_other"), "min({flow_one}, {flow_other})", min),
    ("slow_move_hours", ("data_gb", "slowest_gb_s"), "{data_gb} ÷ {slowest_gb_s}", lambda a, b: a / b / 3600),
    ("watts_one", ("volts", "amps_one"), "{volts} × {amps_one}", lambda a, b: a * b),
    ("watts_other", ("volts", "amps_other"), "{volts} × {amps_other}", lambda a, b: a * b),
    ("watts_both", ("watts_one", "watts_other"), "{watts_one} + {watts_other}", lambda a, b: a + b),
    # racks, air, watts
    ("by_space", ("rack_u", "server_u"), "({rack_u} − {taken_u}) ÷ {server_u}", lambda a, b, c: whole((a - c) / b), ("taken_u",)),
    ("by_power", ("feed_w", "server_w"), "{feed_w} × {outlet_share} ÷ {server_w}", lambda a, b, c: whole(a * c / b), ("outlet_share",)),
    ("by_weight", ("floor_kg", "server_kg"), "({floor_kg} − {taken_kg}) ÷ {server_kg}", lambda a, b, c: whole((a - c) / b), ("taken_kg",)),
    ("kg_left", ("floor_kg", "server_kg", "by_weight"), "{floor_kg} − {taken_kg} − {by_weight} × {server_kg}", lambda a, b, c, d: a - d - b * c, ("taken_kg",)),
    ("rack_machines", ("by_space", "by_power", "by_weight"), "min({by_space}, {by_power}, {by_weight})", min),
    ("rack_machines", ("by_space", "by_power"), "min({by_space}, {by_power})", min),
    ("rack_machines", ("by_power", "by_weight"), "min({by_power}, {by_weight})", min),
    ("cooler_btu", ("cooler_w",), "{cooler_w} × 3.412", lambda a: a * _BTU_PER_WH),
    ("airflow", ("drawn_w", "air_kelvin"), "{drawn_w} ÷ (0.335 × {air_kelvin})", lambda a, b: a / (_AIR_WH * b)),
    ("airflow_cfm", ("airflow",), "{airflow} ÷ 1.699", lambda a: a / _CFM),
    ("kept_speed", ("lost_speed",), "1 − {lost_speed}", lambda a: 1 - a),
    ("capped_hours", ("job_hours", "kept_speed"), "{job_hours} ÷ {kept_speed}", lambda a, b: a / b),
    ("capped_kwh", ("watts_after", "capped_hours"), "{watts_after} × {capped_hours}", lambda a, b: a * b / 1000),
    ("capped_saved_kwh", ("watts_before", "job_hours", "capped_kwh"), "{watts_before} × {job_hours} − {capped_kwh}", lambda a, b, c: a * b / 1000 - c),
    ("tokens_per_joule", ("tokens_per_s", "load_w"), "{tokens_per_s} ÷ {load_w}", lambda a, b: a / b),
    ("mtok_kwh", ("load_w", "tokens_per_s"), "{load_w} ÷ {tokens_per_s} ÷ 3.6", lambda a, b: a / b / 3.6),
    ("loudness_all_db", ("loudness_db", "machines"), "{loudness_db} + 10 × log₁₀({machines})", lambda a, b: a + 10 * log10(b)),
    # files and disks
    ("sound_gb", ("sound_hours", "sample_rate"), "{sound_hours} × 3600 × {sample_rate} × {sample_bits} ÷ 8 × {sound_channels}",
     lambda a, b, c, d: a * 3600 * b * c / 8 * d / 1e9, ("sample_bits", "sound_channels")),
    ("sound_gb", ("sound_hours", "bitrate_gb_s"), "{sound_hours} × 3600 × {bitrate_gb_s}", lambda a, b: a * 3600 * b),
    ("film_gb", ("values_each", "frame_rate", "clip_hours"), "{values_each} × 3 × {frame_rate} × {clip_hours}", lambda a, b, c: a * 3 * b * c * 3600 / 1e9),
    ("checkpoint_gb", ("params", "bytes_per_param"), "{params} × {bytes_per_param}", lambda a, b: a * b / 1e9),
    ("upload_gb_s", ("checkpoint_gb", "steps_between", "step_s"), "{checkpoint_gb} ÷ ({steps_between} × {step_s})", lambda a, b, c: a / (b * c)),
    ("save_share", ("save_s", "steps_between", "step_s"), "{save_s} ÷ ({steps_between} × {step_s} + {save_s})", lambda a, b, c: a / (b * c + a)),
    ("usable_gb", ("disks", "disk_gb", "spare_disks"), "({disks} − {spare_disks}) × {disk_gb}", lambda a, b, c: (a - c) * b),
    ("iops_mb_s", ("iops", "block_mb"), "{iops} × {block_mb}", lambda a, b: a * b),
)  # fmt: skip
