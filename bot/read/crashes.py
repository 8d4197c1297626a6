"""Messages of programs that stop, read for their figures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from bot.core.numbers import figure
from bot.core.ran_out import RanOut

_SIZE: Final = r"(\d+(?:\.\d+)?) ?(gib|gb|mib|mb|kib|bytes)"
_TRIED: Final = re.compile(rf"tried to allocate {_SIZE}")
_PARTS: Final[Mapping[str, re.Pattern[str]]] = {
    "total": re.compile(rf"{_SIZE} total capacity|total capacity of {_SIZE}"),
    "used": re.compile(rf"{_SIZE} (?:already|is) allocated"),
    "free": re.compile(rf"{_SIZE} (?:is )?free"),
}
"""Both wordings of PyTorch: up to 2.0, and since."""
_GIB: Final = {"gib": 1.0, "gb": 1.0, "mib": 1 / 1024, "mb": 1 / 1024, "kib": 1 / 1024**2, "bytes": 1 / 1024**3}


def ran_out_of(text: str) -> RanOut | None:
    """The figures of a message that a card's memory ran out; None where there is none. `text` in lower case."""
    tried = _TRIED.search(text)
    if tried is None:
        return None
    return RanOut(_size(tried) or 0.0, **{name: _size(pattern.search(text)) for name, pattern in _PARTS.items()})


def _size(found: re.Match[str] | None) -> float | None:
    """A size in GiB, whichever of the wordings it stands in."""
    if found is None:
        return None
    number, unit = [group for group in found.groups() if group]
    value = figure(number)
    return value * _GIB[unit] if value is not None else None
