"""Which values of a message are said of one thing: those beside which the same word stands, where several are told.

"Peak 0.95 and night 0.35, 8 hours of peak and 16 of night": what is said of the peak belongs together, and so does what
is said of the night.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final

_BEFORE, _BEHIND = 8, 4
"""Characters before and behind a number in which the name of a thing stands."""
_WORD: Final = re.compile(r"[a-z]{3,}|(?<![a-z])[a-z](?=\s?[:=])|[\u4e00-\u9fff]")
_FEWEST: Final = 2


def tags(around: Sequence[tuple[str, str]], kinds: Sequence[str], stops: frozenset[str]) -> list[str]:
    """For each value the word that it is said of with others; "" where nothing tells things apart.

    Args:
        around: what stands before and behind each value.
        kinds: of what kind each value is: things that are told apart have one value of each kind.
        stops: words that name no thing.
    """
    places: dict[str, set[int]] = {}
    for at, (before, behind) in enumerate(around):
        for word in {*_WORD.findall(before[-_BEFORE:]), *_WORD.findall(behind[:_BEHIND])} - stops:
            places.setdefault(word, set()).add(at)
    shared = {word: found for word, found in places.items() if len(found) >= _FEWEST and _is_one_each(found, kinds)}
    pair = next(
        ((one, other) for one, other in combinations(sorted(shared), 2) if _are_apart(shared, one, other, kinds)), ()
    )
    return [next((word for word in pair if at in shared[word]), "") for at in range(len(around))]


def _is_one_each(found: Iterable[int], kinds: Sequence[str]) -> bool:
    """Whether values are each of another kind."""
    listed = [kinds[at] for at in found]
    return len(set(listed)) == len(listed)


def _are_apart(shared: Mapping[str, set[int]], one: str, other: str, kinds: Sequence[str]) -> bool:
    """Whether two words stand beside different values of the same kinds."""
    first, second = shared[one], shared[other]
    return first.isdisjoint(second) and {kinds[at] for at in first} == {kinds[at] for at in second}


__all__ = ["tags"]
