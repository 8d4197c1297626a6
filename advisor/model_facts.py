"""Facts of published models (`data/model_facts.csv`) and what of them a record must say.

A row of facts is what was read in a configuration file, a model card or a README, with its source and grade. Records
are made from these rows and checked against them, so that a figure typed in another place cannot drift.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from advisor.attention import cache_of
from advisor.models import MlModel

FACTS: Final = Path(__file__).parent / "data" / "model_facts.csv"
_BILLION: Final = 1e9
_SAME: Final = 0.02
"""Relative difference up to which a rounded figure is the same one."""
_ROUNDED: Final = 0.05
"""The same for sizes, which names round more ("4B" for 3.876)."""
_SIZES: Final = frozenset({"parameters", "active_parameters"})
_COUNTS: Final = {
    "layers": "layers",
    "hidden": "hidden",
    "heads": "heads",
    "kv_heads": "kv_heads",
    "head_dim": "head_dim",
    "vocab": "vocab",
    "max_context": "max_seq",
    "experts": "experts",
    "experts_per_token": "experts_per_token",
}
"""Column -> field, of whole numbers taken as they stand."""
_KINDS: Final = ("full_layers", "window_layers", "linear_layers")
_NO_CACHE: Final = ("encoder", "decoder body")


def read_facts(path: Path = FACTS) -> list[dict[str, str]]:
    """The rows in the order of the file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def fields_of(row: Mapping[str, str]) -> dict[str, float]:
    """The figures of a record that a row of facts gives; what it leaves open is left out.

    Cached values per token stand in the record only where layers, heads and widths do not give them.
    """
    fields: dict[str, float] = {}
    if total := _number(row["total_params_b"]):
        fields["parameters"] = round(total * _BILLION)
        active = _number(row["active_params_b"])
        if active and active != total:
            fields["active_parameters"] = round(active * _BILLION)
    for column, field in _COUNTS.items():
        if (value := _number(row[column])) is not None:
            fields[field] = value
    fields |= _attention(row)
    return fields


def _attention(row: Mapping[str, str]) -> dict[str, float]:
    """Kinds of layers, windows and fixed states."""
    if row["attention"].startswith(_NO_CACHE):
        return {}
    kinds = {name: value for name in _KINDS if (value := _number(row[name])) is not None}
    if not kinds.get("window_layers") and not kinds.get("linear_layers"):
        kinds = {}
    found: dict[str, float] = dict(kinds)
    if kinds.get("window_layers"):
        found["sliding_window"] = _number(row["window"]) or 0.0
        for column, own in (("window_kv_heads", "kv_heads"), ("window_head_dim", "head_dim")):
            value = _number(row[column])
            if value is not None and value != _number(row[own]):
                found[column] = value
    if state := _number(row["state_mib_per_sequence"]):
        found["state_mib_per_sequence"] = state
    full, layers = _number(row["kv_values_per_token_full"]), _number(row["full_layers"])
    if row["attention"] == "mla" and full and layers and full % layers == 0:
        found["kv_lora_rank"] = full / layers
    return found


def differences(row: Mapping[str, str], model: MlModel) -> Iterator[str]:
    """What a record says otherwise than its row of facts, in words."""
    for field, fact in fields_of(row).items():
        value = getattr(model, field)
        if value is None:
            yield f"{field} is missing, the facts have {fact:g}"
        elif not same(float(value), fact, _ROUNDED if field in _SIZES else _SAME):
            yield f"{field} is {value:g}, the facts have {fact:g}"
    if row["attention"].startswith(_NO_CACHE):
        return
    cache = cache_of(model)
    for column, value in (
        ("kv_values_per_token_full", cache and cache.full),
        ("kv_values_per_token_window", cache and cache.window),
    ):
        cached = _number(row[column])
        if cached is not None and value is not None and not same(value, cached):
            yield f"{column} comes to {value:g}, the facts have {cached:g}"


def same(one: float, other: float, apart: float = _SAME) -> bool:
    """Whether two figures are one, up to rounding."""
    largest = max(abs(one), abs(other))
    return largest == 0 or abs(one - other) <= apart * largest


def _number(text: str) -> float | None:
    """A plain number; None for an empty cell and for one in words ("128+64 / 128")."""
    try:
        value = float(text)
    except ValueError:
        return None
    return int(value) if value == int(value) else value
