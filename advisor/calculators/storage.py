"""Data from disk to card: rates, what RAM holds, cores and RAM for each card."""

from __future__ import annotations

from math import ceil, floor
from typing import Final

from advisor.calculators.entry import Entry

TABLE: Final[tuple[Entry, ...]] = (
    ("disk_need_mb_s", ("items_per_s", "item_mb"), "{items_per_s} × {item_mb}", lambda a, b: a * b, (), ("001-057",)),
    ("disk_need_mb_s", ("items", "item_mb", "pass_hours"), "{items} × {item_mb} ÷ {pass_hours}", lambda a, b, c: a * b / (c * 3600)),
    ("disk_need_mb_s", ("dataset_gb", "pass_hours"), "{dataset_gb} ÷ {pass_hours}", lambda a, b: a * 1000 / (b * 3600)),
    ("disk_enough", ("disk_need_mb_s", "disk_mb_s"), "{disk_need_mb_s} ≤ {disk_mb_s}", lambda a, b: float(a <= b)),
    ("disk_items_s", ("disk_mb_s", "item_mb"), "{disk_mb_s} ÷ {item_mb}", lambda a, b: a / b, (), ("001-057",)),
    ("dataset_gb", ("items", "item_mb"), "{items} × {item_mb}", lambda a, b: a * b / 1000),
    ("ram_used_gb", ("dataset_gb",), "{dataset_gb} + {other_gb}", lambda a, b: a + b, ("other_gb",)),
    ("ram_used_gb", ("workers", "worker_gb"), "{workers} × {worker_gb} + {other_gb}", lambda a, b, c: a * b + c, ("other_gb",)),
    ("ram_enough", ("ram_used_gb", "ram_gb"), "{ram_used_gb} ≤ {ram_gb}", lambda a, b: float(a <= b)),
    ("ram_to_add_gb", ("card_gb", "ram_gb"), "{cards} × {card_gb} − {ram_gb}", lambda a, b, c: max(0.0, c * a - b), ("cards",), ("001-046",)),
    ("cards_fed", ("cores", "cores_per_card"), "{cores} ÷ {cores_per_card}", lambda a, b: float(floor(a / b)), (), ("001-041",)),
    ("cards_for_workers", ("workers", "cores_per_card", "worker_gb", "ram_per_card_gb"),
     "{workers} ÷ {cores_per_card}, {workers} × {worker_gb} ÷ {ram_per_card_gb}", lambda a, b, c, d: float(max(ceil(a / b), ceil(a * c / d)))),
    ("cards_for_workers", ("workers", "cores_per_card"), "{workers} ÷ {cores_per_card}", lambda a, b: float(ceil(a / b))),
    ("share_cores", ("host_cores", "host_cards", "cards"), "{host_cores} ÷ {host_cards} × {cards}", lambda a, b, c: a / b * c, (), ("000-034",)),
    ("share_ram_gb", ("host_ram_gb", "host_cards", "cards"), "{host_ram_gb} ÷ {host_cards} × {cards}", lambda a, b, c: a / b * c, (), ("000-034",)),
    # moving or loading so much at a rate; of a line only a share may come through
    ("moved_gb", ("data_gb",), "{data_gb}", lambda a: a),
    ("moved_gb", ("dataset_gb",), "{dataset_gb}", lambda a: a),
    ("moved_gb", ("checkpoint_gb",), "{checkpoint_gb}", lambda a: a),
    ("moved_gb", ("weights_gb",), "{weights_gb}", lambda a: a),
    ("moved_gb_s", ("link_gb_s",), "{link_gb_s} × {efficiency}", lambda a, b: a * b, ("efficiency",)),
    ("moved_gb_s", ("disk_mb_s",), "{disk_mb_s}", lambda a: a / 1000),
    ("move_hours", ("moved_gb", "moved_gb_s"), "{moved_gb} ÷ {moved_gb_s}", lambda a, b: a / b / 3600),
    ("link_need_gb_s", ("moved_gb", "deadline_hours"), "{moved_gb} ÷ {deadline_hours}", lambda a, b: a / (b * 3600)),
    ("link_need_gb_s", ("moved_gb", "hours_total"), "{moved_gb} ÷ {hours_total}", lambda a, b: a / (b * 3600)),
    ("moved_in_time", ("moved_gb_s", "hours_total"), "{moved_gb_s} × {hours_total}", lambda a, b: a * b * 3600),
    ("checkpoint_count", ("steps", "steps_between"), "{steps} ÷ {steps_between}", lambda a, b: float(floor(a / b + 1e-9))),
    ("checkpoint_count", ("hours_total", "hours_between"), "{hours_total} ÷ {hours_between}", lambda a, b: float(floor(a / b + 1e-9))),
    ("checkpoints_gb", ("checkpoint_gb", "checkpoints_kept"), "{checkpoint_gb} × ({checkpoints_kept} + {checkpoints_more})", lambda a, b, c: a * (b + c),
     ("checkpoints_more",)),
    ("checkpoints_gb", ("checkpoint_gb", "checkpoint_count"), "{checkpoint_gb} × {checkpoint_count}", lambda a, b: a * b),
    ("checkpoints_fit", ("disk_gb", "checkpoint_gb"), "{disk_gb} ÷ {checkpoint_gb}", lambda a, b: float(floor(a / b + 1e-9))),
    ("items_fit", ("disk_gb", "item_mb"), "{disk_gb} ÷ {item_mb}", lambda a, b: float(floor(a * 1000 / b + 1e-9))),
    ("dataset_gb", ("tokens_total", "bytes_per_token"), "{tokens_total} × {bytes_per_token}", lambda a, b: a * b / 1e9),
    ("tensor_mb", ("values_each", "value_bytes"), "{values_each} × {value_bytes}", lambda a, b: a * b / 1e6),
    ("dataset_gb", ("items", "values_each", "value_bytes"), "{items} × {values_each} × {value_bytes}", lambda a, b, c: a * b * c / 1e9),
    ("item_share_mb", ("dataset_gb", "items"), "{dataset_gb} ÷ {items}", lambda a, b: a * 1000 / b),
    ("workers_fit", ("ram_gb", "worker_gb"), "({ram_gb} − {other_gb}) ÷ {worker_gb}", lambda a, b, c: float(floor((a - c) / b + 1e-9)), ("other_gb",)),
    ("vectors_gb", ("items", "vector_width", "value_bytes"), "{items} × {vector_width} × {value_bytes}", lambda a, b, c: a * b * c / 1e9),
)  # fmt: skip
