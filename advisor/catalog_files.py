"""Reads the files of a catalogue directory into plain records, through a cache so that a warm start parses no YAML.

```
gpus/<id>.yaml           one card a file                    generic_gpus.yaml    names that fit several cards
ml_models/<family>.yaml  id -> model                        model_families.yaml  families said without a size
prices.csv               one offer a line                   providers.yaml       who rents or sells
rates.csv                one currency rate a line           sources.yaml         where figures come from
closed_models.yaml       models without published weights   makers.yaml          words that say who made a card
rulings.yaml             which claim is followed            generic_llm.yaml     anchors of "a 7B model"
```
"""

from __future__ import annotations

import csv
import hashlib
import io
from pathlib import Path
from typing import Any

from advisor.errors import Problem
from advisor.files import load_cached, parse_yaml, save_cached

DATA = Path(__file__).parent / "data"
_LISTS = ("closed_models", "generic_gpus", "makers", "model_families", "providers", "rulings")
_MAPPINGS = ("sources", "generic_llm")
_TABLES = ("prices", "rates")


def catalog_paths(directory: Path) -> list[Path]:
    """Every file a catalogue is made of, in a fixed order."""
    single = [directory / f"{name}.yaml" for name in (*_LISTS, *_MAPPINGS)]
    tables = [directory / f"{name}.csv" for name in _TABLES]
    many = [*(directory / "gpus").glob("*.yaml"), *(directory / "ml_models").glob("*.yaml")]
    return sorted([*single, *tables, *many])


def read_table(text: str) -> list[dict[str, str]]:
    """Rows of a CSV text by column name; cells that are missing or too many stay visible as None keys and values."""
    return list(csv.DictReader(io.StringIO(text)))


def _shape(parsed: Any, wanted: type, path: str, problems: list[Problem]) -> Any:
    """What was parsed if it has the wanted outer form; else a problem and an empty one."""
    if isinstance(parsed, wanted):
        return parsed
    if parsed is not None:
        form = "a list" if wanted is list else "a mapping"
        problems.append(Problem(path, 1, f"must hold {form}"))
    return wanted()


def _read(directory: Path, paths: list[Path], problems: list[Problem]) -> dict[str, Any]:
    records: dict[str, Any] = {"gpus": {}, "ml_models": {}}
    digest = hashlib.sha256()
    for path in paths:
        where = str(path)
        if not path.is_file():
            problems.append(Problem(where, 1, "file is missing"))
            records.setdefault(path.stem, [] if path.stem in (*_LISTS, *_TABLES) else {})
            continue
        text = path.read_text(encoding="utf-8")
        digest.update(f"{path.relative_to(directory).as_posix()}\0{text}\0".encode())
        if path.suffix == ".csv":
            records[path.stem] = read_table(text)
            continue
        parsed = parse_yaml(text, where, problems)
        if path.parent.name == "gpus":
            records["gpus"][where] = _shape(parsed, dict, where, problems)
        elif path.parent.name == "ml_models":
            records["ml_models"][where] = _shape(parsed, dict, where, problems)
        else:
            records[path.stem] = _shape(parsed, list if path.stem in _LISTS else dict, where, problems)
    records["version"] = digest.hexdigest()[:12]
    return records


def read_records(directory: Path, problems: list[Problem]) -> tuple[dict[str, Any], bool]:
    """All records of a catalogue and whether they came from the cache (and so were valid when they were put there)."""
    paths = catalog_paths(directory)
    cached = load_cached(paths, "catalog")  # None where a file is missing, too
    if cached is not None:
        return cached, True
    return _read(directory, paths, problems), False


def keep_records(directory: Path, records: dict[str, Any]) -> None:
    """Cache records that proved valid."""
    save_cached(catalog_paths(directory), "catalog", records)
