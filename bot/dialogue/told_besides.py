"""What a long message tells besides: values that change nothing of what it asks, and so are none of its slots.

A long message tells of the machine, the place and the past of whoever asks. Answers may still use such a value; the
slots that other programs read are those that what is asked turns on (section 4 of the taxonomy of slots).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_BILLS: Final = frozenset({"estimate_cost", "rent_or_buy", "carbon_footprint"})
_CHOOSING: Final = frozenset({"recommend_gpu", "cluster_design", "platform_choice", "vendor_choice"})
_SIZING: Final = frozenset({"check_fit", "estimate_memory", "estimate_time", "gpu_count"})
_COUNTED: Final = frozenset({"mixed_gpu_types", "upgrade_or_not", "compare_gpus", "recommend_gpu"})
"""Needs that are about kinds of cards, whatever number of them is there."""
_ONE_OF: Final = frozenset({"multi_gpu_scaling", "interconnect", "cluster_design", "vendor_choice", "price_lookup"})
"""Needs of several cards, or of any: that there is one of another says nothing."""
_ONLY_FOR: Final[Mapping[str, frozenset[str]]] = {
    "cpu": frozenset({"cpu_sizing", "power_supply", "mixed_gpu_types", "cooling"}),
    "disk": frozenset({"disk_choice"}),
    "framework": frozenset({"cuda_compat"}),
    "cuda_version": frozenset({"cuda_compat"}),
    "utilization": _BILLS,
    "psu_w": frozenset({"power_supply", "recommend_gpu", "upgrade_or_not", "used_or_cheap", "compare_gpus", "cooling"}),
    "region": _BILLS | _CHOOSING,
    "dataset": _SIZING | {"disk_choice", "perf_troubleshooting", "recommend_gpu", "estimate_cost", "multi_gpu_scaling",
                          "cluster_design", "ram_sizing"},
    "price": frozenset({"used_or_cheap", "upgrade_or_not", "vendor_choice", "estimate_cost", "interconnect",
                        "mixed_gpu_types", "recommend_gpu", "perf_troubleshooting"}),
    "deploy": _CHOOSING | {"platform_howto", "price_lookup", "estimate_cost", "used_or_cheap", "cpu_sizing",
                           "what_matters_in_gpu", "ram_sizing"},
}  # fmt: skip
"""Slots that only some needs turn on."""
_NOT_FOR: Final[Mapping[str, frozenset[str]]] = {
    "gpu_count": _COUNTED,
    "method": frozenset({"cooling", "carbon_footprint"}),
    "duration": frozenset({"gpu_count", "upgrade_or_not", "used_or_cheap"}),
    "provider": frozenset({"upgrade_or_not", "used_or_cheap", "mixed_gpu_types", "compare_gpus"}),
    "precision": frozenset({"gpu_specs"}),
    "resolution": frozenset({"upgrade_or_not", "vendor_choice"}),
}
"""Slots that some needs do not turn on."""


_RATED: Final = _BILLS | _CHOOSING | {
    "upgrade_or_not", "used_or_cheap", "price_lookup", "platform_howto", "power_supply",
}  # fmt: skip
"""Needs that turn on how much something is used a day, a week or a month."""
_LASTING: Final = frozenset(
    {"estimate_cost", "carbon_footprint", "platform_choice", "platform_howto", "perf_troubleshooting", "estimate_time"}
)
"""Needs that turn on how long something runs in all. Bought or rented is judged by use, whatever the years."""
_LONG_PERIODS: Final = frozenset({"month", "year"})


def is_idle_time(value: object, need: str) -> bool:
    """Whether a time of a very long message is an age, a term, a pace, or the period that a bill is asked for.

    Args:
        value: the time, in the form of its slot; None where there is none.
        need: what the message asks.
    """
    if not isinstance(value, Mapping):
        return False
    if value.get("per"):
        return need not in _RATED
    asked = need == "estimate_cost" and value.get("amount") == 1 and value.get("unit") in _LONG_PERIODS
    return asked or need not in _LASTING


def is_told_besides(slot: str, value: object, need: str, *, has_card: bool) -> bool:
    """Whether a value of a long message changes nothing of what it asks.

    Args:
        slot: its slot.
        value: the value, in the form of its slot.
        need: what the message asks.
        has_card: a card is named, so that its family says no more; without one the processor does the work.
    """
    if slot == "gpu_family" or (slot == "cpu" and not has_card):
        return has_card
    if slot == "gpu_count" and value == 1 and need in _ONE_OF:
        return True
    return need not in _ONLY_FOR.get(slot, {need}) or need in _NOT_FOR.get(slot, ())
