"""Numbers that their writer takes back: 3 days, no wait, 4 days."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from bot.read.measured_units import Measure

_TAKEN_BACK: Final = re.compile(
    r"^[^\d]{0,12}?(?:\bno,? wait\b|\bwait,? no\b|\bi mean(?:t)?\b|\bmake (?:that|it)\b|\bsorry\b"
    r"|\bcorrection\b|\bscratch that\b"
    r"|\b(?:no|oops|uh|err?),? (?:actually|it'?s|it was|that'?s)\b"
    r"|\b(?:really|actually|effectively) usable(?: is| are)?\b|\bof which (?:only )?(?:usable|you can use)\b"
    r"|\u5b9e\u9645(?:\u53ef|\u80fd)?\u7528|\u771f\u6b63\u80fd\u7528"
    r"|\u4e0d\u5bf9|\u8bf4\u9519|\u8bb0\u9519|\u6253\u9519|\u641e\u9519|\u66f4\u6b63|\u4e0d\u662f\u4e0d\u662f)[^\d]{0,12}$"
)
"""Between a number and the one that takes its place: the right one, or what of a size can be used."""


def corrected(text: str, measures: Sequence[Measure]) -> list[Measure]:
    """The measures without those in whose place the next one is said.

    Args:
        text: the even text.
        measures: its measures in order.
    """
    gone = [one for one, then in pairwise(measures) if _is_taken_back(text, one, then)]
    return [one for one in measures if one not in gone]


def _is_taken_back(text: str, one: Measure, then: Measure) -> bool:
    """Whether a number of the same kind is said in the place of one."""
    alike = one.kind == then.kind or "" in {one.kind, then.kind}
    return alike and _TAKEN_BACK.search(text[one.end : then.start]) is not None


__all__ = ["corrected"]
