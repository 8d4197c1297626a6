"""Reads every record of a catalogue directory with its file and line, and says what is wrong with each on its own."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from advisor.catalog import gpu_row, offer_row, rate_row
from advisor.errors import Problem
from advisor.files import parse_yaml
from advisor.model_facts import read_facts
from advisor.models import (
    ClosedModel,
    Frozen,
    GenericName,
    Gpu,
    Maker,
    MlModel,
    Offer,
    Provider,
    Rate,
    Ruling,
    Source,
    Witness,
)
from advisor.yaml_lines import LineMap, map_lines

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


@dataclass(slots=True)
class Located:
    """A valid record and where its parts stand."""

    record: Any
    path: str
    lines: LineMap
    base: tuple[str | int, ...] = ()

    def problem(self, message: str, *part: str | int) -> Problem:
        """A fault of this record, at the line of one of its parts."""
        return Problem(self.path, self.lines.line(*self.base, *part), message)


@dataclass(slots=True)
class Records:
    """Everything that could be read, by kind."""

    gpus: list[Located] = field(default_factory=list)
    ml_models: list[Located] = field(default_factory=list)
    offers: list[Located] = field(default_factory=list)
    rates: list[Located] = field(default_factory=list)
    sources: list[Located] = field(default_factory=list)
    providers: list[Located] = field(default_factory=list)
    rulings: list[Located] = field(default_factory=list)
    generic_gpus: list[Located] = field(default_factory=list)
    model_families: list[Located] = field(default_factory=list)
    closed_models: list[Located] = field(default_factory=list)
    makers: list[Located] = field(default_factory=list)
    witnesses: list[Located] = field(default_factory=list)
    facts: list[dict[str, str]] = field(default_factory=list)
    """Rows of what was read of models, unchecked."""
    anchors: list[Located] = field(default_factory=list)


def read_all(directory: Path, problems: list[Problem]) -> Records:
    """Every record of the directory; what cannot be read or is of the wrong form goes to `problems`."""
    found = Records()
    for path in sorted((directory / "gpus").glob("*.yaml")):
        text, parsed, lines = _document(path, dict, problems)
        if text:
            found.gpus += _validated(Gpu, gpu_row(parsed), str(path), lines, (), problems)
    for path in sorted((directory / "ml_models").glob("*.yaml")):
        _, parsed, lines = _document(path, dict, problems)
        for ident, fields in (parsed or {}).items():
            row = {"id": ident, **fields} if isinstance(fields, dict) else fields
            found.ml_models += _validated(MlModel, row, str(path), lines, (str(ident),), problems)
    _, parsed, lines = _document(directory / "sources.yaml", dict, problems)
    for ident, fields in (parsed or {}).items():
        row = {"id": ident, **fields} if isinstance(fields, dict) else fields
        found.sources += _validated(Source, row, str(directory / "sources.yaml"), lines, (str(ident),), problems)
    found.providers = _list(Provider, directory / "providers.yaml", problems)
    found.rulings = _list(Ruling, directory / "rulings.yaml", problems)
    found.generic_gpus = _list(GenericName, directory / "generic_gpus.yaml", problems)
    found.model_families = _list(GenericName, directory / "model_families.yaml", problems)
    found.closed_models = _list(ClosedModel, directory / "closed_models.yaml", problems)
    found.makers = _list(Maker, directory / "makers.yaml", problems)
    _, parsed, lines = _document(directory / "generic_llm.yaml", dict, problems)
    found.anchors = [
        Located(one, str(directory / "generic_llm.yaml"), lines, ("anchors", index))
        for index, one in enumerate((parsed or {}).get("anchors") or [])
    ]
    providers = {one.record.id: one.record for one in found.providers}
    for where, line, cells in _table(directory / "prices.csv", PRICE_COLUMNS, problems):
        found.offers += _validated(Offer, offer_row(cells, providers), where, LineMap({(): line}), (), problems)
    if (directory / "model_facts.csv").is_file():
        found.facts = read_facts(directory / "model_facts.csv")
    if (directory / "witnesses.csv").is_file():
        for where, line, cells in _table(directory / "witnesses.csv", WITNESS_COLUMNS, problems):
            found.witnesses += _validated(Witness, cells, where, LineMap({(): line}), (), problems)
    for where, line, cells in _table(directory / "rates.csv", RATE_COLUMNS, problems):
        found.rates += _validated(Rate, rate_row(cells), where, LineMap({(): line}), (), problems)
    return found


def _document(path: Path, form: type, problems: list[Problem]) -> tuple[str, Any, LineMap]:
    """Text, content and lines of one YAML file; its syntax and repeated keys are checked."""
    if not path.is_file():
        problems.append(Problem(str(path), 1, "file is missing"))
        return "", None, LineMap()
    text = path.read_text(encoding="utf-8")
    before = len(problems)
    parsed = parse_yaml(text, str(path), problems)
    lines = map_lines(text)
    for key, line in lines.repeated:
        problems.append(Problem(str(path), line, f"{key!r} stands twice; the second would silently win"))
    if not isinstance(parsed, form):
        if len(problems) == before:
            problems.append(Problem(str(path), 1, f"must hold a {'list' if form is list else 'mapping'}"))
        return "", None, lines
    return text, parsed, lines


def _list(kind: type[Frozen], path: Path, problems: list[Problem]) -> list[Located]:
    _, parsed, lines = _document(path, list, problems)
    found: list[Located] = []
    for index, row in enumerate(parsed or []):
        found += _validated(kind, row, str(path), lines, (index,), problems)
    return found


def _table(path: Path, columns: list[str], problems: list[Problem]) -> Iterator[tuple[str, int, dict[str, str]]]:
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
        yield str(path), line, row


# --- one record against its model ------------------------------------------------------------------------------------


def _validated(
    kind: type[Frozen],
    row: Any,
    path: str,
    lines: LineMap,
    base: tuple[str | int, ...],
    problems: list[Problem],
) -> list[Located]:
    """The record in a list, or nothing and its faults in `problems`."""
    try:
        return [Located(kind.model_validate(row), path, lines, base)]
    except ValidationError as error:
        for fault in error.errors():
            where = tuple(part for part in fault["loc"] if isinstance(part, (str, int)))
            problems.append(Problem(path, lines.line(*base, *where), _worded(kind, fault)))
        return []


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
