"""Reads the files of the knowledge base; what is faulty is left out and named with file and line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final, cast

from pydantic import ValidationError

from knowledge.errors import Problem
from knowledge.files import line_of, parse_yaml
from knowledge.models import Conflict, Frozen, Source, Table
from knowledge.parse import explain, parse_passage
from knowledge.records import Content, PassageRecord

HOME: Final = Path(__file__).parent
_DATA: Final = ("names", "synonyms", "reading", "software", "techniques", "requirements", "switches")


def library_files(home: Path) -> list[Path]:
    """Every file that the library is made of, in a fixed order."""
    found = (
        sorted(home.glob("passages/**/*.md")) + sorted(home.glob("tables/*.yaml")) + sorted(home.glob("sources/*.yaml"))
    )
    singles = [home / "sources.yaml", home / "conflicts.yaml", *(home / "data" / f"{name}.yaml" for name in _DATA)]
    return [path for path in found if path.name != "README.md"] + [path for path in singles if path.exists()]


def read_library(home: Path, paths: Iterable[Path]) -> Content:
    """Parse and check every file; what is faulty is left out and listed under `problems`."""
    reader = _Reader()
    for path in paths:
        reader.read(path, path.read_text(encoding="utf-8"))
    return reader.content()


class _Reader:
    """What was read so far, by kind and id."""

    def __init__(self) -> None:
        """Nothing is read yet."""
        self._problems: list[Problem] = []
        self._data: dict[str, object] = dict.fromkeys(_DATA)
        self._passages: dict[str, PassageRecord] = {}
        self._kinds: dict[type[Frozen], dict[str, object]] = {Source: {}, Conflict: {}, Table: {}}

    def read(self, path: Path, text: str) -> None:
        """Keep what one file holds."""
        if path.suffix == ".md":
            self._add_passage(path, text)
            return
        parsed = parse_yaml(text, str(path), self._problems)
        if parsed is None:
            return
        if path.parent.name == "data":
            self._data[path.stem] = parsed
        elif path.parent.name == "tables":
            self._add(Table, path.stem, parsed, path, text)
        elif isinstance(parsed, dict):
            for name, record in parsed.items():
                self._add(Conflict if path.stem == "conflicts" else Source, name, record, path, text)

    def content(self) -> Content:
        """Everything that was read, passages in the order of their ids."""
        content = {
            "passages": dict(sorted(self._passages.items())),
            "sources": self._kinds[Source],
            "conflicts": self._kinds[Conflict],
            "tables": self._kinds[Table],
            "data": self._data,
            "problems": [(one.path, one.line, one.message) for one in sorted(self._problems)],
        }
        return cast("Content", content)  # each record passed the model of its kind

    def _add_passage(self, path: Path, text: str) -> None:
        record = parse_passage(text, str(path), path.parent.name, self._problems)
        if record is None:
            return
        name = record["id"]
        if name != path.stem:
            self._problems.append(Problem(str(path), line_of(text, "id"), f"id {name!r} differs from the file name"))
        elif name in self._passages:
            self._problems.append(Problem(str(path), line_of(text, "id"), f"another passage has the id {name!r}"))
        else:
            self._passages[name] = record
            for source in record.get("sources", ()):
                if isinstance(source, dict):
                    self._kinds[Source].setdefault(source["id"], source)

    def _add(self, model: type[Frozen], name: object, record: object, path: Path, text: str) -> None:
        """Check one record of a YAML file and keep it under its name."""
        line, target = line_of(text, str(name)), self._kinds[model]
        if not isinstance(record, dict):
            self._problems.append(Problem(str(path), line, f"{name}: must be a mapping"))
            return
        try:
            made = model.model_validate({"id": name, **record})
        except ValidationError as error:
            faults = explain(error, str(path), "")
            self._problems += [Problem(str(path), line, f"{name}: {fault.message}") for fault in faults]
            return
        if name in target:
            self._problems.append(Problem(str(path), line, f"{name} stands twice"))
            return
        target[str(name)] = made.model_dump(mode="json", exclude_defaults=True)
