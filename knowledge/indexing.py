"""Makes what a search needs of the records: the index, the terms of questions, disputes and readings, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypedDict

from knowledge.excerpt import Reading
from knowledge.index import Index, IndexData
from knowledge.records import ConflictRecord, Content, PassageRecord, ReadingWords, Words
from knowledge.search import document_terms, traditional, written
from knowledge.terms import Analyzer, surface_terms


class Indexed(TypedDict):
    """What is worked out once for each state of the files."""

    index: IndexData
    questions: list[str]
    """Of each passage, the terms of its title and questions as places among those of the index."""
    traditional: str
    """Characters that may be traditional ones."""
    disputes: dict[str, list[str]]
    """Term -> conflicts whose topic, positions or ruling hold it."""
    readings: dict[str, str]
    """Each passage in each language, read for `telling`."""
    surfaces: dict[str, str]


def analyzer_of(content: Content, aliases: Mapping[str, str], surfaces: Mapping[str, str] | None = None) -> Analyzer:
    """The reader of questions. `surfaces` are those of an earlier one over the same data and aliases."""
    reading: ReadingWords = content["data"]["reading"] or {}
    stop = [str(word) for words in (reading.get("stop") or {}).values() for word in words]
    known = _surfaces(content, aliases) if surfaces is None else surfaces
    return Analyzer(known, stop, reading.get("digits"), reading.get("counters") or ())


def index_of(content: Content, analyzer: Analyzer) -> Indexed:
    """Read every record once."""
    records = content["passages"].values()
    conflicts = content["conflicts"]
    index = Index.build(
        document_terms(record, analyzer, list(_disputed(record, conflicts))) for record in records
    ).to_json()
    place = {term: number for number, term in enumerate(index["postings"])}
    reading: ReadingWords = content["data"]["reading"] or {}
    return {
        "index": index,
        "questions": [written(_question_terms(record, analyzer, place)) for record in records],
        "traditional": traditional(reading.get("sometimes_traditional") or ""),
        "disputes": _terms_of_conflicts(conflicts, analyzer),
        "readings": {
            f"{language}/{name}": reading_of(record, language, analyzer).written()
            for name, record in content["passages"].items()
            for language in ("zh", "en")
        },
        "surfaces": dict(analyzer.surfaces),
    }


def reading_of(record: PassageRecord, language: str, analyzer: Analyzer) -> Reading:
    """A passage in one language with its terms; English for any language but Chinese."""
    texts, title = (record["zh"], record["title"]["zh"]) if language == "zh" else (record["en"], record["title"]["en"])
    return Reading.of(texts["short"], texts["full"], title, analyzer.terms)


def _surfaces(content: Content, aliases: Mapping[str, str]) -> dict[str, str]:
    """Names of the library and of the caller, and shared concepts, by surface."""
    data = content["data"]
    reading: ReadingWords = data["reading"] or {}
    names = {str(s): str(name) for name, listed in _listed(data["names"]) for s in (name, *listed)}
    concepts: dict[str, list[str]] = {}
    for concept, by_language in (data["synonyms"] or {}).items():
        concepts[str(concept)] = [str(word) for _, words in _listed(by_language) for word in words]
    # concepts of search alone go first: a surface belongs to the first concept that names it
    for concept, words in (reading.get("same") or {}).items():
        concepts[f"!{concept}"] = list(map(str, words))
    return surface_terms({**names, **aliases}, concepts)


def _listed(table: Mapping[str, Words | None] | None) -> Iterator[tuple[str, Words]]:
    """The rows of a table that may be missing, each with its words, none where none are written."""
    for name, words in (table or {}).items():
        yield name, words or ()


def _disputed(record: PassageRecord, conflicts: Mapping[str, ConflictRecord]) -> Iterator[str]:
    """What the conflicts that a passage takes part in are about."""
    for name in record.get("conflicts", ()):
        if name in conflicts:
            yield from (conflicts[name]["topic"]["zh"], conflicts[name]["topic"]["en"])


def _question_terms(record: PassageRecord, analyzer: Analyzer, place: Mapping[str, int]) -> Iterator[list[int]]:
    """The terms of the title and of each question of a passage, as their places in the index."""
    title, questions = record["title"], record["questions"]
    for text in (title["zh"], title["en"], *(question for each in questions.values() for question in each)):
        yield sorted({place[term] for term in analyzer.terms(text)})


def _terms_of_conflicts(conflicts: Mapping[str, ConflictRecord], analyzer: Analyzer) -> dict[str, list[str]]:
    """Term -> conflicts whose topic, positions or ruling hold it."""
    found: dict[str, list[str]] = {}
    for name, record in conflicts.items():
        texts = [record["topic"], record["ruling"], *(position["says"] for position in record["positions"])]
        terms = {term for text in texts for each in (text["zh"], text["en"]) for term in analyzer.terms(each)}
        for term in sorted(terms):
            found.setdefault(term, []).append(name)
    return found
