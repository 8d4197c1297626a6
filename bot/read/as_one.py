"""So many that work side by side as one, where a rate is said of all of them: both cards together eat 1,300."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from bot.read.measured_units import Measure

_COUNTED: Final = frozenset({"card", "machine", "process", "core"})
_RATES: Final = frozenset({"power", "va", "data_rate", "item_rate", "compute"})
_TOGETHER: Final = re.compile(
    r"\s?(?:[a-z]+ )?(?:together|combined|in total|altogether|as a whole)\b"
    r"|\s?(?:\u4e00\u5171|\u4e00\u8d77|\u603b\u5171|\u5408\u8ba1|\u5408\u8d77\u6765|\u52a0\u8d77\u6765|\u52a0\u4e00\u8d77|\u5408\u5728\u4e00\u8d77)"
)


def as_one(text: str, measures: Sequence[Measure]) -> list[Measure]:
    """The measures without so many of something of which the rate behind it is that of all together.

    Where anything else is said of each of them, or the same of one alone, how many they are counts.

    Args:
        text: the even text.
        measures: its measures in order.
    """
    pairs = [two for two in pairwise(measures) if _is_of_all(text, *two)]
    each = {kind for one in measures for kind in one.per}
    gone = [one for one, then in pairs if one.kind not in each and not _has_like(then, measures)]
    return [one for one in measures if one not in gone]


def _has_like(of_all: Measure, measures: Sequence[Measure]) -> bool:
    """Whether the like of a rate of all is said of one of them alone."""
    return any(_is_of_one(one, of_all) for one in measures)


def _is_of_all(text: str, one: Measure, then: Measure) -> bool:
    """Whether a rate is that of so many that are counted right before it."""
    rate = then.kind in _RATES or "time" in then.per
    return one.kind in _COUNTED and rate and _TOGETHER.match(text[one.end : then.start]) is not None


def _is_of_one(one: Measure, of_all: Measure) -> bool:
    """Whether a rate is the like of that of all, of one alone: their number is wanted then."""
    alike = (one.kind, one.per) == (of_all.kind, of_all.per)
    return one is not of_all and alike


__all__ = ["as_one"]
