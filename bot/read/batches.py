"""Batches as they are named one after the other."""

from __future__ import annotations

import re
from typing import Final

_BATCH: Final = re.compile(r"(?:batch|bs)(?:[ _-]?size)?s?[ =:\u4e3a\u662f]{0,2}(\d{1,5})(?![\d.]| ?(?:gb?|gib|%))")
_BEHIND: Final = re.compile(r"(?<![\w.])(\d{1,5}) (?:batch|bs)(?![a-z])")
_RAISED: Final = re.compile(
    r"(?:\u5f00\u5230?|\u52a0\u5230|\u6539\u6210|\u6539\u5230|\u63d0\u5230|go to|raise it to|increase it to|go up to) ?"
    r"(\d{1,5})(?![\d.]| ?(?:gb?|gib|%|\u5f20|\u8f6e|w\b))"
)
"""A larger one behind a word for raising it."""
_DOUBLED: Final = re.compile(r"doubl(?:e|ing) (?:the |my )?(?:batch|bs)|batch ?(?:size)? ?\u7ffb\u500d|\u7ffb\u500d")


def batches_of(text: str) -> tuple[int, ...]:
    """Sizes of batches in the order of the text, each once. `text` in lower case."""
    found = [(one.start(), int(one[1])) for pattern in (_BATCH, _BEHIND) for one in pattern.finditer(text)]
    if found:
        found += [(one.start(), int(one[1])) for one in _RAISED.finditer(text)]
    sizes = tuple(dict.fromkeys(size for _, size in sorted(found) if size))
    return (sizes[0], 2 * sizes[0]) if len(sizes) == 1 and _DOUBLED.search(text) else sizes
