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
    ("weights_gib", ("weights_gb",), "{weights_gb}", lambda a: a * 1e9 / GIB),
    ("state_gb", ("params", "bytes_per_param"), "{params} × {bytes_per_param}", lambda a, b: a * b / 1e9),
    ("need_gb", ("peak_gb",), "{peak_gb}", lambda a: a),
    # several cards hold a part each only where something splits the weights
    ("need_gb", ("weights_gib", "cards", "split"), "{weights_gib} ÷ {cards} + {fixed_gb}", lambda a, b, _, d: a / b + d, ("fixed_gb",)),
    ("need_gb", ("weights_gib",), "{weights_gib} + {fixed_gb}", lambda a, b: a + b, ("fixed_gb",)),
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
    ("decode_tokens_s", ("bandwidth_gb_s", "weights_read_gb"), "{bandwidth_gb_s} ÷ {weights_read_gb}", lambda a, b: a / b),
    ("bandwidth_ratio", ("bandwidth_gb_s", "other_bandwidth_gb_s"), "{bandwidth_gb_s} ÷ {other_bandwidth_gb_s}", lambda a, b: a / b),
    ("global_batch", ("micro_batch", "cards"), "{micro_batch} × {cards} × {accumulation}", lambda a, b, c: a * b * c, ("accumulation",)),
)  # fmt: skip
