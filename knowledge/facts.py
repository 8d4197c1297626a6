"""The fact list: every statement of the five documents as a row with an id, a gist in our words and its room."""

from __future__ import annotations

import csv
from pathlib import Path

from pydantic import ValidationError

from knowledge.errors import BadLibrary, Problem
from knowledge.models import FactRow
from knowledge.store import HOME


def load_facts(directory: Path | None = None) -> dict[str, FactRow]:
    """All rows by id, in the order of the documents.

    Raises:
        BadLibrary: rows that do not hold what they must, all of them.
    """
    path = (directory or HOME) / "data" / "facts.csv"
    rows: dict[str, FactRow] = {}
    problems = []
    with path.open(encoding="utf-8", newline="") as handle:
        for line, record in enumerate(csv.DictReader(handle), 2):
            try:
                row = FactRow.model_validate(
                    {**record, "conflicts": record["conflicts"].split(), "answerable": record["answerable"] == "yes"}
                )
            except ValidationError as error:
                problems += [Problem(str(path), line, f"{fault['loc']}: {fault['msg']}") for fault in error.errors()]
                continue
            if row.id in rows:
                problems.append(Problem(str(path), line, f"{row.id} stands twice"))
            rows[row.id] = row
    if problems:
        raise BadLibrary(problems)
    return rows
