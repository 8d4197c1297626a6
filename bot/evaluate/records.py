"""Labelled questions as they stand in JSON lines, and what the engine made of each."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from pydantic import Field, ValidationError

from advisor.errors import BadData, Problem
from advisor.models import Frozen


class Record(Frozen):
    """One labelled question. `context` holds the user's earlier turns of the same conversation."""

    id: str
    text: str
    lang: str = ""
    intent: str
    alt_intents: tuple[str, ...] = ()
    slots: dict[str, object] = Field(default_factory=dict)
    context: tuple[str, ...] = ()
    seed_answerable: str = ""
    source: str = ""
    ambiguous: bool = False

    def accepts(self, intent: str | None) -> bool:
        """Whether an intent is the gold one or one that a careful person would also accept."""
        return intent is not None and (intent == self.intent or intent in self.alt_intents)


class Outcome(Frozen):
    """What came out for one record."""

    record: Record
    intent: str | None
    """Intent acted on; the best candidate when two were offered; out_of_scope when the message was declined."""
    decision: str
    score: float
    runner_up: str = ""
    slots: dict[str, object] = Field(default_factory=dict)
    because: tuple[str, ...] = ()
    """The weightiest reasons for the intent that won."""


def read_records(files: Iterable[Path]) -> list[Record]:
    """All records of the files in order. Raises BadData naming each faulty line."""
    records: list[Record] = []
    problems: list[Problem] = []
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip():
                continue
            try:
                records.append(Record.model_validate(json.loads(line)))
            except (ValidationError, ValueError) as error:
                reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
                problems.append(Problem(str(path), number, f"not a labelled question: {reason}"))
    if problems:
        raise BadData(problems)
    return records
