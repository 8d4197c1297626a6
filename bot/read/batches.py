"""Batches as they are named one after the other."""

from __future__ import annotations

import re
from typing import Final

_BATCH: Final = re.compile(r"(?:batch|bs)(?:[ _-]?size)?s?[ =:\u4e3a\u662f]{0,2}(\d{1,5})(?![\d.]| ?(?:gb?|gib|%))")
_BEHIND: Final = re.compile(r"(?<![\d.])(\d{1,5}) (?:batch|bs)(?![a-z])")


def batches_of(text: str) -> tuple[int, ...]:
    """Sizes of batches in the order of the text, each once. `text` in lower case."""
    found = [(one.start(), int(one[1])) for pattern in (_BATCH, _BEHIND) for one in pattern.finditer(text)]
    return tuple(dict.fromkeys(size for _, size in sorted(found) if size))
