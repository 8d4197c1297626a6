"""Everything that can be wrong with the knowledge base, all at once, with file and line; and how old it is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from knowledge.contents import HOME, library_files, read_library
from knowledge.errors import BadLibrary, Problem
from knowledge.facts import load_facts
from knowledge.files import cache_key, line_of
from knowledge.models import LANGUAGES, Passage
from knowledge.rows import Row
from knowledge.store import Library, load_library
from knowledge.terms import normalise

SHORT_LIMIT = {"zh": 150, "en": 60}
FULL_RANGE = {"zh": (60, 250), "en": (40, 150)}
"""Length of a full text: Han characters plus Latin words for Chinese, words for English."""
_UNITS = re.compile(r"[\u4e00-\u9fff]|[A-Za-z0-9][A-Za-z0-9.,/%+×x-]*")
_CODE = re.compile(r"`[^`]*`|\[[^\]]*\]\([^)]*\)")
_UNSPACED = re.compile(r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u4e00-\u9fff]")
_HALF_WIDTH = re.compile(r"[\u4e00-\u9fff][,;:?!]")
_HTML = re.compile(r"</?[a-z][^>]*>")
_TABLE_CELL = re.compile(r"^\|", re.MULTILINE)


def check_library(directory: Path | None = None, names: Collection[str] = ()) -> list[Problem]:
    """All faults of the files in `directory` (the library's own by default), in the order of path and line.

    `names`: canonical names of cards that a catalogue knows; when given, `gpus` of passages must be among them or in
    data/names.yaml.
    """
    home = directory or HOME
    paths = library_files(home)
    content = read_library(home, paths)
    library = Library(content, home, {}, cache_key(paths, "check"))
    problems = list(library.problems)
    try:
        rows: Collection[str] = load_facts(home)
    except BadLibrary as error:
        problems += error.problems
        rows = ()
    known = set(names) | set(content["data"]["names"] or {}) if names else set()
    seen: dict[str, str] = {}
    for name in library.ids:
        passage = library.get(name)
        path = home / "passages" / passage.folder / f"{name}.md"
        text = path.read_text(encoding="utf-8")
        found = [*_links(passage, library, rows, known), *_texts(passage), *_twins(passage, seen)]
        problems += [Problem(str(path), line_of(text, key), message) for key, message in found]
    problems += _conflict_links(library, home)
    problems += _rows(library, home)
    return sorted(problems)


def _links(passage: Passage, library: Library, rows: Collection[str], names: set[str]) -> Iterator[tuple[str, str]]:
    """References to things that are not there."""
    wanted: list[tuple[str, tuple[str, ...], Collection[str], str]] = [
        ("related", passage.related, library.passages, "passage"),
        ("conflicts", passage.conflicts, library.conflicts, "conflict"),
        ("tables", passage.tables, library.tables, "table"),
        ("sources", passage.source_ids, library.sources, "source"),
    ]
    if rows:
        wanted.append(("covers", passage.covers, rows, "row of the fact list"))
    if names:
        wanted.append(("gpus", passage.gpus, names, "card"))
    for key, values, existing, kind in wanted:
        for value in values:
            if value not in existing:
                yield key, f"{key}: there is no {kind} {value!r}"


def _rows(library: Library, home: Path) -> Iterator[Problem]:
    """Rows on programs and techniques whose sources are not there, or whose sentences are not as texts are."""
    software = [(row, row.below_zh) for row in library.software_rows]
    techniques = [(row, row.because_zh) for row in library.technique_rows]
    wanted = [(row, "") for row in library.requirement_rows]
    switches = [(row, "") for row in library.switch_rows]
    tables = (("software", software), ("techniques", techniques), ("requirements", wanted), ("switches", switches))
    for name, rows in tables:
        path = str(home / "data" / f"{name}.yaml")
        for number, (row, more) in enumerate(rows, 1):
            yield from (Problem(path, number, f"row {number}: {fault}") for fault in _faults(row, more, library))
    for number, bound in enumerate(library.software_rows, 1):
        if bool(bound.least) != bool(bound.below_zh and bound.below_en):
            fault = "a bound and what is said below it go together"
            yield Problem(str(home / "data" / "software.yaml"), number, f"row {number}: {fault}")


def _faults(row: Row, more: str, library: Library) -> Iterator[str]:
    """What is wrong with one row; `more`: its second Chinese sentence."""
    yield from (f"there is no source {source!r}" for source in row.sources if source not in library.sources)
    yield from (message for text in (row.zh, more) for _, message in _manners(text, "zh"))


def _texts(passage: Passage) -> Iterator[tuple[str, str]]:
    """Lengths and manners of the texts."""
    for language in LANGUAGES:
        texts = passage.texts(language)
        count = len(_UNITS.findall(_CODE.sub(" x ", texts.full)))
        low, high = FULL_RANGE[language]
        if not low <= count <= high:
            yield "id", f"{language} full text has {count} words, {low}-{high} are wanted"
        count = len(_UNITS.findall(_CODE.sub(" x ", texts.short)))
        if count > SHORT_LIMIT[language]:
            yield "id", f"{language} short text has {count} words, at most {SHORT_LIMIT[language]} are wanted"
        for part in (texts.short, texts.full, texts.today):
            yield from _manners(part, language)


def _manners(text: str, language: str) -> Iterator[tuple[str, str]]:
    plain = _CODE.sub(" ", text)
    if _HTML.search(plain):
        yield "id", f"{language} text holds HTML"
    if _TABLE_CELL.search(plain):
        yield "id", f"{language} text holds a table: put it into knowledge/tables"
    if language == "zh":
        for pattern, wanted in ((_UNSPACED, "a space between Han and Latin"), (_HALF_WIDTH, "full-width punctuation")):
            if fault := pattern.search(plain):
                yield "id", f"zh text wants {wanted} at {plain[max(0, fault.start() - 4) : fault.end() + 4]!r}"


def _twins(passage: Passage, seen: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Titles and questions that two passages claim."""
    claimed = [passage.title.zh, passage.title.en, *passage.questions.zh, *passage.questions.en]
    for text in dict.fromkeys(normalise(text) for text in claimed):
        other = seen.setdefault(text, passage.id)
        if other != passage.id:
            yield "questions", f"{text!r} is also claimed by {other}"


def _conflict_links(library: Library, home: Path) -> Iterator[Problem]:
    path = home / "conflicts.yaml"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for name in library.conflicts:
        conflict = library.conflicts[name]
        named = {position.source for position in conflict.positions} | (
            {conflict.follows} if conflict.follows else set()
        )
        for source in sorted(named - set(library.sources)):
            yield Problem(str(path), line_of(text, name), f"{name}: there is no source {source!r}")


@dataclass(frozen=True, slots=True)
class Aged:
    """How old one passage is and how often it was asked for."""

    passage: str
    as_of: str
    checked: str
    """Newest day on which one of its further sources was read; empty when it has none."""
    has_today: bool
    asked: int

    def __str__(self) -> str:
        """One line of the maintenance report."""
        asked = f"asked {self.asked}" if self.asked else ""
        newer = "today" if self.has_today else ""
        return f"{self.as_of:10}  {self.checked or '-':10}  {newer:5}  {self.passage}  {asked}".rstrip()


def age_report(library: Library | None = None, asked: Mapping[str, int] | None = None) -> list[Aged]:
    """Passages in the order in which they want a fresh look: most asked first, then without `today`, then oldest.

    `asked`: how often each passage was shown, as far as that is counted.
    """
    library = library or load_library()
    counts = asked or {}
    aged = []
    for name in library.ids:
        passage = library.get(name)
        read = [library.sources[source].read_on or "" for source in passage.source_ids if source in library.sources]
        aged.append(
            Aged(name, passage.as_of.date, max(read, default=""), bool(passage.en.today), int(counts.get(name, 0)))
        )
    return sorted(aged, key=lambda entry: (-entry.asked, entry.has_today, entry.as_of, entry.passage))
