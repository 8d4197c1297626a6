"""Reads the files of a catalogue directory into plain records, through a cache so that a warm start parses no YAML.

```
gpus/<id>.yaml           one card a file                    generic_gpus.yaml    names that fit several cards
ml_models/<family>.yaml  id -> model                        model_families.yaml  families said without a size
prices.csv               one offer a line                   providers.yaml       who rents or sells
rates.csv                one currency rate a line           sources.yaml         where figures come from
closed_models.yaml       models without published weights   makers.yaml          words that say who made a card
cloud_machines.yaml      machines that clouds let, and the cards in them
rulings.yaml             which claim is followed            generic_llm.yaml     anchors of "a 7B model"
```
"""

from __future__ import annotations

import csv
import hashlib
import io
from pathlib import Path
from typing import Final, TypedDict, TypeVar, cast

from advisor.errors import Problem
from advisor.files import load_cached, parse_yaml, save_cached

DATA = Path(__file__).parent / "data"
_LISTS = ("closed_models", "cloud_machines", "generic_gpus", "makers", "model_families", "providers", "rulings")
_MAPPINGS = ("sources", "generic_llm")
_TABLES = ("prices", "rates")
_SALT: Final = "catalog-3"
"""Of the cache; a new one whenever `RawRecords` changes its form."""


def catalog_paths(directory: Path) -> list[Path]:
    """Every file a catalogue is made of, in a fixed order."""
    single = [directory / f"{name}.yaml" for name in (*_LISTS, *_MAPPINGS)]
    tables = [directory / f"{name}.csv" for name in _TABLES]
    many = [*(directory / "gpus").glob("*.yaml"), *(directory / "ml_models").glob("*.yaml")]
    return sorted([*single, *tables, *many])


def read_table(text: str) -> list[dict[str, str]]:
    """Rows of a CSV text by column name; cells that are missing or too many stay visible as None keys and values."""
    return list(csv.DictReader(io.StringIO(text)))


class RawRecords(TypedDict):
    """Everything that stands in the files, unchecked."""

    gpus: dict[str, dict[str, object]]
    """By path."""
    ml_models: dict[str, dict[str, object]]
    """By path, then by id."""
    lists: dict[str, list[object]]
    """By name of the file, as all that follow."""
    mappings: dict[str, dict[str, object]]
    tables: dict[str, list[dict[str, str]]]
    version: str


Form = TypeVar("Form", list[object], dict[str, object])


def _shape(parsed: object, empty: Form, path: str, problems: list[Problem]) -> Form:
    """What was parsed if it has the outer form of the empty one; else a problem and the empty one."""
    if isinstance(parsed, type(empty)):
        return parsed
    if parsed is not None:
        form = "a list" if isinstance(empty, list) else "a mapping"
        problems.append(Problem(path, 1, f"must hold {form}"))
    return empty


def _put(raw: RawRecords, path: Path, text: str, problems: list[Problem]) -> None:
    """One file's content in its place; an empty text gives an empty one."""
    where, room = str(path), path.parent.name
    if path.suffix == ".csv":
        raw["tables"][path.stem] = read_table(text)
        return
    parsed = parse_yaml(text, where, problems)
    if path.stem in _LISTS:
        raw["lists"][path.stem] = _shape(parsed, [], where, problems)
    elif room == "gpus":
        raw["gpus"][where] = _shape(parsed, {}, where, problems)
    elif room == "ml_models":
        raw["ml_models"][where] = _shape(parsed, {}, where, problems)
    else:
        raw["mappings"][path.stem] = _shape(parsed, {}, where, problems)


def _read(directory: Path, paths: list[Path], problems: list[Problem]) -> RawRecords:
    raw = RawRecords(gpus={}, ml_models={}, lists={}, mappings={}, tables={}, version="")
    digest = hashlib.sha256()
    for path in paths:
        text = ""
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            digest.update(f"{path.relative_to(directory).as_posix()}\0{text}\0".encode())
        else:
            problems.append(Problem(str(path), 1, "file is missing"))
        _put(raw, path, text, problems)
    raw["version"] = digest.hexdigest()[:12]
    return raw


def read_records(directory: Path, problems: list[Problem]) -> tuple[RawRecords, bool]:
    """All records of a catalogue and whether they came from the cache (and so were valid when they were put there)."""
    paths = catalog_paths(directory)
    cached = load_cached(paths, _SALT)  # None where a file is missing, too
    if cached is not None:
        return cast(RawRecords, cached), True
    return _read(directory, paths, problems), False


def keep_records(directory: Path, records: RawRecords) -> None:
    """Cache records that proved valid."""
    save_cached(catalog_paths(directory), _SALT, records)
