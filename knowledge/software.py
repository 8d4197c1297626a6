"""Which software runs on the cards of which maker: rows with one sentence a language and their sources."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from knowledge.errors import BadLibrary, Problem

_FILE: Final = "knowledge/data/software.yaml"


class SoftwareRow(BaseModel):
    """What is known of one program on the cards of one maker, maybe under one system only."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    software: str
    stack: str
    """The maker of the cards."""
    os: str = ""
    """The one system that is meant; empty for any."""
    works: Literal["yes", "partly", "no"]
    least: str = ""
    """Compute capability from which the row holds; empty where there is no such bound."""
    sources: tuple[str, ...]
    zh: str
    en: str
    below_zh: str = ""
    below_en: str = ""

    def told(self, language: str, *, below: bool) -> str:
        """The sentence that opens an answer; `below`: the card is older than the program asks for."""
        if below:
            return self.below_zh if language == "zh" else self.below_en
        return self.zh if language == "zh" else self.en


def read_rows(records: object) -> tuple[SoftwareRow, ...]:
    """The rows of a file, in its order, the narrower of a pair first.

    Raises:
        BadLibrary: rows that do not hold what they must, all of them.
    """
    problems: list[Problem] = []
    rows: list[SoftwareRow] = []
    for number, record in enumerate(records if isinstance(records, list) else [], 1):
        try:
            rows.append(SoftwareRow.model_validate(record))
        except ValidationError as error:
            problems += [Problem(_FILE, number, f"row {number}: {one['loc']}: {one['msg']}") for one in error.errors()]
    if problems:
        raise BadLibrary(problems)
    return tuple(rows)
