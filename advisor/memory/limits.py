"""Bounds of sense for what goes into an estimate. Outside of them a number is refused, not computed with."""

from __future__ import annotations

import math

from advisor.errors import OutOfRange
from advisor.models import MlModel, Workload

_BOUNDS: dict[str, tuple[float, float]] = {
    "batch": (1, 65_536),
    "seq_len": (1, 16_777_216),
    "n_gpus": (1, 131_072),
    "lora_rank": (1, 8_192),
    "grad_accum": (1, 1_000_000),
    "users": (1, 65_536),
}
_PARAMETERS = (1e3, 2e13)
_EDGE = (8, 16_384)
_VRAM = (0.25, 2_304.0)
_TOKENS = 2**31
"""Tokens or pixels-worth of samples in one step beyond which no machine of `n_gpus` cards could be meant."""


def check_number(name: str, value: float, low: float, high: float) -> None:
    """Raise OutOfRange unless `value` is finite and within [low, high]."""
    if not math.isfinite(value) or not low <= value <= high:
        raise OutOfRange(f"{name} = {value} is outside {low:g} to {high:g}", name=name, value=value, low=low, high=high)


def check_vram(vram_gib: float) -> None:
    """Refuse memory sizes that no card or machine has."""
    check_number("vram_gb", vram_gib, *_VRAM)


def check_model(model: MlModel) -> None:
    """Refuse parameter counts that no network has."""
    check_number("parameters", model.parameters, *_PARAMETERS)


def check_workload(workload: Workload) -> None:
    """Refuse a workload with any number that is zero, negative, not finite or beyond anything real."""
    check_model(workload.ml_model)
    for name, (low, high) in _BOUNDS.items():
        value = getattr(workload, name)
        if value is not None and not low <= value <= high:
            check_number(name, value, low, high)
    for edge in workload.resolution or ():
        check_number("resolution", edge, *_EDGE)
    if (workload.batch or 1) * (workload.seq_len or 1) > _TOKENS:
        raise OutOfRange(
            "batch x sequence is beyond any machine",
            name="batch",
            value=workload.batch,
            low=1,
            high=_TOKENS // (workload.seq_len or 1),
        )
