"""Tells the version and the width of a slot ("PCIe 3.0 x16") from numbers of cards and parts of their names."""

from __future__ import annotations

import re
from typing import Final

_VERSION: Final = re.compile(r"\d\.0 ?x ?\d{1,2}(?!\d)")
_SLOT: Final = re.compile(r"pcie ?(?:gen ?)?(?:\d\.0\b|x ?\d)")


def is_version(text: str, at: int) -> bool:
    """Whether the number that begins here is a version with its width behind it ("3.0 x1"): it counts nothing."""
    return bool(_VERSION.match(text, at))


def is_slot(text: str, at: int) -> bool:
    """Whether what begins here is a slot of some version or width ("pcie 4.0 x4"), and no form of a card."""
    return bool(_SLOT.match(text, at))
