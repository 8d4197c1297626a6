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
    ("read_hours", ("data_gb", "disk_mb_s"), "{data_gb} ÷ {disk_mb_s}", lambda a, b: a * 1000 / b / 3600),
    ("read_hours", ("dataset_gb", "disk_mb_s"), "{dataset_gb} ÷ {disk_mb_s}", lambda a, b: a * 1000 / b / 3600),
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
)  # fmt: skip
