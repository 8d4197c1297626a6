"""Rows of a file of the knowledge base, each checked; all faults at once."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from knowledge.errors import BadLibrary, Problem


class Row(BaseModel):
    """A row that rests on sources and says one sentence a language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sources: tuple[str, ...]
    zh: str
    en: str


_Row = TypeVar("_Row", bound=Row)


def read_rows(records: object, kind: type[_Row], path: str) -> tuple[_Row, ...]:
    """The rows of a file, in its order.

    Raises:
        BadLibrary: rows that do not hold what they must, all of them.
    """
    problems: list[Problem] = []
    rows: list[_Row] = []
    for number, record in enumerate(records if isinstance(records, list) else [], 1):
        try:
            rows.append(kind.model_validate(record))
        except ValidationError as error:
            problems += [Problem(path, number, f"row {number}: {one['loc']}: {one['msg']}") for one in error.errors()]
    if problems:
        raise BadLibrary(problems)
    return tuple(rows)
