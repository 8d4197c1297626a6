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
from typing import TypeAlias, TypedDict

K1 = 1.2
B = 0.5  # measured on the development questions, see README.md
COMMON = 600
"""Postings longer than this bring in no new documents once there are enough: they only sort those already found."""
ENOUGH = 4
"""Candidates kept for each document wanted, before common terms sort them."""
_PART = ";"
_STEP = 1000.0
"""Parts of one in which weights are stored."""


Written: TypeAlias = str
"""Of one term in whole numbers: how telling it is, its documents, what it adds to each. One text a term is read twenty
times as fast as that many numbers, and most terms are asked for by nobody."""


class IndexData(TypedDict):
    """An index as JSON-able data."""

    size: int
    postings: Mapping[str, Written]


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

    def add_to(self, sums: dict[int, float], weight: float) -> None:
        """Add what the term says, so many times, to the sums of its documents."""
        get = sums.get
        for number, gain in zip(self.documents, self.gains, strict=True):
            sums[number] = get(number, 0.0) + gain * weight


class Index:
    """Contributions of terms to documents."""

    def __init__(self, size: int, postings: dict[str, Posting], raw: Mapping[str, Written] | None = None) -> None:
        """Keep what `build` or `from_json` made; `raw` holds postings that become objects when first asked for."""
        self.size = size
        self._postings = postings
        self._raw = raw or {}
        self.rarest = math.log(1 + (size + 0.5) / 0.5)

    def __contains__(self, term: str) -> bool:
        """Whether any document holds the term."""
        return term in self._postings or term in self._raw

    def posting(self, term: str) -> Posting | None:
        """Documents that hold a term, or None."""
        found = self.read(term)
        if found is not None:
            self._postings[term] = found
        return found

    def read(self, term: str) -> Posting | None:
        """The same for a caller who asks once: what is made for him is not kept."""
        found = self._postings.get(term)
        if found is None and term in self._raw:
            idf, numbers, added = self._raw[term].split(_PART)
            gains = list(map(int, added.split()))
            found = Posting(
                int(idf) / _STEP,
                max(gains) / _STEP,
                array("I", map(int, numbers.split())),
                array("f", [gain / _STEP for gain in gains]),
            )
        return found

    def release(self) -> None:
        """Let go of the postings, once everything that is wanted of them is kept elsewhere."""
        self._postings, self._raw = {}, {}

    def terms(self) -> Iterable[str]:
        """Every term that a document holds."""
        return self._raw or self._postings

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
        posting = self._postings.get(term)
        if posting is not None:
            return posting.idf
        raw = self._raw.get(term)
        return self.rarest if raw is None else int(raw[: raw.index(_PART)]) / _STEP

    def best(self, terms: Sequence[tuple[str, float]], count: int) -> list[tuple[int, float]]:
        """The `count` documents with the highest sums, best first, ties by number; `terms` holds (term, weight)."""
        known = [(posting, weight) for term, weight in terms if (posting := self.posting(term)) is not None]
        known.sort(key=lambda pair: (-pair[0].top * pair[1], len(pair[0].documents)))
        sums: dict[int, float] = {}
        common = []
        for posting, weight in known:
            if len(posting.documents) > COMMON and len(sums) >= ENOUGH * count:
                common.append((posting, weight))
            else:
                posting.add_to(sums, weight)
        if common:
            near = _largest(ENOUGH * count, sums)
            sums = {number: score + sum(p.gain(number) * weight for p, weight in common) for number, score in near}
        return _largest(count, sums)

    def to_json(self) -> IndexData:
        """The index as JSON-able data."""
        return {"size": self.size, "postings": {term: _written(held) for term, held in self._postings.items()}}

    @classmethod
    def from_json(cls, data: IndexData) -> Index:
        """Take back what `to_json` gave."""
        return cls(data["size"], {}, data["postings"])


def _written(posting: Posting) -> Written:
    gains = " ".join([str(round(gain * _STEP)) for gain in posting.gains])
    return _PART.join((str(round(posting.idf * _STEP)), " ".join(map(str, posting.documents)), gains))


def _largest(count: int, sums: Mapping[int, float]) -> list[tuple[int, float]]:
    """The documents with the highest sums, best first, ties by number."""
    return [(-number, score) for score, number in nlargest(count, [(s, -number) for number, s in sums.items()])]
