"""Loads the knowledge base once and hands out passages, sources, conflicts and tables.

Files are parsed and checked when they change; otherwise one JSON cache is read, and a passage becomes an object
when it is first asked for. A faulty file is left out and named in `Library.problems`, the rest stays usable.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from knowledge.errors import Problem, UnknownPassage
from knowledge.excerpt import Reading
from knowledge.files import cache_key, line_of, load_cached, parse_yaml, save_cached
from knowledge.index import Index
from knowledge.models import Conflict, Frozen, Passage, Source, Table
from knowledge.parse import explain, parse_passage
from knowledge.search import (
    FLOOR,
    INTENT_LIFT,
    NAME_LIFT,
    ORIGIN_LIFT,
    OTHER_NAME_DROP,
    SURE,
    YEAR_LIFT,
    Hit,
    Searcher,
    document_terms,
    traditional,
    written,
)
from knowledge.terms import Analyzer, name_key, surface_terms

HOME = Path(__file__).parent
_MANY = ("passages/**/*.md", "tables/*.yaml", "sources/*.yaml")
_TELLING = 9.0
"""Weight of a question's terms below which it may be about anything."""
_REMEMBERED = 8
"""Searches remembered: one reply asks for the same passages several times."""
_ROUNDING = 1e-4
_YEAR = re.compile(r"(?<!\d)(?:2019|202[0-2])(?!\d)")
_NOBODY: frozenset[str] = frozenset()
_DATA = ("names", "synonyms", "reading")
_Model = TypeVar("_Model", bound=Frozen)


class _Records(Mapping[str, _Model]):
    """Validated objects by id, made from raw records when first asked for."""

    def __init__(self, kind: str, raw: Mapping[str, dict[str, Any]], make: Callable[[dict[str, Any]], _Model]) -> None:
        self._kind, self._raw, self._make = kind, raw, make
        self._made: dict[str, _Model] = {}

    def __getitem__(self, name: str) -> _Model:
        made = self._made.get(name)
        if made is None:
            raw = self._raw.get(name)
            if raw is None:
                raise UnknownPassage(self._kind, name)
            made = self._made[name] = self._make(raw)
        return made

    def __iter__(self) -> Any:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)


@dataclass(frozen=True, slots=True)
class _Lifts:
    """Per passage, by number: factor of its origin, its year, its names."""

    origin: list[float]
    meant: dict[str, list[float]]
    """Intent -> the factors of all passages, higher for those that are meant for it."""
    year: list[str]
    names: list[frozenset[str]]


class Library:
    """Everything the knowledge base holds. Immutable after loading."""

    def __init__(self, content: Mapping[str, Any], directory: Path, aliases: Mapping[str, str], key: str) -> None:
        """Use `load_library`."""
        self.directory = directory
        self.problems: tuple[Problem, ...] = tuple(Problem(*fields) for fields in content["problems"])
        self.passages: Mapping[str, Passage] = _Records("passage", content["passages"], Passage.model_validate)
        self.sources: Mapping[str, Source] = _Records("source", content["sources"], Source.model_validate)
        self.conflicts: Mapping[str, Conflict] = _Records("conflict", content["conflicts"], Conflict.model_validate)
        self.tables: Mapping[str, Table] = _Records("table", content["tables"], Table.model_validate)
        self.ids: tuple[str, ...] = tuple(content["passages"])
        self._content = content
        self._aliases = aliases
        self._key = key
        self._searcher: Searcher | None = None
        self._short_terms: dict[str, frozenset[str]] = {}
        self._anchors: frozenset[str] | None = None
        self._sources: tuple[str, ...] | None = None
        self._bare: frozenset[str] | None = None
        self._amounts: frozenset[str] | None = None
        self._foreign: frozenset[str] | None = None
        self._disputes: dict[str, list[str]] = {}
        self._found: dict[tuple[str, str | None, frozenset[str]], tuple[int, list[Hit]]] = {}
        self._read: dict[tuple[str, str], Reading] = {}
        self._readings: Mapping[str, str] = {}
        self.memo: dict[tuple[str, str, str], Any] = {}
        """Room for what callers make of passages again and again, by what it is, passage and language."""

    def get(self, passage: str) -> Passage:
        """The passage of that id.

        Raises:
            UnknownPassage: there is none.
        """
        return self.passages[passage]

    @property
    def searcher(self) -> Searcher:
        """The index, built or read from the cache when first needed."""
        if self._searcher is None:
            self._searcher = self._load_searcher()
        return self._searcher

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
        lift = self._lift(query, intent or "", names)
        ranked = self.searcher.rank(query, limit, lift, least - _ROUNDING, within=within)
        if least and not ranked:
            return []
        hits = [Hit(self.passages[self.ids[number]], round(score, 4), round(near, 4)) for number, score, near in ranked]
        hits.sort(key=lambda hit: (-hit.score, hit.passage.id))
        if len(self._found) >= _REMEMBERED:
            self._found = {}
        self._found[key] = (min(limit, SURE) if within else limit, hits)
        return hits[:]

    def _lift(self, query: str, intent: str, names: frozenset[str]) -> Callable[[int], float]:
        """The factor of a passage, by its number, for a question with this intent and these names."""
        lifts = self._lifts
        factors = lifts.meant.get(intent, lifts.origin)
        years = set(_YEAR.findall(query)) if "20" in query else ()
        if not years and not names:
            return factors.__getitem__

        def lift(number: int) -> float:
            factor = factors[number]
            if years and lifts.year[number] in years:
                factor *= YEAR_LIFT
            own = lifts.names[number]
            if names and own:
                factor *= OTHER_NAME_DROP if names.isdisjoint(own) else NAME_LIFT
            return factor

        return lift

    @cached_property
    def _lifts(self) -> _Lifts:
        """What lifts passages, by number."""
        records = list(self._content["passages"].values())
        origin = [ORIGIN_LIFT.get(record["origin"], 1.0) for record in records]
        meant: dict[str, list[float]] = {}
        for number, record in enumerate(records):
            for intent in record.get("intents", ()):
                meant.setdefault(intent, origin[:])[number] = origin[number] * INTENT_LIFT
        return _Lifts(
            origin=origin,
            meant=meant,
            year=[record["as_of"]["date"][:4] if record["origin"] == "seed" else "" for record in records],
            names=[frozenset(map(name_key, (*r.get("gpus", ()), *r.get("ml_models", ())))) for r in records],
        )

    def record(self, passage: str) -> dict[str, Any]:
        """The raw record of a passage, for tools that look at many."""
        return dict(self._content["passages"][passage])

    def load_all(self) -> None:
        """Make every record and the index now instead of on first use."""
        for records in (self.passages, self.sources, self.conflicts, self.tables):
            for name in records:
                records[name]
        self.searcher.prepare()
        self.search("gpu", limit=1)

    def with_passages(self, passages: Mapping[str, dict[str, Any]], searcher: Searcher) -> Library:
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
            read = self._analysed(passage, language, analyzer) if written is None else Reading.parse(written)
            self._read[passage, language] = read
        return read

    def _analysed(self, passage: str, language: str, analyzer: Analyzer) -> Reading:
        record = self._content["passages"][passage]
        texts, title = record[language], record["title"][language]
        return Reading.of(texts["short"], texts["full"], title, analyzer.terms)

    def disputed(self, query: str, least: float = 0.0) -> list[tuple[str, float]]:
        """Conflicts that a question is about, with the share (0 to 1) of the question that each speaks of, best first.

        A question that says too little to tell is about none. `least`: share below which a conflict is left out.
        """
        question = self.searcher.asked(query)
        asked, total = question.known, question.said
        if total < _TELLING:
            return []
        shares: dict[str, float] = {}
        disputes, shared = self._disputes.get, shares.get
        for term, weight in asked.items():
            names = disputes(term)
            if names is not None:
                share = weight / total
                for name in names:
                    shares[name] = shared(name, 0.0) + share
        found = [(name, share) for name, share in shares.items() if share >= least and self._speaks_of(name, asked)]
        return sorted(found, key=lambda pair: (-pair[1], pair[0])) if found else found

    def _speaks_of(self, conflict: str, asked: Collection[str]) -> bool:
        """Whether a question shares with a conflict more than the name of a card or a brand beside other words."""
        matched = [term for term in asked if conflict in self._disputes.get(term, ())]
        return len(matched) == len(asked) or not _bare_name(matched)

    def anchored(self, text: str) -> bool:
        """Whether a text names what only this subject has: a card, or one of the `anchors` of reading.yaml."""
        analyzer = self.searcher.analyzer
        if self._anchors is None:
            self._anchors = _terms_of((self._content["data"]["reading"] or {}).get("anchors"), analyzer)
        return any(term[0] == "@" or term in self._anchors for term in analyzer.terms(text))

    def says_nothing(self, text: str) -> bool:
        """Whether a text asks for a card, a price, something better, and for nothing in particular."""
        if self._bare is None:
            words = (self._content["data"]["reading"] or {}).get("bare")
            self._bare = _terms_of(words, self.searcher.analyzer)
        terms = self.searcher.analyzer.terms(text)
        return bool(terms) and self._bare.issuperset(terms)

    def names_source(self, text: str) -> bool:
        """Whether a text says whose word it wants ("what did the author recommend"): `sources` of reading.yaml."""
        if self._sources is None:
            words = (self._content["data"]["reading"] or {}).get("sources") or ()
            # a phrase begins behind a space, which the text gets at its head
            self._sources = tuple(f" {word}" if " " in word else word for word in words)
        lowered = f" {text.casefold()}"
        for word in self._sources:  # noqa: SIM110 - asked of every message; any() takes three times as long
            if word in lowered:
                return True
        return False

    def foreign(self, text: str) -> bool:
        """Whether a text is about shares, games and the like (`foreign` of reading.yaml), whatever it names besides."""
        if self._foreign is None:
            groups = (self._content["data"]["reading"] or {}).get("foreign") or ()
            self._foreign = frozenset(f"#!{group}" for group in groups)
        return not self._foreign.isdisjoint(self.searcher.analyzer.terms(text))

    def asks_amount(self, text: str) -> bool:
        """Whether a text only asks how much, of a job that it does not name (`amounts` of reading.yaml)."""
        analyzer = self.searcher.analyzer
        if self._amounts is None:
            self._amounts = _terms_of((self._content["data"]["reading"] or {}).get("amounts"), analyzer)
        return self._amounts.issuperset(self.searcher.asked(text).known)

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

    def analyzer(self, surfaces: Mapping[str, str] | None = None) -> Analyzer:
        """The reader of questions. `surfaces` are those of an earlier one over the same data and aliases."""
        reading = self._content["data"]["reading"] or {}
        stop = [str(word) for words in (reading.get("stop") or {}).values() for word in words]
        known = self._surfaces() if surfaces is None else surfaces
        return Analyzer(known, stop, reading.get("digits"), reading.get("counters") or ())

    def _surfaces(self) -> dict[str, str]:
        """Names of the library and of the caller, and shared concepts, by surface."""
        data = self._content["data"]
        names = {
            str(surface): str(name)
            for name, surfaces in (data["names"] or {}).items()
            for surface in (name, *(surfaces or ()))
        }
        names.update(self._aliases)
        concepts = {
            str(concept): [str(word) for each in (words or {}).values() for word in (each or ())]
            for concept, words in (data["synonyms"] or {}).items()
        }
        # concepts of search alone go first: a surface belongs to the first concept that names it
        for concept, words in ((data["reading"] or {}).get("same") or {}).items():
            concepts[f"!{concept}"] = [str(word) for word in words]
        return surface_terms(names, concepts)

    def _load_searcher(self) -> Searcher:
        salt = hashlib.sha256(repr(sorted(self._aliases.items())).encode()).hexdigest()[:12]
        key = f"{self._key}-index8-{salt}"
        cached = load_cached(key)
        if cached is None:
            analyzer = self.analyzer()
            cached = {**self._read_questions(analyzer), "surfaces": dict(analyzer.surfaces)}
            save_cached(key, cached)
        analyzer = self.analyzer(cached["surfaces"])
        self._disputes, self._readings = cached["disputes"], cached["readings"]
        index = Index.from_json(cached["index"])
        return Searcher(index, list(index.terms()), cached["questions"], analyzer, cached["traditional"])

    def _read_questions(self, analyzer: Analyzer) -> dict[str, Any]:
        """The index, and the terms of titles and questions as places among those of the index, as JSON-able data."""
        records = self._content["passages"].values()
        conflicts = self._content["conflicts"]

        def disputes(record: Mapping[str, Any]) -> list[str]:
            named = (conflicts[name]["topic"] for name in record.get("conflicts", ()) if name in conflicts)
            return [text for topic in named for text in (topic["zh"], topic["en"])]

        index = Index.build(document_terms(record, analyzer, disputes(record)) for record in records).to_json()
        place = {term: number for number, term in enumerate(index["postings"])}
        questions = [
            written(
                sorted({place[term] for term in analyzer.terms(text)})
                for text in (*record["title"].values(), *(q for each in record["questions"].values() for q in each))
            )
            for record in records
        ]
        return {
            "index": index,
            "questions": questions,
            "traditional": traditional((self._content["data"]["reading"] or {}).get("sometimes_traditional") or ""),
            "disputes": self._read_disputes(analyzer),
            "readings": {
                f"{language}/{name}": self._analysed(name, language, analyzer).written()
                for name in self.ids
                for language in ("zh", "en")
            },
        }

    def _read_disputes(self, analyzer: Analyzer) -> dict[str, list[str]]:
        """Term -> conflicts whose topic, positions or ruling hold it."""
        found: dict[str, list[str]] = {}
        for name, record in self._content["conflicts"].items():
            texts = [record["topic"], record["ruling"], *(position["says"] for position in record["positions"])]
            terms = {term for text in texts for each in text.values() for term in analyzer.terms(each)}
            for term in sorted(terms):
                found.setdefault(term, []).append(name)
        return found


def load_library(directory: Path | None = None, aliases: Mapping[str, str] | None = None) -> Library:
    """The knowledge base in `directory` (its own by default).

    `aliases` (surface -> canonical name) adds names that the library itself does not list, such as those of a
    catalogue of cards.
    """
    home = directory or HOME
    paths = library_files(home)
    key = cache_key(paths, "library")
    content = load_cached(key)
    if content is None:
        content = read_library(home, paths)
        save_cached(key, content)
    return Library(content, home, aliases or {}, key)


def library_files(home: Path) -> list[Path]:
    """Every file that the library is made of, in a fixed order."""
    found = (
        sorted(home.glob("passages/**/*.md")) + sorted(home.glob("tables/*.yaml")) + sorted(home.glob("sources/*.yaml"))
    )
    singles = [home / "sources.yaml", home / "conflicts.yaml", *(home / "data" / f"{name}.yaml" for name in _DATA)]
    return [path for path in found if path.name != "README.md"] + [path for path in singles if path.exists()]


def read_library(home: Path, paths: Iterable[Path]) -> dict[str, Any]:
    """Parse and check every file; what is faulty is left out and listed under `problems`."""
    problems: list[Problem] = []
    content: dict[str, Any] = {"passages": {}, "sources": {}, "conflicts": {}, "tables": {}}
    content["data"] = dict.fromkeys(_DATA)
    for path in paths:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".md":
            _add_passage(content, path, text, problems)
            continue
        parsed = parse_yaml(text, str(path), problems)
        if parsed is None:
            continue
        if path.parent.name == "data":
            content["data"][path.stem] = parsed
        elif path.parent.name == "tables":
            _add(content["tables"], Table, path.stem, parsed, path, text, problems)
        else:
            kind: type[Frozen] = Conflict if path.stem == "conflicts" else Source
            for name, record in parsed.items():
                _add(content["conflicts" if kind is Conflict else "sources"], kind, name, record, path, text, problems)
    content["passages"] = dict(sorted(content["passages"].items()))
    content["problems"] = [(problem.path, problem.line, problem.message) for problem in sorted(problems)]
    return content


def _add_passage(content: dict[str, Any], path: Path, text: str, problems: list[Problem]) -> None:
    record = parse_passage(text, str(path), path.parent.name, problems)
    if record is None:
        return
    name = record["id"]
    if name != path.stem:
        problems.append(Problem(str(path), line_of(text, "id"), f"id {name!r} differs from the file name"))
    elif name in content["passages"]:
        problems.append(Problem(str(path), line_of(text, "id"), f"another passage has the id {name!r}"))
    else:
        content["passages"][name] = record
        for source in record.get("sources", ()):
            if isinstance(source, dict):
                content["sources"].setdefault(source["id"], source)


def _add(
    target: dict[str, Any],
    model: type[Frozen],
    name: str,
    record: Any,
    path: Path,
    text: str,
    problems: list[Problem],
) -> None:
    """Check one record of a YAML file and keep it under its name."""
    line = line_of(text, str(name))
    if not isinstance(record, dict):
        problems.append(Problem(str(path), line, f"{name}: must be a mapping"))
        return
    try:
        made = model.model_validate({"id": name, **record})
    except ValidationError as error:
        for problem in explain(error, str(path), ""):
            problems.append(Problem(str(path), line, f"{name}: {problem.message}"))
        return
    if name in target:
        problems.append(Problem(str(path), line, f"{name} stands twice"))
        return
    target[str(name)] = made.model_dump(mode="json", exclude_defaults=True)


def _terms_of(words: Iterable[Any] | None, analyzer: Analyzer) -> frozenset[str]:
    """Terms of listed words; concepts (#) as they are, and words as they stand too."""
    plain = [str(word) for word in words or ()]
    return frozenset(term for word in plain for term in ((word,) if word[0] == "#" else (word, *analyzer.terms(word))))


def _bare_name(terms: list[str]) -> bool:
    """Whether all that a question shares with a conflict is one name or concept and the words of that name."""
    names = [term for term in terms if term[0] in "@#"]
    return len(names) == 1 and all(term in names[0][1:].split() for term in terms if term != names[0])
