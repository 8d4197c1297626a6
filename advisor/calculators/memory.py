"""Weights, caches and shares of memory by plain arithmetic; what fits where. GiB is 2**30 bytes; a card's "GB" is counted as GiB."""

from __future__ import annotations

from math import ceil, floor
from typing import Final

from advisor.calculators.entry import Entry

GIB: Final = 2.0**30
_KIB: Final = 1024.0
_BITS: Final = 8.0

TABLE: Final[tuple[Entry, ...]] = (
    ("weights_gb", ("params", "bits"), "{params} × {bits} ÷ 8", lambda a, b: a * b / _BITS / 1e9),
    ("state_gb", ("params", "bytes_per_param"), "{params} × {bytes_per_param}", lambda a, b: a * b / 1e9),
    ("need_gb", ("peak_gb",), "{peak_gb}", lambda a: a),
    # several cards hold a part each only where something splits the weights
    ("need_gb", ("weights_gb", "cards", "split"), "{weights_gb} ÷ {cards} + {fixed_gb}", lambda a, b, _, d: a / b + d, ("fixed_gb",)),
    ("need_gb", ("weights_gb",), "{weights_gb} + {fixed_gb}", lambda a, b: a + b, ("fixed_gb",)),
    ("cards_by_memory", ("total_gb", "card_gb"), "{total_gb} ÷ {card_gb}", lambda a, b: float(ceil(a / b - 1e-9))),
    ("fits", ("need_gb", "card_gb"), "{need_gb} ≤ {card_gb}", lambda a, b: float(a <= b)),
    ("kv_token_kib", ("layers", "kv_heads", "head_dim", "kv_bytes"), "2 × {layers} × {kv_heads} × {head_dim} × {kv_bytes}",
     lambda a, b, c, d: 2 * a * b * c * d / _KIB),
    ("kv_gib", ("kv_token_kib", "tokens"), "{kv_token_kib} × {tokens} × {requests}", lambda a, b, c: a * _KIB * b * c / GIB, ("requests",)),
    ("longest_tokens", ("kv_room_gib", "kv_token_kib"), "{kv_room_gib} ÷ {kv_token_kib} ÷ {requests}",
     lambda a, b, c: float(floor(a * GIB / (b * _KIB) / c)), ("requests",)),
    ("most_requests", ("kv_room_gib", "kv_token_kib", "tokens"), "{kv_room_gib} ÷ ({kv_token_kib} × {tokens})",
     lambda a, b, c: float(floor(a * GIB / (b * _KIB * c)))),
    # of a mixture of experts only the active parameters are read for each token
    ("weights_read_gb", ("active_params", "bits"), "{active_params} × {bits} ÷ 8", lambda a, b: a * b / _BITS / 1e9),
    ("weights_read_gb", ("weights_gb",), "{weights_gb}", lambda a: a),
    ("decode_tokens_s", ("bandwidth_gb_s", "weights_read_gb"), "{bandwidth_gb_s} × {bandwidth_share} ÷ {weights_read_gb}", lambda a, b, c: a * c / b, ("bandwidth_share",)),
    ("bandwidth_ratio", ("bandwidth_gb_s", "other_bandwidth_gb_s"), "{bandwidth_gb_s} ÷ {other_bandwidth_gb_s}", lambda a, b: a / b),
    ("global_batch", ("micro_batch", "cards"), "{micro_batch} × {cards} × {accumulation}", lambda a, b, c: a * b * c, ("accumulation",)),
    ("global_batch", ("batch", "accumulation", "cards"), "{batch} × {cards} × {accumulation}", lambda a, b, c: a * b * c),
    ("global_batch", ("batch", "accumulation"), "{batch} × {accumulation}", lambda a, b: a * b),
    ("kv_room_gib", ("card_gb", "weights_gb"), "{cards} × {card_gb} − {weights_gb} − {fixed_gb}", lambda a, b, c, d: d * a - b - c, ("fixed_gb", "cards")),
    ("longest_tokens", ("kv_room_gib", "ktoken_gb"), "{kv_room_gib} ÷ {ktoken_gb} × 1000", lambda a, b: float(floor(a / b * 1000))),
    ("kv_gib", ("ktoken_gb", "tokens"), "{ktoken_gb} × {tokens} ÷ 1000 × {requests}", lambda a, b, c: a * b / 1000 * c, ("requests",)),
    ("users_by_memory", ("kv_room_gib", "user_gb"), "{kv_room_gib} ÷ {user_gb}", lambda a, b: float(floor(a / b + 1e-9))),
    ("kv_gib", ("user_gb", "requests"), "{user_gb} × {requests}", lambda a, b: a * b),
    ("most_bits", ("card_gb", "params"), "{cards} × {card_gb} × 8 ÷ {params}", lambda a, b, c: c * a * 1e9 * _BITS / b, ("cards",)),
    ("largest_params", ("card_gb", "bits"), "({card_gb} − {fixed_gb}) × 8 ÷ {bits}", lambda a, b, c: (a - c) * 1e9 * _BITS / b, ("fixed_gb",)),
    ("largest_params", ("card_gb", "bytes_per_param"), "({card_gb} − {fixed_gb}) ÷ {bytes_per_param}", lambda a, b, c: (a - c) * 1e9 / b, ("fixed_gb",)),
    ("lora_params", ("rank", "width", "layer_matrices", "layers"), "{layers} × {layer_matrices} × 2 × {rank} × {width}", lambda a, b, c, d: d * c * 2 * a * b),
    # memory grows with the batch in a straight line: two readings tell it, or what one sample takes and what stays
    ("item_gb", ("gb_before", "peak_gb", "batch_before", "batch"), "({peak_gb} − {gb_before}) ÷ ({batch} − {batch_before})",
     lambda a, b, c, d: (b - a) / (d - c)),
    ("base_gb", ("peak_gb", "batch", "item_gb"), "{peak_gb} − {batch} × {item_gb}", lambda a, b, c: a - b * c),
    ("most_batch", ("card_gb", "base_gb", "item_gb"), "({card_gb} − {base_gb}) ÷ {item_gb}", lambda a, b, c: float(floor((a - b) / c + 1e-9))),
    ("most_batch", ("card_gb", "fixed_gb", "item_gb"), "({card_gb} − {fixed_gb}) ÷ {item_gb}", lambda a, b, c: float(floor((a - b) / c + 1e-9))),
    # a model in few bits is run, not trained: the cards hold a part each
    ("need_gb", ("weights_gb", "cards", "bits"), "{weights_gb} ÷ {cards} + {fixed_gb}", lambda a, b, _, d: a / b + d, ("fixed_gb",)),
    ("accumulation_needed", ("batch", "micro_batch"), "{batch} ÷ ({micro_batch} × {cards})", lambda a, b, c: float(ceil(a / (b * c) - 1e-9)), ("cards",)),
    ("layers_fit", ("kv_room_gib", "layers", "weights_gb"), "{kv_room_gib} ÷ ({weights_gb} ÷ {layers})", lambda a, b, c: float(min(b, floor(a * b / c + 1e-9)))),
    ("used_share", ("used_gb", "card_gb"), "{used_gb} ÷ {card_gb}", lambda a, b: a / b),
)  # fmt: skip
