"""Loads the knowledge base once and hands out passages, sources, conflicts and tables.

Files are parsed and checked when they change; otherwise one JSON cache is read, and a passage becomes an object
when it is first asked for. A faulty file is left out and named in `Library.problems`, the rest stays usable.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path
from threading import RLock
from typing import Any, Final, cast

from knowledge.contents import HOME, library_files, read_library
from knowledge.errors import Problem
from knowledge.excerpt import Reading
from knowledge.files import cache_key, load_cached, save_cached
from knowledge.index import Index
from knowledge.indexing import Indexed, analyzer_of, index_of, reading_of
from knowledge.lifts import Lifts
from knowledge.models import Conflict, Passage, Source, Table
from knowledge.reading import Vocabulary
from knowledge.records import Content, PassageRecord, Records
from knowledge.requirements import RequirementRow
from knowledge.rows import read_rows
from knowledge.search import FLOOR, SURE, Hit, Searcher
from knowledge.software import SoftwareRow
from knowledge.switches import SwitchRow
from knowledge.techniques import TechniqueRow
from knowledge.terms import Analyzer, name_key

__all__ = ["HOME", "Library", "load_library"]
_TELLING: Final = 9.0
"""Weight of a question's terms below which it may be about anything."""
_REMEMBERED: Final = 8
"""Searches remembered: one reply asks for the same passages several times."""
_ROUNDING: Final = 1e-4
_RECORDS_AT_ONCE: Final = 100
_SIDES: Final = 2
_AGAINST: Final = re.compile(r"\b(?:or|vs|versus|against|and)\b", re.IGNORECASE)
"""Words of a title that set one thing against another."""
_NOBODY: Final[frozenset[str]] = frozenset()


class Library:
    """Everything the knowledge base holds. Immutable after loading."""

    def __init__(self, content: Content, directory: Path, aliases: Mapping[str, str], key: str) -> None:
        """Use `load_library`."""
        self.directory = directory
        self.problems: tuple[Problem, ...] = tuple(Problem(*fields) for fields in content["problems"])
        self.passages: Mapping[str, Passage] = Records("passage", content["passages"], Passage.model_validate)
        self.sources: Mapping[str, Source] = Records("source", content["sources"], Source.model_validate)
        self.conflicts: Mapping[str, Conflict] = Records("conflict", content["conflicts"], Conflict.model_validate)
        self.tables: Mapping[str, Table] = Records("table", content["tables"], Table.model_validate)
        self.ids: tuple[str, ...] = tuple(content["passages"])
        self._content = content
        self._aliases = aliases
        self._key = key
        self._searcher: Searcher | None = None
        self._loading = RLock()
        self._short_terms: dict[str, frozenset[str]] = {}
        self._disputes: dict[str, list[str]] = {}
        self._found: dict[tuple[str, str | None, frozenset[str]], tuple[int, list[Hit]]] = {}
        self._read: dict[tuple[str, str], Reading] = {}
        self._readings: Mapping[str, str] = {}
        self.memo: dict[tuple[str, str, str], Any] = {}
        """Room for what callers make of passages again and again, by what it is, passage and language."""

    @cached_property
    def software_rows(self) -> tuple[SoftwareRow, ...]:
        """All that is known of programs on the cards of makers, the narrower of a pair first."""
        return read_rows(self._content["data"].get("software"), SoftwareRow, "knowledge/data/software.yaml")

    @cached_property
    def technique_rows(self) -> tuple[TechniqueRow, ...]:
        """All that is known of what techniques do."""
        return read_rows(self._content["data"].get("techniques"), TechniqueRow, "knowledge/data/techniques.yaml")

    @cached_property
    def switch_rows(self) -> tuple[SwitchRow, ...]:
        """All that is known of what settings of programs do."""
        return read_rows(self._content["data"].get("switches"), SwitchRow, "knowledge/data/switches.yaml")

    @cached_property
    def requirement_rows(self) -> tuple[RequirementRow, ...]:
        """All that is published of what programs and models want."""
        return read_rows(self._content["data"].get("requirements"), RequirementRow, "knowledge/data/requirements.yaml")

    def software(self, software: str, stack: str, os: str = "") -> SoftwareRow | None:
        """What is known of a program on the cards of a maker under a system; None where nothing is on record."""
        fitting = (one for one in self.software_rows if one.software == software and one.stack == stack)
        return next((one for one in fitting if one.os in {"", os}), None)

    def get(self, passage: str) -> Passage:
        """The passage of that id.

        Raises:
            UnknownPassage: there is none.
        """
        return self.passages[passage]

    @property
    def searcher(self) -> Searcher:
        """The index, built or read from the cache when first needed."""
        found = self._searcher
        if found is None:
            with self._loading:  # one for all, or what was prepared would be in another's place
                found = self._searcher = self._searcher or self._load_searcher()
        return found

    def search(
        self,
        query: str,
        language: str = "",
        intent: str | None = None,
        limit: int = 3,
        gpus: Iterable[str] = (),
        ml_models: Iterable[str] = (),
        least: float = 0.0,
        within: float = 0.0,
    ) -> list[Hit]:
        """The passages that answer a question best, at most `limit`, none below the floor.

        `intent`, `gpus` and `ml_models` (canonical names) lift passages about them. `language` is accepted for
        callers that know it; passages of both languages are found either way. `least`: a caller who can use nothing
        unless the best reaches this score says so; then the search may end early with nothing. `within`: the same for
        one who, beyond the first three, uses only those that reach this share of the best score.
        """
        nearest = self.nearest(query, intent, limit, gpus, ml_models, least, within)
        return [hit for hit in nearest if hit.score >= FLOOR]

    def nearest(
        self,
        query: str,
        intent: str | None = None,
        limit: int = 2,
        gpus: Iterable[str] = (),
        ml_models: Iterable[str] = (),
        least: float = 0.0,
        within: float = 0.0,
    ) -> list[Hit]:
        """The passages closest to a question, however far; fewer or none as `search` says of `least` and `within`."""
        named = (*gpus, *ml_models)
        names = frozenset(map(name_key, named)) if named else _NOBODY
        key = (query, intent, names)
        known = self._found.get(key)
        if known is not None and known[0] >= limit:
            return known[1][:limit]
        # scores are rounded: what comes near `least` may reach it
        lift = self._lifts.for_question(query, intent or "", names)
        ranked = self.searcher.rank(query, limit, lift, least - _ROUNDING, within=within)
        if least and not ranked:
            return []
        hits = [Hit(self.passages[self.ids[number]], round(score, 4), round(near, 4)) for number, score, near in ranked]
        hits.sort(key=lambda hit: (-hit.score, hit.passage.id))
        if len(self._found) >= _REMEMBERED:
            self._found = {}
        self._found[key] = (min(limit, SURE) if within else limit, hits)
        return hits[:]

    @cached_property
    def _lifts(self) -> Lifts:
        """What lifts passages, by number."""
        return Lifts.of(self._content["passages"].values())

    def record(self, passage: str) -> PassageRecord:
        """The raw record of a passage, for tools that look at many."""
        return self._content["passages"][passage].copy()

    def loading(self) -> Iterator[Callable[[], object]]:
        """The steps in which every record and the index are made now instead of on first use."""
        for records in (self.passages, self.sources, self.conflicts, self.tables):
            names = list(records)
            for start in range(0, len(names), _RECORDS_AT_ONCE):
                yield partial(_make, records, names[start : start + _RECORDS_AT_ONCE])
        yield lambda: self.searcher
        yield lambda: self.searcher.prepare()
        yield partial(self.search, "gpu", limit=1)

    def with_passages(self, passages: Mapping[str, PassageRecord], searcher: Searcher) -> Library:
        """The same library over other passages, with an index that is already made."""
        other = Library({**self._content, "passages": dict(passages)}, self.directory, self._aliases, self._key)
        other._searcher = searcher
        return other

    def short_terms(self, passage: str) -> frozenset[str]:
        """Terms of both short texts of a passage, for telling whether two passages say the same."""
        terms = self._short_terms.get(passage)
        if terms is None:
            terms = self._reading(passage, "zh").own | self._reading(passage, "en").own
            self._short_terms[passage] = terms
        return terms

    def telling(self, passage: str, language: str, query: str) -> str:
        """The sentence of the full text that the question is about, when the short text leaves it out; else empty."""
        return self._reading(passage, language).telling(self.searcher.asked(query).known)

    def _reading(self, passage: str, language: str) -> Reading:
        """A passage in one language with its terms, from the cache when it is there."""
        read = self._read.get((passage, language))
        if read is None:
            analyzer = self.searcher.analyzer
            written = self._readings.get(f"{language}/{passage}")
            record = self._content["passages"][passage]
            read = reading_of(record, language, analyzer) if written is None else Reading.parse(written)
            self._read[passage, language] = read
        return read

    def disputed(self, query: str, least: float = 0.0) -> list[tuple[str, float]]:
        """Conflicts that a question is about, with the share (0 to 1) of the question that each speaks of, best first.

        A question that says too little to tell is about none. `least`: share below which a conflict is left out.
        """
        question = self.searcher.asked(query)
        asked, total = question.known, question.said
        if total < _TELLING:
            return []
        shares: dict[str, float] = {}
        disputes = self._disputes
        for term, weight in asked.items():
            if term in disputes:
                share = weight / total
                for name in disputes[term]:
                    shares[name] = share + shares[name] if name in shares else share
        found = [(name, share) for name, share in shares.items() if share >= least and self._speaks_of(name, asked)]
        return sorted(found, key=lambda pair: (-pair[1], pair[0])) if found else found

    def _speaks_of(self, conflict: str, asked: Collection[str]) -> bool:
        """Whether a question shares with a conflict more than the name of a card or a brand beside other words."""
        matched = [term for term in asked if conflict in self._disputes.get(term, ())]
        return len(matched) == len(asked) or not _bare_name(matched)

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self._content["data"]["reading"] or {}, lambda: self.searcher.analyzer)

    def anchored(self, text: str) -> bool:
        """Whether a text names what only this subject has: a card, or one of the `anchors` of reading.yaml."""
        return self._vocabulary.anchored(text)

    def names_trade(self, text: str) -> bool:
        """Whether a text names a program or a format of this trade (`programs`, `formats` of reading.yaml)."""
        return bool(self._vocabulary.trade(text))

    def is_of_other_programs(self, text: str, passage: Passage) -> bool:
        """Whether a text names programs, and a passage is about others."""
        asked = self._vocabulary.programs(text)
        if not asked:
            return False
        told = self._vocabulary.programs(self._about(passage))
        return bool(told) and told.isdisjoint(asked)

    def weighs(self, text: str, passage: Passage) -> bool:
        """Whether a text names two or more things of this trade, and a passage is about all of them.

        Of a passage whose title sets one thing against another, two sides are named: a program and what it calls its
        own are one.
        """
        asked = self._vocabulary.things(text)
        if len(asked) < _SIDES or not asked <= self._vocabulary.things(self._about(passage)):
            return False
        sides = [found for part in _AGAINST.split(passage.title.en) if (found := self._vocabulary.things(part))]
        return len(sides) < _SIDES or sum(not side.isdisjoint(asked) for side in sides) >= _SIDES

    def shares_trade(self, text: str, passage: Passage) -> bool:
        """Whether a text and the subject of a passage name the same program or format."""
        asked = self._vocabulary.trade(text)
        return bool(asked) and not self._vocabulary.trade(self._about(passage)).isdisjoint(asked)

    @staticmethod
    def _about(passage: Passage) -> str:
        """What a passage says that it is about: its title and topics."""
        return " ".join((passage.title.zh, passage.title.en, *passage.topics))

    def says_nothing(self, text: str) -> bool:
        """Whether a text asks for a card, a price, something better, and for nothing in particular."""
        return self._vocabulary.says_nothing(text)

    def names_source(self, text: str) -> bool:
        """Whether a text says whose word it wants ("what did the author recommend"): `sources` of reading.yaml."""
        return self._vocabulary.names_source(text)

    def foreign(self, text: str) -> bool:
        """Whether a text is about shares, games and the like (`foreign` of reading.yaml), whatever it names besides."""
        return self._vocabulary.foreign(text)

    def asks_amount(self, text: str) -> bool:
        """Whether a text only asks how much, of a job that it does not name (`amounts` of reading.yaml)."""
        return self._vocabulary.amounts.issuperset(self.searcher.asked(text).known)

    @cached_property
    def seed_models(self) -> frozenset[str]:
        """The models that passages of the five documents speak of, by their names."""
        records = self._content["passages"].values()
        return frozenset(name for each in records if each["origin"] == "seed" for name in each.get("ml_models", ()))

    def taking_part(self, conflict: str) -> list[Passage]:
        """The passages that take part in a conflict, those of the documents first."""
        names = [name for name, record in self._content["passages"].items() if conflict in record.get("conflicts", ())]
        return sorted(map(self.get, names), key=lambda passage: (passage.origin != "seed", passage.id))

    def covers(self) -> dict[str, tuple[str, ...]]:
        """Row of the fact list -> ids of the passages that answer it."""
        found: dict[str, list[str]] = {}
        for name, record in self._content["passages"].items():
            for row in record.get("covers", ()):
                found.setdefault(row, []).append(name)
        return {row: tuple(names) for row, names in found.items()}

    def analyzer(self) -> Analyzer:
        """The reader of questions."""
        return analyzer_of(self._content, self._aliases)

    def _load_searcher(self) -> Searcher:
        salt = hashlib.sha256(repr(sorted(self._aliases.items())).encode()).hexdigest()[:12]
        key = f"{self._key}-index9-{salt}"
        indexed = cast("Indexed | None", load_cached(key))
        if indexed is None:
            indexed = index_of(self._content, self.analyzer())
            save_cached(key, indexed)
        analyzer = analyzer_of(self._content, self._aliases, indexed["surfaces"])
        self._disputes, self._readings = indexed["disputes"], indexed["readings"]
        index = Index.from_json(indexed["index"])
        return Searcher(index, list(index.terms()), indexed["questions"], analyzer, indexed["traditional"])


def _make(records: Mapping[str, object], names: Iterable[str]) -> None:
    """Let records come into being: they do when they are first asked for."""
    for name in names:
        records[name]


def load_library(directory: Path | None = None, aliases: Mapping[str, str] | None = None) -> Library:
    """The knowledge base in `directory` (its own by default).

    `aliases` (surface -> canonical name) adds names that the library itself does not list, such as those of a
    catalogue of cards.
    """
    home = directory or HOME
    paths = library_files(home)
    key = cache_key(paths, "library")
    content = cast("Content | None", load_cached(key))
    if content is None:
        content = read_library(home, paths)
        save_cached(key, content)
    return Library(content, home, aliases or {}, key)


def _bare_name(terms: list[str]) -> bool:
    """Whether all that a question shares with a conflict is one name or concept and the words of that name."""
    names = [term for term in terms if term[0] in "@#"]
    return len(names) == 1 and all(term in names[0][1:].split() for term in terms if term != names[0])
