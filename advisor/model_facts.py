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
    mixed = kinds.get("window_layers") or kinds.get("linear_layers")
    found: dict[str, float] = dict(kinds) if mixed else {}
    if kinds.get("window_layers"):
        found |= {"sliding_window": _number(row["window"]) or 0.0, **_own_of_windows(row)}
    if state := _number(row["state_mib_per_sequence"]):
        found["state_mib_per_sequence"] = state
    return found | _latent(row)


def _own_of_windows(row: Mapping[str, str]) -> dict[str, float]:
    """Heads and widths of window layers where they differ from those of the others."""
    pairs = (("window_kv_heads", "kv_heads"), ("window_head_dim", "head_dim"))
    own = ((column, _number(row[column]), _number(row[usual])) for column, usual in pairs)
    return {column: value for column, value, usual in own if value is not None and value != usual}


def _latent(row: Mapping[str, str]) -> dict[str, float]:
    """Width of the latent vector of a token in one layer."""
    full, layers = _number(row["kv_values_per_token_full"]), _number(row["full_layers"])
    if row["attention"] != "mla" or not full or not layers or full % layers:
        return {}
    return {"kv_lora_rank": full / layers}


def differences(row: Mapping[str, str], model: MlModel) -> Iterator[str]:
    """What a record says otherwise than its row of facts, in words."""
    for field, fact in fields_of(row).items():
        value = getattr(model, field)
        if value is None:
            yield f"{field} is missing, the facts have {fact:g}"
        elif not same(float(value), fact, _ROUNDED if field in _SIZES else _SAME):
            yield f"{field} is {value:g}, the facts have {fact:g}"
    cache = None if row["attention"].startswith(_NO_CACHE) else cache_of(model)
    cached = {"full": cache.full, "window": cache.window} if cache else {}
    for kind, value in cached.items():
        column = f"kv_values_per_token_{kind}"
        fact_ = _number(row[column])
        if fact_ is not None and not same(value, fact_):
            yield f"{column} comes to {value:g}, the facts have {fact_:g}"


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
