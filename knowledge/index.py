"""BM25 over postings: the index that finds candidate passages.

Postings are two parallel arrays a term (document numbers, contributions); a contribution already holds idf, length
and field weights, so a query is a sum. Terms are taken from the most to the least telling. Up to COMMON documents
the sum is exact; in larger libraries terms that very many documents hold only sort the candidates of the others.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Any

K1 = 1.2
B = 0.5  # measured on the development questions, see README.md
COMMON = 600
"""Postings longer than this bring in no new documents once there are enough: they only sort those already found."""
ENOUGH = 4
"""Candidates kept for each document wanted, before common terms sort them."""


@dataclass(slots=True)
class Posting:
    """Documents that hold a term, ascending, with what the term adds to each."""

    idf: float
    top: float
    documents: array[int]
    gains: array[float]

    def gain(self, document: int) -> float:
        """What the term adds to one document."""
        at = bisect_left(self.documents, document)
        if at < len(self.documents) and self.documents[at] == document:
            return self.gains[at]
        return 0.0


class Index:
    """Contributions of terms to documents."""

    def __init__(self, size: int, postings: dict[str, Posting]) -> None:
        """Keep what `build` or `from_json` made."""
        self.size = size
        self.postings = postings
        self.rarest = math.log(1 + (size + 0.5) / 0.5)

    @classmethod
    def build(cls, documents: Iterable[Mapping[str, float]]) -> Index:
        """Index weighted term counts, one mapping a document, in order."""
        holders: dict[str, tuple[array[int], array[float]]] = {}
        lengths = array("f")
        for number, counts in enumerate(documents):
            lengths.append(sum(counts.values()))
            for term, weight in counts.items():
                held = holders.get(term)
                if held is None:
                    held = holders[term] = (array("I"), array("f"))
                held[0].append(number)
                held[1].append(weight)
        size = len(lengths)
        mean = (sum(lengths) / size) if size else 1.0
        norms = array("f", (K1 * (1 - B + B * length / mean) for length in lengths))
        postings = {}
        for term, (numbers, weights) in holders.items():
            idf = math.log(1 + (size - len(numbers) + 0.5) / (len(numbers) + 0.5))
            gains = array(
                "f",
                (
                    idf * weight * (K1 + 1) / (weight + norms[number])
                    for number, weight in zip(numbers, weights, strict=True)
                ),
            )
            postings[term] = Posting(idf, max(gains), numbers, gains)
        return cls(size, postings)

    def idf(self, term: str) -> float:
        """How telling a term is; the most for one that no document holds."""
        posting = self.postings.get(term)
        return posting.idf if posting is not None else self.rarest

    def best(self, terms: Sequence[tuple[str, float]], count: int) -> list[tuple[int, float]]:
        """The `count` documents with the highest sums, best first, ties by number; `terms` holds (term, weight)."""
        known = [(self.postings[term], weight) for term, weight in terms if term in self.postings]
        known.sort(key=lambda pair: (-pair[0].top * pair[1], len(pair[0].documents)))
        sums: dict[int, float] = {}
        get = sums.get
        common = []
        for posting, weight in known:
            if len(posting.documents) > COMMON and len(sums) >= ENOUGH * count:
                common.append((posting, weight))
                continue
            for number, gain in zip(posting.documents, posting.gains, strict=True):
                sums[number] = get(number, 0.0) + gain * weight
        if common:
            near = nlargest(ENOUGH * count, [(score, -number) for number, score in sums.items()])
            sums = {-number: score + sum(p.gain(-number) * weight for p, weight in common) for score, number in near}
        return [(-number, score) for score, number in nlargest(count, [(s, -number) for number, s in sums.items()])]

    def to_json(self) -> dict[str, Any]:
        """The index as JSON-able data."""
        return {
            "size": self.size,
            "postings": {
                term: [round(posting.idf, 6), posting.documents.tolist(), [round(gain, 5) for gain in posting.gains]]
                for term, posting in self.postings.items()
            },
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Index:
        """Take back what `to_json` gave."""
        postings = {
            term: Posting(idf, max(gains), array("I", numbers), array("f", gains))
            for term, (idf, numbers, gains) in data["postings"].items()
        }
        return cls(data["size"], postings)
