"""Reads every record of a catalogue directory with its file and line, and says what is wrong with each on its own."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Final, Generic, TypeVar, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from advisor.catalog_rows import gpu_row, offer_row, rate_row
from advisor.errors import Problem
from advisor.model_facts import read_facts
from advisor.models import (
    ChipRule,
    ClosedModel,
    CloudMachine,
    Frozen,
    GenericName,
    Gpu,
    Maker,
    MlModel,
    Offer,
    Provider,
    Rate,
    Ruling,
    ShapeNote,
    Source,
    Witness,
)
from advisor.yaml_lines import LineMap, read_document

PRICE_COLUMNS = [
    *("id", "provider", "gpu", "quoted_as", "pricing_model", "tier", "low", "high", "currency", "unit"),
    *(
        "cards",
        "market",
        "region",
        "as_of",
        "as_of_precision",
        "confidence",
        "historical",
        "source",
        "note",
        "conflict",
        "rows",
    ),
]
WITNESS_COLUMNS: Final = ["gpu", "attribute", "value", "basis", "source", "confidence"]
RATE_COLUMNS = ["as_of", "base", "currency", "rate", "source"]


Kind_co = TypeVar("Kind_co", covariant=True)
Record = TypeVar("Record", bound=Frozen)
Cells = dict[str, str]
"""A row of a table by its columns."""


@dataclass(frozen=True, slots=True)
class Located(Generic[Kind_co]):
    """A valid record and where its parts stand."""

    record: Kind_co
    path: str
    lines: LineMap
    base: tuple[str | int, ...] = ()

    def problem(self, message: str, *part: str | int) -> Problem:
        """A fault of this record, at the line of one of its parts."""
        return Problem(self.path, self.lines.line(*self.base, *part), message)


@dataclass(frozen=True, slots=True)
class Records:
    """Everything that could be read, by kind."""

    gpus: list[Located[Gpu]]
    ml_models: list[Located[MlModel]]
    offers: list[Located[Offer]]
    rates: list[Located[Rate]]
    sources: list[Located[Source]]
    providers: list[Located[Provider]]
    rulings: list[Located[Ruling]]
    generic_gpus: list[Located[GenericName]]
    model_families: list[Located[GenericName]]
    closed_models: list[Located[ClosedModel]]
    cloud_machines: list[Located[CloudMachine]]
    makers: list[Located[Maker]]
    witnesses: list[Located[Witness]]
    chips: list[Located[ChipRule]]
    shapes: list[Located[ShapeNote]]
    facts: list[Cells]
    """Rows of what was read of models, unchecked."""
    anchors: list[Located[str]]


def read_all(directory: Path, problems: list[Problem]) -> Records:
    """Every record of the directory; what cannot be read or is of the wrong form goes to `problems`."""
    read = _Reader(directory, problems)
    providers = read.listed(Provider, "providers")
    by_id = {one.record.id: one.record for one in providers}
    facts = directory / "model_facts.csv"
    witnesses = (directory / "witnesses.csv").is_file()
    chips = (directory / "chips.yaml").is_file()
    shapes = (directory / "model_shapes.yaml").is_file()
    return Records(
        gpus=[one for path in read.paths("gpus") for one in read.alone(Gpu, path)],
        ml_models=[one for path in read.paths("ml_models") for one in read.keyed(MlModel, path)],
        offers=read.table(Offer, "prices", PRICE_COLUMNS, lambda cells: offer_row(cells, by_id)),
        rates=read.table(Rate, "rates", RATE_COLUMNS, rate_row),
        sources=read.keyed(Source, directory / "sources.yaml"),
        providers=providers,
        rulings=read.listed(Ruling, "rulings"),
        generic_gpus=read.listed(GenericName, "generic_gpus"),
        model_families=read.listed(GenericName, "model_families"),
        closed_models=read.listed(ClosedModel, "closed_models"),
        cloud_machines=read.listed(CloudMachine, "cloud_machines"),
        makers=read.listed(Maker, "makers"),
        witnesses=read.table(Witness, "witnesses", WITNESS_COLUMNS, dict) if witnesses else [],
        chips=read.listed(ChipRule, "chips") if chips else [],
        shapes=read.listed(ShapeNote, "model_shapes") if shapes else [],
        facts=read_facts(facts) if facts.is_file() else [],
        anchors=read.anchors(),
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the files of one directory; faults go to `problems`."""

    directory: Path
    problems: list[Problem]

    def paths(self, room: str) -> list[Path]:
        """The YAML files of a folder, in order."""
        return sorted((self.directory / room).glob("*.yaml"))

    def alone(self, kind: type[Record], path: Path) -> list[Located[Record]]:
        """The one record of a file."""
        parsed, lines = self._document(path, dict)
        return [] if parsed is None else self._valid(kind, gpu_row(parsed), str(path), lines)

    def keyed(self, kind: type[Record], path: Path) -> list[Located[Record]]:
        """Records that stand under their id."""
        parsed, lines = self._document(path, dict)
        found: list[Located[Record]] = []
        for ident, fields in (parsed or {}).items():
            row = {"id": ident, **fields} if isinstance(fields, dict) else fields
            found += self._valid(kind, row, str(path), lines, (str(ident),))
        return found

    def listed(self, kind: type[Record], name: str) -> list[Located[Record]]:
        """Records in a list."""
        path = self.directory / f"{name}.yaml"
        parsed, lines = self._document(path, list)
        found: list[Located[Record]] = []
        for index, row in enumerate(parsed or []):
            found += self._valid(kind, row, str(path), lines, (index,))
        return found

    def anchors(self) -> list[Located[str]]:
        """Ids of the models that sizes are interpolated between."""
        path = self.directory / "generic_llm.yaml"
        parsed, lines = self._document(path, dict)
        anchors = (parsed or {}).get("anchors")
        held = anchors if isinstance(anchors, list) else []
        return [Located(str(one), str(path), lines, ("anchors", index)) for index, one in enumerate(held)]

    def table(
        self, kind: type[Record], name: str, columns: list[str], fields: Callable[[Cells], object]
    ) -> list[Located[Record]]:
        """Records of a CSV file, from what `fields` makes of its cells."""
        path = self.directory / f"{name}.csv"
        found: list[Located[Record]] = []
        for line, cells in _cells(path, columns, self.problems):
            found += self._valid(kind, fields(cells), str(path), LineMap({(): line}))
        return found

    def _document(self, path: Path, form: type[Form]) -> tuple[Form | None, LineMap]:
        """Content and lines of one YAML file; its syntax and repeated keys are checked."""
        if not path.is_file():
            self.problems.append(Problem(str(path), 1, "file is missing"))
            return None, LineMap()
        before, read = len(self.problems), read_document(path.read_text(encoding="utf-8"))
        if read.fault is not None:
            self.problems.append(replace(read.fault, path=str(path)))
        parsed, lines = read.content, read.lines
        for key, line in lines.repeated:
            self.problems.append(Problem(str(path), line, f"{key!r} stands twice; the second would silently win"))
        if isinstance(parsed, form):
            return parsed, lines
        if len(self.problems) == before:
            self.problems.append(Problem(str(path), 1, f"must hold a {'list' if form is list else 'mapping'}"))
        return None, lines

    def _valid(
        self, kind: type[Record], row: object, path: str, lines: LineMap, base: tuple[str | int, ...] = ()
    ) -> list[Located[Record]]:
        """The record in a list, or nothing and its faults in `problems`."""
        try:
            return [Located(kind.model_validate(row), path, lines, base)]
        except ValidationError as error:
            for fault in error.errors():
                where = tuple(part for part in fault["loc"] if isinstance(part, (str, int)))
                self.problems.append(Problem(path, lines.line(*base, *where), _worded(kind, fault)))
            return []


Form = TypeVar("Form", list[object], dict[str, object])


def _cells(path: Path, columns: list[str], problems: list[Problem]) -> Iterator[tuple[int, Cells]]:
    """Rows of a CSV file with their lines; a wrong header or a ragged row is a problem."""
    if not path.is_file():
        problems.append(Problem(str(path), 1, "file is missing"))
        return
    reader = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")))
    header = list(reader.fieldnames or [])
    if header != columns:
        odd = [name for name in header if name not in columns]
        missing = [name for name in columns if name not in header]
        problems.append(Problem(str(path), 1, f"columns are not the expected ones: odd {odd}, missing {missing}"))
        return
    for row in reader:
        line = reader.line_num
        if None in row or None in row.values():
            problems.append(Problem(str(path), line, f"row has not {len(columns)} cells; quote cells that hold commas"))
            continue
        yield line, row


# --- one record against its model ------------------------------------------------------------------------------------


def _worded(kind: type[Frozen], fault: ErrorDetails) -> str:
    """What is wrong, in words for the person who typed it."""
    parts = [str(part) for part in fault["loc"]]
    name = ".".join(parts) or "record"
    given = fault.get("input")
    if fault["type"] == "extra_forbidden":
        known = _field_names(kind)
        near = get_close_matches(parts[-1], known, n=1, cutoff=0.6)
        return f"there is no field {parts[-1]!r}" + (f"; did you mean {near[0]!r}?" if near else "")
    if fault["type"] == "missing":
        return f"{name} is missing"
    if fault["type"] == "string_type" and isinstance(given, (bool, int, float)):
        kind_of = "yes or no" if isinstance(given, bool) else "a number"
        return f"{name}: YAML reads {given!r} as {kind_of}; write it in quotes"
    if "date" in fault["type"]:
        return f"{name}: {given!r} is not a date like 2026-11-21"
    return f"{name}: {given!r}: {fault['msg'][0].lower()}{fault['msg'][1:]}"


def _field_names(kind: type[Frozen]) -> list[str]:
    """Fields of a record and of the records inside it."""
    names = list(kind.model_fields)
    for info in kind.model_fields.values():
        for inner in get_args(info.annotation):
            if isinstance(inner, type) and issubclass(inner, Frozen):
                names += list(inner.model_fields)
    return names
