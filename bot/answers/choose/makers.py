"""Makers and series that a message names instead of the usual one."""

from __future__ import annotations

from typing import Final

from bot.core.request import Request

_VENDORS: Final = {
    "nvidia": "NVIDIA",
    "amd": "AMD",
    "intel": "Intel",
    "apple": "Apple",
    "huawei": "Huawei",
    "ascend": "Huawei",
    "cambricon": "Cambricon",
    "moore threads": "Moore Threads",
    "tpu": "Google",
    "google": "Google",
}


def vendors_of(request: Request) -> tuple[str, ...]:
    """Vendors that were named instead of the usual one."""
    found = []
    for part in str(request.slot("gpu_family") or "").split(","):
        vendor = _VENDORS.get(part.strip().lower())
        if vendor:
            found.append(vendor)
    return tuple(dict.fromkeys(found))


def families_of(request: Request) -> tuple[str, ...]:
    """Series or architectures that were named."""
    stated = [part.strip() for part in str(request.slot("gpu_family") or "").split(",") if part.strip()]
    known = request.services.catalog
    return tuple(name for name in stated if name.lower() not in _VENDORS and known.gpus_of(name))
