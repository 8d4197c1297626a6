"""Finds the passages nearest to a question: BM25 over both languages, then the closest question of each candidate.

A score is between 0 and about 1: how much of what the question says is found. Intent, cards and models named by the
caller lift passages that are about them; nothing is filtered. The order is deterministic: ties go by id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from knowledge.index import Index
from knowledge.models import Passage
from knowledge.terms import Analyzer

CANDIDATES = 10
FIELD_WEIGHT = {
    "title": 3.0,
    "questions": 1.0,
    "topics": 2.0,
    "names": 2.0,
    "short": 1.2,
    "full": 1.0,
    "today": 0.4,
    "disputes": 0.35,
}
KIND_WEIGHT = {"@": 1.5, "#": 1.2}
HAN_WEIGHT = 0.65
UNKNOWN_LATIN, UNKNOWN_HAN = 1.0, 0.25
"""Share of a term that no passage holds: most unknown Han bigrams only straddle two words."""
QUESTION_SHARE = 0.3
INTENT_LIFT = 1.12
NAME_LIFT = 1.15
OTHER_NAME_DROP = 0.85
ORIGIN_LIFT = {"seed": 1.15}
"""The five documents come before the glossary and later sources when both fit."""
YEAR_LIFT = 1.2
"""The question names the year that the passage speaks of."""
GAIN_OF_FULL_MATCH = 1.4
"""What a matched term adds on average, relative to its idf; makes a perfect match score about 1."""
FLOOR = 0.32


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found, and how well it fits (0 to about 1)."""

    passage: Passage
    score: float
    closeness: float = 0.0
    """Likeness (0 to 1) to the nearest title or question of the passage."""


@cache
def _simplifier() -> Any:
    from opencc import OpenCC

    return OpenCC("t2s")


def simplified(text: str) -> str:
    """Traditional characters as simplified ones; text without Han characters is returned as it is."""
    return str(_simplifier().convert(text)) if any("\u4e00" <= char <= "\u9fff" for char in text) else text


def weigh(counts: Mapping[str, float]) -> list[tuple[str, float]]:
    """Terms of a question with their weight."""
    return [(term, term_weight(term)) for term in counts]


def term_weight(term: str) -> float:
    """Names and concepts count more than words; Han bigrams less, as they overlap and each character counts twice."""
    if term[0] in KIND_WEIGHT:
        return KIND_WEIGHT[term[0]]
    return 1.0 if term.isascii() else HAN_WEIGHT


def document_terms(record: Mapping[str, Any], analyzer: Analyzer, disputes: Iterable[str] = ()) -> dict[str, float]:
    """Weighted term counts of one passage, both languages and all fields together.

    `disputes`: what the conflicts that it takes part in are about.
    """
    fields: list[tuple[str, Iterable[str]]] = [
        ("title", record["title"].values()),
        ("questions", [question for each in record["questions"].values() for question in each]),
        ("topics", record.get("topics", ())),
        ("disputes", disputes),
        ("names", [*record.get("gpus", ()), *record.get("ml_models", ())]),
    ]
    fields += [(part, [record[lang].get(part, "")]) for lang in ("zh", "en") for part in ("short", "full", "today")]
    counts: dict[str, float] = {}
    for field, texts in fields:
        weight = FIELD_WEIGHT[field]
        for text in texts:
            for term in analyzer.terms(text):
                counts[term] = counts.get(term, 0.0) + weight
    return counts


class Searcher:
    """The index of one library together with the questions of its passages."""

    def __init__(
        self, index: Index, terms: Sequence[str], questions: Sequence[Sequence[Sequence[int]]], analyzer: Analyzer
    ) -> None:
        """`questions`: for each passage the terms of its titles and questions, as places in `terms`."""
        self.index = index
        self.terms = terms
        self.questions = questions
        self.analyzer = analyzer
        self._asked: dict[int, tuple[dict[str, tuple[int, ...]], tuple[float, ...]]] = {}

    def weighed(self, query: str) -> dict[str, float]:
        """Terms of a question that passages hold, with how much each says."""
        counts = Counter(self.analyzer.terms(simplified(query)))
        return {term: weight * self.index.idf(term) for term, weight in weigh(counts) if term in self.index}

    def rank(
        self, query: str, limit: int, lift: Callable[[int], float], count: int = CANDIDATES
    ) -> list[tuple[int, float, float]]:
        """The `limit` best passages as (number, score, closeness), best first, ties by number; empty if no word counts.

        `lift` gives the factor of one passage. Candidates are looked at in the order of what they can reach at most,
        and no further than one can still be among the best.
        """
        counts = Counter(self.analyzer.terms(simplified(query)))
        terms = weigh(counts)
        if not terms:
            return []
        straddling = any(not term.isascii() and term in self.index for term in counts)
        weights = [(term, weight * self._telling(term, straddling)) for term, weight in terms]
        total = sum(weight for _, weight in weights)
        scale = (1 - QUESTION_SHARE) / (total * GAIN_OF_FULL_MATCH)
        reach = []
        for number, gain in self.index.best(terms, max(count, limit)):
            factor = lift(number)
            reach.append(((scale * gain + QUESTION_SHARE) * factor, -number, scale * gain, factor))
        reach.sort(reverse=True)
        best: list[tuple[float, int, float]] = []
        for most, negative, base, factor in reach:
            if len(best) == limit and most < best[-1][0]:
                break
            closeness = self._closest(-negative, weights, total)
            score = (base + QUESTION_SHARE * closeness) * factor
            best = sorted([*best, (score, negative, closeness)], reverse=True)[:limit]
        return [(-negative, score, closeness) for score, negative, closeness in best]

    def _telling(self, term: str, straddling: bool) -> float:
        """How much it says that a passage holds a term; `straddling`: the question has known Han words beside it."""
        if term in self.index:
            return self.index.idf(term)
        if term.isascii() or not straddling:
            return self.index.rarest * UNKNOWN_LATIN
        return self.index.rarest * UNKNOWN_HAN

    def _closest(self, number: int, weights: Sequence[tuple[str, float]], total: float) -> float:
        """Likeness (0 to 1) of the question to the nearest title or question of a passage."""
        known = self._asked.get(number)
        if known is None:
            known = self._read_asked(number)
        places, sizes = known
        shared: dict[int, float] = {}
        for term, weight in weights:
            for place in places.get(term, ()):
                shared[place] = shared.get(place, 0.0) + weight
        best = 0.0
        for place, weight in shared.items():
            likeness = 2 * weight / (total + sizes[place])
            if likeness > best:
                best = likeness
        return best

    def _read_asked(self, number: int) -> tuple[dict[str, tuple[int, ...]], tuple[float, ...]]:
        """For the titles and questions of a passage: term -> those that hold it; and the weight of each."""
        idf = self.index.idf
        places: dict[str, list[int]] = {}
        sizes = []
        for place, asked in enumerate(self.questions[number]):
            own = sorted({self.terms[at] for at in asked})
            sizes.append(sum(term_weight(term) * idf(term) for term in own))
            for term in own:
                places.setdefault(term, []).append(place)
        known = ({term: tuple(found) for term, found in places.items()}, tuple(sizes))
        if len(self._asked) < 20_000:
            self._asked[number] = known
        return known
