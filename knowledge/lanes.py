"""Sums for all passages of a small library at once: one big whole number holds a lane of 64 bits for each passage.

A term is such a number, so the sums of a question are one addition a term. A lane holds, from the top: what the terms
add (33 bits below a sign that stays empty, in parts of GAIN), the passage (10 bits, counted down, so that ties go by
number), and how much of the question its titles and questions share at most (20 bits, in parts of SHARED). A passage
holds a term once, so no part flows over into the next: that takes a thousand different terms in the questions of one
passage.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Container, Iterable, Sequence
from heapq import heapify, heapreplace

from knowledge.index import Posting

MOST = 1000
"""Passages that lanes are made for; in more, most additions would be of nothing."""
GAIN, SHARED = 1e5, 100.0
_GAIN_AT, _NUMBER_AT = 30, 20
_NUMBER, _SHARED = (1 << 10) - 1, (1 << 20) - 1
_LANE = 8
"""Bytes."""
FEW = 16
"""Up to so many passages a term is kept as the lanes that are not empty, which takes less room."""

Lane = int | range
"""A term: a big number, or where the few lanes of it stand that are not empty."""


class Lanes:
    """Sums over the passages of one library."""

    def __init__(self, size: int) -> None:
        """`size`: number of passages, at most MOST."""
        self.size = size
        # side by side instead of each in an object of its own: a question reads them from cold memory
        self._few_numbers, self._few_lanes = array("I"), array("Q")
        self._numbers = self._packed([(size - 1 - number) << _NUMBER_AT for number in range(size)])

    @staticmethod
    def _packed(lanes: Sequence[int]) -> int:
        return int.from_bytes(b"".join(lane.to_bytes(_LANE, sys.byteorder) for lane in lanes), sys.byteorder)

    def term(self, posting: Posting, weight: float, asks: Sequence[Container[str]], name: str) -> Lane:
        """A term for `best`. `asks`: for each passage the terms of its titles and questions; `name`: the term."""
        # rounded up, and by a part more: what it is good for is a bound
        shared = int(weight * posting.idf * SHARED) + 2
        factor = weight * GAIN
        numbers = posting.documents
        found = [
            (round(gain * factor) << _GAIN_AT) | (shared if name in asks[number] else 0)
            for number, gain in zip(numbers, posting.gains, strict=True)
        ]
        if len(found) <= FEW:
            start = len(self._few_lanes)
            # put at its place instead of behind the last: what was ended between the two lines leaves no gap
            self._few_numbers[start:] = array("I", numbers)
            self._few_lanes[start:] = array("Q", found)
            return range(start, start + len(found))
        lanes = [0] * self.size
        for number, lane in zip(numbers, found, strict=True):
            lanes[number] = lane
        return self._packed(lanes)

    def best(self, terms: Iterable[Lane], count: int) -> list[tuple[int, float, float]]:
        """The `count` passages with the highest sums above zero, best first, ties by number.

        Each as number, sum, and the most that one of its titles or questions can share with the question.
        """
        total = self._numbers
        few: list[int] = []
        for term in terms:
            if isinstance(term, int):
                total += term
            else:
                few += term
        lanes = array("Q", total.to_bytes(self.size * _LANE, sys.byteorder))
        numbers, added = self._few_numbers, self._few_lanes
        for place in few:
            lanes[numbers[place]] += added[place]
        # the bits of a lane read as a float: the order is the same, and floats are compared in half the time
        floats = array("d", lanes.tobytes())
        first = floats[:count].tolist()
        heapify(first)
        least = first[0]
        for lane in floats[count:]:
            if lane > least:
                heapreplace(first, lane)
                least = first[0]
        best = array("Q", array("d", first).tobytes()).tolist()
        best.sort(reverse=True)
        last = self.size - 1
        return [
            (last - (lane >> _NUMBER_AT & _NUMBER), (lane >> _GAIN_AT) / GAIN, (lane & _SHARED) / SHARED)
            for lane in best
            if lane >> _GAIN_AT
        ]
