"""Compares slot values with the labels: names by what they stand for, texts without case, numbers as numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from advisor.catalog import Catalog

LISTS: Final = frozenset({"gpu", "model", "precision", "provider"})
JOINED: Final = frozenset({"gpu_family", "disk"})
CORE: Final = frozenset(
    {"gpu", "model", "gpu_count", "vram_gb", "ram_gb", "budget", "price", "duration", "batch", "seq_len", "provider",
     "cuda_version"}
)  # fmt: skip
SOFT: Final = frozenset({"task", "method", "persona", "deploy", "gpu_family"})


def value_set(catalog: Catalog, slot: str, value: object) -> frozenset[str]:
    """A slot's value as a set of comparable texts; empty when nothing is there."""
    if value is None or value == []:
        return frozenset()
    if isinstance(value, (list, tuple)):
        return frozenset(_plain(catalog, slot, one) for one in value)
    if slot in JOINED:
        return frozenset(_plain(catalog, slot, one) for one in str(value).split(","))
    return frozenset({_plain(catalog, slot, value)})


def _plain(catalog: Catalog, slot: str, value: object) -> str:
    if slot == "gpu":
        generic = catalog.generic_gpu(str(value))
        card = catalog.find_gpu(str(value))
        return f"={generic.name}" if generic else card.id if card else str(value).lower()
    if slot == "model":
        family = catalog.model_family(str(value))
        model = catalog.find_ml_model(str(value))
        return f"={family.name}" if family else model.id if model else str(value).lower()
    if isinstance(value, Mapping):
        return json.dumps({key: _number(part) for key, part in value.items() if part is not None}, sort_keys=True)
    text = str(_number(value)).strip().lower()
    return text.removesuffix(" cores") if slot == "cpu" else text  # "text or cores number"


def _number(value: object) -> object:
    return int(value) if isinstance(value, float) and value == int(value) else value


def excused(catalog: Catalog, slot: str, found: frozenset[str], gold: Mapping[str, object]) -> bool:
    """Values that the labelling rules never count as errors (taxonomy, section 4)."""
    if slot == "vram_gb":
        cards = gold.get("gpu")
        named = cards if isinstance(cards, (list, tuple)) else ()
        sizes = {float(gpu.vram_gib) for name in named for gpu in catalog.gpu_variants(str(name)) if gpu.vram_gib}
        return all(_is_number(one) and float(one) in sizes for one in found)
    return slot in {"task", "method"} and bool(gold.get("model"))


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()
