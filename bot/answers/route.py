"""Who answers: rows of routes.yaml, by the need that was read, what is given and what holds. No words, no numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from advisor.errors import BadData, Problem
from advisor.files import load_yaml_files
from bot.answers.facts import FACTS, FILLS
from bot.core.request import Request

FILE: Final = Path(__file__).with_name("routes.yaml")
_MOST_STEPS: Final = 3
_FIRST: Final = "first"
"""Need of rows that hold whatever was read, before those of the need itself."""
_ANY: Final = "any"
"""The same, behind those of the need itself."""


class _Facts(dict[str, bool]):
    """What holds of a question by name, each fact asked once for all rows."""

    def __init__(self, request: Request) -> None:
        super().__init__()
        self._request = request

    def __missing__(self, name: str) -> bool:
        known = self[name] = FACTS[name](self._request)
        return known


class Row(BaseModel):
    """One row: who answers a need instead, when, and a question of each language that lands there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    need: str = Field(alias="from")
    to: str
    given: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    holds: tuple[str, ...] = ()
    fills: str = ""
    why: str
    zh: str
    en: str
    alone: bool = False
    """Whether what is told comes from the documents itself, so that no passage stands beside it."""
    goes_on_as: str = ""
    """The need that later messages go on with, where `to` is none that can be read."""
    after: dict[str, str] = Field(default_factory=dict)
    """By language a question that stands before the example, where the row goes on with its answer."""


@dataclass(frozen=True, slots=True)
class Routed:
    """Who answers, and the question as that family takes it."""

    need: str
    request: Request
    rows: tuple[Row, ...] = ()
    """The rows that led there; none where the need itself answers."""


def route(request: Request) -> Routed:
    """Find who answers a question; its own need unless a row says otherwise."""
    need = request.intent
    taken: tuple[Row, ...] = ()
    facts = _Facts(request)
    for _ in range(_MOST_STEPS):
        given = frozenset([name for name, value in request.slots.items() if value])
        row = _first(_rows_from(need), given, facts)
        if row is None or row in taken:
            break
        if row.fills:
            request = replace(request, slots={**request.slots, **FILLS[row.fills](request)})
            facts = _Facts(request)
        need, taken = row.to, (*taken, row)
    return Routed(need, request, taken)


def _first(rows: tuple[Row, ...], given: frozenset[str], facts: _Facts) -> Row | None:
    """The first row of which all holds, what costs more asked last; `given`: the slots that are not empty."""
    for row in rows:
        if not row.given <= given or row.absent & given:
            continue
        for name in row.holds:
            if not facts[name]:
                break
        else:
            return row
    return None


@cache
def _rows_from(need: str) -> tuple[Row, ...]:
    """The rows that come first, those of a need, then those of any."""
    return tuple(row for of in (_FIRST, need, _ANY) for row in load_routes().get(of, ()))


@cache
def load_routes() -> dict[str, tuple[Row, ...]]:
    """All rows by the need that was read, in their order.

    Raises:
        BadData: a row is faulty or names a fact that nobody knows; all faults at once.
    """
    problems: list[Problem] = []
    routes: dict[str, tuple[Row, ...]] = {}
    for number, record in enumerate(load_yaml_files([FILE], problems).get(str(FILE), []), 1):
        try:
            row = Row.model_validate(record)
        except ValidationError as error:
            problems.append(Problem(str(FILE), number, f"row {number}: {error.errors()[0]['msg']}"))
            continue
        unknown = [name for name in row.holds if name not in FACTS] + [row.fills] * (row.fills not in {"", *FILLS})
        problems += [Problem(str(FILE), number, f"row {number}: no fact is called {name!r}") for name in unknown]
        routes[row.need] = (*routes.get(row.need, ()), row)
    if problems:
        raise BadData(problems)
    return routes
