"""Finds the passages nearest to a question: BM25 over both languages, then the closest question of each candidate.

A score is between 0 and about 1: how much of what the question says is found. Intent, cards and models named by the
caller lift passages that are about them; nothing is filtered. The order is deterministic: ties go by id.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from threading import RLock
from typing import NamedTuple, Protocol

from knowledge.index import Index
from knowledge.lanes import MOST, Lane, Lanes
from knowledge.models import Passage
from knowledge.records import PassageRecord
from knowledge.terms import Analyzer, has_han

CANDIDATES = 10
SURE = 3
"""Passages found in any case, also when only those near to the best are wanted."""
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
_IDEOGRAPHS = ((0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x33FFF))
"""Where Han characters stand, first and last."""
_REMEMBERED = 8
"""Questions remembered: one reply asks for the same several times."""


class Hit(NamedTuple):
    """A passage that was found, and how well it fits (0 to about 1)."""

    passage: Passage
    score: float
    closeness: float = 0.0
    """Likeness (0 to 1) to the nearest title or question of the passage."""


class _Simplifier(Protocol):
    """What writes traditional characters as simplified ones."""

    def convert(self, text: str) -> str: ...


@cache
def _simplifier() -> _Simplifier:
    from opencc import OpenCC

    return OpenCC("t2s")


def simplified(text: str) -> str:
    """Traditional characters as simplified ones; text without Han characters is returned as it is."""
    return _simplifier().convert(text) if has_han(text) else text


def traditional(contextual: str) -> str:
    """The characters that `simplified` may change: each that it changes by itself, and the `contextual` ones."""
    every = "\n".join(chr(code) for first, last in _IDEOGRAPHS for code in range(first, last + 1))
    changed = [one for one, even in zip(every.split(), simplified(every).split(), strict=True) if one != even]
    return "".join(sorted({*changed, *contextual}))


def term_weight(term: str) -> float:
    """Names and concepts count more than words; Han bigrams less, as they overlap and each character counts twice."""
    if term[0] in KIND_WEIGHT:
        return KIND_WEIGHT[term[0]]
    return 1.0 if term.isascii() else HAN_WEIGHT


def document_terms(record: PassageRecord, analyzer: Analyzer, disputes: Iterable[str] = ()) -> dict[str, float]:
    """Weighted term counts of one passage, both languages and all fields together.

    `disputes`: what the conflicts that it takes part in are about.
    """
    fields: list[tuple[str, Iterable[str]]] = [
        ("title", (record["title"]["zh"], record["title"]["en"])),
        ("questions", [question for each in record["questions"].values() for question in each]),
        ("topics", record.get("topics", ())),
        ("disputes", disputes),
        ("names", [*record.get("gpus", ()), *record.get("ml_models", ())]),
    ]
    for texts in (record["zh"], record["en"]):
        fields += [("short", [texts["short"]]), ("full", [texts["full"]]), ("today", [texts.get("today", "")])]
    counts: dict[str, float] = {}
    for field, said in fields:
        weight = FIELD_WEIGHT[field]
        for text in said:
            for term in analyzer.terms(text):
                counts[term] = counts.get(term, 0.0) + weight
    return counts


def written(questions: Iterable[Iterable[int]]) -> str:
    """The questions of one passage, each as places of terms, in a form that takes little room until it is read."""
    return ";".join(" ".join(map(str, question)) for question in questions)


def read(questions: str) -> list[list[int]]:
    """What `written` wrote."""
    return [list(map(int, question.split())) for question in questions.split(";")]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as terms: all of its search that depends on its words alone."""

    known: dict[str, float]
    """Terms that passages hold, with how much each says, in the order of the text."""
    said: float
    """How much these terms say together."""
    lanes: list[Lane]
    """The same terms for the sums of a small library."""
    total: float
    """How much the whole question says, unknown words included."""


class _Held(NamedTuple):
    """A term that passages hold."""

    term: str
    """The one object that the questions of passages hold too: it is found among them without comparing letters."""
    says: float
    """How much it says."""
    lane: Lane


class Searcher:
    """The index of one library together with the questions of its passages."""

    def __init__(
        self,
        index: Index,
        terms: Sequence[str],
        questions: Sequence[str],
        analyzer: Analyzer,
        traditional: str = "",
    ) -> None:
        """Take what was read of the passages.

        `questions`: for each passage the terms of its titles and questions, as places in `terms` (see `written`);
        `traditional`: the only characters that a simplified text cannot have, as far as they are known.
        """
        self.index = index
        self.terms = terms
        self.questions = questions
        self.analyzer = analyzer
        self.traditional = frozenset(traditional)
        self._lanes = Lanes(index.size) if 0 < index.size <= MOST else None
        self._asked: dict[int, tuple[dict[str, tuple[int, ...]], Sequence[float]]] = {}
        self._places: dict[tuple[int, ...], tuple[int, ...]] = {}
        """The same few places recur in all passages: one object for each."""
        self._held: dict[str, _Held] = {}
        self._read: dict[str, Asked] = {}
        self._near: dict[tuple[str, int], Sequence[tuple[int, float, float]]] = {}
        self._prepared = False
        """Every term that passages hold is in `_held`."""
        self._making = RLock()
        """Held while a term is made: one message may be answered while another one's answer, or the start, goes on."""

    def prepare(self) -> None:
        """Read terms and questions of a small library now instead of on first use; postings are not needed after."""
        with self._making:
            if self._lanes is None or self._prepared:
                return
            for term in self.index.terms():
                self._hold(term)
            for number in range(self.index.size):
                self._read_asked(number)
            self._prepared = True
            self.index.release()
            self.__dict__.pop("_own_terms", None)  # what a cached property holds

    def asked(self, query: str) -> Asked:
        """A question as terms. The last few are remembered: one reply asks for the same again."""
        asked = self._read.get(query)
        if asked is None:
            if len(self._read) >= _REMEMBERED:
                self._read = {}
            asked = self._read[query] = self._weigh(query)
        return asked

    def _weigh(self, query: str) -> Asked:
        known: dict[str, float] = {}
        lanes, unknown, said, plain = [], [], 0.0, True
        held_of, prepared = self._held.get, self._prepared  # which may come about while terms are looked up
        if not self.traditional or not self.traditional.isdisjoint(query):
            query = simplified(query)  # in which most questions have nothing to change
        for found in dict.fromkeys(self.analyzer.terms(query)):
            held = held_of(found)
            if held is None and not prepared:
                held = self._hold(found)
            if held is None:
                unknown.append(found)
            else:
                term, says, lane = held
                known[term] = says
                said += says
                lanes.append(lane)
                plain = plain and term.isascii()
        total = said
        for term in unknown:
            # most unknown Han words beside known ones are no words
            share = UNKNOWN_LATIN if plain or term.isascii() else UNKNOWN_HAN
            total += term_weight(term) * self.index.rarest * share
        return Asked(known, said, lanes, total)

    def _hold(self, term: str) -> _Held | None:
        """A term with what it says and its lane; None when no passage holds it."""
        with self._making:
            known = self._held.get(term)
            return known if known is not None or self._prepared else self._make(term)

    def _make(self, term: str) -> _Held | None:
        # a lane is all that is needed of a posting
        posting = self.index.posting(term) if self._lanes is None else self.index.read(term)
        if posting is None:
            return None
        weight = term_weight(term)
        lane = self._lanes.term(posting, weight, self._own_terms, term) if self._lanes is not None else 0
        held = self._held[term] = _Held(term, weight * posting.idf, lane)
        return held

    @cached_property
    def _own_terms(self) -> list[frozenset[str]]:
        """For each passage the terms of its titles and questions."""
        terms = self.terms
        return [frozenset([terms[at] for asked in read(each) for at in asked]) for each in self.questions]

    def rank(
        self,
        query: str,
        limit: int,
        lift: Callable[[int], float],
        least: float = 0.0,
        count: int = CANDIDATES,
        within: float = 0.0,
    ) -> list[tuple[int, float, float]]:
        """The `limit` best passages as (number, score, closeness), best first, ties by number; empty if no word counts.

        `lift` gives the factor of one passage. Candidates are looked at in the order of what they can reach at most,
        and no further than one can still be among the best. None is looked at when none can reach `least`. Beyond the
        first few, one that cannot reach the share `within` of the best score may be left out.
        """
        asked = self.asked(query)
        total = asked.total
        if not total:
            return []
        scale = (1 - QUESTION_SHARE) / (total * GAIN_OF_FULL_MATCH)
        reach = []
        for number, gain, shared in self._candidates(query, max(count, limit)):
            factor, base = lift(number), scale * gain
            # a question that shares so much is at least as long as what it shares
            closest = 2 * shared / (total + shared)
            reach.append(((base + QUESTION_SHARE * closest) * factor, -number, base, factor))
        reach.sort(reverse=True)
        if reach and reach[0][0] < least:
            return []
        best: list[tuple[float, int, float]] = []
        sure = min(limit, SURE)
        for most, negative, base, factor in reach:
            if len(best) >= sure:
                bar = best[-1][0] if len(best) == limit else min(best[sure - 1][0], within * best[0][0])
                if most < bar:
                    break
            closeness = self._closest(-negative, asked)
            best.append(((base + QUESTION_SHARE * closeness) * factor, negative, closeness))
            best.sort(reverse=True)
            del best[limit:]
        return [(-negative, score, closeness) for score, negative, closeness in best]

    def _candidates(self, query: str, count: int) -> Sequence[tuple[int, float, float]]:
        """Passages with the highest sums: number, sum, and the most that one of its questions shares with this one.

        Like questions they are remembered: one reply looks for passages of several needs.
        """
        found = self._near.get((query, count))
        if found is None:
            if len(self._near) >= _REMEMBERED:
                self._near = {}
            found = self._near[query, count] = self._summed(self.asked(query), count)
        return found

    def _summed(self, asked: Asked, count: int) -> Sequence[tuple[int, float, float]]:
        if self._lanes is not None:
            return self._lanes.best(asked.lanes, count)
        terms = [(term, term_weight(term)) for term in asked.known]
        return [(number, gain, asked.total) for number, gain in self.index.best(terms, count)]

    def _closest(self, number: int, asked: Asked) -> float:
        """Likeness (0 to 1) of the question to the nearest title or question of a passage."""
        found = self._asked.get(number)
        places, sizes = self._read_asked(number) if found is None else found
        shared = [0.0] * len(sizes)
        for term, says in asked.known.items():
            if term in places:
                for place in places[term]:
                    shared[place] += says
        best, total = 0.0, asked.total
        for place, weight in enumerate(shared):
            if weight:
                likeness = weight / (total + sizes[place])
                if likeness > best:
                    best = likeness
        return 2 * best

    def _read_asked(self, number: int) -> tuple[dict[str, tuple[int, ...]], Sequence[float]]:
        """For the titles and questions of a passage: term -> those that hold it; and the weight of each."""
        with self._making:  # the postings, which tell how much a term weighs, are let go when all is read
            found = self._asked.get(number)
            return self._weigh_asked(number) if found is None else found

    def _weigh_asked(self, number: int) -> tuple[dict[str, tuple[int, ...]], Sequence[float]]:
        idf = self.index.idf
        places: dict[str, list[int]] = {}
        sizes = array("d")
        for place, asked in enumerate(read(self.questions[number])):
            own = sorted({self.terms[at] for at in asked})
            sizes.append(sum(term_weight(term) * idf(term) for term in own))
            for term in own:
                places.setdefault(term, []).append(place)
        one = self._places.setdefault
        known = ({term: one(held, held) for term, found in places.items() for held in (tuple(found),)}, sizes)
        if len(self._asked) < 20_000:
            self._asked[number] = known
        return known
